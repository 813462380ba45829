"""What all sections share: medians, ratios of runs made in turn, goals, tables. Nothing here measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

K = TypeVar("K")
T = TypeVar("T")


@dataclass(frozen=True)
class Goal:
    """A measured number and the limit it is held to.

    A time on the clock is never shorter than on a quiet machine. If `least` is given, the processor time in it, the
    goal is surely missed only when that is over the limit too.
    """

    name: str
    value: float
    limit: float
    unit: str = ""
    at_least: bool = False
    least: float | None = None

    @property
    def met(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def verdict(self) -> str:
        if self.met:
            return "met"
        return "open" if self.least is not None and self.least <= self.limit else "MISSED"

    def line(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        sign = "\u2265" if self.at_least else "\u2264"
        least = "" if self.least is None else f"; {number(self.least)}{unit} of processor time"
        goal = f"goal {sign} {number(self.limit)}{unit}"
        return f"{self.verdict:6}  {self.name}: {number(self.value)}{unit} ({goal}{least})"


def in_turn(rounds: int, jobs: Mapping[K, Callable[[], T]]) -> dict[K, list[T]]:
    """Runs every job once a round, so that whatever slows the machine slows all of them; every other round backward."""
    found: dict[K, list[T]] = {name: [] for name in jobs}
    for turn in range(rounds):
        for name in list(jobs) if turn % 2 == 0 else reversed(list(jobs)):
            found[name].append(jobs[name]())
    return found


def ratios(above: Sequence[float], below: Sequence[float]) -> list[float]:
    """The ratio in every round, which says more than a ratio of medians when rounds differ."""
    return [a / b for a, b in zip(above, below, strict=True)]


def spread(values: Sequence[float], digits: int | None = None) -> str:
    """median (smallest to largest)"""

    def text(value: float) -> str:
        return number(value) if digits is None else f"{value:,.{digits}f}"

    return f"{text(median(values))} ({text(min(values))} to {text(max(values))})"


def share(values: Sequence[float], part: float) -> float:
    """The value that a part of all values (0.95, say) does not pass."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)]


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """p where values grow as sizes^p, between the last two."""
    return math.log(values[-1] / values[-2]) / math.log(sizes[-1] / sizes[-2])


def number(value: float) -> str:
    """Three significant digits at least, and never fewer than the whole part has."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side under the first row; the first column to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        first, *rest = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join([first.strip().ljust(widths[0]), *rest]))
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)
