"""A state is an address: links, reloads, odd addresses, plain anchors, and the way back to how a page opens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.browser.expected import DEFAULT, KINDS, STATES, State, differences, expected, shown
from tests.browser.reading import Reader
from tests.browser.test_pages import FIGURES

Visit = Callable[..., Reader]

ODD = State("soft", "off", "sink", 0)
STATE_OF = {str(state): state for state in STATES}
WORDS = {"viewport": {"width": 1200, "height": 200}}  # graphics are out of view and not drawn: what counts is the state
OPENS = {"sections/values.html": State(token=7), "sections/every-token.html": State(token=2)}


def shows(reader: Reader, state: State, kind: str = "lines", led: bool = False) -> None:
    """The page has the state, and the figure says and shows what it follows of it, in words, tables and controls; where
    a link has led to it or where it is alone, all of it."""
    reader.wait(state)
    whole = kind if led or reader.page.locator("[data-figure]").count() == 1 else ""
    figure = {key: part for key, part in expected(state, whole)[kind].items() if key != "plots"}
    assert differences(reader.figure(kind), figure) == []


@pytest.mark.parametrize("state", [ODD, State(token=0), State(mask="off")], ids=str)
def test_reload_restores(visit: Visit, state: State) -> None:
    reader = visit("sections/neighbours.html", state, **WORDS)
    shows(reader, state)
    reader.page.reload()
    shows(reader, state)
    reader.choose("lines", "token", "cat, position 2 of 10", keys=False)
    now = State(state.sentence, state.mask, state.head, 1)
    shows(reader, now)
    reader.page.reload()
    shows(reader, now)


# what an address says, and what is left of it
ADDRESSES = [
    ("sentence=soft", State("soft")),
    ("token=0", State(token=0)),
    ("mask=off", State(mask="off")),
    ("head=sink&token=3", State(head="sink", token=3)),
    ("sentence=nobody&mask=maybe&head=tail&token=99", DEFAULT),
    ("sentence=&mask=&head=&token=", DEFAULT),
    ("token=-1", DEFAULT),
    ("token=1.5", DEFAULT),
    ("token=1e0", DEFAULT),
    ("token=%D9%A3", DEFAULT),  # a digit, but not one of ours
    ("token=0000007", DEFAULT),
    ("token=10", DEFAULT),
    ("token=it", DEFAULT),
    ("head=__proto__&sentence=constructor&mask=toString", DEFAULT),
    ("head=0&sentence=1&mask=1", DEFAULT),
    ("mask=off&mask=on&token=2&token=3", State(mask="off", token=2)),
    ("at=nowhere&token=4", State(token=4)),
    ("at=__proto__&token=4", State(token=4)),
    ("=", DEFAULT),
    ("&&&=&=&token=5", State(token=5)),
    ("%E0%A4%A&token=6", State(token=6)),
    ("<script>=1&token=<b>", DEFAULT),
    ("SENTENCE=soft&Token=1", DEFAULT),
    ("sentence=soft&unknown=part&token=1&x", State("soft", token=1)),
    ("token=" + "9" * 5000, DEFAULT),
]


@pytest.mark.parametrize("opens", [DEFAULT, State(token=7)], ids=str)
def test_odd_addresses(visit: Visit, opens: State) -> None:
    """When the address is changed under a page, and when a page opens with it; missing parts are those of the page."""
    reader = visit("sections/values.html" if opens.token == 7 else "sections/neighbours.html", **WORDS)
    kind = "mix" if opens.token == 7 else "lines"
    for address, state in ADDRESSES:
        wanted = replace(state, token=opens.token) if state.token == DEFAULT.token else state
        reader.show(ODD)
        reader.page.evaluate("address => { location.hash = address; }", address)
        shows(reader, wanted, kind)
        reader.page.evaluate("address => history.replaceState(null, '', '#' + address)", address)
        reader.page.reload()
        shows(reader, wanted, kind)


# Follows a link, and at the very moment the page says it is ready looks at the figure, and which of it is in view.
FOLLOW = """async link => {
    const [, state, kind] = /#(.*)&at=(.*)/.exec(link.getAttribute("href"));
    link.click();
    await reader.ready(state);
    const figure = document.getElementById("figure-" + kind), shown = reader.figure(figure);
    const inView = (box) => {
        const {top, bottom, height} = box.getBoundingClientRect();
        return height > 0 && bottom > 0 && top < innerHeight;
    };
    const boxes = Array.from(figure.querySelectorAll("[data-plot]")).filter(inView);
    return [state, kind, shown, boxes.map((box) => box.dataset.plot)];
}"""


def test_every_link_in_the_text(visit: Visit) -> None:
    """Says, lists and draws its state in its figure, and is ready when it says so."""
    reader = visit(state=ODD)
    reader.wait(ODD)
    links = reader.page.locator(".section > p a.state, .admonition a.state").all()
    assert len(links) > 20
    for link in links:
        reader.page.evaluate("scrollTo(0, 0)")
        reader.show(ODD)
        address, kind, figure, plots = link.evaluate(FOLLOW)
        state = STATE_OF[address]
        wanted = expected(state, kind)[kind]
        assert differences(figure, {key: part for key, part in wanted.items() if key != "plots"}) == []
        assert plots
        for name in plots:
            assert sorted(figure["plots"][name]["texts"]) == sorted(wanted["plots"][name]["texts"]), (
                address,
                kind,
                name,
            )
            assert not figure["plots"][name]["stale"]


def test_an_anchor_is_an_anchor(visit: Visit) -> None:
    reader = visit(state="many-heads")
    shows(reader, DEFAULT)
    title = reader.page.locator("#many-heads-title")
    assert -1 <= reader.page.evaluate("document.getElementById('many-heads').getBoundingClientRect().top") <= 40
    reader.show(ODD)
    for slug in ("softmax", "many-heads"):
        reader.page.locator(f".contents a[href='#{slug}']").click()
        assert reader.page.evaluate("location.hash") == f"#{slug}"
        assert reader.page.locator(f"#{slug}-title").bounding_box()
    box = title.bounding_box()
    assert box
    assert 0 <= box["y"] <= 200
    shows(reader, ODD)


def test_a_choice_is_not_a_step_back(visit: Visit) -> None:
    """The address follows without filling the history; Back leaves the page."""
    reader = visit(state=DEFAULT)
    reader.wait(DEFAULT)
    length = reader.page.evaluate("history.length")
    reader.choose("lines", "token", "it, position 8 of 10", keys=False)
    reader.wait(State(token=7))
    assert reader.page.evaluate("location.hash") == f"#{State(token=7)}"
    reader.choose("table", "mask", "both ways (BERT)", keys=False)
    reader.wait(State(mask="off", token=7))
    reader.page.locator("#neighbours .try a").first.click()
    reader.wait(DEFAULT)
    reader.page.locator("#figure-lines .link").click()
    assert reader.page.evaluate("history.length") == length


def test_link_to_this_view(visit: Visit) -> None:
    reader = visit(state=ODD, **WORDS)
    reader.wait(ODD)
    for kind in KINDS:
        link = reader.page.locator(f"#figure-{kind} .link")
        if kind == "compare":  # it has no controls, and shows the same in every state
            assert link.count() == 0
            continue
        view = f"#{shown(ODD, kind)}&at={kind}"
        assert link.get_attribute("href") == view
        link.click()
        assert reader.page.evaluate("location.hash") == view
        shows(reader, ODD, kind)  # nothing changes on the page


@pytest.mark.parametrize("state", [DEFAULT, ODD], ids=str)
@pytest.mark.parametrize("kind", ["match", "table", "glue"])
def test_such_a_link_opens_at_its_figure(visit: Visit, kind: str, state: State) -> None:
    reader = visit(state=f"{state}&at={kind}")
    shows(reader, state, kind, led=True)
    box = reader.page.locator(f"#figure-{kind}").bounding_box()
    assert box
    assert box["y"] >= -1
    assert box["y"] + box["height"] <= 901 or box["y"] <= 20  # one that is higher than the window begins on top
    assert reader.page.evaluate("scrollY") > 1000


@pytest.mark.parametrize("path", FIGURES)
def test_start_again(visit: Visit, path: str) -> None:
    """Back to how the page opens, which is the section's own way."""
    opens = OPENS.get(path, DEFAULT)
    kind = FIGURES[path][-1]
    reader = visit(path, **WORDS)
    shows(reader, opens, kind)
    reader.show(ODD)
    shows(reader, ODD, kind)
    reader.page.locator(".reset").first.click()
    shows(reader, opens, kind)
    reader.page.reload()
    shows(reader, opens, kind)


def test_values_opens_on_it(visit: Visit) -> None:
    reader = visit("sections/values.html")
    shows(reader, State(token=7), "mix")
    assert reader.figure("mix")["says"].startswith("The value of it itself is (0, 0, 1, 0)")


def test_a_link_in_the_text_of_a_section_page(visit: Visit) -> None:
    """Its states are whole, whatever the page opens in."""
    reader = visit("sections/values.html")
    reader.wait(State(token=7))
    reader.page.locator(".try a", has_text="soft").click()
    shows(reader, State("soft"), "mix")
