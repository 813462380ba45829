"""Predict, then check: the questions after each section, with keys and aloud, on paper and without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator

from tests.browser.expected import DEFAULT, State, expected
from tests.browser.reading import Reader

Visit = Callable[..., Reader]

# Which choice is right, or which number; and the state and figure that show it. tests/test_gift.py asks the reference
# for the answers; here they are what a reader is told.
CHOICES = {
    "neighbours-1": 1,
    "values-1": 2,
    "every-token-1": 1,
    "every-token-2": 2,
    "many-heads-1": 1,
    "many-heads-2": 0,
}
NUMBERS = {"queries-keys-1": "1", "softmax-1": "7.4"}
SHOWN = {
    "neighbours-1": ("lines", State(mask="off", token=7)),
    "queries-keys-1": ("match", State()),
    "softmax-1": ("softmax", State(token=8)),
    "values-1": ("mix", State(mask="off", token=7)),
    "every-token-1": ("table", State(mask="off", token=2)),
    "every-token-2": ("table", State("soft")),
    "many-heads-1": ("heads", State(mask="off", head="previous", token=0)),
    "many-heads-2": ("mix", State(head="sink")),
}
ALL = list(SHOWN)
LISTEN = """() => {
    window.answered = [];
    document.addEventListener("attention:answer", (event) => window.answered.push(event.detail));
}"""


def question(reader: Reader, name: str) -> Locator:
    return reader.page.locator(f'[data-question="{name}"]')


def verdict(box: Locator) -> str:
    return box.locator(".verdict").inner_text()


def why(box: Locator, index: int) -> str:
    return box.locator(f'.answer [data-choice="{index}"]').text_content() or ""


def answered(reader: Reader) -> list[dict[str, object]]:
    found: list[dict[str, object]] = reader.page.evaluate("window.answered")
    return found


@pytest.fixture
def reader(visit: Visit) -> Reader:
    """The whole article, with someone who listens to answers."""
    reader = visit()
    reader.wait(DEFAULT)
    reader.page.evaluate(LISTEN)
    return reader


def test_each_section_is_followed_by_its_questions(reader: Reader) -> None:
    names = [box.get_attribute("data-question") for box in reader.page.locator("[data-question]").all()]
    assert names == ALL
    for name in ALL:
        section = reader.page.locator(f"#{name.rpartition('-')[0]}")
        assert section.locator(f'[data-question="{name}"]').count() == 1
        last = section.locator("[data-figure]").last.bounding_box()
        box = question(reader, name).bounding_box()
        assert last
        assert box
        assert box["y"] >= last["y"] + last["height"], "it hides no figure"
        assert not question(reader, name).locator("details").evaluate("one => one.open")


@pytest.mark.parametrize("name", CHOICES)
def test_choices(reader: Reader, name: str) -> None:
    """Each choice is judged, with its own explanation; the first attempt is the one that counts."""
    box = question(reader, name)
    box.locator("button").click()
    assert verdict(box) == "Choose an answer first."
    assert answered(reader) == []
    wrong = [index for index in range(3) if index != CHOICES[name]]
    for index in (wrong[0], CHOICES[name], wrong[1]):
        box.locator(f'input[value="{index}"]').check()
        assert verdict(box) == "", "it would speak of another choice"
        box.locator("button").click()
        said = "Right." if index == CHOICES[name] else "Not quite."
        assert verdict(box) == f"{said} {why(box, index)}"
        assert why(box, index)
    assert answered(reader) == [{"question": name, "right": False}]
    reader.page.reload()
    reader.page.evaluate(LISTEN)
    box.locator(f'input[value="{CHOICES[name]}"]').check()
    box.locator("button").click()
    assert answered(reader) == [{"question": name, "right": True}]


@pytest.mark.parametrize(
    ("name", "written", "said"),
    [
        ("softmax-1", "7.4", "Right. e to the power of 2"),
        ("softmax-1", "7,4", "Right. e to the power of 2"),
        ("softmax-1", " 7.39 ", "Right. e to the power of 2"),
        ("softmax-1", "7.3", "Right. e to the power of 2"),
        ("softmax-1", "7.5", "Not quite."),
        ("softmax-1", "2", "Not quite. That is the difference of the scores."),
        ("softmax-1", "4", "Not quite. The scores are divided"),
        ("softmax-1", "\u22127.4", "Not quite."),
        ("softmax-1", "", "Write a number"),
        ("softmax-1", "seven", "Write a number"),
        ("softmax-1", "7.4.1", "Write a number"),
        ("softmax-1", "1e1", "Write a number"),
        ("queries-keys-1", "1", "Right. Only the key of cat"),
        ("queries-keys-1", "10", "Not quite. Every key gets a score"),
        ("queries-keys-1", "2", "Not quite. cat and mat"),
        ("queries-keys-1", "1.1", "Not quite."),
    ],
)
def test_numbers(reader: Reader, name: str, written: str, said: str) -> None:
    box = question(reader, name)
    box.locator("input").fill(written)
    box.locator("input").press("Enter")
    assert verdict(box).startswith(said)
    box.locator("input").press("0")
    assert verdict(box) == ""
    right = said.startswith("Right")
    assert answered(reader) == ([] if said.startswith("Write") else [{"question": name, "right": right}])


@pytest.mark.parametrize("name", NUMBERS)
def test_the_answer_that_is_shown_is_right(reader: Reader, name: str) -> None:
    box = question(reader, name)
    assert box.locator("details strong").text_content() == NUMBERS[name]
    box.locator("input").fill(NUMBERS[name])
    box.locator("button").click()
    assert verdict(box).startswith("Right.")


@pytest.mark.parametrize("name", ALL)
def test_links_set_the_figure(reader: Reader, name: str) -> None:
    """To the state that shows the answer, on the page of the article and on the section's own."""
    kind, state = SHOWN[name]
    box = question(reader, name)
    box.locator("summary").click()
    box.locator("a.state").click()
    reader.wait(state)
    assert reader.state() == str(state)
    assert reader.figure(kind)["says"] == expected(state, kind)[kind]["says"]


def test_links_on_a_page_of_one_section(visit: Visit) -> None:
    """What stands in another section is on another page."""
    reader = visit("sections/many-heads.html")
    box = question(reader, "many-heads-2")
    box.locator("summary").click()
    link = box.locator("a.state").get_attribute("href")
    kind, state = SHOWN["many-heads-2"]
    assert link == f"./values.html#{state}&at={kind}"
    assert question(reader, "many-heads-1").locator("a.state").get_attribute("href") == (
        f"#{SHOWN['many-heads-1'][1]}&at=heads"
    )
    box.locator("a.state").click()
    reader.wait(state)
    assert reader.figure(kind)["says"] == expected(state, kind)[kind]["says"]


def test_with_the_keyboard(reader: Reader) -> None:
    """Tab to the choices, arrows between them, Enter to check; what is said is a live region that was there before."""
    box, keys = question(reader, "every-token-1"), reader.page.keyboard
    assert box.locator(".verdict").get_attribute("role") == "status"
    assert verdict(box) == ""
    box.locator("input").first.focus()
    keys.press("ArrowDown")
    assert box.locator("input:checked").get_attribute("value") == "1"
    keys.press("Enter")
    assert verdict(box).startswith("Right. ")
    box.locator("input:checked").focus()
    keys.press("Tab")
    assert box.locator("button").evaluate("one => one === document.activeElement")
    keys.press("Space")
    assert verdict(box).startswith("Right. ")
    keys.press("Tab")
    assert box.locator("summary").evaluate("one => one === document.activeElement")
    keys.press("Enter")
    assert box.locator("details").evaluate("one => one.open")
    keys.press("Tab")
    keys.press("Enter")
    reader.wait(SHOWN["every-token-1"][1])


def test_names_for_a_screen_reader(reader: Reader) -> None:
    for name in ALL:
        box = question(reader, name)
        legend = box.locator("legend").inner_text()
        group = reader.page.get_by_role("group", name=legend, exact=True)
        assert group.count() == 1
        if name in NUMBERS:
            assert group.get_by_role("textbox", name="Your number:").count() == 1
        else:
            labels = [label.strip() for label in box.locator("label").all_inner_texts()]
            assert all(group.get_by_role("radio", name=label, exact=True).count() == 1 for label in labels)


def test_nothing_is_kept(reader: Reader) -> None:
    for name in ALL:
        box = question(reader, name)
        if name in NUMBERS:
            box.locator("input").fill("1")
        else:
            box.locator("input").first.check()
        box.locator("button").click()
    assert reader.page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    reader.open()
    reader.wait(DEFAULT)
    assert reader.page.locator("[data-question] input:checked").count() == 0
    assert "".join(reader.page.locator(".verdict").all_inner_texts()) == ""


def test_answers_stay_folded_on_paper(reader: Reader) -> None:
    """The questions are printed; of the answers those that the reader has opened."""
    question(reader, "softmax-1").locator("summary").click()
    reader.page.emulate_media(media="print")
    for name in ALL:
        box = question(reader, name)
        assert box.locator("legend").is_visible()
        assert box.locator("details strong").is_visible() == (name == "softmax-1")
        assert not box.locator("button").is_visible()


def test_without_javascript(visit: Visit) -> None:
    """There is nothing to check with, but the answer unfolds."""
    reader = visit(java_script_enabled=False)
    for name in ALL:
        box = question(reader, name)
        assert not box.locator("button").is_visible()
        assert not box.locator("details strong").is_visible()
        box.locator("summary").click()
        answer = box.locator("details strong")
        assert answer.is_visible()
        if name in NUMBERS:
            assert answer.inner_text() == NUMBERS[name]
            assert re.search(r"\w", box.locator("details > p .why").inner_text())
        else:
            assert answer.inner_text() == box.locator("label").nth(CHOICES[name]).inner_text().strip()
            explained = box.locator("details .why").all_inner_texts()
            assert len(explained) == box.locator("label").count()
            assert all(text.strip() for text in explained)
            assert box.locator("details q").count() == len(explained) - 1, "the right one stands above them"
        quoted = [*box.locator("details q").all_inner_texts(), answer.inner_text()]
        assert not any(re.search(r"\d\.0+\W*$", text) for text in quoted), "a whole number is written as one"
