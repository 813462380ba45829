"""Whether every link and id of the finished pages is right."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from qkv.content.sections import Section
from qkv.errors import Mistakes, Place
from qkv.output.files import Output

_NAMED = re.compile(r'\s(id|href|src|data-plotly)="([^"]*)"')
_NOSCRIPT = re.compile(r"<noscript>.*?</noscript>", re.S)
_BLOCK = re.compile(r'<script type="application/json".*?</script>', re.S)


def check(outputs: list[Output], written: Mapping[str, Section]) -> None:
    """Refuses a path written twice, an id twice on a page, and a link or anchor that leads nowhere.

    `written` are the texts of pages whose links have not been checked before, by path.
    """
    wrong = Mistakes()
    paths: set[str] = set()
    for output in outputs:
        if output.path in paths:
            wrong.add(Place(f"site/{output.path}"), "is written twice", "give one of the two another slug")
        paths.add(output.path)
    links: dict[str, list[str]] = {}
    ids: dict[str, list[str]] = {}
    for output in outputs:
        if output.path.endswith(".html"):
            page = _BLOCK.sub("", output.data.decode())
            shown, other = _named(_NOSCRIPT.sub("", page)), _named("".join(_NOSCRIPT.findall(page)))
            links[output.path] = [value for name, value in shown + other if name != "id"]
            ids[output.path] = [value for name, value in shown if name == "id"]
    for path in links:
        seen: set[str] = set()
        for name in ids[path]:
            if name in seen:
                wrong.add(Place(f"site/{path}"), f"the id {name!r} stands twice", "show each figure once on a page")
            seen.add(name)
        for link in dict.fromkeys(links[path]):
            if re.match(r"[a-z]+:", link) or link.startswith("#sentence="):
                continue
            target, _, anchor = link.partition("#")
            found = resolve(path, target) if target else path
            if found not in paths:
                wrong.add(_place(path, link, written), f"the link {link!r} leads nowhere", "mend the address")
            elif anchor and "=" not in anchor and found in ids and anchor not in ids[found]:
                wrong.add(_place(path, link, written), f"the anchor {link!r} is not there", "mend the anchor")
    wrong.stop()


def _place(path: str, link: str, written: Mapping[str, Section]) -> Place:
    """Where an author has written a link that stands on a page; the page, if it is made of nothing written."""
    if path not in written:
        return Place(f"site/{path}")
    alone = re.compile(rf"(?<![\w./]){re.escape(link)}(?![\w./])")
    for number, line in enumerate(written[path].body.split("\n"), 1):
        if alone.search(html.unescape(line)):
            return written[path].at(number)
    return written[path].source.at(0)


def _named(page: str) -> list[tuple[str, str]]:
    """The ids and links of a page by the names of their attributes. Only in tags: in a text, id="x" is a text."""
    return [
        (hit[1], html.unescape(hit[2]))
        for hit in _NAMED.finditer(page)
        if page.rfind("<", 0, hit.start()) > page.rfind(">", 0, hit.start())
    ]


def resolve(page: str, target: str) -> str:
    """The path below the site's folder that a link on a page leads to; as in a browser, above it there is nothing."""
    parts: list[str] = []
    for part in (*PurePosixPath(page).parent.parts, *target.split("/")):
        if part == "..":
            if parts:
                parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
