"""What is promised is looked at: a page at each limit opens, draws every figure, and has a number in every cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import build
from qkv.figures.kinds import KINDS
from tests.browser.expected import State
from tests.browser.measuring import draw_all
from tests.browser.reading import Reader
from tests.test_limits import LONG_WORD, model, ordinary, write

Visit = Callable[..., Reader]

ODD = re.compile("NaN|undefined|null|Infinity|object")
NUMBER = re.compile("[<>]?[−-]?[0-9]+([.][0-9]+)?(×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?%?")

LIMITS = {
    "16 slots": (ordinary(size=16), State("w10", "off", "h2", 9)),
    "1 slot": (model(size=1), State("b", "off", "head%201", 3)),
    "40 tokens": (ordinary(tokens=40, heads=2, size=2), State("w40", "off", "h1", 39)),
    "2 tokens": (model(tokens=2), State("b", "off", "head%201", 1)),
    "12 heads": (ordinary(tokens=4, heads=12, size=2), State("w4", "off", "h11", 3)),
    "1 head": (model(heads=1), State("b", "off", "head%200", 3)),
    "60 hours": (model(tokens=4, hours=60), State("b", "off", "head%201", 3)),
    "12 choices": (ordinary(choices=12), State("w20", "off", "h2", 9)),
    "scores of 350": (
        model(size=1, number=100).replace("[heads.w_k]\none = [100]", "[heads.w_k]\none = [3.5]"),
        State("b", "off", "head%201", 3),
    ),
    "long words": (
        model(tokens=3).replace("b = {", f'"{LONG_WORD}" = {{').replace("a b {a|b}", f"a {LONG_WORD} {{a|c}}"),
        State("c", "off", "head%201", 2),
    ),
}


def texts(node: Any) -> Iterator[str]:
    """Every text in what a page says of its figures."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict | list):
        for part in node.values() if isinstance(node, dict) else node:
            yield from texts(part)


@pytest.mark.parametrize("name", LIMITS)
def test_at_the_limit(name: str, visit: Visit, tmp_path: Path) -> None:
    text, state = LIMITS[name]
    out = tmp_path / "site"
    build.build(write(tmp_path, text), out, quiet=True)
    reader = visit(home=out.as_uri() + "/")
    draw_all(reader, painted=False)
    for shown in ("as it opens", "in another state"):
        figures = reader.figures()
        assert set(figures) == set(KINDS)
        found = list(texts(figures))
        assert [text for text in found if ODD.search(text)] == [], shown
        assert sum(NUMBER.fullmatch(text) is not None for text in found) > 40, shown
        assert [kind for kind, figure in figures.items() if not figure["says"]] == [], shown
        plots = [(kind, name, plot) for kind, figure in figures.items() for name, plot in figure["plots"].items()]
        assert [(kind, name) for kind, name, plot in plots if not plot["drawn"] or not plot["texts"]] == [], shown
        reader.show(state)
        reader.wait(state)
