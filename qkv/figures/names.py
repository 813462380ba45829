"""Names that a path may use besides the arrays of a source: places, grids and counts for the graphics.

`templates/assets/20-lookup.js` says the same in JavaScript.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

BELOW = 0.32  # of a row: where a second line of a label stands
ASIDE = 0.19  # of a row: the middle of each of two bars in it


class Seen(Protocol):
    """What names are worked out from: a source as seen from one state."""

    @property
    def tokens(self) -> list[str]: ...

    @property
    def token(self) -> int: ...

    @property
    def slots(self) -> int: ...

    def array(self, name: str, /) -> Any: ...


@dataclass(frozen=True)
class Name:
    """What a name stands for, and the arrays that this is made from, but for those that every source has."""

    make: Callable[[Seen], Any]
    needs: tuple[str, ...] = ()


def _masked(view: Seen) -> list[tuple[int, int]]:
    """Row and column of each masked cell."""
    rows = enumerate(view.array("weights"))
    return [(i, j) for i, row in rows for j, weight in enumerate(row) if weight is None]


def _masked_x(view: Seen) -> list[float | None]:
    return [x for _, j in _masked(view) for x in (j - 0.5, j + 0.5, j + 0.5, j - 0.5, j - 0.5, None)]


def _masked_y(view: Seen) -> list[float | None]:
    return [y for i, _ in _masked(view) for y in (i - 0.5, i - 0.5, i + 0.5, i + 0.5, i - 0.5, None)]


def _visible(view: Seen) -> int:
    return sum(weight is not None for row in view.array("weights") for weight in row)


def _slot_weights(view: Seen) -> list[list[float | None]]:
    return [[weight] * view.slots for weight in view.array("weights")[view.token]]


# grids are one row a token, over tokens or over slots
SLOTS = ("match_slots",)
NAMES: dict[str, Name] = {
    "index": Name(lambda view: list(range(len(view.tokens)))),
    "below": Name(lambda view: [i + BELOW for i in range(len(view.tokens))]),
    "row": Name(lambda view: [[i] * len(view.tokens) for i in range(len(view.tokens))]),
    "cell_start": Name(lambda view: [[j - 0.5 for j in range(len(view.tokens))]] * len(view.tokens)),
    "masked_x": Name(_masked_x),
    "masked_y": Name(_masked_y),
    "askers": Name(lambda view: [[token] * len(view.tokens) for token in view.tokens]),
    "keys": Name(lambda view: [view.tokens] * len(view.tokens)),
    "slot": Name(lambda view: [list(range(view.slots))] * len(view.tokens), SLOTS),
    "above": Name(lambda view: [c - ASIDE for c in range(view.slots)], SLOTS),
    "under": Name(lambda view: [c + ASIDE for c in range(view.slots)], SLOTS),
    "row_of_slot": Name(lambda view: [[i] * view.slots for i in range(len(view.tokens))], SLOTS),
    "token_of_slot": Name(lambda view: [[token] * view.slots for token in view.tokens], SLOTS),
    "slot_of_token": Name(lambda view: [view.array("value_slots")] * len(view.tokens), ("value_slots",)),
    "weight_of_slot": Name(_slot_weights, SLOTS),
    "cells": Name(lambda view: len(view.tokens) ** 2),
    "visible": Name(_visible),
    "opened": Name(lambda view: len(view.tokens) * (len(view.tokens) - 1) // 2),
}
