"""Pages to be put into somebody else's page, without the site around them: one a section, one a figure."""

from __future__ import annotations

import json
import re
from typing import Any

from markupsafe import Markup

from qkv.article.links import Target
from qkv.content.heights import COLUMN, Heights, height_of
from qkv.pages.page import Page
from qkv.pages.render import Pages, lifted


def embeds(pages: Pages) -> list[Page]:
    """embed/section-<slug>.html and embed/figure-<kind>.html; call after Pages.all()."""
    made = []
    for section in pages.content.sections:
        base = pages.own(section)
        part = pages.section(section, base, "../sections/")
        made.append(_embed(pages, f"section-{section.slug}", section.title, part["prose"].figures, base, part=part))
        for kind in part["prose"].figures:
            figure = Markup(lifted(pages.figure(kind, Target(base, kind)), 2))  # its title is the page's h1
            made.append(_embed(pages, f"figure-{kind}", pages.charts[kind].title, (kind,), base, figure=figure))
    return made


def _embed(pages: Pages, stem: str, name: str, kinds: tuple[str, ...], base: Any, **more: Any) -> Page:
    path = f"embed/{stem}.html"
    html = pages.env.get_template("embed.html").render(
        path=path,
        root="../",
        name=name,
        oembed=pages.address(f"embed/{stem}.json"),
        data=pages.data(kinds, base),
        traces=pages.arrays,
        part=more.get("part"),
        figure=more.get("figure"),
    )
    return Page(path, _outward(html), listed=False, name=name)


def _outward(html: str) -> str:
    """Links that leave the page open in a new tab, so that the host's page stays.

    The link to the present view leaves too: the script leads it to the site.
    """
    leaves = r'<a (?=class="link")|<a (?![^>]*href="#)'
    return re.sub(leaves, '<a target="_blank" rel="noopener" ', html.replace(' rel="noopener"', ""))


def snippet(address: str, title: str, height: int) -> str:
    """What a teacher pastes: a frame, no script. `title` is escaped already."""
    return (
        f'<iframe src="{address}" title="{title}" width="100%" height="{height}" style="border:0" '
        'loading="lazy" allow="fullscreen"></iframe>'
    )


def oembeds(pages: Pages, made: list[Page], heights: Heights) -> dict[str, str]:
    """An oEmbed answer (oembed.com, version 1.0, type rich) beside each embed, where the site has a base URL."""
    found = {}
    for page in made if pages.address("index.html") else ():
        title = re.search(r"<title>([^<]*)</title>", page.html)
        address, height = pages.address(page.path), height_of(page.stem, COLUMN, heights)
        answer = {
            "version": "1.0",
            "type": "rich",
            "title": Markup(title.group(1)).unescape() if title else "",
            "provider_name": pages.content.site["title"],
            "provider_url": pages.address("index.html"),
            "width": COLUMN,
            "height": height,
            "html": snippet(address, title.group(1) if title else "", height),
        }
        found[page.path.removesuffix(".html") + ".json"] = json.dumps(answer, ensure_ascii=False, indent=1) + "\n"
    return found
