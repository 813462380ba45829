"""Every rule of the styles matches something on some page, in some state; each stands once; colours are tokens.

What is a rule is asked of the browser, so that what it does not understand is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import build
from tests.browser.expected import State
from tests.browser.measuring import draw_all, open_all
from tests.browser.reading import Reader
from tests.packages import article, unzipped

SOURCES = build.ROOT / "templates" / "styles"
SCRIPT = Path(__file__).with_name("styles.js")
OTHER = State("soft", "off", "previous", 3)
SHEETS = ("style", "noscript", "lesson", "worksheet")
SECTION = "sections/4-values.md"
# What an author may write and our article does not hold.
WRITTEN = """
## A part

- one
- two

1. one
2. two
"""
# A course platform that takes everything.
PLATFORM = """window.API = new Proxy({}, {
  get: (_, name) => () => ({LMSGetValue: "", LMSGetLastError: "0"})[name] ?? "true",
});"""

# Those of the words that are colours by themselves.
COLOURS = r"""words => words.filter((word) => CSS.supports("color", word)
  ? !/^(transparent|inherit|initial|currentcolor)$/i.test(word)
  : /^(rgba?|hsla?|hwb|(ok)?lab|(ok)?lch|color|color-mix|light-dark)\($/i.test(word))"""

# No page of ours shows it, and it has to be there.
EXCEPTIONS = dict.fromkeys(
    [f".f-{ink}" for ink in ("line", "page", "edge", "hatch")]
    + [f".s-{ink}" for ink in ("muted", "page", "attention", "faint", "second", "before")],
    "a kind of figure may fill, and draw lines, in each of the inks",
) | {":root:not(.stacked) .figure-table .block-only": "a source without queries and keys has a table without margins"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our article with what else an author may write, published, with its packages, one of them unpacked as lesson/."""
    folder = tmp_path_factory.mktemp("styles")
    content = article(folder, {"base_url": '"https://example.org/attention/"'})
    with (content / SECTION).open("a", encoding="utf-8") as file:
        file.write(WRITTEN)
    site = folder / "site"
    build.build(content, site, quiet=True, packages=True)
    for name, data in unzipped((site / "downloads" / "scorm12-article.zip").read_bytes()).items():
        path = site / "lesson" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return site


@pytest.fixture(scope="module")
def rules(browser: Browser, built: Path) -> dict[str, list[dict[str, Any]]]:
    """The rules of each style."""
    (style,) = built.glob("assets/style.*.css")
    (noscript,) = built.glob("assets/noscript.*.css")
    (lesson,) = built.glob("lesson/assets/lesson.*.css")
    texts = {name: path.read_text("utf-8") for name, path in zip(SHEETS, (style, noscript, lesson), strict=False)}
    sheet = re.search("<style>(.*?)</style>", (built / "downloads" / "worksheet.html").read_text("utf-8"), re.S)
    assert sheet
    texts["worksheet"] = sheet[1]
    page = browser.new_page()
    page.evaluate(SCRIPT.read_text("utf-8"))
    found: dict[str, list[dict[str, Any]]] = {
        name: page.evaluate("text => styles.read(text)", text) for name, text in texts.items()
    }
    page.close()
    assert all(found.values())
    return found


class Look:
    """Opens pages, and strikes out the selectors that match on them."""

    def __init__(self, browser: Browser, built: Path, rules: dict[str, list[dict[str, Any]]]) -> None:
        self.browser, self.home = browser, built.as_uri() + "/"
        self.left = {name: list(dict.fromkeys(rule["selector"] for rule in found)) for name, found in rules.items()}
        self.readers: list[Reader] = []

    def reader(self, **options: Any) -> Reader:
        self.readers.append(Reader(self.browser, self.home, **options))
        return self.readers[-1]

    def at(self, reader: Reader, *sheets: str) -> None:
        reader.page.evaluate(SCRIPT.read_text("utf-8"))
        for sheet in sheets or ("style",):
            self.left[sheet] = reader.page.evaluate("left => styles.unmatched(left)", self.left[sheet])

    def page(self, path: str, *sheets: str, **options: Any) -> None:
        self.at(self.reader(**options).open(path), *sheets)

    def close(self) -> None:
        for reader in self.readers:
            reader.context.close()


@pytest.fixture
def look(browser: Browser, built: Path, rules: dict[str, list[dict[str, Any]]]) -> Iterator[Look]:
    found = Look(browser, built, rules)
    yield found
    found.close()


def test_every_rule_matches_something(look: Look) -> None:
    # without scripts
    for path in ("index.html", "sections/values.html"):
        look.page(path, "style", "noscript", java_script_enabled=False)
    look.page("404.html")
    look.page("downloads/worksheet.html", "worksheet")
    look.page("teachers.html")
    reader = look.reader(java_script_enabled=False).open("embed/section-softmax.html")
    open_all(reader)
    look.at(reader)
    # the article: as it opens, all drawn in another state, in a theme of its own
    reader = look.reader().open("index.html")
    draw_all(reader, painted=False)
    look.at(reader)
    reader.show(OTHER)
    reader.wait(OTHER)
    look.at(reader)
    reader.show(replace(OTHER, head="sink"))
    reader.wait(replace(OTHER, head="sink"))
    reader.page.locator("#theme input[value=dark]").evaluate("input => input.click()")
    look.at(reader)
    # graphics that do not come
    reader = look.reader()
    reader.context.route("**/plotly.*.js", lambda route: route.abort())
    reader.open("sections/neighbours.html", OTHER)
    reader.page.wait_for_selector(".failed")
    look.at(reader)
    # in frames, with their options
    for path in ("embed/section-values.html", "embed/figure-heads.html"):
        reader = look.reader().open(f"{path}?controls=0&title=0&size=large")
        reader.page.wait_for_selector("html[data-ready]", state="attached")
        look.at(reader)
    # in a course, with a section that is done
    reader = look.reader()
    reader.context.add_init_script(PLATFORM)
    reader.open("lesson/index.html")
    reader.page.wait_for_selector("#course", state="visible")
    look.at(reader, "lesson")
    for index in (1, 0, 2):
        reader.page.locator("#figure-heads [data-control=head] input").nth(index).evaluate("input => input.click()")
        look.at(reader, "lesson")
    assert {name: sorted(left) for name, left in look.left.items() if left} == {"style": sorted(EXCEPTIONS)}


def test_each_rule_stands_once(rules: dict[str, list[dict[str, Any]]]) -> None:
    """No selector sets a property twice for the same medium and window."""
    for name, found in rules.items():
        sets = Counter((rule["where"], rule["selector"], one) for rule in found for one in rule["properties"])
        assert [place for place, times in sets.items() if times > 1] == [], name


def test_colours_are_tokens(browser: Browser) -> None:
    page = browser.new_page()
    for path in sorted(SOURCES.glob("*.css")):
        if path.name in ("tokens.css", "style.css"):  # where they stand, and what only names the parts
            continue
        text = re.sub(r"(?s){#.*?#}|{%.*?%}|{{.*?}}", "", path.read_text("utf-8"))
        values = re.findall(r"[\w-]+:\s*([^;{}]+);", text)
        words = {word for value in values for word in re.findall(r"#?[\w-]+\(?", value)}
        assert len(values) > 3, path.name
        assert page.evaluate(COLOURS, sorted(words)) == [], path.name
    page.close()
