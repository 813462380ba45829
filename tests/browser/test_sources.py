"""A page on another source of attention, in a browser: its axis is chosen, followed and linked as any of the toy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import build
from tests import layers
from tests.browser.reading import Reader
from tests.layers import SENTENCES, WIDTH, weight
from tests.reference import percent, weight3

Visit = Callable[..., Reader]
WORDS = SENTENCES["long"]
FIRST = "sentence=long&layer=0&token=3"


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The built article, as an address."""
    folder = tmp_path_factory.mktemp("layers")
    with layers.known():
        build.build(layers.write(folder), folder / "site", quiet=True)
    return Path(folder / "site").as_uri() + "/"


@pytest.fixture
def reader(visit: Visit, article: str) -> Reader:
    opened = visit(home=article)
    ready(opened, FIRST)
    return opened


def ready(reader: Reader, state: str) -> None:
    reader.page.wait_for_selector(f'html[data-ready="{state}"]', state="attached")


def row(reader: Reader) -> list[str]:
    """The weights that the figure `lines` shows in its table."""
    return [line[-1] for line in reader.figure("lines")["tables"]["weights"]["body"]]


def cells(reader: Reader) -> list[list[str]]:
    """The weights that the figure `table` shows in its table."""
    return [line[2:] for line in reader.figure("table")["tables"]["weights"]["body"]]


def wanted(layer: int) -> list[list[str]]:
    places = range(len(WORDS))
    return [[weight3(weight(layer, i, j)) if i - WIDTH < j <= i else "masked" for j in places] for i in places]


def texts(reader: Reader, kind: str, plot: str) -> list[str]:
    found: dict[str, Any] = reader.figure(kind)["plots"][plot]
    return sorted(found["texts"])


def test_a_choice_moves_both_figures(reader: Reader) -> None:
    """The section has a control for the layer, so all its figures follow."""
    assert list(reader.figure("table")["controls"]) == ["sentence", "layer"]
    assert list(reader.figure("lines")["controls"]) == ["sentence", "token"]
    assert cells(reader) == wanted(0)
    assert row(reader) == wanted(0)[3]
    reader.choose("table", "layer", "1", keys=False)
    ready(reader, "sentence=long&layer=1&token=3")
    assert cells(reader) == wanted(1)
    assert row(reader) == wanted(1)[3]
    lines = reader.figure("lines")
    assert lines["notes"] == f"In this layer duck gives {percent(weight(1, 3, 2))}."
    assert lines["describes"][0].startswith("The text describes the layer “0”.")
    assert reader.page.evaluate("location.hash") == "#sentence=long&layer=1&token=3"
    reader.choose("lines", "sentence", "Time flies .", keys=True)
    ready(reader, "sentence=short&layer=1&token=2")
    assert [line[1] for line in reader.figure("table")["tables"]["weights"]["body"]] == list(SENTENCES["short"])


def test_a_link_leads_there(reader: Reader) -> None:
    reader.page.get_by_role("link", name="the table").click()
    ready(reader, "sentence=long&layer=1&token=2")
    assert cells(reader) == wanted(1)
    assert row(reader) == wanted(1)[2]
    reader.page.reload()
    ready(reader, "sentence=long&layer=1&token=2")
    assert row(reader) == wanted(1)[2]
    reader.page.locator("#figure-table .describes a").click()
    ready(reader, "sentence=long&layer=0&token=2")
    assert cells(reader) == wanted(0)


@pytest.mark.parametrize(("kind", "plot"), [("lines", "lines"), ("table", "weights")])
def test_poster_and_plotly_show_the_same(reader: Reader, kind: str, plot: str) -> None:
    before = texts(reader, kind, plot)
    assert len(before) > len(WORDS)
    reader.draw(kind)
    assert texts(reader, kind, plot) == before


def test_alone_it_shows_the_layer_of_its_address(visit: Visit, article: str) -> None:
    reader = visit("embed/figure-lines.html", "layer=1&token=1", home=article)
    ready(reader, "sentence=long&layer=1&token=1")
    assert row(reader) == wanted(1)[1]
