"""What authors write besides the sections' text: it holds in each state it is said in, and masked is no number."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from qkv.article.evaluator import Asked
from qkv.article.expressions import fill_expressions, stressed, without_stress
from qkv.article.measures import Measures
from qkv.content.model_file import load_toy
from qkv.errors import EXIT_CODE, Mistakes, Place
from qkv.figures.numbers import percent, weight3
from qkv.model.states import State
from qkv.model.traces import trace
from qkv.pages.render import emphasis
from tests import test_lookup
from tests.contents import SMALL, copy_small, run
from tests.toy_states import toy_state

TRACES = trace(load_toy(SMALL))
OTHER = '[[sentences]]\nname = "other"\ntext = "cat was soft"\n\n[[heads]]\nname = "meaning"'


def edited(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """The small article with changes in one file."""
    content = copy_small(folder) if not (folder / "content").exists() else folder / "content"
    text = (content / name).read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (content / name).write_text(text, "utf-8")
    return content


def printed(expression: str, state: State = toy_state()) -> str:  # noqa: B008 - a frozen one
    wrong = Mistakes()
    text = fill_expressions(f"{{{{ {expression} }}}}", state, Place("x"), Asked(TRACES, "hidden"), wrong, {})
    wrong.stop()
    return text.unescape()


# a masked weight


@pytest.mark.parametrize(
    "expression",
    [
        "weight('cat', 'mat')",
        "percent(weight('cat', 'mat'))",
        "weight3(weight('cat', 'mat'))",
        "number(weight('cat', 'mat'))",
        "three(weight('cat', 'mat'))",
        "exp4(weight('cat', 'mat'))",
        "percent(weight('cat', 'mat') / 2)",
        "number(100 * weight('cat', 'mat'))",
        "number(weight('cat', 'mat') * 100)",
        "round(weight('cat', 'mat'), 2)",
        "abs(-weight('cat', 'mat'))",
        "min(weight('cat', 'cat'), weight('cat', 'mat'))",
        "weight('cat', 'mat') ~ ''",
        "weight('cat', 'mat', mask='on', head='previous')",
    ],
)
def test_a_masked_weight_is_written_as_the_word(expression: str) -> None:
    assert printed(expression) == "hidden"
    opened = printed(expression.replace(", mask='on'", "").replace("'mat'", "'mat', mask='off'"))
    assert re.search(r"\d", opened), "not masked, it is a number"


@pytest.mark.parametrize(
    "claim",
    [
        "weight('cat', 'mat') == 0",
        "weight('cat', 'mat') < 0.01",
        "near(weight('cat', 'mat'), 0)",
        "weight('cat', 'cat') + weight('cat', 'mat') == 1",
        "sum([weight('cat', 'cat'), weight('cat', 'mat')]) == 1",
        "2 * weight('cat', 'mat') == 0",
    ],
)
def test_in_claims_it_counts_as_nothing(claim: str) -> None:
    Asked(TRACES, "hidden").check(claim, toy_state(), Place("x"))


def test_a_sum_with_a_masked_weight_is_a_number() -> None:
    assert printed("percent(weight('cat', 'cat') + weight('cat', 'mat'))") == "100%"


def test_only_what_the_mask_hides_is_masked() -> None:
    places = range(len(TRACES.sentences[0].tokens))
    for mask, name in enumerate(("on", "off")):
        for asker in places:
            for key in places:
                text = printed(f"percent(weight({asker}, {key}, mask='{name}'))")
                assert (text == "hidden") == (mask == 0 and key > asker), (name, asker, key)


def test_one_word_for_masked_in_build_and_page(tmp_path: Path) -> None:
    """strings.toml has the last word: in tables, posters and texts, and in what the page's script fills."""
    content = copy_small(tmp_path)
    strings = content / "strings.toml"
    text = strings.read_text("utf-8").replace("masked", "hidden").replace("Masked", "Hidden")
    strings.write_text(text.replace("\nhidden = ", "\nmasked = "), "utf-8")
    edited(tmp_path, "site.toml", ('token = "last"', "token = 0"))
    weight = "percent(weight('cat', 'mat'))"
    edited(tmp_path, "sections/2-mixing.md", ("weight3(weight('tired', 'cat'))", weight))
    edited(tmp_path, "facts.toml", ("{{ n() }} tokens", f"{{{{ {weight} }}}} tokens"))
    edited(tmp_path, "sections/2-mixing.md", ("There are {{ n() }}.", f"There are {{{{ {weight} }}}}."))
    edited(
        tmp_path,
        "sections/1-looking.md",
        ("It has {{ n() }} tokens around it.", "It gives {{ percent(weight('it', 'was')) }}."),
    )
    built = test_lookup.build(content)
    shown = re.sub(r"<script.*?</script>", "", built.html, flags=re.S)
    assert not re.search(r">[^<]*\bmasked\b", shown, re.I)
    for part in ("mixed</a>: hidden.", "<dd>hidden tokens", "There are hidden.", ">hidden</td>"):
        assert part in shown, part
    figures = json.loads(built.blocks["figures"])
    assert figures["words"]["masked"] == "hidden"
    notes = {note["text"]: note["states"] for note in figures["figures"]["lines"]["notes"]}
    assert "It gives hidden." in notes
    assert len(notes) > 1, "with the mask off it gives something"
    for state, figure in zip(built.states, built.in_the_browser(), strict=True):
        view = built.view(state)
        table = next(chart for chart in built.pages.charts.values() if chart.kind == "softmax").numbers[0]
        assert figure["softmax"]["tables"][table.name]["cells"] == view.fill(table.cells)
        hidden = json.dumps(view.fill(table.cells)).count('"hidden"')
        assert bool(hidden) == (state["mask"] == 0 and state["token"] < len(view.array("tokens")) - 1)


# notes


def notes(content: Path) -> Callable[[State], list[str]]:
    """What the figure `lines` of a built article adds in a state."""
    built = test_lookup.build(content)
    listed = json.loads(built.blocks["figures"])["figures"]["lines"]["notes"]
    return lambda state: [note["text"] for note in listed if built.pages.source.number(state) in note["states"]]


def test_a_note_says_what_is_true_in_its_state(tmp_path: Path) -> None:
    """Numbers that its text does not pin are those of each state it is said in, not of the first one."""
    text = "Half of {{ percent(weight('it', 'cat')) }}, and {{ weight3(weight(0, 0)) }} of the first."
    content = edited(tmp_path, "sections/1-looking.md", ("It has {{ n() }} tokens around it.", text))
    said, texts = notes(content), set()
    for state in TRACES.states:
        facts = Measures(TRACES, state, "masked")
        if facts.token("it") != state["token"]:
            assert said(state) == []
            continue
        wanted = f"Half of {percent(facts.weight('it', 'cat'))}, and {weight3(facts.weight(0, 0))} of the first."
        assert said(state) == [wanted]
        texts.add(wanted)
    assert len(texts) > 2


def test_a_note_that_is_the_same_everywhere_is_carried_once(tmp_path: Path) -> None:
    built = test_lookup.build(copy_small(tmp_path))
    [note] = json.loads(built.blocks["figures"])["figures"]["lines"]["notes"]
    assert note["text"] == "It has 5 tokens around it."
    assert len(note["states"]) == len([state for state in TRACES.states if state["token"] == 2])


# every = ["sentence"]


def claimed(folder: Path, state: str, claim: str) -> tuple[int, str]:
    """What the build says of a claim in every sentence, where a second entry has other tokens than the first."""
    content = edited(folder, "model.toml", ('[[heads]]\nname = "meaning"', OTHER))
    with (content / "claims.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[[claims]]\nname = "asked"\nstate = {{ {state} }}\nevery = ["sentence"]\nclaim = "{claim}"\n')
    return run("--content", str(content), "--out", str(folder / "site"))


@pytest.mark.parametrize(
    ("state", "claim"),
    [
        ('sentence = "tired"', "weight('it', 'it') > 0 and n() == 5"),
        ('sentence = "soft"', "weight('it', 'it') > 0 and n() == 5"),
        ('mask = "off"', "weight('it', 'it') > 0 and n() == 5"),
        ('sentence = "other"', "weight('was', 'cat') > 0 and n() == 3"),
    ],
)
def test_every_sentence_is_every_choice_of_one_entry(state: str, claim: str, tmp_path: Path) -> None:
    assert claimed(tmp_path, state, claim) == (0, "")


def test_and_every_one_of_them(tmp_path: Path) -> None:
    code, said = claimed(tmp_path, 'sentence = "tired"', "top('last') == 'cat'")
    assert code == EXIT_CODE
    assert "the claim 'asked' is false" in said
    assert "with sentence=soft" in said


# stars in questions


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("when *tired* asks", "when <em>tired</em> asks"),
        ("*cat*, *mat*.", "<em>cat</em>, <em>mat</em>."),
        ("*the last word*", "<em>the last word</em>"),
        ("*{{ top('last') }}* looks", "<em>{{ top('last') }}</em> looks"),
        ("{{ 2*n()*n() }} cells", "{{ 2*n()*n() }} cells"),
        ("*<s>* & *{=~}*", "<em>&lt;s&gt;</em> &amp; <em>{=~}</em>"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        (r"\*not\* and *a \* b*", "*not* and <em>a * b</em>"),
        ("**two** and one *alone", "**two** and one *alone"),
        ("* and *", "* and *"),
        ("</em><em>", "&lt;/em&gt;&lt;em&gt;"),
    ],
)
def test_stars(written: str, shown: str) -> None:
    text = stressed(written)
    html = str(emphasis(text))
    assert html.replace("&#39;", "'") == shown
    assert without_stress(text) == emphasis(without_stress(text)).unescape()
    assert emphasis(without_stress(text)) == re.sub("</?em>", "", html)
