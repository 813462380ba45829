"""A choice stays where it has a control: figures follow what they or their section can set, and no other axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.browser.expected import DEFAULT, FOLLOWS, KINDS, SPOKEN_OF, State, differences, expected, notes, shown
from tests.browser.reading import Reader

Visit = Callable[..., Reader]
EARLIER = ("lines", "vectors", "match", "softmax", "mix", "compare")  # sections 1 to 4
CONTENT = {"viewport": {"width": 1200, "height": 200}}  # few graphics are in view: what counts is the state

# what is written, drawn or marked in figures, from now on
WATCH = """() => {
  window.touched = new Set();
  const note = (records) => {
    for (const {target} of records) {
      const element = target.nodeType === 1 ? target : target.parentElement;
      const figure = element && element.closest("[data-figure]");
      if (figure) touched.add(figure.dataset.figure);
    }
  };
  new MutationObserver(note).observe(document, {childList: true, characterData: true, attributes: true, subtree: true});
}"""


def touched(reader: Reader) -> set[str]:
    return set(reader.page.evaluate("() => Array.from(touched)"))


def check(reader: Reader, state: State, whole: str = "") -> None:
    """All figures show what they follow of the state, and one of them all of it."""
    reader.wait(state)
    for kind, wanted in expected(state, whole).items():
        figure = reader.figure(kind)
        assert differences(figure, {key: part for key, part in wanted.items() if key != "plots"}) == [], kind
        for part in notes(shown(state, kind, whole), kind):
            assert part in figure["notes"]


def hash_of(reader: Reader) -> str:
    return str(reader.page.evaluate("location.hash"))


def test_a_head_in_section_6_leaves_what_stands_before(visit: Visit) -> None:
    """Not a letter and not a mark of these figures changes, and no graphic of theirs is drawn again."""
    reader = visit()
    reader.wait(DEFAULT)
    for kind in EARLIER:
        reader.draw(kind)
    reader.page.locator("#figure-heads .title").hover()
    reader.wait(DEFAULT)
    reader.page.evaluate(WATCH)
    reader.choose("heads", "head", "sink", keys=False)
    state = State(head="sink")
    reader.wait(state)
    assert touched(reader) >= {"heads", "table"}
    assert touched(reader) & set(EARLIER) == set()
    check(reader, state)
    assert hash_of(reader) == f"#{state}"
    graphics = reader.page.locator("html").get_attribute("data-graphics")
    assert graphics == reader.page.locator("html").get_attribute("data-ready") == str(state)


@pytest.mark.parametrize(
    ("kind", "control", "choice", "state"),
    [
        ("table", "mask", "both ways (BERT)", State(mask="off")),
        ("table", "head", "previous", State(head="previous")),
        ("lines", "token", "it, position 8 of 10", State(token=7)),
        ("table", "word", "soft", State("soft")),
    ],
)
def test_a_choice_moves_those_that_follow_it(
    visit: Visit, kind: str, control: str, choice: str, state: State
) -> None:
    reader = visit(**CONTENT)
    reader.wait(DEFAULT)
    reader.page.evaluate(WATCH)
    reader.choose(kind, control, choice, keys=False)
    check(reader, state)
    axis = "sentence" if control == "word" else control
    reader.page.mouse.move(0, 0)
    assert touched(reader) <= {one for one in KINDS if axis in FOLLOWS[one]}


OFF = State(mask="off", token=7)


def lead(reader: Reader) -> None:
    """By the link in section 1 to what the row of *it* is with the mask off."""
    reader.page.locator("#neighbours details.more summary").first.click()
    reader.page.get_by_role("link", name="With the mask off", exact=True).click()


def test_a_link_shows_the_whole_state_and_the_way_back(visit: Visit) -> None:
    reader = visit(**CONTENT)
    reader.wait(DEFAULT)
    lead(reader)
    check(reader, OFF, "lines")
    assert hash_of(reader) == f"#{OFF}&at=lines"
    for again in ("reload", "share"):
        if again == "reload":
            reader.page.reload()
        else:
            reader = visit(state=f"{OFF}&at=lines", **CONTENT)
        check(reader, OFF, "lines")
        assert hash_of(reader) == f"#{OFF}&at=lines"
    # to what the text speaks of; the mask that other figures show stays
    reader.page.locator("#figure-lines .describes a").click()
    check(reader, OFF)
    assert reader.figure("lines")["describes"] == []
    assert hash_of(reader) == f"#{OFF}"


def test_it_stays_so_whatever_is_chosen_elsewhere(visit: Visit) -> None:
    """And a choice that it follows moves it on; the address says all of it."""
    reader = visit(**CONTENT)
    reader.wait(DEFAULT)
    lead(reader)
    reader.wait(OFF)
    reader.choose("heads", "head", "sink", keys=False)
    reader.choose("heads", "mask", "looks back (GPT)", keys=False)
    state = State(head="sink", token=7)
    address = f"#{state}&at=lines&at.mask=off&at.head=meaning"
    for _ in ("chosen", "reloaded"):
        reader.wait(state)
        assert hash_of(reader) == address
        wanted = expected(OFF, "lines")["lines"]
        assert differences(reader.figure("lines"), {key: v for key, v in wanted.items() if key != "plots"}) == []
        for kind in ("match", "table", "heads"):
            assert reader.figure(kind)["says"] == expected(state)[kind]["says"]
        reader.page.reload()
    reader.choose("lines", "token", "sat, position 3 of 10", keys=False)
    reader.wait(replace(state, token=2))
    assert reader.figure("lines")["says"] == expected(State(mask="off", token=2), "lines")["lines"]["says"]
    assert hash_of(reader) == f"#{replace(state, token=2)}&at=lines&at.mask=off&at.head=meaning"
    reader.page.locator("#figure-lines .reset").click()
    check(reader, DEFAULT)
    assert hash_of(reader) == f"#{DEFAULT}"


def test_the_next_link_leads_on(visit: Visit) -> None:
    """One figure at a time; one that shows no more than it follows needs no mention in the address."""
    reader = visit(state=f"{OFF}&at=lines", **CONTENT)
    check(reader, OFF, "lines")
    reader.show(State(head="sink"), "mix")
    check(reader, State(head="sink"), "mix")
    assert hash_of(reader) == f"#{State(head='sink')}&at=mix"
    reader.show(State(token=7), "mix")
    check(reader, State(token=7))
    assert hash_of(reader) == f"#{State(token=7)}"


@pytest.mark.parametrize("kind", ["table", "lines"])
def test_the_way_back_moves_nothing_else(visit: Visit, kind: str) -> None:
    """Where the figure follows the axis, what the text speaks of is chosen for all that follow it, and only that."""
    state = State("soft", "off", "sink", 3)
    reader = visit(state=f"{state}&at={kind}", **CONTENT)
    check(reader, state, kind)
    reader.page.locator(f"#figure-{kind} .describes a").click()
    follows_head = SPOKEN_OF[kind]["head"] == "meaning" and "head" in FOLLOWS[kind]
    check(reader, replace(state, head="meaning") if follows_head else state)


def test_a_click_on_a_row_of_the_table(visit: Visit) -> None:
    """Chooses the asking token, which the table follows for that reason."""
    reader = visit()
    reader.wait(DEFAULT)
    reader.draw("table")
    plot = reader.page.locator('#figure-table [data-plot="weights"]')
    box = plot.bounding_box()
    assert box
    plot.click(position={"x": 20, "y": box["height"] - 20})
    reader.wait(DEFAULT)
    plot.click(position={"x": 20, "y": box["height"] - 20 - 30 * 2})
    reader.wait(State(token=7))
    assert reader.figure("lines")["says"] == expected(State(token=7))["lines"]["says"]
