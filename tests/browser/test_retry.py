"""plotly.js does not come, or not at once: the page says so where it matters, and tries again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from qkv.exports.single import name_of
from tests.browser.expected import DEFAULT, State
from tests.browser.hosts import packaged
from tests.browser.reading import Reader

OTHER = State("soft", token=4)  # on the axes that every figure follows
NEXT = replace(OTHER, token=5)
PLOTLY = re.compile(r"/plotly\.[^/]*\.js(\?.*)?$")
PATIENCE, PAUSE, LONGEST = 20_000, 3_000, 60_000  # milliseconds, as in 50-plots.js
UPDATING = "Updating the picture…"
FAILED = "The picture could not be loaded."
SLOW = "The picture is taking a long time to load."
UNDRAWN = "The picture could not be drawn."
DAMAGED = "The picture cannot be drawn: part of this file is damaged or blocked."
OLD = "The picture cannot be drawn: this browser is too old to unpack it."
HELP = "If that does not help, reload the page."

# Everything that a screen reader is told.
HEARD = """
window.heard = [];
document.addEventListener("DOMContentLoaded", () => {
  const aloud = document.getElementById("aloud");
  const note = new MutationObserver(() => heard.push(aloud.textContent));
  if (aloud) note.observe(aloud, {childList: true, characterData: true, subtree: true});
});
"""


class Line:
    """What becomes of the requests for plotly.js, one after the other; those after the last are answered."""

    def __init__(self, reader: Reader, *fates: str) -> None:
        self.fates = list(fates)
        self.asked: list[str] = []  # what was asked for, as "" or "?1"
        self.looked = 0  # how often the page asked only whether it is there
        self.held: list[Route] = []
        reader.context.route(PLOTLY, self._take)

    def _take(self, route: Route) -> None:
        if route.request.method == "HEAD":
            self.looked += 1
            gone = self.fates[:1] == ["gone"]
            route.fulfill(status=404) if gone else route.continue_()
            return
        self.asked.append(re.sub(r"^[^?]*", "", route.request.url))
        fate = self.fates[0] if self.fates else "comes"
        if fate != "gone":
            del self.fates[:1]
        if fate == "fails":
            route.abort()
        elif fate == "hangs":
            self.held.append(route)
        elif fate == "gone":
            route.fulfill(status=404, body="gone")
        elif fate == "portal":
            route.fulfill(status=200, content_type="text/html", body="<!doctype html><title>Sign in</title>")
        elif fate == "cut":
            response = route.fetch()
            route.fulfill(response=response, body=response.body()[:50_000])
        else:
            route.continue_()


Ready = Callable[..., Reader]


@pytest.fixture
def ready(browser: Browser, served: str) -> Iterator[Ready]:
    """A reader that has not opened anything yet. In the end nothing went wrong but what did with plotly.js."""
    readers: list[Reader] = []

    def ready(home: str = served, **options: Any) -> Reader:
        readers.append(Reader(browser, home, **options))
        readers[-1].context.add_init_script(HEARD)
        return readers[-1]

    yield ready
    expected = re.compile(r"plotly|Failed to load resource|Unexpected|Invalid or unexpected|end of input|missing \)")
    assert [problem for reader in readers for problem in reader.close() if not expected.search(problem)] == []


def lines(reader: Reader) -> Locator:
    return reader.page.locator("#figure-lines")


def message(reader: Reader) -> Locator:
    """What the figure with the lines says about its picture."""
    return lines(reader).locator(".blocks").locator("xpath=preceding-sibling::p[@class='failed']")


def button(reader: Reader, name: str = "Try again") -> Locator:
    return message(reader).get_by_role("button", name=name)


def label(reader: Reader) -> str | None:
    """What stands over the picture; nothing where it is not dimmed."""
    found: str | None = lines(reader).locator(".plot").evaluate(
        "box => box.matches('.stale') ? getComputedStyle(box, '::after').content.slice(1, -1) : null"
    )
    return found


def says(reader: Reader, text: str) -> None:
    expect(message(reader).locator("span").first).to_have_text(text)


def is_drawn(reader: Reader, state: State) -> None:
    reader.page.wait_for_selector(f'#figure-lines [data-drawn="{state}"]', state="attached")
    reader.wait(state)
    expect(reader.page.locator(".failed")).to_have_count(0)
    assert label(reader) is None
    assert reader.page.locator("html[data-plots]").count() == 0


def is_lost(reader: Reader, state: State, text: str = FAILED) -> None:
    """It says so, everything else shows the state, and the buttons are there."""
    says(reader, text)
    reader.wait(state)
    assert label(reader) == text
    assert lines(reader).get_attribute("data-state") == str(state)
    assert reader.page.locator("html[data-plots=failed]").count() == 1
    assert lines(reader).locator("[data-download=svg]").is_visible()


# trying again ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["index.html", "embed/figure-lines.html", "embed/figure-lines.html?controls=0"])
def test_the_next_choice_tries_again(ready: Ready, path: str) -> None:
    reader = ready()
    line = Line(reader, "fails")
    reader.open(path, OTHER)
    is_lost(reader, OTHER)
    reader.show(NEXT)
    is_drawn(reader, NEXT)
    assert line.asked == ["", ""]
    assert reader.page.locator('script[src*="plotly"]').count() == 1


def test_on_a_disk(ready: Ready, home: str) -> None:
    """Where a page may not ask, it does not."""
    reader = ready(home)
    line = Line(reader, "fails", "fails", "fails")
    reader.open("sections/neighbours.html", OTHER)
    is_lost(reader, OTHER)
    expect(message(reader)).not_to_contain_text(HELP)
    reader.show(NEXT)
    reader.show(OTHER)
    expect(message(reader)).to_contain_text(HELP)
    reader.show(NEXT)
    is_drawn(reader, NEXT)
    assert line.looked == 0


def test_the_pause_grows(ready: Ready) -> None:
    """Up to the longest; a failure is not followed by a second request for every other graphic of the page."""
    reader = ready(viewport={"width": 1200, "height": 3000})
    line = Line(reader, *["fails"] * 7)
    clock = reader.page.clock
    clock.install(time=0)
    clock.pause_at(1000)
    with reader.page.expect_request(PLOTLY):
        reader.open("sections/softmax.html", OTHER)
        clock.run_for(50)
    for failures in range(1, 8):
        reader.page.wait_for_selector('script[src*="plotly"]', state="detached")  # the clock has gone on for 0 to 50
        clock.run_for(100)
        reader.wait(OTHER)
        clock.run_for(min(PAUSE * 2 ** (failures - 1), LONGEST) - 160)
        assert len(line.asked) == failures
        with reader.page.expect_request(PLOTLY):
            clock.run_for(60)
            clock.run_for(50)
    clock.resume()
    reader.page.wait_for_selector("[data-plot=scores][data-drawn]", state="attached")
    reader.wait(OTHER)
    assert len(line.asked) == 8


@pytest.mark.parametrize("event", ["online", "pageshow", "visibilitychange"])
def test_what_else_tries_again(ready: Ready, event: str) -> None:
    reader = ready()
    line = Line(reader, "fails", "fails", "fails")
    reader.open(state=OTHER)
    is_lost(reader, OTHER)
    for count in (2, 3):
        with reader.page.expect_event("requestfailed"):
            reader.page.evaluate("event => dispatchEvent(new Event(event))", event)
        is_lost(reader, OTHER)
        assert len(line.asked) == count
    reader.page.evaluate("event => dispatchEvent(new Event(event))", event)
    is_drawn(reader, OTHER)


def test_offline_and_back(ready: Ready) -> None:
    reader = ready()
    reader.open()
    reader.wait(DEFAULT)
    reader.context.set_offline(True)
    reader.show(OTHER)
    is_lost(reader, OTHER)
    reader.context.set_offline(False)
    is_drawn(reader, OTHER)


def test_it_never_comes(ready: Ready) -> None:
    """What shows the state stands as it is; one request for a choice, and none for scrolling and pointing."""
    reader = ready()
    line = Line(reader, *["fails"] * 20)
    reader.open()
    reader.wait(DEFAULT)
    lines(reader).locator(".title").hover()
    reader.page.wait_for_selector("html[data-plots=failed]", state="attached")
    reader.wait(DEFAULT)
    assert label(reader) is None
    expect(reader.page.locator(".failed")).to_have_count(0)
    for count, state in enumerate((OTHER, NEXT, OTHER), 2):
        reader.show(state)
        is_lost(reader, state)
        assert len(line.asked) == count
    for kind in ("softmax", "heads", "lines"):
        reader.view(kind)
        reader.page.locator(f"#figure-{kind} .title").hover()
        expect(reader.page.locator(f"#figure-{kind} .failed")).to_have_count(1)
    asked = len(line.asked)
    reader.show(DEFAULT)
    expect(reader.page.locator(".failed")).to_have_count(0)
    assert label(reader) is None
    assert asked <= len(line.asked) <= asked + 1


# what it says ------------------------------------------------------------------------------------------------------


def test_gone_from_the_server(ready: Ready) -> None:
    """A page left open across a deployment."""
    reader = ready()
    line = Line(reader, "gone")
    reader.open(state=OTHER)
    expect(button(reader, "Reload the page")).to_be_visible()
    is_lost(reader, OTHER)
    reader.show(NEXT)
    is_lost(reader, NEXT)
    expect(button(reader, "Reload the page")).to_be_visible()
    assert len(line.asked) == 2
    assert line.looked == 1
    line.fates.clear()
    button(reader, "Reload the page").click()
    is_drawn(reader, NEXT)


@pytest.mark.parametrize("how", ["answered", "late"])
def test_a_request_that_hangs(ready: Ready, how: str) -> None:
    reader = ready()
    line = Line(reader, "hangs", *["hangs"] * (how == "late"))
    reader.page.clock.install()
    reader.open(state=OTHER)
    with reader.page.expect_request(PLOTLY):
        pass
    assert label(reader) == UPDATING
    expect(reader.page.locator(".failed")).to_have_count(0)
    reader.page.clock.fast_forward(PATIENCE)
    is_lost(reader, OTHER, SLOW)
    button(reader).click()
    if how == "late":
        says(reader, UPDATING)
        line.held[0].continue_()
    is_drawn(reader, OTHER)
    assert line.asked == ["", "?1"]  # not one that waits for the first


@pytest.mark.parametrize("fate", ["portal", "cut"])
def test_an_answer_that_is_no_use(ready: Ready, fate: str) -> None:
    """A sign-in page of a network, or half a script: not asked for under the same name again."""
    reader = ready()
    line = Line(reader, fate)
    reader.open(state=OTHER)
    is_lost(reader, OTHER)
    expect(message(reader)).to_contain_text(HELP)
    button(reader).click()
    is_drawn(reader, OTHER)
    assert line.asked == ["", "?1"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packaged(tmp_path_factory)


def test_a_damaged_single_file(browser: Browser, built: Path, tmp_path: Path) -> None:
    """Nothing helps, so nothing is offered; numbers can be had."""
    html = (built / name_of("embed/figure-lines.html")).read_text("utf-8")
    start = html.index('<script type="text/plain" id="plotly">') + 1000
    (tmp_path / "only.html").write_text(html[:start] + html[start + 1 :], "utf-8")
    reader = Reader(browser, (tmp_path / "only.html").as_uri())
    reader.open("", OTHER)
    is_lost(reader, OTHER, DAMAGED)
    assert message(reader).get_by_role("button").count() == 0
    reader.show(NEXT)
    is_lost(reader, NEXT, DAMAGED)
    with reader.page.expect_download():
        lines(reader).locator("[data-download=csv]").click()
    reader.show(DEFAULT)
    expect(reader.page.locator(".failed")).to_have_count(0)
    assert reader.close() == []


def test_a_single_file_in_an_old_browser(browser: Browser, built: Path) -> None:
    """One that cannot unpack the script keeps the pictures that it has, and says why there are no others."""
    reader = Reader(browser, (built / name_of("embed/figure-lines.html")).as_uri())
    reader.page.add_init_script("delete window.DecompressionStream")
    reader.open("", OTHER)
    is_lost(reader, OTHER, OLD)
    assert message(reader).get_by_role("button").count() == 0
    reader.show(DEFAULT)
    expect(reader.page.locator(".failed")).to_have_count(0)
    assert reader.close() == []


def test_a_sandbox(ready: Ready, served: str) -> None:
    """Whose page may ask for scripts, but not whether they are there."""
    reader = ready()
    line = Line(reader, "gone")
    reader.open("embed.js")
    address = f"{served}embed/figure-lines.html#{OTHER}"
    reader.page.set_content(f'<iframe width="900" height="700" sandbox="allow-scripts" src="{address}"></iframe>')
    frame = reader.page.frame_locator("iframe")
    expect(frame.locator(".failed span").first).to_have_text(FAILED)
    line.fates.clear()
    frame.get_by_role("button", name="Try again").click()
    frame.locator("[data-drawn]").wait_for(state="attached")
    expect(frame.locator(".failed")).to_have_count(0)
    assert line.looked == 0


# for everybody -----------------------------------------------------------------------------------------------------


def test_by_keyboard_and_ear(ready: Ready) -> None:
    """Said once for a failure and once for each press; the focus stays where it is, and in the end on the figure."""
    reader = ready()
    Line(reader, "fails", "fails", "fails", "fails")
    reader.open(state=OTHER)
    is_lost(reader, OTHER)
    for state in (NEXT, OTHER):
        reader.show(state)
        is_lost(reader, state)
    told = "() => heard.filter((text) => text.startsWith('The picture')).length"
    assert reader.page.evaluate(told) == 1
    reader.tab_to(button(reader))
    with reader.page.expect_event("requestfailed"):
        reader.page.keyboard.press("Enter")
    is_lost(reader, OTHER)
    expect(button(reader)).to_be_focused()
    assert reader.page.evaluate("() => heard.slice(-2)") == [UPDATING, FAILED]
    reader.page.keyboard.press("Space")
    is_drawn(reader, OTHER)
    expect(lines(reader)).to_be_focused()


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_picture_to_take_along(ready: Ready, kind: str) -> None:
    """The buttons stay; one that is pressed says what is wrong beside itself, and is pressed again from there."""
    reader = ready()
    Line(reader, "fails", "fails")
    reader.open()
    reader.wait(DEFAULT)
    press = lines(reader).locator(f"[data-download={kind}]")
    press.click()
    said = lines(reader).locator(".failed + .tools")
    expect(said).to_be_visible()
    assert reader.page.evaluate("() => heard") == [FAILED]
    assert label(reader) is None
    with reader.page.expect_event("requestfailed"):
        press.click()
    expect(said).to_be_visible()
    with reader.page.expect_download() as saved:
        lines(reader).get_by_role("button", name="Try again").click()
    assert saved.value.suggested_filename.endswith(kind)
    expect(reader.page.locator(".failed")).to_have_count(0)
    with reader.page.expect_download():
        press.click()


def test_a_picture_to_take_along_after_a_deployment(ready: Ready) -> None:
    reader = ready()
    line = Line(reader, "gone")
    reader.open()
    reader.wait(DEFAULT)
    lines(reader).locator("[data-download=svg]").click()
    reload = lines(reader).get_by_role("button", name="Reload the page")
    expect(reload).to_be_visible()
    line.fates.clear()
    reload.click()
    expect(reload).to_have_count(0)
    with reader.page.expect_download():
        lines(reader).locator("[data-download=svg]").click()


@pytest.mark.parametrize("options", [{}, {"forced_colors": "active"}, {"color_scheme": "dark"}], ids=str)
def test_on_a_small_screen(ready: Ready, options: dict[str, str]) -> None:
    reader = ready(viewport={"width": 320, "height": 600}, painted=True, **options)
    Line(reader, "gone")
    reader.open(state=OTHER)
    reader.view("lines")
    expect(button(reader, "Reload the page")).to_be_visible()
    assert not reader.page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
    box = button(reader, "Reload the page").bounding_box()
    assert box
    assert box["height"] >= 24
    assert box["x"] + box["width"] <= 320
    picture = lines(reader).locator(".plot").bounding_box()
    assert picture
    assert box["y"] + box["height"] <= picture["y"]  # not over the picture


def test_on_paper(ready: Ready) -> None:
    """A picture of another state says so; a button is of no use there."""
    reader = ready()
    Line(reader, *["fails"] * 9)
    reader.open(state=OTHER)
    is_lost(reader, OTHER)
    reader.page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    reader.page.emulate_media(media="print")
    assert label(reader) == FAILED
    assert reader.page.locator(".failed:visible").count() == 0
    reader.page.emulate_media(media="screen")
    reader.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    is_lost(reader, OTHER)


def test_a_drawing_that_fails(ready: Ready) -> None:
    """plotly.js is there, and one call of it fails."""
    reader = ready()
    reader.context.add_init_script(
        """let plotly;
        window.failing = true;
        const react = (stage, ...given) => {
          if (failing && stage.closest("#figure-lines")) throw new Error("no plotly drawing");
          return plotly.react(stage, ...given);
        };
        Object.defineProperty(window, "Plotly", {
          get: () => plotly && {...plotly, react}, set: (library) => { plotly = library; }
        });"""
    )
    reader.open(state=OTHER)
    says(reader, UNDRAWN)
    assert label(reader) == UNDRAWN
    button(reader).click()
    says(reader, UNDRAWN)
    reader.show(NEXT)
    says(reader, UNDRAWN)
    reader.show(DEFAULT)
    expect(reader.page.locator(".failed")).to_have_count(0)
    reader.show(OTHER)
    says(reader, UNDRAWN)
    reader.page.evaluate("() => { failing = false; }")
    button(reader).click()
    is_drawn(reader, OTHER)
