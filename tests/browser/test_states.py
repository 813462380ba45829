"""Every state that a reader can reach, on one page: what is said, listed and drawn is what the reference works out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.drawn import check_drawn
from tests.browser.expected import (
    ASKER,
    DEFAULT,
    FOLLOWS,
    KINDS,
    NAMES,
    STATES,
    State,
    beyond_whole,
    differences,
    expected,
    notes,
    only_hovered,
    shown,
)
from tests.browser.measuring import draw_all
from tests.browser.reading import Reader
from tests.reference import MASKS, SENTENCES

Figures = dict[str, Any]

# Every token, sentence, mask and head; among them a row with a tie, with a single weight of 1, and with tiny weights.
SAMPLE = [State(("tired", "soft")[t % 2], MASKS[t // 2 % 2], NAMES[t % 3], t) for t in range(10)]
SAMPLE += [State(token=7), State("soft", "off")]


def grow(reader: Reader) -> None:
    """Makes the window as high as the page."""
    height = reader.page.evaluate("document.documentElement.scrollHeight")
    reader.page.set_viewport_size({"width": 1200, "height": height})


# The figures as they stand in the page, without the graphics, which are drawn in view only: kept in the page by their
# state, or held to what was kept. It is much text, all of which need not leave the page.
STANDING = """([state, keep]) => {
  const now = Array.from(document.querySelectorAll("[data-figure]"), (figure) => {
    const copy = figure.cloneNode(true);
    for (const plot of copy.querySelectorAll("[data-plot]")) plot.remove();
    return copy.outerHTML;
  });
  window.standing = window.standing || {};
  if (keep) window.standing[state] = now;
  return now.map((html, i) => html.length > 500 && html === window.standing[state][i]);
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, home: str) -> Iterator[Reader]:
    """The whole article, everything drawn."""
    reader = Reader(browser, home).open()
    reader.wait(DEFAULT)
    draw_all(reader)
    yield reader
    assert reader.close()[:20] == []


LED = tuple(kind for kind in KINDS if kind != "compare" and FOLLOWS[kind] == ASKER)  # a link makes them show more


@pytest.fixture(scope="module")
def seen(page: Reader) -> dict[State, Figures]:
    """What the figures show in every state of the page, one after the other."""
    found = {}
    page.paint(False)
    for state in STATES:
        page.show(state)
        found[state] = page.figures()
        assert all(page.page.evaluate(STANDING, [str(state), True]))
    page.paint(True)
    return found


@pytest.mark.parametrize(("sentence", "mask", "head"), list(product(SENTENCES, MASKS, NAMES)))
def test_all_that_is_shown(seen: dict[State, Figures], sentence: str, mask: str, head: str) -> None:
    wrong = []
    for state in (State(sentence, mask, head, token) for token in range(10)):
        wrong += [f"{state} {line}" for line in differences(seen[state], expected(state))]
        for kind in KINDS:
            wrong += amiss(kind, shown(state, kind), seen[state][kind])
    assert not wrong, "\n".join(wrong[:10])


def amiss(kind: str, state: State, figure: Any) -> list[str]:
    """What is wrong with the note of a figure that shows a state, and with its graphics."""
    said, wanted = figure["notes"], notes(state, kind)
    stale = [name for name, plot in figure["plots"].items() if plot["stale"]]
    found = [f"{state} {kind}: {stale} are greyed although they are drawn"] if stale else []
    if bool(said) != bool(wanted) or any(part not in said for part in wanted):
        found.append(f"{state} {kind}: the note is {said!r}, wanted {wanted}")
    return found


@pytest.mark.parametrize("kind", LED)
def test_alone_it_shows_all_of_every_state(browser: Browser, home: str, kind: str) -> None:
    """On the axes too that it has no control for."""
    reader = Reader(browser, home).open(f"embed/figure-{kind}.html")
    draw_all(reader, painted=False)
    wrong = []
    for state in STATES:
        reader.show(state)
        figure = reader.figure(kind)
        wanted = {part: value for part, value in expected(state, kind)[kind].items() if part != "link"}
        wrong += [f"{state} {line}" for line in differences(figure, wanted)] + amiss(kind, state, figure)
    assert reader.close()[:20] == []
    assert not wrong, "\n".join(wrong[:10])


def test_no_row_is_more_than_a_whole(seen: dict[State, Figures]) -> None:
    wrong = [f"{state}: {line}" for state in STATES for line in beyond_whole(state, seen[state])]
    assert not wrong, "\n".join(wrong[:10])


def test_the_pointer_has_no_number_to_itself(seen: dict[State, Figures]) -> None:
    """Whatever stands under the pointer stands in a table or in the sentence as well."""
    wrong = [f"{s} {kind}: {text}" for s in STATES for kind in KINDS for text in only_hovered(seen[s][kind])]
    assert not wrong, "\n".join(wrong[:10])


def test_the_same_going_back(page: Reader, seen: dict[State, Figures]) -> None:
    """The same DOM whatever was shown before. The graphics are out of view here; some follow below and in
    test_drawing.py."""
    page.page.set_viewport_size({"width": 1200, "height": 100})
    page.page.evaluate("scrollTo(0, 0)")
    assert set(seen) == set(STATES)
    assert page.page.evaluate("() => Object.keys(window.standing).length") == len(STATES)
    wrong = []
    for state in reversed(STATES):
        page.show(state)
        same = page.page.evaluate(STANDING, [str(state), False])
        wrong += [f"{state}: {kind}" for kind, alike in zip(KINDS, same, strict=True) if not alike]
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("state", SAMPLE, ids=str)
def test_drawn_in_proportion(page: Reader, seen: dict[State, Figures], state: State) -> None:
    grow(page)
    page.paint(False)
    other = replace(state, mask=MASKS[state.mask == "on"], token=(state.token + 3) % 10)
    page.show(other)
    page.show(state)
    wrong = differences(page.figures(), seen[state])
    assert not wrong, "\n".join(wrong[:10])
    for kind in KINDS:
        check_drawn(page, kind, shown(state, kind))
    for kind in LED:  # a link shows the whole state
        page.show(state, kind)
        wrong = differences(page.figures(), expected(state, kind))
        assert not wrong, "\n".join(wrong[:10])
        check_drawn(page, kind, state)
