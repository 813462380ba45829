"""Every prompt of the article, done as it says: by its links and by the figure's controls, with mouse and with keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser

from tests.browser.drawn import check_drawn
from tests.browser.expected import DEFAULT, State, differences, expected, notes
from tests.browser.reading import Reader

Visit = Callable[..., Reader]

START = State(token=1)  # none of the prompts asks for it
ON, SAT, IT, LAST = 3, 2, 7, 9
BOTH = "both ways (BERT)"
TRY = ("neighbours", "queries-keys", "values", "every-token")  # the others ask in their text


def at(token: str, place: int) -> str:
    """The name of the button of a token."""
    return f"{token}, position {place + 1} of 10"


@dataclass(frozen=True)
class Step:
    """A link of the prompt, the controls that lead to the same state, and what must then be seen."""

    link: str
    controls: tuple[tuple[str, str], ...]
    state: State
    figure: str
    says: tuple[str, ...] = ()
    rows: dict[str, list[str]] = field(default_factory=dict)  # how rows of the figure's first table begin
    controlled: State | None = None  # where the controls lead, if they leave more as it is


PROMPTS = {
    "neighbours": [
        Step("tired", (("token", at("tired", LAST)),), State(), "lines", ("tired gives 94.3% of", "cat", "0.6%")),
        Step("soft", (("token", at("soft", LAST)),), State("soft"), "lines", ("soft gives 94.3% of", "mat", "0.6%")),
        Step(
            "it",
            (("token", at("tired", LAST)), ("token", at("it", IT))),
            State(token=IT),
            "lines",
            ("it splits its attention evenly between cat and mat: 49.0% each.", "never flips"),
            {"cat": ["0.490"], "mat": ["0.490"], "was": ["masked"]},
        ),
    ],
    "queries-keys": [
        Step(
            "tired",
            (("token", at("tired", LAST)),),
            State(),
            "match",
            ("tired matches cat best: 5×2 + 0 + 0 + 0 = 10; 10 ÷ 2 = 5.",),
            {"query of tired": ["5", "0", "0", "0", "", ""], "cat": ["2", "0", "0", "0", "10", "5"]},
        ),
        Step("Its query wants something alive", (), State(), "vectors", ("Its query is (5, 0, 0, 0)",)),
        Step("only cat has a key that says so", (), State(), "match", ("No other key scores more than 0.",)),
    ],
    "softmax": [
        Step(
            "just 2 points higher gets more than 7 times the weight",
            (("token", at("on", ON)),),
            State(token=ON),
            "softmax",
            ("7.389 times the weight, 0.711 against 0.096",),
            {"cat": ["2", "7.389", "0.711"], "sat": ["0", "1", "0.096"]},
        ),
    ],
    "values": [
        Step(
            "tired",
            (("token", at("tired", LAST)),),
            State(),
            "mix",
            ("The sum over all tokens is (0.943, 0.006, 0.006, 0.015).",),
            {"output": ["1.000", "0.943", "0.006", "0.006", "0.015"]},
        ),
        Step(
            "soft",
            (("token", at("soft", LAST)),),
            State("soft"),
            "mix",
            ("The sum over all tokens is (0.006, 0.943, 0.006, 0.015).",),
            {"output": ["1.000", "0.006", "0.943", "0.006", "0.015"]},
        ),
    ],
    "every-token": [
        Step(
            "Turn the mask off.",
            (("mask", BOTH),),
            State(mask="off", token=SAT),
            "table",
            ("45 cells have opened", "all 100 cells are open", "falls from 0.965 to 0.660", "0.243"),
            {"sat": ["0.012", "0.660", "0.012", "0.012", "0.012", "0.243"]},
            State(mask="off", token=START.token),
        ),
        Step("The first tokens can now see the whole sentence", (), State(mask="off", token=0), "table"),
        Step(
            "sat finds its subject cat together with the mat that comes later",
            (),
            State(mask="off", token=SAT),
            "table",
        ),
    ],
    "many-heads": [
        Step(
            "Some look at the previous token.",
            (("token", at("tired", LAST)), ("head", "previous")),
            State(head="previous"),
            "heads",
            ("the previous head looks most at was (85.4%)",),
        ),
        Step(
            "Some link a pronoun to its noun.",
            (("token", at("it", IT)), ("head", "meaning")),
            State(token=IT),
            "heads",
            ("it: the meaning head looks most at cat and mat (49.0% each)",),
        ),
        Step(
            "Many park most of their attention on the first token",
            (("token", at("tired", LAST)), ("head", "sink")),
            State(head="sink"),
            "heads",
            ("the sink head looks most at The (91.2%)",),
        ),
    ],
}


def check(reader: Reader, step: Step, state: State) -> None:
    """The figure answers with its sentence, its tables, its controls and what Plotly draws."""
    reader.wait(state)
    reader.drawn(step.figure)
    found = reader.figure(step.figure)
    assert differences(found, expected(state, step.figure)[step.figure]) == []
    for part in notes(state, step.figure):
        assert part in found["notes"]
    for part in step.says:
        assert part in f"{found['says']} {found['notes']}"
    table = next(iter(found["tables"].values()))
    rows = {row[1]: row[2:] for row in table["body"]} | {foot[0]: foot[1:] for foot in [table["foot"]] if foot}
    for name, cells in step.rows.items():
        assert rows[name][: len(cells)] == cells
    check_drawn(reader, step.figure, state)


@pytest.fixture(scope="module")
def article(browser: Browser, home: str) -> Iterator[Reader]:
    """One for all prompts, each of which begins in the same state on top of the page."""
    reader = Reader(browser, home).open(state=START)
    yield reader
    assert reader.close()[:20] == []


def begin(reader: Reader, section: str, way: str) -> Reader:
    reader.page.evaluate("scrollTo(0, 0)")
    reader.show(START)
    reader.page.locator(".skip").focus()
    if way == "keys":
        reader.tab_to(reader.page.locator(f".contents a[href='#{section}']"))
        reader.page.keyboard.press("Enter")
    return reader


@pytest.mark.parametrize("way", ["mouse", "keys"])
@pytest.mark.parametrize("section", PROMPTS)
def test_by_its_links(article: Reader, section: str, way: str) -> None:
    reader = begin(article, section, way)
    within = f"#{section} .try" if section in TRY else f"#{section} > p"
    for step in PROMPTS[section]:
        link = reader.page.locator(within).get_by_role("link", name=step.link, exact=True)
        if way == "keys":
            reader.tab_to(link)
            reader.page.keyboard.press("Enter")
        else:
            link.click()
        check(reader, step, step.state)
        assert reader.page.evaluate("location.hash") == f"#{step.state}"
        assert in_window(reader, step.figure)


@pytest.mark.parametrize("way", ["mouse", "keys"])
@pytest.mark.parametrize("section", PROMPTS)
def test_by_its_controls(article: Reader, section: str, way: str) -> None:
    reader = begin(article, section, way)
    for step in PROMPTS[section]:
        for control, choice in step.controls:
            reader.choose(step.figure, control, choice, keys=way == "keys")
        if step.controls:
            check(reader, step, step.controlled or step.state)


def in_window(reader: Reader, kind: str) -> bool:
    """Seen whole."""
    box = reader.page.locator(f"#figure-{kind}").bounding_box()
    return box is not None and box["y"] >= -1 and box["y"] + box["height"] <= 901


def test_outputs_compared(visit: Visit) -> None:
    """The other way to follow the prompt: the figure that has both outputs side by side, whatever else is chosen."""
    reader = visit(state=START)
    for state in (START, State("soft", "off", "sink", 0)):
        reader.show(state)
        reader.draw("compare")
        found = reader.figure("compare")
        assert differences(found, expected(DEFAULT)["compare"]) == []
        assert "tired comes out as (0.943, 0.006, 0.006, 0.015), soft as (0.006, 0.943, 0.006, 0.015)." in found["says"]
        check_drawn(reader, "compare", state)
