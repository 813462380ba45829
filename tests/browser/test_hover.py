"""What the pointer and the finger find in a figure: the right words everywhere, and a row to choose, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from tests.browser.drawn import ends, middle, span
from tests.browser.expected import FAINT, NAMES, State, expected
from tests.browser.reading import Reader
from tests.reference import percent

Visit = Callable[..., Reader]
Place = tuple[float, float]

ALONG, ACROSS = (0.02, 0.1, 0.3, 0.6, 0.97), (0.2, 0.5, 0.8)  # of a ribbon's way, and of its thickness
EDGE = 0.25  # pixels between two ribbons that may be told as either
THICK = 0.04  # a ribbon of a pixel or more can be pointed at
# short pages: each step of the pointer paints what is in view
SECTION = {
    "lines": "sections/neighbours.html",
    "table": "sections/every-token.html",
    "heads": "sections/many-heads.html",
}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "painted": True}

# one ribbon, two alike, two of unlike thickness, two with the first token far away
RIBBONS = [State(), State(token=7), State("soft", "off", "meaning", 2), State(head="sink", token=6)]


def corner(reader: Reader, kind: str, plot: str) -> Place:
    box = reader.page.locator(f'#figure-{kind} [data-plot="{plot}"]').bounding_box()
    assert box
    return box["x"], box["y"]


def centre(box: list[float]) -> Place:
    return (box[0] + box[2]) / 2, middle(box)


def label(kind: str, plot: str) -> str:
    return f'#figure-{kind} [data-plot="{plot}"] .hoverlayer .nums'


def read_at(reader: Reader, label: str, at: Place, text: str) -> None:
    """Points there, and waits for the words."""
    reader.page.mouse.move(*at)
    reader.page.wait_for_selector(f'{label}:text-is("{text}")', state="attached")


def ribbons(reader: Reader, state: State) -> Iterator[tuple[list[list[float]], str]]:
    """The asking token's ribbons that are thick enough to point at, and what each must say."""
    weights = [(j, weight) for j, weight in enumerate(state.row.weights) if weight is not None and weight >= FAINT]
    parts = reader.shapes("lines", "lines")["ribbons"][-1]["parts"]
    for part, (j, weight) in zip(parts, weights, strict=True):
        if weight >= THICK:
            yield part, f"{state.asker} → {state.tokens[j]}: {percent(weight)}"


def within(part: list[list[float]], share: float, depth: float = 0.5) -> Place:
    """A point inside a ribbon: so far from its left end, so far down from its upper edge."""
    left, right = ends(part)
    x = left + (right - left) * share
    top, bottom = span(part, x)
    return x, top + (bottom - top) * depth


def test_along_a_ribbon(visit: Visit) -> None:
    """From end to end and from edge to edge it says what it stands for, however thin its neighbours are."""
    reader = visit(SECTION["lines"], RIBBONS[0])
    reader.draw("lines")
    reader.view("lines")
    wrong, pointed = [], 0
    for state in RIBBONS:
        reader.show(state)
        x, y = corner(reader, "lines", "lines")
        for part, text in ribbons(reader, state):
            for share, depth in product(ALONG, ACROSS):
                across, down = within(part, share, depth)
                across, down = int(x + across) - x, int(y + down) - y  # a mouse knows whole pixels only
                top, bottom = span(part, across)
                if not top + EDGE < down < bottom - EDGE:
                    continue
                pointed += 1
                reader.page.mouse.move(x + across, y + down)
                said = reader.page.wait_for_selector(label("lines", "lines"), state="attached")
                assert said
                if said.text_content() != text:
                    wrong.append(f"{state}: {said.text_content()} at {share}, {depth} of {text}")
                reader.page.mouse.move(x + 2, y - 2)  # at nothing, so that the words go
                reader.page.wait_for_selector(label("lines", "lines"), state="detached")
    assert not wrong, "\n".join(wrong)
    assert pointed > 80


@pytest.mark.parametrize(
    ("kind", "plot"), [("table", "weights"), *(("heads", f"head-{index}") for index in range(len(NAMES)))]
)
def test_on_every_cell(visit: Visit, kind: str, plot: str) -> None:
    state = State(token=7)
    reader = visit(SECTION[kind], state)
    reader.draw(kind)
    reader.view(kind)
    (cells,) = reader.shapes(kind, plot)["bars"]
    (texts,) = expected(state)[kind]["plots"][plot]["hover"]
    assert len(set(texts)) > 90  # from cell to cell they change, so no old one can stand for a new one
    x, y = corner(reader, kind, plot)
    for i in there_and_back(10):
        across, down = centre(cells[i]["box"])
        read_at(reader, label(kind, plot), (x + across, y + down), texts[i])


def there_and_back(n: int) -> Iterator[int]:
    """The cells of a square row by row, each other row from right to left, so that a step is always a small one."""
    for row, column in product(range(n), range(n)):
        yield row * n + (column if row % 2 == 0 else n - 1 - column)


# by finger ---------------------------------------------------------------------------------------------------------

COUNT = """kind => {
    window.chosen = [];
    const figure = document.getElementById("figure-" + kind);
    new MutationObserver(() => chosen.push(figure.dataset.state)).observe(figure, {attributeFilter: ["data-state"]});
}"""


def tap(reader: Reader, kind: str, plot: str, at: Place) -> None:
    x, y = corner(reader, kind, plot)
    reader.page.touchscreen.tap(x + at[0], y + at[1])


def on_a_phone(visit: Visit, kind: str, state: State, plot: str) -> tuple[Reader, dict[str, Any]]:
    """The figure on a phone, drawn; what is drawn in it."""
    reader = visit(state=state, **PHONE)
    reader.page.locator(f'#figure-{kind} [data-plot="{plot}"]').scroll_into_view_if_needed()
    x, y = corner(reader, kind, plot)
    reader.page.touchscreen.tap(x + 2, y + 2)  # the first touch wakes the figure up
    reader.page.wait_for_selector(f'#figure-{kind} [data-plot="{plot}"][data-drawn]', state="attached")
    reader.wait(state)
    reader.page.evaluate(COUNT, kind)
    return reader, reader.shapes(kind, plot)


def test_tap_on_a_ribbon(visit_windowed: Visit) -> None:
    """In the right half of the figure: in the left one a tap chooses."""
    state = State(token=7)
    reader, _ = on_a_phone(visit_windowed, "lines", state, "lines")
    for part, text in ribbons(reader, state):
        tap(reader, "lines", "lines", within(part, 0.9))
        reader.page.wait_for_selector(f'{label("lines", "lines")}:text-is("{text}")', state="attached")
    assert reader.page.evaluate("chosen") == []


@pytest.mark.parametrize("where", ["label", "half"])
def test_tap_on_a_row_of_the_ribbons(visit_windowed: Visit, where: str) -> None:
    state = State(token=7)
    reader, shapes = on_a_phone(visit_windowed, "lines", state, "lines")
    rows = [text["box"] for text in shapes["texts"][:10]]
    width = reader.page.locator("#figure-lines [data-plot]").bounding_box()
    assert width
    for token in (2, 2, 0):
        at = centre(rows[token]) if where == "label" else (width["width"] * 0.4, middle(rows[token]))
        tap(reader, "lines", "lines", at)
        reader.wait(State(token=token))
    assert reader.page.evaluate("chosen") == [str(State(token=2)), str(State(token=0))]  # set, and set again, not back


@pytest.mark.parametrize(("kind", "plot"), [("table", "weights"), ("heads", "head-2")])
def test_tap_on_a_row_of_a_table(visit_windowed: Visit, kind: str, plot: str) -> None:
    """Anywhere in it, masked cells as well."""
    state = State(token=7)
    reader, shapes = on_a_phone(visit_windowed, kind, state, plot)
    (cells,) = shapes["bars"]
    (texts,) = expected(state)[kind]["plots"][plot]["hover"]
    for row, column in ((2, 1), (2, 1), (0, 8), (9, 9)):
        i = row * 10 + column
        tap(reader, kind, plot, centre(cells[i]["box"]))
        reader.wait(State(token=row))
        if kind == "table":  # it looks the same for every asking token, so that the words stay
            reader.page.wait_for_selector(f'{label(kind, plot)}:text-is("{texts[i]}")', state="attached")
    assert reader.page.evaluate("chosen") == [str(State(token=row)) for row in (2, 0, 9)]


def test_click_sets_too(visit: Visit) -> None:
    reader = visit(SECTION["lines"], State(token=7))
    reader.draw("lines")
    reader.view("lines")
    reader.page.evaluate(COUNT, "lines")
    rows = [text["box"] for text in reader.shapes("lines", "lines")["texts"][:10]]
    x, y = corner(reader, "lines", "lines")
    across, down = centre(rows[3])
    reader.page.mouse.dblclick(x + across, y + down)
    reader.wait(State(token=3))
    width = reader.page.locator("#figure-lines [data-plot]").bounding_box()
    assert width
    reader.page.mouse.click(x + width["width"] * 0.8, y + middle(rows[5]))  # in the other half nothing is chosen
    reader.wait(State(token=3))
    assert reader.page.evaluate("chosen") == [str(State(token=3))]


def test_a_click_is_not_lost_when_plotly_takes_the_place_of_the_poster(visit: Visit) -> None:
    reader = visit(SECTION["lines"])
    reader.view("lines")
    rows = [text["box"] for text in reader.shapes("lines", "lines")["texts"] if text["text"] not in ("asks", "")][:10]
    x, y = corner(reader, "lines", "lines")
    across, down = centre(rows[4])
    reader.page.mouse.move(x + across, y + down)
    reader.page.mouse.down()
    reader.drawn("lines")
    reader.page.mouse.up()
    reader.wait(State(token=4))
