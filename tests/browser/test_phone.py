"""A screen of 320 pixels and a finger: nothing sticks out, a swipe scrolls the page; long and foreign tokens."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import CDPSession

import build
from qkv.figures.labels import label
from tests.browser.expected import KINDS, State
from tests.browser.measuring import draw_all, measure, open_all
from tests.browser.reading import Reader
from tests.contents import ROOT, add_rest

Visit = Callable[..., Reader]

PHONE = {
    "viewport": {"width": 320, "height": 640},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
    "painted": True,
}
DEFAULT = State()
SWIPE = 200  # pixels that the finger moves
SLACK = 60  # that it may move before it counts as moving
LONG = "Donaudampfschifffahrtskapitän!"
HEBREW = "שלום"


def settled(reader: Reader) -> None:
    """When the page has stood still for some frames: what has been scrolled is where it goes."""
    reader.page.evaluate(
        """() => new Promise((done) => {
          let last = scrollY, still = 0;
          const look = () => {
            still = scrollY === last ? still + 1 : 0;
            last = scrollY;
            if (still < 8) requestAnimationFrame(look);
            else done();
          };
          requestAnimationFrame(look);
        })"""
    )


def swipe(reader: Reader, session: CDPSession, x: float, y: float, distance: float = SWIPE) -> float:
    """How far the page scrolls when a finger moves up so far from a point on the screen."""
    before = reader.page.evaluate("() => scrollY")
    touch = "Input.dispatchTouchEvent"
    session.send(touch, {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        session.send(touch, {"type": "touchMove", "touchPoints": [{"x": x, "y": y - distance * step / 10}]})
    settled(reader)  # the finger rests before it lifts, so that the page is not flung on
    session.send(touch, {"type": "touchMove", "touchPoints": [{"x": x, "y": y - distance}]})
    session.send(touch, {"type": "touchEnd", "touchPoints": []})
    settled(reader)
    return float(reader.page.evaluate("() => scrollY") - before)


def center(reader: Reader, selector: str) -> tuple[float, float]:
    """The middle of an element, brought to the middle of the screen."""
    found = reader.page.evaluate(
        """(selector) => {
          const one = Array.from(document.querySelectorAll(selector)).find((one) => one.getClientRects().length);
          one.scrollIntoView({block: "center"});
          const at = one.getBoundingClientRect();
          return [(at.left + at.right) / 2, Math.min(Math.max((at.top + at.bottom) / 2, 250), innerHeight - 100)];
        }""",
        selector,
    )
    settled(reader)
    return found[0], found[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_finger_scrolls_past_a_figure(visit: Visit, kind: str) -> None:
    """On the poster, and on what Plotly has drawn in its place; nothing is chosen by that."""
    reader = visit(**PHONE)
    reader.wait(DEFAULT)
    session = reader.context.new_cdp_session(reader.page)
    x, y = center(reader, f"#figure-{kind} .plot")
    assert swipe(reader, session, x, y) >= SWIPE - SLACK
    # the touch was intent enough: Plotly takes the place of the poster
    x, y = center(reader, f"#figure-{kind} .plot")
    reader.page.wait_for_selector(f"#figure-{kind} .plot[data-drawn]", state="attached")
    assert swipe(reader, session, x, y) >= SWIPE - SLACK
    assert swipe(reader, session, x, y, -SWIPE) <= SLACK - SWIPE
    assert reader.state() == str(DEFAULT)
    assert reader.page.evaluate("() => [scrollX, visualViewport.scale]") == [0, 1]


def test_a_finger_scrolls_from_a_ribbon_and_a_tap_on_a_row_chooses(visit: Visit) -> None:
    reader = visit(**PHONE)
    reader.wait(DEFAULT)
    reader.draw("lines")
    session = reader.context.new_cdp_session(reader.page)
    x, y = center(reader, "#figure-lines .stage .js-fill")
    ribbon = reader.shapes("lines", "lines")["ribbons"][-1]["parts"][1]
    frame = reader.page.locator("#figure-lines .plot").bounding_box()
    assert frame
    x, y = frame["x"] + ribbon[3][0], frame["y"] + ribbon[3][1]
    assert swipe(reader, session, x, y) >= SWIPE - SLACK
    assert reader.state() == str(DEFAULT)
    center(reader, "#figure-lines .plot")
    label = reader.page.locator("#figure-lines .stage .textpoint text").nth(3)
    label.tap(force=True)
    reader.wait(State(token=3))


def test_a_table_scrolls_sideways_by_itself(visit: Visit) -> None:
    """A finger across a wide table moves the table, up and down the page."""
    reader = visit(**PHONE)
    open_all(reader)
    session = reader.context.new_cdp_session(reader.page)
    x, y = center(reader, "#figure-table .numbers .scroll")
    assert swipe(reader, session, x, y) >= SWIPE - SLACK
    assert reader.page.evaluate("() => scrollX") == 0


@pytest.mark.parametrize("width", [320, 360, 390])
@pytest.mark.parametrize(
    "path", ["index.html", "sections/queries-keys.html", "teachers.html", "embed/figure-table.html"]
)
def test_nothing_sticks_out(visit: Visit, path: str, width: int) -> None:
    reader = visit(path, **{**PHONE, "viewport": {"width": width, "height": 640}})
    open_all(reader)
    assert measure(reader, "cut()") == []


def test_nothing_sticks_out_as_drawn(visit: Visit) -> None:
    reader = visit(**PHONE)
    draw_all(reader)
    for state in (DEFAULT, State("soft", "off", "previous", 0), State("tired", "off", "sink", 9)):
        reader.show(state)
        assert measure(reader, "cut()") == [], state


def test_ten_tokens_stay_readable(visit: Visit) -> None:
    """Letters of 10 pixels and more in every graphic, of 13 in the line view, and a line for each token."""
    reader = visit(**PHONE)
    for selector, least in ((".poster text", 10), ("#figure-lines .poster [font-size='14'] text", 13)):
        sizes = reader.page.evaluate(
            "(selector) => Array.from(document.querySelectorAll(selector), (text) => "
            "parseFloat(getComputedStyle(text).fontSize))",
            selector,
        )
        assert len(sizes) >= 20
        assert min(sizes) >= least
    boxes = [text["box"] for text in reader.shapes("lines", "lines")["texts"][:10]]
    assert all(upper[3] <= lower[1] for upper, lower in pairwise(boxes))


# tokens from elsewhere ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An article whose tokens are long, in other scripts, or look like markup."""
    folder = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(ROOT / "tests" / "content_hostile", folder / "content")
    add_rest(folder / "content")
    build.build(folder / "content", folder / "site", quiet=True)
    return (folder / "site").as_uri() + "/"


def choose(reader: Reader, token: str) -> list[str]:
    """The sentence that has the token, and the token as the asking one; all tokens."""
    tokens: list[list[str]] = reader.page.evaluate(
        "() => JSON.parse(document.getElementById('traces').textContent).tokens"
    )
    sentence = next(i for i, one in enumerate(tokens) if token in one)
    figure = reader.page.locator("#figure-lines")
    figure.locator(f'.control-sentence input[value="sentence={sentence}"]').check()
    figure.locator(f'.control-token input[value="token={tokens[sentence].index(token)}"]').check()
    reader.page.evaluate("() => reader.ready(document.querySelector('[data-figure]').dataset.state)")
    return tokens[sentence]


@pytest.mark.parametrize("width", [320, 1200])
def test_long_tokens_wrap(visit: Visit, elsewhere: str, width: int) -> None:
    """Thirty letters without a space: nothing sticks out or lies on the next row; the whole stands in the tables."""
    reader = visit(home=elsewhere, viewport={"width": width, "height": 700})
    draw_all(reader)
    open_all(reader)
    choose(reader, LONG)
    # a sentence of thirteen has cells too narrow for numbers on a phone; they stand in the table
    wrong = [one for one in measure(reader, "cut()") if " lies on " not in one or "-lines" in one or "-match" in one]
    assert [one for one in wrong if "plot-glue" not in one and not re.search(r"is cut by [12]\.\d$", one)] == []
    chip = reader.page.locator("#figure-lines .control-token input:checked + span").bounding_box()
    assert chip
    assert chip["x"] >= 0
    assert chip["x"] + chip["width"] <= width
    asked = reader.page.locator("#figure-lines .stage .textpoint text").filter(has_text="Donau").first
    lines = asked.locator("tspan").all_text_contents()
    assert [line.strip("\u00a0▸") for line in lines] == label(LONG).split("<br>")
    assert LONG in [row[1] for row in reader.figure("lines")["tables"]["weights"]["body"]]


def test_other_directions_keep_their_order(visit: Visit, elsewhere: str) -> None:
    """Hebrew among English: each token in a box of its own, tables in the order of the sentence, sentences whole."""
    reader = visit(home=elsewhere)
    reader.draw("lines")
    open_all(reader)
    tokens = choose(reader, HEBREW)
    figure = reader.figure("lines")
    assert [row[1] for row in figure["tables"]["weights"]["body"]] == tokens
    assert figure["says"].startswith(HEBREW)
    boxes = reader.page.evaluate(
        """() => Array.from(document.querySelectorAll("#figure-lines :is(.choices span, tbody th, .token)"), (one) => {
          const name = one.matches("bdi") ? one : one.querySelector("bdi");
          return name && getComputedStyle(name).unicodeBidi;
        })"""
    )
    assert len(boxes) > 2 * len(tokens)
    assert set(boxes) == {"isolate"}
    # where the sentence is in English, the Hebrew token stands where it is spoken: first, then what is said about it
    left, right = reader.page.evaluate(
        """() => {
          const says = document.querySelector("#figure-lines .says"), [token] = says.querySelectorAll("bdi");
          const range = document.createRange();
          range.selectNodeContents(token.nextSibling);
          return [token.getBoundingClientRect().left, range.getClientRects()[0].left];
        }"""
    )
    assert left < right
    # what a pointer shows over a line: who asks, an arrow, who is looked at, the weight, from left to right
    hover = [
        text for text in reader.shapes("lines", "lines") and figure["plots"]["lines"]["hover"][0] if HEBREW in text
    ]
    assert hover
    for text in hover:
        places = reader.page.evaluate(ORDER, text)
        assert places == sorted(places), text


# where the parts of a text stand from left to right: before the arrow, the arrow, behind it, the number
ORDER = r"""(text) => {
  const line = document.createElement("div");
  line.textContent = text;
  document.body.append(line);
  const node = line.firstChild, arrow = text.indexOf("\u2192"), colon = text.lastIndexOf(":");
  const left = (from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return range.getBoundingClientRect().left;
  };
  const found = [left(0, arrow - 1), left(arrow, arrow + 1), left(arrow + 2, colon), left(colon + 2, text.length)];
  line.remove();
  return found;
}"""
