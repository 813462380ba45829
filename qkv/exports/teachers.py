"""teachers.html, "Use it in your course": everything to embed, and what each course platform needs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.extensions.sane_lists import SaneListExtension
from markdown.extensions.tables import TableExtension
from markupsafe import Markup, escape

from qkv.content.heights import CLASSES, WIDTHS, Heights, height_of
from qkv.content.sections import Section, read_page
from qkv.content.strings import Words
from qkv.exports.made import Download
from qkv.exports.single import name_of
from qkv.pages.data import dump
from qkv.pages.page import Page
from qkv.pages.render import Pages

HERE = "<!-- the maker stands here -->"
THERE = "<!-- the packages stand here -->"


def load_teachers(content: Path) -> Section:
    """Reads content/teachers.md; raises a BuildError if it is not there or cannot be read."""
    return read_page(content, "teachers.md")


def teachers(
    pages: Pages, course: Section, guests: list[Page], heights: Heights, made: dict[str, list[Download]]
) -> Page:
    """The page; `made` are the downloads by export, empty where none are built.

    Without their lines, the form that makes a snippet and the files to take along stand at the end of the text.
    """
    downloads = {page.path: name_of(page.path) for page in guests} if made else {}
    text = Markdown(extensions=[TableExtension(), SaneListExtension()], output_format="html").convert(course.body)
    before, _, after = _scrolling(text, pages.words).partition(HERE)
    between, _, after = after.partition(THERE)
    embeds = [
        {
            "path": page.path,
            "title": page.name,
            "heights": {name: height_of(page.stem, name, heights) for name in CLASSES},
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
        title=course.title,
        before=Markup(before),
        between=Markup(between),
        after=Markup(after),
        groups=groups,
        widths=WIDTHS,
        downloads=downloads,
        article=name_of("index.html") if downloads else "",
        packages=_packages(made, pages.words, set(downloads.values())),
        data=Markup(dump(data)),
    )
    return Page("teachers.html", html)


def _scrolling(text: str, words: Words) -> str:
    """The text with each table in a region that scrolls by itself, named after the heading it stands under."""
    found, heading = "", ""
    for part in re.split(r"(<h[1-6]>.*?</h[1-6]>|</?table>)", text):
        if part.startswith("<h"):
            heading = Markup(part).striptags()
        elif part == "<table>":
            name = escape(words("teachers.table", heading=heading))
            part = f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">{part}'
        found += part + "</div>" * (part == "</table>")
    return found


def _packages(made: dict[str, list[Download]], words: Words, offered: set[str]) -> list[tuple[str, list[Download]]]:
    """The files to take along, in groups with a heading, but those that are `offered` beside the form."""
    scorm = made.get("scorm", [])
    groups = [
        (words("teachers.scorm12"), [one for one in scorm if one.name.startswith("scorm12")]),
        (words("teachers.scorm2004"), [one for one in scorm if one.name.startswith("scorm2004")]),
        (words("teachers.others"), [one for name in ("cartridge", "gift", "worksheet") for one in made.get(name, [])]),
        (words("teachers.singles"), [one for one in made.get("single", []) if one.path not in offered]),
    ]
    return [(heading, listed) for heading, listed in groups if listed]
