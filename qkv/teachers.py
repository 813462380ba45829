"""teachers.html, "Use it in your course": everything to embed, and what each course platform needs."""

from __future__ import annotations

from typing import Any

from markdown import Markdown
from markupsafe import Markup

from qkv.content import read_page
from qkv.embeds import CLASSES, HEIGHT, WIDTHS, declared
from qkv.exports.single import name_of
from qkv.pages import Page, Pages
from qkv.payload import dump

SCROLL = '<div class="scroll" tabindex="0" role="region" aria-label="Table">'
HERE = "<!-- the maker stands here -->"


def teachers(pages: Pages, guests: list[Page], downloads: dict[str, str]) -> Page:
    """The page; `downloads` leads from an embed's path to its single file, and is empty where none are built."""
    title, body = read_page(pages.content.folder, "teachers.md")
    heights = declared(pages)
    before, _, after = Markdown(extensions=["tables", "sane_lists"], output_format="html").convert(body).partition(HERE)
    embeds = [
        {
            "path": page.path,
            "title": page.name,
            "heights": {name: heights.get(page.stem, {}).get(name, HEIGHT) for name in CLASSES},
        }
        for page in guests
    ]
    groups = [
        (pages.words("teachers.figures"), [e for e in embeds if "/figure-" in e["path"]]),
        (pages.words("teachers.sections"), [e for e in embeds if "/section-" in e["path"]]),
    ]
    data: dict[str, Any] = {
        "home": pages.address("index.html"),
        "embeds": embeds,
        "downloads": downloads,
        "words": {"copied": pages.words("teachers.copied"), "press": pages.words("teachers.press")},
    }
    html = pages.env.get_template("teachers.html").render(
        path="teachers.html",
        root="",
        title=title,
        before=Markup(before),
        after=Markup(
            after.replace("<table>", '<div class="scroll" tabindex="0"><table>').replace("</table>", "</table></div>")
        ),
        groups=groups,
        widths=WIDTHS,
        downloads=downloads,
        article=name_of("index.html") if downloads else "",
        data=Markup(dump(data)),
    )
    return Page("teachers.html", html)
