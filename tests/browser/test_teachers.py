"""The page for teachers: what is chosen is shown live, and the snippet says the same, wherever the page is."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

import build
from qkv.content.toml import load_toml
from tests.browser.expected import DEFAULT, State
from tests.browser.hosts import PAGE, START, Host, Servers, packaged, serving
from tests.browser.reading import Reader
from tests.contents import ROOT

HEIGHTS = load_toml(ROOT / "content", "heights.toml").data
OTHER = State("soft", token=3)
WORDS = load_toml(ROOT / "content", "strings.toml").data["teachers"]
SNIPPET = re.compile(
    r'<iframe src="(?P<src>[^"]+)" title="(?P<title>[^"]+)" width="100%" height="(?P<height>\d+)" style="border:0" '
    r'loading="lazy" allow="fullscreen"></iframe>\n<p><a href="(?P<href>[^"]+)">(?P<text>[^<]+)</a></p>'
)
PLATFORMS = ("Moodle", "Canvas", "Open edX", "Blackboard", "Brightspace", "Sakai", "WordPress", "Notion", "reveal.js")
BASE = "https://example.org/course/attention/"

Visit = Callable[..., Reader]
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with serving(packaged(tmp_path_factory), tmp_path_factory.mktemp("teachers")) as servers:
        servers.put("start.html", START)
        yield servers


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address on disk of a site that knows where it is published."""
    folder = tmp_path_factory.mktemp("published")
    shutil.copytree(ROOT / "content", folder / "content")
    settings = folder / "content" / "site.toml"
    text, found = re.subn(r'^base_url = ".*?"', f'base_url = "{BASE}"', settings.read_text("utf-8"), flags=re.M)
    assert found == 1
    settings.write_text(text, "utf-8")
    build.build(folder / "content", folder / "site", quiet=True)
    return (folder / "site").as_uri() + "/"


@pytest.fixture
def teacher(browser: Browser, servers: Servers) -> Iterator[Open]:
    """Opens the page as it is served, downloads and all: teacher(a script that runs first, options of the context)."""
    readers: list[Reader] = []

    def teacher(script: str = "", **options: Any) -> Page:
        readers.append(Reader(browser, servers.site, **options))
        if script:
            readers[-1].context.add_init_script(script)
        return readers[-1].open("teachers.html").page

    yield teacher
    complaints = [complaint for reader in readers for complaint in reader.close()]
    assert complaints[:20] == []


def live(page: Page, state: State) -> Frame:
    """The preview, once it shows the state."""
    element = page.query_selector("#live")
    assert element
    frame = element.content_frame()
    assert frame
    frame.wait_for_selector(f'html[data-ready="{state}"]', state="attached")
    return frame


def snippet(page: Page, address: str) -> dict[str, str]:
    """The parts of the snippet, once it has the address."""
    expect(page.locator("#snippet")).to_have_value(re.compile(re.escape(f'src="{escape(address)}"')))
    parts = SNIPPET.fullmatch(page.locator("#snippet").input_value())
    assert parts, page.locator("#snippet").input_value()
    found = {name: unescape(part) for name, part in parts.groupdict().items()}
    assert found["src"] == found["href"] == address
    assert found["title"] == found["text"]
    return found


def choose(page: Page, path: str) -> None:
    page.locator("#what").select_option(path)


def set_live(frame: Frame, kind: str, state: State) -> None:
    """By the preview's own controls."""
    for value in (f"sentence={int(state.sentence == 'soft')}&token=9", f"token={state.token}"):
        frame.locator(f'input[name="{kind}-token"][value="{value}"]').check(force=True)


# the snippet


def test_it_follows_the_preview_and_the_options(teacher: Open, servers: Servers) -> None:
    page, home = teacher(), servers.site
    frame = live(page, DEFAULT)
    parts = snippet(page, f"{home}embed/figure-lines.html#{DEFAULT}")
    assert parts["title"] == "Where each token looks"
    assert int(parts["height"]) == HEIGHTS["figure-lines"]["700"]

    set_live(frame, "lines", OTHER)
    snippet(page, f"{home}embed/figure-lines.html#{OTHER}")

    query = ""
    for field, part, sign in [
        ("#locked", "controls=0", "locked"),
        ("#untitled", "title=0", "untitled"),
        ("#large", "size=large", "large"),
    ]:
        page.locator(field).check()
        query += ("&" if query else "?") + part
        parts = snippet(page, f"{home}embed/figure-lines.html{query}#{OTHER}")
        live(page, OTHER).wait_for_selector(f"html.{sign}", state="attached")
    assert int(parts["height"]) == HEIGHTS["figure-lines"]["700-large"]
    for theme in ("dark", "light"):
        page.locator("#theme").select_option(theme)
        snippet(page, f"{home}embed/figure-lines.html?theme={theme}&{query[1:]}#{OTHER}")
        live(page, OTHER).wait_for_selector(f'html[data-theme="{theme}"]', state="attached")
    page.locator("#theme").select_option("")
    for field in ("#locked", "#untitled"):
        page.locator(field).uncheck()
    for width in ("320", "1200", "700"):
        page.locator("#width").select_option(width)
        parts = snippet(page, f"{home}embed/figure-lines.html?size=large#{OTHER}")
        assert int(parts["height"]) == HEIGHTS["figure-lines"][f"{width}-large"]
        assert page.locator("#live").evaluate("frame => frame.clientWidth") <= int(width)
    page.locator("#large").uncheck()

    choose(page, "embed/section-values.html")
    own = State(token=7)
    live(page, own)
    parts = snippet(page, f"{home}embed/section-values.html#{own}")
    assert int(parts["height"]) == HEIGHTS["section-values"]["700"]
    assert page.locator("#live").get_attribute("title") == parts["title"]
    assert page.locator("#open").get_attribute("href") == f"embed/section-values.html#{own}"


def test_the_preview_is_as_high_as_what_it_shows(teacher: Open) -> None:
    page = teacher()
    frame = live(page, DEFAULT)
    for summary in (False, True, False):
        if frame.locator("details.numbers").evaluate("details => details.open") != summary:
            frame.locator("details.numbers > summary").click()
        high = frame.evaluate("Math.ceil(document.body.getBoundingClientRect().height)")
        expect(page.locator("#live")).to_have_css("height", f"{high + 2}px")  # and its border


def test_pasted_it_shows_what_was_chosen(teacher: Open, browser: Browser, servers: Servers) -> None:
    page = teacher()
    set_live(live(page, DEFAULT), "lines", OTHER)
    page.locator("#locked").check()
    parts = snippet(page, f"{servers.site}embed/figure-lines.html?controls=0#{OTHER}")
    servers.put("pasted.html", PAGE.format(head="", frames=page.locator("#snippet").input_value()))
    home = servers.origins["cross"]
    host = Host(browser, (home, servers.site)).visit(home + "start.html", home + "pasted.html")
    guest = host.guest().wait(OTHER)
    assert guest.state() == str(OTHER)
    assert guest.frame.locator(".controls").is_hidden()
    assert guest.frame.evaluate("innerHeight") == int(parts["height"])
    assert not guest.scrolls()
    assert host.page.get_by_role("link", name=parts["title"]).get_attribute("href") == parts["src"]
    host.close()


def test_choosing_adds_nothing_to_the_history(teacher: Open) -> None:
    page = teacher()
    live(page, DEFAULT)
    length = page.evaluate("history.length")
    for path in ("embed/figure-softmax.html", "embed/section-softmax.html", "embed/figure-lines.html"):
        choose(page, path)
        live(page, DEFAULT)
        page.locator("#untitled").click()
        live(page, DEFAULT).wait_for_selector("h1", state="attached")
    assert page.evaluate("history.length") == length


def test_every_choice(teacher: Open, servers: Servers) -> None:
    page = teacher()
    paths = page.locator("#what option").evaluate_all("options => options.map((option) => option.value)")
    assert {path.removeprefix("embed/").removesuffix(".html") for path in paths} == set(HEIGHTS)
    for path in paths:
        choose(page, path)
        value = page.locator("#snippet").input_value()
        assert f'src="{servers.site}{path}' in value
        assert SNIPPET.fullmatch(value)


# where it is


def test_the_configured_address(visit: Visit, published: str) -> None:
    """Wins over where the page happens to lie."""
    reader = visit("teachers.html", home=published)
    live(reader.page, DEFAULT)
    snippet(reader.page, f"{BASE}embed/figure-lines.html#{DEFAULT}")
    assert reader.page.locator("#nowhere").is_hidden()


def test_the_pages_own_address(visit: Visit, served: str) -> None:
    reader = visit("teachers.html", home=served)
    live(reader.page, DEFAULT)
    snippet(reader.page, f"{served}embed/figure-lines.html#{DEFAULT}")
    assert reader.page.locator("#nowhere").is_hidden()


def test_on_a_disk_it_says_what_to_do(visit: Visit) -> None:
    page = visit("teachers.html").page
    frame = live(page, DEFAULT)
    set_live(frame, "lines", OTHER)
    frame.wait_for_selector(f'html[data-ready="{OTHER}"]', state="attached")
    assert page.locator("#nowhere").is_visible()
    assert page.locator("#nowhere").inner_text() == WORDS["nowhere"]
    assert page.get_by_text(WORDS["nowhere"]).count() == 1
    assert not page.locator("#snippet").is_visible()
    assert not page.locator("#copy").is_visible()
    for query in ("#locked", "#large"):
        page.locator(query).check()
    live(page, OTHER).wait_for_selector("html.locked.large", state="attached")


# copying

NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
REFUSING = "navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'));"
NO_COMMAND = "document.execCommand = () => false;"
BROKEN_COMMAND = "document.execCommand = () => { throw new Error('no'); };"


def pasted(page: Page) -> str:
    """What the keyboard pastes into a field."""
    page.evaluate(
        """() => {
          const field = document.createElement("textarea");
          field.id = "pasted";
          document.body.append(field);
          field.focus();
        }"""
    )
    page.keyboard.press("ControlOrMeta+V")
    return page.locator("#pasted").input_value()


@pytest.mark.parametrize("script", ["", NO_CLIPBOARD, REFUSING], ids=["allowed", "missing", "refused"])
def test_copying(teacher: Open, script: str) -> None:
    page = teacher(script)
    live(page, DEFAULT)
    said = page.locator("#copied")
    assert said.get_attribute("role") == "status"
    assert said.inner_text() == ""
    page.locator("#copy").focus()
    page.keyboard.press("Enter")
    expect(said).to_have_text(WORDS["copied"])
    assert page.evaluate("document.activeElement.id") == "copy"
    assert pasted(page) == page.locator("#snippet").input_value()
    # of another snippet nothing has been said yet
    page.locator("#untitled").check()
    expect(said).to_have_text("")


def test_copying_where_it_is_not_permitted(teacher: Open, servers: Servers) -> None:
    page = teacher()
    live(page, DEFAULT)
    page.context.grant_permissions([], origin=servers.origins["same"])  # and no other
    page.locator("#copy").click()
    expect(page.locator("#copied")).to_have_text(WORDS["copied"])
    assert pasted(page) == page.locator("#snippet").input_value()


@pytest.mark.parametrize("script", [NO_CLIPBOARD + NO_COMMAND, REFUSING + BROKEN_COMMAND], ids=["missing", "refused"])
def test_copying_where_nothing_works(teacher: Open, script: str) -> None:
    """The keyboard does: the snippet is selected, and that is said."""
    page = teacher(script)
    live(page, DEFAULT)
    page.locator("#copy").click()
    expect(page.locator("#copied")).to_have_text(WORDS["press"])
    assert page.evaluate("document.activeElement.id") == "snippet"
    assert page.evaluate("getSelection().toString()") == page.locator("#snippet").input_value()
    page.keyboard.press("ControlOrMeta+C")
    assert pasted(page) == page.locator("#snippet").input_value()


def test_by_keyboard(teacher: Open, servers: Servers) -> None:
    page = teacher()
    live(page, DEFAULT)
    page.locator("#what").focus()
    page.keyboard.press("ArrowDown")
    live(page, DEFAULT)
    snippet(page, f"{servers.site}embed/figure-vectors.html#{DEFAULT}")
    order = ["what"]
    while order[-1] != "copy":
        assert len(order) < 60, order
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.id"))
        if order[-1] == "large":
            page.keyboard.press("Space")
            live(page, DEFAULT).wait_for_selector("html.large", state="attached")
    assert " ".join(dict.fromkeys(order)) == "what theme width locked untitled large live snippet copy"
    assert order.count("live") > 3
    page.keyboard.press("Enter")
    expect(page.locator("#copied")).to_have_text(WORDS["copied"])
    assert pasted(page) == page.locator("#snippet").input_value()
    assert "size=large" in page.locator("#snippet").input_value()


# downloads


def test_a_download_for_each(teacher: Open) -> None:
    page = teacher(accept_downloads=True)
    for path in ("embed/figure-glue.html", "embed/section-softmax.html"):
        choose(page, path)
        assert page.locator("#file").get_attribute("href") == f"downloads/{path.removeprefix('embed/')}"
    with page.expect_download() as saved:
        page.locator("#file").click()
    assert saved.value.suggested_filename == "section-softmax.html"
    assert Path(saved.value.path()).read_bytes().startswith(b"<!doctype html>")
    assert page.get_by_role("link", name=WORDS["article"]).get_attribute("href") == "downloads/article.html"


def test_on_a_disk_the_download_is_a_way(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> None:
    reader = Reader(browser, packaged(tmp_path_factory).as_uri() + "/").open("teachers.html")
    assert reader.page.locator("#nowhere").inner_text() == WORDS["nowhere_file"]
    assert reader.page.locator("#file").is_visible()
    assert reader.close() == []


def test_a_plain_build_offers_none(visit: Visit, served: str) -> None:
    page = visit("teachers.html", home=served).page
    assert page.locator("#file, a[download]").count() == 0
    assert page.locator('a[href*="downloads/"]').count() == 0


def test_without_javascript(teacher: Open) -> None:
    """Every embedded page and every file is still there to be taken."""
    page = teacher(java_script_enabled=False)
    links = page.locator("noscript a").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    assert {f"embed/{stem}.html" for stem in HEIGHTS} <= set(links)
    assert {f"downloads/{stem}.html" for stem in HEIGHTS} <= set(links)


# what it says of the platforms


def test_a_row_for_each_platform(teacher: Open) -> None:
    page = teacher()
    table = page.locator(".teachers table").first
    heads = table.locator("thead th").all_inner_texts()
    assert [head.lower() for head in heads] == [
        "platform",
        "best route",
        "steps",
        "what was tested",
        "what cannot work",
        "without hosting",
    ]
    rows = [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]
    assert [row[0].startswith(name) for row, name in zip(rows, PLATFORMS, strict=True)] == [True] * len(PLATFORMS)
    assert all(len(row) == len(heads) and all(cell.strip() for cell in row) for row in rows)
