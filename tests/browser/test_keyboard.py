"""The article by keyboard alone: reached in the order that it is read in, worked, and left again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.expected import KINDS, NAMES, WORDS, State
from tests.browser.measuring import draw_all, open_all
from tests.browser.reading import Reader

Visit = Callable[..., Reader]

DEFAULT = State()
MOST = 400  # presses of Tab that no page needs

# The focused element: a number of its own, what it is, where it is in the document and on the screen, and its ring.
FOCUSED = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  window.met = window.met || [];
  if (!met.includes(one)) met.push(one);
  const ringed = one.matches(".choices input") ? one.nextElementSibling : one;
  const at = ringed.getBoundingClientRect(), style = getComputedStyle(ringed);
  const figure = one.closest("[data-figure]"), group = one.closest("fieldset");
  return {
    number: met.indexOf(one), tag: one.tagName.toLowerCase(), type: one.type || "", name: one.name || "",
    kind: one.className, figure: figure ? figure.dataset.figure : "",
    group: group ? group.querySelector("legend").textContent : "", inGraphic: Boolean(one.closest(".plot")),
    onScreen: at.width > 0 && at.height > 0 && at.bottom > 0 && at.top < innerHeight && at.right > 0 &&
      at.left < innerWidth,
    ring: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    after: met.length < 2 ||
      Boolean(met[met.length - 2].compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING),
  };
}"""


def focused(reader: Reader) -> dict[str, Any] | None:
    found: dict[str, Any] | None = reader.page.evaluate(FOCUSED)
    return found


def walk(reader: Reader, key: str = "Tab") -> list[dict[str, Any]]:
    """Every stop of the key through the page, until the page is left."""
    stops: list[dict[str, Any]] = []
    for _ in range(MOST):
        reader.page.keyboard.press(key)
        stop = focused(reader)
        if stop is None or (stops and stop["number"] == stops[0]["number"]):
            return stops
        stops.append(stop)
    raise AssertionError(f"no way out after {MOST} stops: {stops[-1]}")


@pytest.mark.parametrize("drawn", [False, True], ids=["posters", "plotly"])
@pytest.mark.parametrize("path", ["index.html", "sections/many-heads.html"])
def test_tab_goes_through_the_page_in_its_order_and_out(visit: Visit, path: str, drawn: bool) -> None:
    """Each stop is in view, has a ring, comes after the one before, and none is inside a graphic."""
    reader = visit(path, viewport={"width": 1200, "height": 800})
    if drawn:
        draw_all(reader)
        reader.page.mouse.move(0, 0)
    stops = walk(reader)
    assert stops[0]["kind"] == "skip"
    assert len({stop["number"] for stop in stops}) == len(stops)
    for stop in stops:
        assert stop["onScreen"], stop
        assert stop["ring"] >= 2, stop
        assert stop["after"], stop
        assert not stop["inGraphic"], stop
    # a radio group is one stop: each figure's controls, and what stands under the figure
    groups = [(stop["figure"], stop["group"]) for stop in stops if stop["type"] == "radio" and stop["figure"]]
    assert len(set(groups)) == len(groups)
    shown = reader.page.evaluate(
        "() => Array.from(document.querySelectorAll('[data-figure] fieldset'), (one) => "
        "[one.closest('[data-figure]').dataset.figure, one.querySelector('legend').textContent])"
    )
    assert [list(group) for group in groups] == shown


def test_tab_back_is_the_same_way(visit: Visit) -> None:
    reader = visit("sections/neighbours.html")
    there = walk(reader)
    reader.page.evaluate("() => document.activeElement.blur()")
    reader.page.locator("footer a").last.focus()
    back = [focused(reader), *walk(reader, "Shift+Tab")]
    numbers = [stop["number"] for stop in back if stop]
    assert numbers[: len(there)] == [stop["number"] for stop in reversed(there)]


def test_everything_that_a_pointer_can_work_is_a_stop(visit: Visit) -> None:
    reader = visit("sections/every-token.html")
    open_all(reader)
    walk(reader)
    missed = reader.page.evaluate(
        """() => Array.from(document.querySelectorAll("a[href], button, summary, input, select, textarea"))
          .filter((one) => one.checkVisibility() && !met.includes(one))
          .filter((one) => one.type !== "radio" || !met.some((other) => other.name === one.name))
          .map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert missed == []


def test_tables_that_scroll_are_stops(visit: Visit) -> None:
    """With the arrow keys what does not fit comes into view."""
    reader = visit(viewport={"width": 320, "height": 700})
    open_all(reader)
    scrolling = reader.page.evaluate(
        "() => Array.from(document.querySelectorAll('*')).filter((one) => one.scrollWidth > one.clientWidth + 1 && "
        "getComputedStyle(one).overflowX === 'auto')"
        ".map((one) => [one.tabIndex, Boolean(one.getAttribute('aria-label'))])"
    )
    assert len(scrolling) > 3
    assert all(stop == [0, True] for stop in scrolling)
    table = reader.page.locator("#figure-table .numbers .scroll").first
    table.focus()
    table.evaluate(
        "one => { window.moved = new Promise((done) => one.addEventListener('scroll', done, {once: true})); }"
    )
    reader.page.keyboard.press("ArrowRight")
    reader.page.evaluate("() => window.moved")
    assert table.evaluate("one => one.scrollLeft") > 0


def test_skip_link(visit: Visit) -> None:
    """Out of sight until it is reached; then the next stop is in the text."""
    reader = visit()
    skip = reader.page.locator(".skip")
    assert skip.evaluate("one => one.getBoundingClientRect().right") < 0
    reader.page.keyboard.press("Tab")
    stop = focused(reader)
    assert stop
    assert stop["onScreen"]
    assert skip.text_content() == WORDS["page.skip"]
    reader.page.keyboard.press("Enter")
    reader.page.keyboard.press("Tab")
    assert reader.page.evaluate("() => document.activeElement.closest('main') !== null")
    assert reader.state() == str(DEFAULT)


def test_arrows_choose_the_asking_token(visit: Visit) -> None:
    """Through all tokens and round; the group says where it is; focus stays, also while Plotly draws."""
    reader = visit()
    reader.wait(DEFAULT)
    page = reader.page
    group = page.locator("#figure-lines .control-token")
    assert group.locator("legend").text_content() == WORDS["control.token"]
    group.locator("input:checked").focus()
    page.keyboard.press("ArrowRight")  # tired -> soft, the other last word
    reader.wait(State("soft"))
    for token in range(10):
        page.keyboard.press("ArrowRight" if token % 2 else "ArrowDown")
        state = State("soft" if token < 9 else "tired", token=token)
        reader.wait(state)
        heard = page.evaluate(
            "() => { const one = document.activeElement; "
            "return [one.type, one.getAttribute('aria-label'), one.checked]; }"
        )
        name = state.tokens[token]
        assert heard == ["radio", f"{name}, position {token + 1} of 10", True]
        assert reader.state() == str(state)
    for token in range(8, 5, -1):
        page.keyboard.press("ArrowLeft" if token % 2 else "ArrowUp")
        reader.wait(State(token=token))
    assert page.evaluate("() => document.activeElement.closest('[data-figure]').dataset.figure") == "lines"


def test_arrows_choose_word_mask_and_head(visit: Visit) -> None:
    reader = visit()
    reader.wait(DEFAULT)
    page = reader.page
    figure = page.locator("#figure-table")
    for control, states in (
        ("word", [State("soft"), State("tired")]),
        ("mask", [State(mask="off"), State(mask="on")]),
        ("head", [State(head=head) for head in (*NAMES[1:], NAMES[0])]),
    ):
        figure.locator(f".control-{control} input:checked").focus()
        for state in states:
            page.keyboard.press("ArrowRight")
            reader.wait(state)
            assert reader.figure("table")["link"] == f"#{state}&at=table"


def test_links_in_the_text_and_reset(visit: Visit) -> None:
    """Enter on a link sets the state and stays where the reader is; Start again goes back to the start."""
    reader = visit()
    reader.wait(DEFAULT)
    page = reader.page
    link = page.locator(".try a.state").nth(1)
    link.focus()
    page.keyboard.press("Enter")
    reader.wait(State("soft"))
    assert link.evaluate("one => one === document.activeElement")
    reset = page.locator("#figure-lines .reset")
    reset.focus()
    page.keyboard.press("Enter")
    reader.wait(DEFAULT)
    assert reset.evaluate("one => one === document.activeElement")
    page.locator("#figure-lines .control-token input").nth(3).check()
    reader.wait(State(token=3))
    reset.focus()
    page.keyboard.press(" ")
    reader.wait(DEFAULT)


def test_describes_leads_back(visit: Visit) -> None:
    """The line that says what the text speaks of, where a figure shows something else: its link goes by Enter."""
    reader = visit(state=State(head="sink"))
    reader.wait(State(head="sink"))
    back = reader.page.locator("#figure-table .describes a")
    back.focus()
    reader.page.keyboard.press("Enter")
    reader.wait(DEFAULT)
    assert not reader.page.locator("#figure-table .describes").is_visible()


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_unfold(visit: Visit, kind: str) -> None:
    reader = visit()
    summary = reader.page.locator(f"#figure-{kind} summary")
    table = reader.page.locator(f"#figure-{kind} .numbers table").first
    for key, shown in (("Enter", True), (" ", False)):
        summary.focus()
        reader.page.keyboard.press(key)
        assert table.is_visible() == shown


def test_questions_by_keyboard(visit: Visit) -> None:
    """A choice by arrows, the answer by Enter; what is said about it is announced."""
    reader = visit("sections/neighbours.html")
    question = reader.page.locator(".question").first
    radios = question.locator("input[type=radio]")
    radios.first.focus()
    reader.page.keyboard.press(" ")
    for _ in range(radios.count() - 1):
        reader.page.keyboard.press("ArrowDown")
    assert radios.last.is_checked()
    question.locator("button").focus()
    reader.page.keyboard.press("Enter")
    verdict = question.locator("[role=status]")
    assert verdict.text_content()
