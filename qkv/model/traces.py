"""Every attention variant, computed ahead of time: sentence x mask x head, and all that a figure may show of it.

The arrays are what the browser gets: doubles of ten significant digits, None where the mask hides a token.
Each array says which parts of a variant it depends on (DIMS); its first indexes are those.
"""


from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from qkv.model.attention import Array, Result, attend, look_back
from qkv.model.digits import shown
from qkv.model.states import MASKS, State
from qkv.model.toy import Toy

TIE = 1e-9  # two weights this close are one and the same
NEARLY = 1 - 1e-10  # the largest weight below 1 that ten digits can say

# What each array depends on (s: sentence, m: mask, h: head), which are its first indexes; beside it what follows, for n
# tokens, f features, H heads of d slots. In a grid (n, n) the first is the asking token.
DIMS = {
    "tokens": "s",  # (n,) texts
    "x": "s",  # (n, f)
    "q": "sh",  # (n, d)
    "k": "sh",  # (n, d)
    "v": "sh",  # (n, d)
    "terms": "sh",  # (n, n, d)  of q . k
    "products": "sh",  # (n, n)  q . k
    "scores": "sh",  # (n, n)  q . k / sqrt(d), whatever the mask is
    "exps": "smh",  # (n, n)  e^score, None where masked
    "sum_exps": "smh",  # (n,)
    "sum_weights": "smh",  # (n,)
    "weights": "smh",  # (n, n)  0 to 1, None where masked
    "weighted": "smh",  # (n, n, d)  weight times value, None where masked
    "out": "smh",  # (n, d)
    "order": "smh",  # (n, n)  the keys of each row from the largest weight down
    "ties": "smh",  # (n,)  how many keys share the largest
    "glued": "sm",  # (n, H * d)
    "final": "sm",  # (n, f)
    "match_slots": "h",  # (d,) texts
    "value_slots": "h",  # (d,) texts
    "head_names": "",  # (H,) texts
    "head_jobs": "",  # (H,) texts
    "features": "",  # (f,) texts
    "w_q": "h",  # (f, d)
    "w_k": "h",  # (f, d)
    "w_v": "h",  # (f, d)
    "w_o": "",  # (H * d, f)
    "used_q": "h",  # (f,)  1 where the row of w_q has a number, else 0
    "used_k": "h",  # (f,)
    "used_v": "h",  # (f,)
    "score_range": "h",  # (2,)  the ends of an axis
    "exp_range": "",  # (2,)
    "match_range": "h",  # (2,)
    "value_range": "h",  # (2,)
    "final_range": "",  # (2,)
}


@dataclass(frozen=True)
class Traces:
    """All variants of one toy model."""

    toy: Toy
    results: dict[tuple[int, int], Result] = field(repr=False)  # by (sentence, mask): full doubles, a masked weight 0
    arrays: dict[str, Any] = field(repr=False)  # nested lists by name; DIMS has the shape of each

    @property
    def longest(self) -> int:
        """The number of tokens of the longest sentence: figures are that high."""
        return max(len(sentence.tokens) for sentence in self.toy.sentences)

    @property
    def cells(self) -> int:
        """The number of weights in all tables: sentences, masks and heads."""
        tables = len(MASKS) * len(self.toy.heads)
        return tables * sum(len(sentence.tokens) ** 2 for sentence in self.toy.sentences)

    @property
    def numbers(self) -> int:
        """How many numbers the arrays hold."""
        return sum(map(_count, self.arrays.values()))

    def number(self, state: State) -> int:
        """One number for a state; the browser counts the same way."""
        heads = len(self.toy.heads)
        return ((state.sentence * len(MASKS) + state.mask) * heads + state.head) * self.longest + state.token

    @cached_property
    def states(self) -> tuple[State, ...]:
        """Every state a reader can reach."""
        return tuple(
            State(s, m, h, t)
            for s, sentence in enumerate(self.toy.sentences)
            for m in range(len(MASKS))
            for h in range(len(self.toy.heads))
            for t in range(len(sentence.tokens))
        )


def trace(toy: Toy) -> Traces:
    """Every variant of the toy model: each sentence with the mask on and off, all heads at once.

    Nothing can go wrong here: load_toy() has refused what would not fit.
    """
    layer = toy.layer
    results: dict[tuple[int, int], Result] = {}
    inputs: list[Array] = []
    for s, sentence in enumerate(toy.sentences):
        n = len(sentence.tokens)
        inputs.append(toy.embed(sentence.tokens))
        results[s, 0] = attend(inputs[s], layer, look_back(n))
        results[s, 1] = attend(inputs[s], layer, np.ones((n, n), dtype=bool))
    return Traces(toy, results, _arrays(toy, inputs, results))


def _arrays(toy: Toy, inputs: list[Array], results: dict[tuple[int, int], Result]) -> dict[str, Any]:
    sentences, heads = range(len(toy.sentences)), range(len(toy.heads))
    first = [results[s, 0] for s in sentences]

    def masked(values: Array, m: int) -> Array:
        """NaN (None in the end) where the mask hides the key; values are (n, n, ...)."""
        hidden = ~look_back(len(values)) if m == 0 else np.zeros(values.shape[:2], dtype=bool)
        return np.where(hidden.reshape(hidden.shape + (1,) * (values.ndim - 2)), np.nan, values)

    def per_variant(name: str) -> list[Any]:
        return [
            [[_plain(masked(getattr(results[s, m], name)[h], m)) for h in heads] for m in (0, 1)] for s in sentences
        ]

    def weights(s: int, m: int, h: int) -> Any:
        """Only a token that is alone has a weight of 1; beside others it falls short of it, however little."""
        values = masked(results[s, m].weights[h], m)
        alone = np.isfinite(values).sum(axis=1, keepdims=True) == 1
        return _plain(np.where(alone, values, np.minimum(values, NEARLY)))

    exps = [[[masked(np.exp(results[s, m].scores[h]), m) for h in heads] for m in (0, 1)] for s in sentences]
    order = [[[_order(results[s, m].weights[h]) for h in heads] for m in (0, 1)] for s in sentences]
    scores = [np.concatenate([r.scores[h].ravel() for r in first]) for h in heads]
    match = [np.concatenate([np.append(r.q[h].ravel(), r.k[h].ravel()) for r in first]) for h in heads]
    value = [
        np.concatenate([_reach(r.weighted[h]) for r in results.values()] + [r.v[h].ravel() for r in first])
        for h in heads
    ]
    final = np.concatenate([r.final.ravel() for r in results.values()] + [r.glued.ravel() for r in results.values()])
    return {
        "tokens": [list(sentence.tokens) for sentence in toy.sentences],
        "x": [_plain(x) for x in inputs],
        **{
            name: [[_plain(getattr(r, name)[h]) for h in heads] for r in first]
            for name in ("q", "k", "v", "terms", "products", "scores")
        },
        "exps": [[[_plain(e) for e in row] for row in rows] for rows in exps],
        "sum_exps": [[[_plain(np.nansum(e, axis=1)) for e in row] for row in rows] for rows in exps],
        "sum_weights": [
            [[_plain(results[s, m].weights[h].sum(axis=1)) for h in heads] for m in (0, 1)] for s in sentences
        ],
        "weights": [[[weights(s, m, h) for h in heads] for m in (0, 1)] for s in sentences],
        "weighted": per_variant("weighted"),
        "out": [[[_plain(results[s, m].out[h]) for h in heads] for m in (0, 1)] for s in sentences],
        "order": [[[o for o, _ in row] for row in rows] for rows in order],
        "ties": [[[t for _, t in row] for row in rows] for rows in order],
        "glued": [[_plain(results[s, m].glued) for m in (0, 1)] for s in sentences],
        "final": [[_plain(results[s, m].final) for m in (0, 1)] for s in sentences],
        "match_slots": [list(head.match) for head in toy.heads],
        "value_slots": [list(head.value) for head in toy.heads],
        "head_names": [head.name for head in toy.heads],
        "head_jobs": [head.job for head in toy.heads],
        "features": list(toy.features),
        "w_q": [_plain(head.w_q) for head in toy.heads],
        "w_k": [_plain(head.w_k) for head in toy.heads],
        "w_v": [_plain(head.w_v) for head in toy.heads],
        "w_o": _plain(toy.w_o),
        **{
            f"used_{name[-1]}": [[int(row.any()) for row in getattr(head, name)] for head in toy.heads]
            for name in ("w_q", "w_k", "w_v")
        },
        "score_range": [_range(part) for part in scores],
        "match_range": [_range(part) for part in match],
        "value_range": [_range(part) for part in value],
        "final_range": _range(final),
        "exp_range": [0, 1],
    }


def _count(values: Any) -> int:
    """How many entries nested lists hold."""
    return sum(map(_count, values)) if isinstance(values, list) else 1


def _plain(values: Array) -> Any:
    """Nested lists of shown doubles; whole numbers as int, which is shorter to ship; NaN as None."""
    if values.ndim > 1:
        return [_plain(row) for row in values]
    return [None if v != v else int(v) if v == int(v) and abs(v) < 1e6 else v for v in map(shown, values.tolist())]


def _order(weights: Array) -> tuple[list[list[int]], list[int]]:
    """For each row: the keys from the largest weight down (ties by position), and how many share the largest."""
    orders, ties = [], []
    for row in weights:
        top = row.max()
        tied = [int(j) for j in np.flatnonzero(row >= top - TIE)]
        rest = [int(j) for j in np.argsort(-row, kind="stable") if j not in tied]
        orders.append(tied + rest)
        ties.append(len(tied))
    return orders, ties


def _reach(weighted: Array) -> Array:
    """How far stacked parts reach: the sums of the positive and of the negative parts."""
    return np.append(np.maximum(weighted, 0).sum(axis=1).ravel(), np.minimum(weighted, 0).sum(axis=1).ravel())


def _range(values: Array) -> list[float]:
    """An axis from 0 (or the smallest) to the largest value; never empty."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    return [shown(low), shown(high) if high > low else shown(low + 1)]
