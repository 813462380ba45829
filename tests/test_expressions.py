"""What expressions may use; docs/writing.md says the same: names, arguments, sentences, and what examples give."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

import pytest

from qkv.article.evaluator import FUNCTIONS, Asked, short
from qkv.article.measures import MEASURES
from qkv.content.model_file import load_toy
from qkv.content.toml import parse_toml
from qkv.figures.numbers import FOR_AUTHORS
from qkv.model.traces import trace
from tests.contents import ROOT

EXPRESSIONS = (ROOT / "docs" / "writing.md").read_text("utf-8").partition("\n## Expressions")[2].partition("\n## ")[0]
PLACE = parse_toml("", "x").where()
ASKED = Asked(trace(load_toy(ROOT / "content")), "masked")
NUMBERS = {"size", "heads", "features"}  # names without brackets


def registered() -> dict[str, tuple[inspect.Signature, str]]:
    """How each function that asks the model is called, and the sentence that documents it."""
    return {name: (one.signature, one.sentence) for name, one in MEASURES.items()}


def rows(heading: str) -> list[tuple[str, str, str]]:
    """What to write, what one gets, and what it is: the rows of the table under a heading."""
    part = EXPRESSIONS.partition(f"\n### {heading}\n")[2].partition("\n### ")[0]
    cells = [line.strip("| ").split(" | ") for line in re.findall(r"(?m)^\| `.*", part)]
    return [(write.strip("`"), get.strip("`"), what) for write, get, what in cells]


def call(expression: str) -> ast.Call | None:
    """The outermost call of an expression, which its row is about."""
    return next((node for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Call)), None)


def first_rows(heading: str) -> dict[str, str]:
    """By name, what the first row about it says, as its sentence is written where it is registered."""
    found: dict[str, str] = {}
    for write, _, what in rows(heading):
        node = call(write)
        if node and isinstance(node.func, ast.Name):
            found.setdefault(node.func.id, re.sub("[`\\\\]", "", what))
    return found


def sentence(text: str) -> str:
    return text[0].lower() + text[1:].removesuffix(".").replace("`", "")


HEADINGS = ("Questions about one token", "Questions about the whole table")
ALL = [row for heading in (*HEADINGS, "Formats", "Arithmetic and comparison") for row in rows(heading)]


def test_every_function_is_documented_with_its_sentence() -> None:
    found = {name: what for heading in HEADINGS for name, what in first_rows(heading).items()}
    written = {name: sentence(said) for name, (_, said) in registered().items()}
    assert found == written


def test_every_argument_is_shown() -> None:
    shown: dict[str, set[str]] = {name: set() for name in registered()}
    axes = {"sentence", "mask", "head"}
    for write, _, _ in ALL:
        for node in ast.walk(ast.parse(write)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in shown:
                named: dict[str, Any] = {str(one.arg): one for one in node.keywords if one.arg not in axes}
                bound = registered()[node.func.id][0].bind(None, *node.args, **named)
                shown[node.func.id] |= set(bound.arguments)
    assert shown == {name: set(signature.parameters) for name, (signature, _) in registered().items()}


def test_every_format_is_documented_with_its_sentence() -> None:
    assert first_rows("Formats") == {name: sentence(said) for name, said in FOR_AUTHORS.items()}


def test_every_function_without_a_model_is_documented_with_its_sentence() -> None:
    found = {name: what for name, what in first_rows("Arithmetic and comparison").items() if name in FUNCTIONS}
    assert found.keys() == FUNCTIONS.keys()
    for name, what in found.items():
        assert what.startswith(FUNCTIONS[name].sentence), name


def test_nothing_else_can_be_used() -> None:
    plain = {write for heading in HEADINGS for write, _, _ in rows(heading) if not call(write)}
    assert plain == NUMBERS
    assert set(ASKED.names) == {*registered(), *FOR_AUTHORS, *FUNCTIONS, *plain}


@pytest.mark.parametrize(("write", "get"), [(write, get) for write, get, _ in ALL])
def test_examples_give_what_the_documentation_says(write: str, get: str) -> None:
    state = ASKED.measures.state  # in which the page opens
    assert short(ASKED.evaluate(write, state, PLACE)[0]) == get
