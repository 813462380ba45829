"""Pages to be put into somebody else's page, without the site around them: one a section, one a figure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from markupsafe import Markup

from qkv.errors import Mistakes, did_you_mean, quoted
from qkv.pages import Page, Pages, lifted
from qkv.prose import Target
from qkv.tomlfile import load_toml

HEIGHT = 640  # pixels, for an embed that content/heights.toml does not have; the page then says its own height
WIDTHS = (320, 700, 1200)  # of a frame, in pixels: a telephone, the column of a course, a whole window
CLASSES = tuple(f"{width}{size}" for size in ("", "-large") for width in WIDTHS)
COLUMN = 700  # the width that an answer by oEmbed speaks of
Heights = dict[str, dict[str, int]]  # by an embed's stem, then by class of width and size


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


def load_heights(content: Path) -> Heights:
    """Reads content/heights.toml; an embed that it does not list is HEIGHT pixels high."""
    file = load_toml(content, "heights.toml")
    wrong = Mistakes()
    for stem, by_class in file.data.items():
        if not isinstance(by_class, dict):
            fix = f'write ["{stem}"], with e.g. 700 = {HEIGHT} below, or measure anew: python tools/heights.py'
            wrong.add(file.where(stem), f"{stem} must be a table of heights", fix)
            continue
        for name, height in by_class.items():
            place = file.where(stem, name)
            if name not in CLASSES:
                wrong.add(place, f"unknown width {name!r}", did_you_mean(name, CLASSES))
            elif type(height) is not int or height < 1:
                problem = f"{name} is {quoted(height)}, which is no height in whole pixels"
                wrong.add(place, problem, f"write e.g. {name} = {HEIGHT}")
    wrong.stop()
    return file.data


def height_of(stem: str, width: int | str, heights: Heights) -> int:
    """How high an embed is in pixels, in a frame of a width of WIDTHS or by a name in CLASSES."""
    return heights.get(stem, {}).get(str(width), HEIGHT)


def rough_heights(kinds: Iterable[str], slugs: Iterable[str], heights: Heights) -> dict[str, list[int]]:
    """By their CSS selectors in the article, how high the embed of each figure and section is at each of WIDTHS."""
    stems = {f".figure-{kind}": f"figure-{kind}" for kind in kinds}
    stems |= {f'[id="{slug}"]': f"section-{slug}" for slug in slugs}
    return {selector: [height_of(stem, width, heights) for width in WIDTHS] for selector, stem in stems.items()}


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
