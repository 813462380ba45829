"""Rows of attention weights: as pages ship them, and from the largest weight down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qkv.model.attention import Array, Bools
from qkv.model.digits import plain

TIE = 1e-9  # two weights this close are one and the same
NEARLY = 1 - 1e-10  # the largest weight below 1 that ten digits can say


def masked(values: Array, sees: Bools) -> Array:
    """(n, n, ...): NaN, which is shipped as None, where the asking token does not see the key."""
    return np.where(sees.reshape(sees.shape + (1,) * (values.ndim - 2)), values, np.nan)


def shipped_weights(weights: Array, sees: Bools) -> Any:
    """(n, n) as nested lists, None where masked. Only a token that is alone has a weight of 1; beside others it falls
    short of it, however little."""
    alone = sees.sum(axis=1, keepdims=True) == 1
    return plain(masked(np.where(alone, weights, np.minimum(weights, NEARLY)), sees))


def ranked(row: Sequence[float | None]) -> tuple[list[int], int]:
    """Of a row as it is shipped: its keys from the largest weight down, those that share the largest by position and
    the masked ones last; and how many share the largest. templates/assets/20-lookup.js ranks alike."""
    weights = [-1 if weight is None else weight for weight in row]
    top = max(weights)
    tied = [j for j, weight in enumerate(weights) if weight >= top - TIE]
    rest = sorted(set(range(len(weights))) - set(tied), key=lambda j: (-weights[j], j))
    return tied + rest, len(tied)
