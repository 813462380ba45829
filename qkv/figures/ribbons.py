"""The outlines of ribbons."""

from __future__ import annotations

from typing import Any

STEPS = 14  # segments along a ribbon's edge, unless it says otherwise
THICKEST = 0.78  # of a row: the thickness of a weight of 1
THINNEST = 0.001  # a thinner ribbon cannot be seen
INSET = 0.02  # of a row: from a ribbon's edge to the points inside it


def ribbons(row: list[float | None], asker: int, part: str, texts: list[str], steps: int) -> list[Any]:
    """One ribbon from the asking token (x 0) to each token it looks at (x 1), thickness proportional to the weight.

    At the asking end they lie side by side, so that together they are as thick as a weight of 1.
    """
    out: list[Any] = []
    low = asker - THICKEST / 2
    for j, weight in enumerate(row):
        if weight is None:
            continue
        half = weight * THICKEST / 2
        left = low + half
        low += 2 * half
        if weight < THINNEST:
            continue
        along = [step / steps for step in range(steps + 1)]
        middle = [left + (j - left) * x * x * (3 - 2 * x) for x in along]
        inner = max(half - INSET, 0)
        if part == "near_x":
            out += [*along, *along]
        elif part == "near_y":
            out += [*(y - inner for y in middle), *(y + inner for y in middle)]
        elif part == "text":
            out += [texts[j]] * (2 * len(along))
        elif part == "x":
            out += [*along, *reversed(along), None]
        else:
            out += [*(y - half for y in middle), *(y + half for y in reversed(middle)), None]
    return out
