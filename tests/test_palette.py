"""The one hue of attention: the more, the darker, and every text on it can be read."""

from __future__ import annotations

from itertools import pairwise

import pytest

from qkv.content.model_file import load_toy
from qkv.figures.palette import STEPS, shades
from qkv.figures.template import View
from qkv.model.traces import trace
from qkv.output.bundle import ROOT
from tests.toy_states import toy_state

READABLE = 4.5  # WCAG 2.2, success criterion 1.4.3
WEIGHTS = [step / 2000 for step in range(2001)] + [0.9999999999, 0.4999999999, 1e-10]


def luminance(color: str) -> float:
    """Relative luminance of "#rrggbb" (WCAG 2.2, definition of relative luminance)."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2), 1 to 21."""
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture(scope="module")
def view() -> View:
    return View(trace(load_toy(ROOT / "content")), toy_state(), {}, shades())


def test_shades_are_colours() -> None:
    assert len(shades()) == STEPS + 1
    for shade in shades():
        assert shade[0] == "#"
        assert len(bytes.fromhex(shade[1:])) == 3


def test_more_is_darker() -> None:
    assert all(luminance(light) > luminance(dark) for light, dark in pairwise(shades()))


def test_only_a_weight_of_one_has_the_darkest_shade(view: View) -> None:
    shade = view.format("shade")
    darkest = shades()[-1]
    assert [weight for weight in WEIGHTS if shade(weight) == darkest] == [1]
    assert shade(1) == darkest
    assert shade(0) == shades()[0]


def test_shades_follow_the_weights(view: View) -> None:
    shade = view.format("shade")
    found = [luminance(shade(weight)) for weight in sorted(WEIGHTS)]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == STEPS + 1


def test_text_can_be_read_on_every_shade(view: View) -> None:
    shade, ink = view.format("shade"), view.format("on_shade")
    assert min(contrast(shade(weight), ink(weight)) for weight in WEIGHTS) >= READABLE
    assert {ink(weight) for weight in WEIGHTS} == {"#ffffff", "#111111"}


def test_masked_is_no_shade(view: View) -> None:
    assert view.format("shade")(None) == "rgba(0,0,0,0)"  # so that its hatching shows


@pytest.mark.parametrize(
    ("a", "b", "ratio"),
    [("#000000", "#ffffff", 21), ("#777777", "#ffffff", 4.48), ("#ffffff", "#ff0000", 4.0), ("#123456", "#123456", 1)],
)
def test_contrast_is_that_of_the_guidelines(a: str, b: str, ratio: float) -> None:
    assert contrast(a, b) == contrast(b, a) == pytest.approx(ratio, abs=0.005)


def test_luminance_of_the_primary_colours() -> None:
    found = [luminance(colour) for colour in ("#ff0000", "#00ff00", "#0000ff", "#ffffff", "#000000")]
    assert found == pytest.approx([0.2126, 0.7152, 0.0722, 1, 0])
