"""Every number a reader sees is written by one of these functions.

`templates/assets/10-numbers.js` says the same in JavaScript, and the tests hold the two together.
Rounding is half away from zero on the shortest decimal form, as with pencil and paper.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import TypeAlias

Format: TypeAlias = Callable[[float], str]
FORMATS: dict[str, Format] = {}
FOR_AUTHORS: dict[str, str] = {}  # the formats that expressions may use, each with the sentence that documents it
BLANK = ("cell",)  # formats without room for a word
MINUS = "\u2212"
_UP = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def number_format(*, authors: bool = True) -> Callable[[Format], Format]:
    """Registers a format; the first line of its docstring documents it for authors, where they may use it."""

    def register(write: Format) -> Format:
        FORMATS[write.__name__] = write
        if authors:
            FOR_AUTHORS[write.__name__] = (inspect.getdoc(write) or "").partition("\n")[0]
        return write

    return register


def fixed(value: float, digits: int, shift: int = 0) -> str:
    """`value * 10**shift` with exactly `digits` decimals."""
    step = Decimal(1).scaleb(-digits)
    rounded = Decimal(repr(float(value))).scaleb(shift).quantize(step, ROUND_HALF_UP)
    text = format(abs(rounded), "f")
    return MINUS + text if rounded < 0 else text


@number_format()
def percent(weight: float) -> str:
    """A weight in a sentence: one decimal; a tiny one is "<0.1%", never 0."""
    if weight == 1:
        return "100%"
    if weight < 0.0005:
        return "<0.1%"
    return ">99.9%" if weight >= 0.9995 else fixed(weight, 1, 2) + "%"


@number_format()
def weight3(weight: float) -> str:
    """A weight in arithmetic and tables: three decimals."""
    if weight == 1:
        return "1.000"
    if weight < 0.0005:
        return "<0.001"
    return ">0.999" if weight >= 0.9995 else fixed(weight, 3)


@number_format(authors=False)
def cell(weight: float) -> str:
    """A weight in a cell: two decimals without the leading zero, so that ten fit on a phone."""
    if weight == 1:
        return "1"
    if weight < 0.005:
        return "<.01"
    return ">.99" if weight >= 0.995 else fixed(weight, 2)[1:]


@number_format()
def number(value: float) -> str:
    """A score or a vector's number: two decimals, trailing zeros dropped; non-zero below .005 in powers of ten."""
    if value != 0 and abs(value) < 0.005:
        return _power(value, 1)
    text = fixed(value, 2).rstrip("0").rstrip(".")
    return "0" if text in ("", MINUS, MINUS + "0") else text


@number_format()
def three(value: float) -> str:
    """A number handed over or put out, in arithmetic: three decimals; non-zero below .0005 in powers of ten."""
    if value == 0:
        return "0"
    return _power(value, 1) if abs(value) < 0.0005 else fixed(value, 3)


@number_format()
def exp4(value: float) -> str:
    """e^score: four significant digits, powers of ten from a million and below .001."""
    if value == 1:
        return "1"
    mantissa, power = _scientific(value, 3)
    if not -3 <= power < 6:
        return _power(value, 3)
    digits = mantissa.replace(".", "")
    if power >= 3:
        return digits + "0" * (power - 3)
    return digits[: power + 1] + "." + digits[power + 1 :] if power >= 0 else "0." + "0" * (-power - 1) + digits


def _power(value: float, digits: int) -> str:
    mantissa, power = _scientific(abs(value), digits)
    sign = MINUS if value < 0 else ""
    return f"{sign}{mantissa}\u00d710{str(power).translate(_UP)}"


def _scientific(value: float, digits: int) -> tuple[str, int]:
    """Mantissa and power of ten; the mantissa has `digits` decimals."""
    rounded = Context(prec=digits + 1, rounding=ROUND_HALF_UP).create_decimal(repr(float(value)))
    mantissa, exponent = f"{rounded:.{digits}e}".split("e")
    return mantissa, int(exponent)


@lru_cache(maxsize=16384)  # the same numbers stand in tables, posters and labels, on several pages
def write(name: str, value: float | None, masked: str) -> str:
    """A number in the format of that name; None is what the mask hides, and `masked` the word for it."""
    if value is None:
        return "" if name in BLANK else masked
    return FORMATS[name](value)
