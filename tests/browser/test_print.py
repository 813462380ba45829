"""On paper: what is on the screen, whole, light, and without what paper cannot do.

A browser prints the layout for the media "print" in the width of the paper, after the event beforeprint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.drawn import check_drawn
from tests.browser.expected import KINDS, State, differences, expected, shown
from tests.browser.measuring import measure, open_all
from tests.browser.reading import Reader

Visit = Callable[..., Reader]

DEFAULT = State()
OTHER = State("soft", "off", "previous", 3)
# pixels between the margins of 15 mm that the pages ask for
PAPER = {"A4": (680, 1009), "Letter": (702, 942)}
SCREENS = {"desk": (1280, 900), "half": (800, 900), "phone": (390, 800)}


def put_on(reader: Reader, paper: str) -> None:
    """The page as it goes to the printer."""
    reader.page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    reader.page.emulate_media(media="print")
    width, height = PAPER[paper]
    reader.page.set_viewport_size({"width": width, "height": height})


def take_off(reader: Reader, screen: tuple[int, int]) -> None:
    reader.page.emulate_media(media="screen")
    reader.page.set_viewport_size({"width": screen[0], "height": screen[1]})
    reader.page.evaluate("() => dispatchEvent(new Event('afterprint'))")


def open_with_plotly(visit: Visit, state: State, screen: str, **options: Any) -> Reader:
    """A page in a state, with Plotly there, and only the first figure ever seen."""
    width, height = SCREENS[screen]
    reader = visit(state=state if state != DEFAULT else "", viewport={"width": width, "height": height}, **options)
    reader.wait(state)
    reader.page.locator("#figure-lines .title").hover()
    reader.page.wait_for_selector("#figure-lines [data-drawn]", state="attached")
    return reader


@pytest.mark.parametrize("state", [DEFAULT, OTHER], ids=["first state", "another"])
@pytest.mark.parametrize("paper", PAPER)
def test_the_state_on_screen_is_printed(visit: Visit, paper: str, state: State) -> None:
    """In every figure, also in those that were never in view."""
    reader = open_with_plotly(visit, state, "desk")
    put_on(reader, paper)
    wrong = differences(reader.figures(), expected(state))
    assert [one for one in wrong if "/hover" not in one] == []  # posters have no pointer
    assert reader.page.locator(".stale").count() == 0
    for kind in KINDS:
        check_drawn(reader, kind, shown(state, kind))


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("paper", PAPER)
def test_nothing_is_cut_off(visit: Visit, paper: str, screen: str) -> None:
    """At the edges of the paper, whatever screen it comes from; graphics end in their columns."""
    reader = open_with_plotly(visit, OTHER, screen)
    open_all(reader)
    put_on(reader, paper)
    found = reader.page.evaluate(
        """(width) => Array.from(document.querySelectorAll("body *")).filter((one) => !one.closest(".aloud, defs"))
          .filter((one) => one.getClientRects().length && one.getBoundingClientRect().right > width + 1)
          .map((one) => [one.tagName, one.className.baseVal || one.className, one.closest("[id]").id].join(" "))""",
        PAPER[paper][0],
    )
    # what carries the pointer on the screen may be larger than what is drawn
    assert [one for one in found if not one.startswith(("rect drag", "g drag", "DIV svg"))] == []
    overlaps = reader.page.evaluate(
        """() => Array.from(document.querySelectorAll(".block")).flatMap((block) => {
          const next = block.nextElementSibling, at = block.getBoundingClientRect();
          if (!next) return [];
          const after = next.getBoundingClientRect();
          return Array.from(block.querySelectorAll(".poster, .stage .main-svg, table"))
            .map((one) => one.getBoundingClientRect())
            .filter((one) => one.width && after.left > at.left && after.top < one.bottom)
            .filter((one) => one.right > after.left + 2)
            .map((one) => block.className + " " + one.right + " > " + after.left);
        })"""
    )
    assert overlaps == []


def test_what_a_page_may_break(visit: Visit) -> None:
    """A figure, so that no half page stays empty before it; no graphic, no row, no fact."""
    reader = open_with_plotly(visit, DEFAULT, "desk")
    put_on(reader, "A4")
    found: dict[str, list[str]] = reader.page.evaluate(
        """(names) => Object.fromEntries(names.map((name) => {
          const breaks = Array.from(document.querySelectorAll(name), (one) => getComputedStyle(one).breakInside);
          return [name, [...new Set(breaks)]];
        }))""",
        [".figure", ".plot", "tr", ".facts dl > div", ".question"],
    )
    assert found.pop(".figure") == ["auto"]
    assert set(map(tuple, found.values())) == {("avoid",)}
    kept = reader.page.evaluate(
        """() => Array.from(document.querySelectorAll("h2, .title, .heading"),
          (one) => getComputedStyle(one).breakAfter)"""
    )
    assert set(kept) == {"avoid"}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_paper_is_light_and_has_no_controls(visit: Visit, theme: str) -> None:
    reader = open_with_plotly(visit, OTHER, "desk", color_scheme=theme)
    put_on(reader, "A4")
    page = reader.page
    assert page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert measure(reader, "faintTexts()")["found"] == []
    labels = measure(reader, "faintLabels()")
    assert labels["found"] == []
    assert labels["count"] > 300
    for selector in ("input:not(.question input)", "button", ".tools", "#theme", ".skip", ".contents", "iframe"):
        assert [one for one in page.locator(selector).all() if one.is_visible()] == [], selector
    # what is chosen, as words
    said = page.locator("#figure-heads .controls").inner_text().replace("\n", " ")
    assert said.replace("\u00a0", " ").split() == (
        ["Asking", "token", "on", "Mask", "both", "ways", "(BERT)", "Head", "previous"]
    )
    # what folds is open where it is text, and gone where it is numbers that nobody asked for
    assert page.locator("details.more p").first.is_visible()
    assert not page.locator("details.numbers").first.is_visible()


def test_opened_numbers_are_printed_and_legible(visit: Visit) -> None:
    reader = open_with_plotly(visit, DEFAULT, "desk")
    open_all(reader)
    put_on(reader, "A4")
    sizes = reader.page.evaluate(
        """() => Array.from(document.querySelectorAll(".figure table")).filter((one) => one.getClientRects().length)
          .map((one) => {
            let size = parseFloat(getComputedStyle(one.querySelector("td")).fontSize);
            for (let box = one; box; box = box.parentElement) size *= Number(getComputedStyle(box).zoom) || 1;
            return size;
          })"""
    )
    assert len(sizes) > 12
    assert min(sizes) >= 7.5  # pixels of 1/96 inch: 5.6 points, for the densest table


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_the_screen_is_as_before_afterwards(visit: Visit, screen: str, theme: str) -> None:
    reader = open_with_plotly(visit, OTHER, screen, color_scheme=theme)
    ink = "() => getComputedStyle(document.querySelector('#figure-lines .stage text')).fill"
    size = "() => Array.from(document.querySelectorAll('.block'), (one) => one.getBoundingClientRect().width)"
    before = reader.page.evaluate(ink), reader.page.evaluate(size)
    put_on(reader, "A4")
    take_off(reader, SCREENS[screen])
    reader.wait(OTHER)
    assert (reader.page.evaluate(ink), reader.page.evaluate(size)) == before
    assert reader.page.evaluate(
        "() => [document.documentElement.className, document.documentElement.dataset.theme]"
    ) == [
        "",
        None,
    ]


def test_without_plotly_an_outdated_picture_is_marked(browser: Browser, home: str) -> None:
    """Where plotly.js cannot be had, a poster of another state is greyed and says so, on paper too."""
    reader = Reader(browser, home)
    reader.context.route("**/plotly.*.js", lambda route: route.abort())
    reader.open(state=OTHER)
    seen = shown(OTHER, "lines")
    reader.page.wait_for_selector(f'[data-figure="lines"][data-state="{seen}"]', state="attached")
    put_on(reader, "A4")
    stale = reader.page.evaluate(
        "() => Array.from(document.querySelectorAll('.plot'), (one) => [one.closest('figure').dataset.figure, "
        "one.classList.contains('stale')])"
    )
    assert all(old == (kind != "compare") for kind, old in stale)
    reader.context.close()


def test_printing_fires_the_event(visit: Visit) -> None:
    """The browser's own printing does what the tests here do by hand."""
    reader = open_with_plotly(visit, OTHER, "desk", painted=True)
    reader.page.evaluate(
        """() => addEventListener("beforeprint", () => {
          window.printed = Array.from(document.querySelectorAll(".plot:not([data-drawn])"))
            .filter((one) => one.clientWidth).length;
        })"""
    )
    reader.page.pdf(format="A4")
    assert reader.page.evaluate("() => window.printed") == 2  # the figure that is the same in every state
