"""Single files, each alone in an empty folder: everything works, nothing is asked for, and no policy is broken."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from qkv.exports.single import LIMIT, name_of
from tests.browser.expected import DEFAULT, KINDS, State
from tests.browser.hosts import packaged
from tests.browser.reading import Reader

SECTIONS = ("neighbours", "queries-keys", "softmax", "values", "every-token", "many-heads")
PAGES = [
    "index.html",
    *(f"sections/{slug}.html" for slug in SECTIONS),
    *(f"embed/section-{slug}.html" for slug in SECTIONS),
    *(f"embed/figure-{kind}.html" for kind in KINDS),
]
OTHER = State("soft", "off", "previous", 4)
QUERIES = (
    "?embed=1",
    "?embed=0&controls=2&theme=purple&size=tiny&title=",
    "?utm_source=course&__proto__=1&%E0%A4%A&x=%3Cscript%3E",
    "?embed=1&theme=dark&size=large&title=0",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packaged(tmp_path_factory)


@pytest.fixture
def alone(browser: Browser, built: Path, tmp_path: Path) -> Iterator[Any]:
    """Opens a single file that lies in a folder of its own: alone(page, query and state, options of the context)."""
    readers: list[Reader] = []

    def alone(page: str, state: object = "", query: str = "", **options: Any) -> Reader:
        file = tmp_path / "only" / Path(name_of(page)).name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes((built / name_of(page)).read_bytes())
        assert [path.name for path in file.parent.iterdir()] == [file.name]
        readers.append(Reader(browser, file.as_uri(), **options))
        return readers[-1].open(query, state)

    yield alone
    complaints = [complaint for reader in readers for complaint in reader.close()]
    assert complaints[:20] == []


def test_one_for_each_page(built: Path) -> None:
    pages = {path.relative_to(built).as_posix() for path in built.rglob("*.html")}
    whole = {page for page in pages if not page.startswith("downloads/")}
    assert whole == {*PAGES, "teachers.html"}
    assert {name_of(page) for page in PAGES} <= pages


@pytest.mark.parametrize("page", PAGES)
def test_small_enough_and_with_one_plotly(built: Path, page: str) -> None:
    (plotly,) = (path for path in (built / "assets").glob("plotly.*.js"))
    data = (built / name_of(page)).read_bytes()
    assert len(data) <= LIMIT == 920_000
    (packed,) = re.findall(b'<script type="text/plain" id="plotly">(.*?)</script>', data)
    assert gzip.decompress(base64.b64decode(packed)) == plotly.read_bytes()
    assert plotly.read_bytes() not in data


@pytest.mark.parametrize("page", PAGES)
def test_alone_on_a_disk(alone: Any, page: str) -> None:
    """In another state than its own, so that Plotly draws what is in view, and then the last figure."""
    reader: Reader = alone(page, OTHER)
    reader.wait(OTHER)
    figures = reader.page.locator("[data-figure]").evaluate_all("list => list.map((figure) => figure.dataset.figure)")
    assert figures
    for kind in figures[-1:]:
        reader.draw(kind)
    assert reader.page.locator(".stage .main-svg").count() > 0
    reader.wait(OTHER)
    assert [url for url in reader.requests if not url.startswith(("data:", "blob:"))] == [reader.home]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("page", ["index.html", "sections/softmax.html", "embed/figure-softmax.html"])
def test_queries_are_harmless(alone: Any, page: str, query: str) -> None:
    reader: Reader = alone(page, OTHER, query)
    reader.wait(OTHER)
    assert reader.state() == str(OTHER)
    classes = set(reader.page.evaluate("Array.from(document.documentElement.classList)"))
    assert "locked" not in classes
    assert ("large" in classes) == ("size=large" in query)
    assert not reader.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert all(figure.is_visible() for figure in reader.page.locator("[data-figure]").all())


def test_a_fixed_state(alone: Any) -> None:
    reader: Reader = alone("embed/figure-lines.html", OTHER, "?controls=0")
    reader.wait(OTHER)
    reader.page.locator("a.link").click()
    assert reader.state() == str(OTHER)
    assert reader.page.locator(".controls").is_hidden()


def test_without_a_published_site_no_link_leads_out(alone: Any) -> None:
    reader: Reader = alone("embed/section-neighbours.html")
    reader.wait(DEFAULT)
    hrefs = reader.page.locator("a").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    assert [href for href in hrefs if href is not None and not href.startswith("#")] == []
    # "Link to this view" is an address of the file itself, put into its address bar
    reader.show(OTHER)
    reader.page.locator("a.link").click()
    assert reader.page.url == f"{reader.home}#{OTHER}&at=lines"
    assert len(reader.context.pages) == 1


def test_pictures_and_numbers_are_made_here_too(alone: Any) -> None:
    reader: Reader = alone("embed/figure-lines.html", OTHER)
    reader.wait(OTHER)
    for kind, start in [("svg", b"<svg"), ("csv", b"\xef\xbb\xbf")]:
        with reader.page.expect_download() as saved:
            reader.page.locator(f'[data-download="{kind}"]').click()
        assert Path(saved.value.path()).read_bytes().startswith(start)


def test_without_javascript_it_can_be_read(alone: Any) -> None:
    reader: Reader = alone("embed/section-softmax.html", java_script_enabled=False)
    assert reader.page.locator(".poster").first.is_visible()
    assert reader.page.locator(".says").first.is_visible()
    assert reader.page.locator(".controls").first.is_hidden()
    assert "Plotly" not in reader.page.locator("body").inner_text()
