"""The whole toy model: vectors, queries, keys, values, scores, mask, softmax, mix, glue.

Symbols are those of "Attention Is All You Need" (Vaswani et al. 2017): section 3.2.1 for one head
(equation 1), 3.2.2 for several, 3.2.3 for the mask, 3.5 for the position code. Everything is float64.

Shapes: n tokens, f features, h heads, d head size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Layer:
    """The weights of one attention layer: all heads, and the matrix that mixes their glued outputs."""

    w_q: Array  # (h, f, d)
    w_k: Array  # (h, f, d)
    w_v: Array  # (h, f, d)
    w_o: Array  # (h * d, f)


@dataclass(frozen=True)
class Result:
    """Everything the layer computes for one sentence under one mask, for all heads at once."""

    q: Array  # (h, n, d)
    k: Array  # (h, n, d)
    v: Array  # (h, n, d)
    terms: Array  # (h, n, n, d)  q_c * k_c, the terms of every dot product; first n asks
    products: Array  # (h, n, n)  q . k
    scores: Array  # (h, n, n)  q . k / sqrt(d), before the mask
    weights: Array  # (h, n, n)  after mask and softmax; every row sums to 1
    weighted: Array  # (h, n, n, d)  each value times its weight
    out: Array  # (h, n, d)  their sum
    glued: Array  # (n, h * d)  the heads side by side
    final: Array  # (n, f)  glued @ W_O


def clock(positions: int, hours: int) -> Array:
    """(positions, 2): the hand of the clock, position p pointing at p o'clock, as (up, right) to two decimals.

    The sinusoidal position code (section 3.5) with a single frequency.
    """
    angle = 2 * np.pi * np.arange(positions) / hours
    return np.round(np.stack([np.cos(angle), np.sin(angle)], axis=1), 2) + 0.0  # + 0.0 turns -0.0 into 0.0


def clock_rows(hours: int, back: float, size: int) -> Array:
    """(2, size), size >= 2: the rows for `up` and `right` of a matrix that turns the hand back by `back` hours.

    The code of a position that lies a fixed number before is a linear function of the position's own (section 3.5):
    with one frequency a rotation. It is taken times half the number of hours, so that neighbouring scores lie apart,
    and to two decimals; it fills the first two slots.
    """
    angle = 2 * np.pi * back / hours
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    rows = np.zeros((2, size))
    rows[:, :2] = np.round(turn * hours / 2, 2) + 0.0
    return rows


def softmax(scores: Array) -> Array:
    """(..., n) -> (..., n): e^score over the sum of all e^score of the row (section 3.2.1). Each row sums to 1.

    A score of -inf gives 0. Subtracting the largest keeps e^score small enough, and changes nothing; a row that holds
    nothing but -inf has no largest, and is NaN.
    """
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def attend(x: Array, layer: Layer, mask: Bools) -> Result:
    """One attention layer over x (n, f), looking only where `mask` (n, n) is True.

    softmax(Q K^T / sqrt(d)) V for every head (equation 1), the mask before the softmax, then
    Concat(heads) W_O (section 3.2.2). Every token must see one at least: a row with nothing visible is NaN, as are
    its outputs. Both masks of the article let a token see itself.
    """
    q, k, v = (x @ w for w in (layer.w_q, layer.w_k, layer.w_v))  # each (h, n, d)
    terms = q[:, :, None, :] * k[:, None, :, :]  # (h, n, n, d)
    products = q @ k.transpose(0, 2, 1)  # (h, n, n)
    scores = products / np.sqrt(q.shape[-1])
    weights = softmax(np.where(mask, scores, -np.inf))
    weighted = weights[..., None] * v[:, None, :, :]  # (h, n, n, d)
    out = weights @ v  # (h, n, d)
    glued = out.transpose(1, 0, 2).reshape(len(x), -1)  # (n, h * d)
    return Result(q, k, v, terms, products, scores, weights, weighted, out, glued, glued @ layer.w_o)
