"""What is seen is told apart: texts 4.5:1, lines and controls 3:1, in both themes, and nothing by colour alone.

axe leaves the texts of graphics undecided; here each is measured against whatever lies under it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import combinations, pairwise

import pytest

from qkv.figures.palette import shades
from qkv.output.bundle import ROOT
from tests.browser.expected import State
from tests.browser.measuring import channels, draw_all, measure, open_all
from tests.browser.reading import Reader
from tests.browser.vision import OKABE_ITO, SIGHTS, apart, ciede2000

THEMES = ("light", "dark")
PAGES = ("index.html", "sections/every-token.html", "teachers.html", "embed/figure-heads.html")
# each sentence, mask and head; rows with a weight of 1, with a tie, with the darkest and the lightest cells
STATES = (
    State("tired", "on", "meaning", 0),
    State("tired", "on", "meaning", 7),
    State("soft", "off", "previous", 9),
    State("tired", "off", "sink", 6),
    State("soft", "off", "meaning", 2),
)

Visit = Callable[..., Reader]


def palette(theme: str) -> dict[str, str]:
    """The colours of a theme, by name, as the styles have them."""
    style = (ROOT / "templates" / "styles" / "tokens.css").read_text("utf-8")
    block = re.search(rf"macro {theme}\(\) %}}(.*?){{%", style, re.S)
    assert block
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block[1]))


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("theme", THEMES)
def test_texts_and_controls(visit: Visit, theme: str, path: str) -> None:
    reader = visit(path, color_scheme=theme)
    open_all(reader)
    texts = measure(reader, "faintTexts()")
    assert texts["found"] == []
    assert texts["count"] > 50
    assert measure(reader, "faintControls()") == []


@pytest.mark.parametrize("width", [1200, 320])
@pytest.mark.parametrize("theme", THEMES)
def test_labels_in_posters(visit: Visit, theme: str, width: int) -> None:
    labels = measure(visit(color_scheme=theme, viewport={"width": width, "height": 900}), "faintLabels()")
    assert labels["found"] == []
    assert labels["count"] > 300
    assert labels["inside"] > 50  # in cells


@pytest.mark.parametrize("width", [1200, 320])
@pytest.mark.parametrize("theme", THEMES)
def test_labels_and_lines_as_drawn(visit: Visit, theme: str, width: int) -> None:
    """The same in what Plotly draws, and its lines, bars and hatchings.

    Left out: the faint ribbons of the tokens that do not ask, each of which stands out when its token asks; and
    cells of small weights, where paleness is what is said, and which carry their number or have it in the table.
    """
    reader = visit(color_scheme=theme, viewport={"width": width, "height": 900})
    reader.wait(State())
    draw_all(reader, painted=False)
    faint = reader.page.evaluate("() => getComputedStyle(document.documentElement).getPropertyValue('--faint')")
    left_out = [",".join(re.findall(r"[\d.]+", faint))], [channels(shade) for shade in shades()[:50]]
    for state in STATES:
        reader.show(state)
        labels = measure(reader, "faintLabels()")
        assert labels["found"] == [], state
        assert labels["inside"] > 50
        shapes = measure(reader, f"faintShapes(...{json.dumps(left_out)})")
        assert shapes["found"] == [], state
        assert shapes["count"] > 30


@pytest.mark.parametrize("theme", THEMES)
def test_focus_can_be_seen(visit: Visit, theme: str) -> None:
    """On a link, a radio button, a button, a disclosure, a table: a ring, 3:1 against what is around it."""
    reader = visit(color_scheme=theme)
    page = reader.page
    page.locator("#figure-vectors .scroll").first.focus()
    for selector, ring in (
        ("a.state", "a.state"),
        ("#figure-lines .control-token input:checked", "#figure-lines .control-token input:checked + span"),
        ("#figure-lines .reset", "#figure-lines .reset"),
        ("#figure-lines summary", "#figure-lines summary"),
        ("#figure-match .scroll", "#figure-match .scroll"),
        ("#theme input:checked", "#theme input:checked + span"),
        (".question input", ".question input"),
        (".question button", ".question button"),
    ):
        page.locator(selector).first.focus()
        page.keyboard.press("Shift+Tab")  # a ring is for the keyboard
        page.locator(selector).first.focus()
        outline = measure(reader, f"outline(document.querySelector('{ring}'))")
        assert outline["style"] == "solid", selector
        assert outline["width"] >= 2, selector
        assert outline["ratio"] >= 3, selector


def test_distance_of_colours_is_the_known_one() -> None:
    """Pairs from the paper's own table, with their distances."""
    for one, other, distance in (
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ):
        assert ciede2000(one, other) == pytest.approx(distance, abs=5e-5)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", THEMES)
def test_heads_are_told_apart(theme: str, sight: str) -> None:
    """No two of the three hues are closer, to any eye, than the closest two of the set of Okabe and Ito ever are:
    a distance of 10.9, five times what can just be seen. Labels name the heads besides."""
    least = min(apart(one, other, kind) for kind in SIGHTS for one, other in combinations(OKABE_ITO, 2))
    assert 10 < least < 12
    hues = [palette(theme)[f"head{index}"] for index in range(3)]
    for one, other in combinations(hues, 2):
        assert apart(one, other, sight) >= least, (one, other)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", THEMES)
def test_pairs_of_bars_are_told_apart(theme: str, sight: str) -> None:
    colors = palette(theme)
    for other in ("second", "before", "accent"):
        assert apart(colors["attention"], colors[other], sight) >= 20, other


@pytest.mark.parametrize("sight", SIGHTS)
def test_weights_keep_their_order(sight: str) -> None:
    """To every eye a larger weight is the darker one, and a twentieth more can be told."""
    scale = shades()
    assert all(apart(scale[0], one, sight) < apart(scale[0], other, sight) for one, other in pairwise(scale[::5]))
    assert all(apart(one, other, sight) > 2 for one, other in pairwise(scale[::5]))


def test_nothing_by_colour_alone(visit: Visit) -> None:
    """Beside each colour stands something that a black and white copy keeps."""
    reader = visit(state=State("soft", "on", "previous", 4))
    reader.wait(State("soft", "on", "previous", 4))
    page = reader.page
    # the choice: bold; the asking token: a mark; the chosen head: a bar
    for kind in ("lines", "heads"):
        reader.draw(kind)
    weights = page.evaluate(
        "() => Array.from(document.querySelectorAll('.control input'), (input) => "
        "[input.checked, Number(getComputedStyle(input.nextElementSibling).fontWeight) >= 600])"
    )
    assert len(weights) > 50
    assert all(checked == bold for checked, bold in weights)
    for plot in page.locator("#figure-lines .plot, #figure-heads .plot").all():
        marked = [text for text in plot.locator(".stage text").all_text_contents() if text.startswith("▸")]
        assert [re.sub(r"\W", "", text) for text in marked] == ["the"]
    bars = page.evaluate(
        "() => Array.from(document.querySelectorAll('#figure-heads .block'), (block) => "
        "getComputedStyle(block).borderTopColor !== getComputedStyle(document.documentElement).backgroundColor)"
    )
    assert bars == [False, True, False]
    # masked: a word in every table; lit: bold; ignored: italic
    found = page.evaluate(
        """() => {
          const style = (selector) => Array.from(document.querySelectorAll(selector), (cell) => getComputedStyle(cell));
          return {
            masked: Array.from(document.querySelectorAll("#figure-lines td.masked"), (cell) => cell.textContent),
            lit: style("tr.lit:not(.greyed) td, td.lit").map((one) => Number(one.fontWeight) >= 600),
            greyed: style("tr.greyed td").map((one) => one.fontStyle === "italic"),
            links: style("main p a, .tools button").map((one) => one.textDecorationLine === "underline"),
          };
        }"""
    )
    assert found["masked"] == ["masked"] * 5
    for kind in ("lit", "greyed", "links"):
        assert found[kind], kind
        assert all(found[kind]), kind


def test_legend_names_bars_in_their_order(visit: Visit) -> None:
    """Two bars in a row, two names over them: the upper one is the first."""
    reader = visit()
    reader.draw("compare")
    for name in ("compare-1", "compare-2"):
        first, second = reader.shapes("compare", name)["bars"]
        for upper, lower in zip(first, second, strict=True):
            assert upper is None or lower is None or upper["box"][1] < lower["box"][1]
        legend = [text for text in reader.shapes("compare", name)["texts"] if text["text"].startswith("■")]
        assert [text["box"][1] for text in legend] == sorted(text["box"][1] for text in legend)
