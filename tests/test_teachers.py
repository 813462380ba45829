"""The page for teachers as it is written: what stands where, and its snippet, in Python and in the browser's script."""

from __future__ import annotations

import json
import re
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

from qkv.exports.scorm import VERSIONS
from qkv.exports.teachers import HERE, THERE
from qkv.pages.embeds import snippet
from tests.contents import ROOT, copy_small
from tests.packages import ADDRESS, built, files
from tests.test_numbers import node

SCRIPT = ROOT / "templates" / "assets" / "teachers.js"
PLATFORMS = ["Moodle", "Canvas", "Open edX", "Blackboard Ultra", "Brightspace", "Sakai"]
# Just as much of a browser as the script wants: elements by their ids, and what the reader has chosen in them.
BROWSER = """
    const values = {what: input.embeds[0].path, width: "700"}, elements = {};
    const document = {getElementById: (id) => (elements[id] = elements[id] || {
      textContent: id === "embeds" ? JSON.stringify(input) : "", value: values[id] || "", checked: false, style: {},
      offsetHeight: 0, clientHeight: 0, addEventListener() {},
    })};
    const location = {protocol: "file:"}, addEventListener = () => {}, navigator = {};
"""


def page(found: dict[str, bytes]) -> str:
    """What stands below the form that makes a snippet."""
    return found["teachers.html"].decode().partition('class="section teachers"')[2]


def headings(html: str) -> list[tuple[str, str]]:
    return [(level, unescape(text)) for level, text in re.findall(r"<h([1-6])[^>]*>(.*?)</h\1>", html)]


def rows(html: str, heading: str) -> list[list[str]]:
    """The first table under a heading."""
    table = html.partition(f">{heading}</h2>")[2].partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.findall("(?s)<td>(.*?)</td>", row) for row in re.findall("(?s)<tr>(.*?)</tr>", table)]


def small(folder: Path, *gone: str) -> dict[str, bytes]:
    """The small article with all downloads, and a page for teachers that lacks some of its lines."""
    content = copy_small(folder)
    path = content / "teachers.md"
    text = path.read_text("utf-8")
    for line in gone:
        assert text.count(line) == 1
        text = text.replace(line, "")
    path.write_text(text, "utf-8")
    return files(content)


def test_the_files_have_a_place_of_their_own() -> None:
    html = page(built())
    below, _, after = html.partition(">Packages and files</h2>")[2].partition("<h2>")
    assert [level for level, _ in headings(below)] == ["3"] * 4
    assert after
    listed = re.findall(r'<a href="downloads/([^"]*)" download>[^<]+</a> \(\d+ kB\)', below)
    assert len(listed) == len(set(listed)) == html.count(" download>")
    made = {path.removeprefix("downloads/") for path in built() if path.startswith("downloads/")}
    beside = {name for name in made if re.match("(section|figure)-", name)}  # those that the form offers
    assert set(listed) == made - beside


def test_without_their_lines_form_and_files_stand_at_the_end(tmp_path: Path) -> None:
    found = small(tmp_path, HERE, THERE)
    whole = found["teachers.html"].decode()
    last = "What the frame does"
    assert headings(whole.partition('id="maker"')[0])[-1] == ("2", last)
    assert [level for level, _ in headings(page(found))] == ["3"] * 4


def test_a_region_for_each_table_with_a_name_of_its_own() -> None:
    html = page(built())
    names = re.findall(r'<div class="scroll" tabindex="0" role="region" aria-label="([^"]+)"><table>', html)
    assert len(names) == len(set(names)) == html.count("<table>") == html.count("</table></div>")
    assert all(name.startswith("Table: ") for name in names)


def test_a_table_before_the_form_has_one_too(tmp_path: Path) -> None:
    content = copy_small(tmp_path)
    table = "## A & <b>\n\n| a |\n| --- |\n| b |\n\n"
    path = content / "teachers.md"
    path.write_text(path.read_text("utf-8").replace(HERE, table + HERE), "utf-8")
    before = files(content)["teachers.html"].decode().partition('id="maker"')[0]
    assert re.findall('<div class="scroll"[^>]* aria-label="([^"]*)"><table>', before) == ["Table: A &amp;"]


def test_what_each_platform_tracks() -> None:
    """A row for each, none left empty; of all platforms only that of which docs/courses.md tells has been tried."""
    found = rows(page(built()), "What SCORM packages track")
    assert [row[0] for row in found] == PLATFORMS
    assert all(len(row) == 4 and all(row) for row in found)
    tried = {row[0]: row[3] for row in found if row[3] != "Not tried."}
    assert list(tried) == ["Open edX"]
    told = " ".join((ROOT / "docs" / "courses.md").read_text("utf-8").split())
    version = re.search(r"version ([\d.]+)", tried["Open edX"])
    assert version
    assert f"the SCORM block of Open edX has been tried, version {version[1]}" in told
    assert "The others have not been tried." in told


def test_the_score_is_named_as_the_site_has_it() -> None:
    """What the page says of the score is what the settings do."""
    assert "score = true" in page(built())
    assert not re.search(r"^score = true", (ROOT / "content" / "site.toml").read_text("utf-8"), re.M)
    assert {version.name for version in VERSIONS} == {"scorm12", "scorm2004"}


@pytest.mark.parametrize("title", ["Where each token looks", "a & b", "\"<s>\" & 'it'"])
def test_the_snippet_is_the_same_in_both_languages(title: str) -> None:
    """But for the link below it, which an answer by oEmbed has no use for."""
    path = "embed/figure-lines.html"
    heights = {"700": 660, "320": 700, "1200": 640}
    data: dict[str, Any] = {
        "home": ADDRESS,
        "embeds": [{"path": path, "title": title, "heights": heights}],
        "downloads": {},
        "words": {},
    }
    made: str = node(BROWSER + SCRIPT.read_text("utf-8") + 'output = elements["snippet"].value;', data)
    frame, _, link = made.partition("\n")
    mine = snippet(ADDRESS + path, escape(title), 660)
    assert unescape(frame) == unescape(mine)
    assert link.startswith(f'<p><a href="{ADDRESS}{path}">')
    if title.isascii() and title.replace(" ", "").isalpha():
        assert frame == mine


def test_its_data_names_every_embedded_page() -> None:
    block = re.search(r'id="embeds">(.*?)</script>', built()["teachers.html"].decode())
    assert block
    listed = {embed["path"] for embed in json.loads(block[1])["embeds"]}
    assert listed == {path for path in built() if path.startswith("embed/") and path.endswith(".html")}
