"""Every variant of the toy model, computed ahead of time: sentence x mask x head, and all that a figure may show of it.

What is shipped are doubles of ten significant digits, None where the mask hides a token.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qkv.model.attention import Array, Bools, Result, attend
from qkv.model.digits import plain, shown
from qkv.model.rows import masked, shipped_weights
from qkv.model.source import Source, sentence_axis, token_axis
from qkv.model.states import Axis, Option
from qkv.model.toy import Toy

S, SM, SH, SMH, H = ("sentence",), ("sentence", "mask"), ("sentence", "head"), ("sentence", "mask", "head"), ("head",)
# The axes that each array depends on, which are its first indexes; beside it what follows, for n tokens, f features,
# H heads of d slots. In a grid (n, n) the first is the asking token.
DIMS: dict[str, tuple[str, ...]] = {
    "tokens": S,  # (n,) texts
    "x": S,  # (n, f)
    "q": SH,  # (n, d)
    "k": SH,  # (n, d)
    "v": SH,  # (n, d)
    "terms": SH,  # (n, n, d)  of q . k
    "products": SH,  # (n, n)  q . k
    "scores": SH,  # (n, n)  q . k / sqrt(d), whatever the mask is
    "exps": SMH,  # (n, n)  e^score, None where masked
    "sum_exps": SMH,  # (n,)
    "sum_weights": SMH,  # (n,)
    "weights": SMH,  # (n, n)  0 to 1, None where masked
    "weighted": SMH,  # (n, n, d)  weight times value, None where masked
    "out": SMH,  # (n, d)
    "glued": SM,  # (n, H * d)
    "final": SM,  # (n, f)
    "match_slots": H,  # (d,) texts
    "value_slots": H,  # (d,) texts
    "head_jobs": (),  # (H,) texts
    "features": (),  # (f,) texts
    "w_q": H,  # (f, d)
    "w_k": H,  # (f, d)
    "w_v": H,  # (f, d)
    "w_o": (),  # (H * d, f)
    "used_q": H,  # (f,)  1 where the row of w_q has a number, else 0
    "used_k": H,  # (f,)
    "used_v": H,  # (f,)
    "score_range": H,  # (2,)  the ends of an axis
    "exp_range": (),  # (2,)
    "match_range": H,  # (2,)
    "value_range": H,  # (2,)
    "final_range": (),  # (2,)
}
# of each head in a result, and of all heads together
_BY_HEAD = ("q", "k", "v", "terms", "products", "scores", "weights", "weighted", "out")
_BY_LAYER = ("glued", "final")


def trace(toy: Toy) -> Source:
    """The toy model as a source: each sentence under each mask, all heads at once.

    Nothing can go wrong here: the model file's reader has refused what would not fit.
    """
    layer = toy.layer
    inputs = [toy.embed(sentence.tokens) for sentence in toy.sentences]
    seen = [[mask.matrix(len(x)) for mask in toy.masks] for x in inputs]
    results = [[attend(x, layer, one) for one in by_mask] for x, by_mask in zip(inputs, seen, strict=True)]
    axes = (
        sentence_axis(toy.sentences),
        Axis("mask", (tuple(Option(mask.id, mask.id) for mask in toy.masks),)),
        Axis("head", (tuple(Option(head.name, head.name) for head in toy.heads),)),
        token_axis(toy.sentences),
    )
    arrays = _arrays(toy, inputs, seen, results)
    return Source(axes, toy.sentences, toy.masks, arrays, DIMS, _values(toy, inputs, results), toy.place)


def _values(toy: Toy, inputs: list[Array], results: list[list[Result]]) -> dict[str, Any]:
    """Full doubles, led by the axes of DIMS; where no mask matters, those of the first."""
    heads = range(len(toy.heads))

    def by_head(name: str, result: Result) -> list[Array]:
        return [getattr(result, name)[h] for h in heads]

    return {
        "x": inputs,
        "w_o": toy.w_o,
        **{
            name: [
                [by_head(name, result) for result in by_mask] if "mask" in DIMS[name] else by_head(name, by_mask[0])
                for by_mask in results
            ]
            for name in _BY_HEAD
        },
        **{name: [[getattr(result, name) for result in by_mask] for by_mask in results] for name in _BY_LAYER},
    }


def _arrays(
    toy: Toy, inputs: list[Array], seen: list[list[Bools]], results: list[list[Result]]
) -> dict[str, Any]:
    sentences, masks, heads = range(len(toy.sentences)), range(len(toy.masks)), range(len(toy.heads))
    first, every = [by_mask[0] for by_mask in results], [result for by_mask in results for result in by_mask]

    def variants(make: Callable[[int, int, int], Any]) -> list[Any]:
        return [[[make(s, m, h) for h in heads] for m in masks] for s in sentences]

    exps = variants(lambda s, m, h: masked(np.exp(results[s][m].scores[h]), seen[s][m]))
    scores = [np.concatenate([r.scores[h].ravel() for r in first]) for h in heads]
    match = [np.concatenate([np.append(r.q[h].ravel(), r.k[h].ravel()) for r in first]) for h in heads]
    value = [
        np.concatenate([_reach(r.weighted[h]) for r in every] + [r.v[h].ravel() for r in first]) for h in heads
    ]
    final = np.concatenate([r.final.ravel() for r in every] + [r.glued.ravel() for r in every])
    return {
        "tokens": [list(sentence.tokens) for sentence in toy.sentences],
        "x": [plain(x) for x in inputs],
        **{
            name: [[plain(getattr(r, name)[h]) for h in heads] for r in first]
            for name in ("q", "k", "v", "terms", "products", "scores")
        },
        "exps": variants(lambda s, m, h: plain(exps[s][m][h])),
        "sum_exps": variants(lambda s, m, h: plain(np.nansum(exps[s][m][h], axis=1))),
        "sum_weights": variants(lambda s, m, h: plain(results[s][m].weights[h].sum(axis=1))),
        "weights": variants(lambda s, m, h: shipped_weights(results[s][m].weights[h], seen[s][m])),
        "weighted": variants(lambda s, m, h: plain(masked(results[s][m].weighted[h], seen[s][m]))),
        "out": variants(lambda s, m, h: plain(results[s][m].out[h])),
        "glued": [[plain(r.glued) for r in by_mask] for by_mask in results],
        "final": [[plain(r.final) for r in by_mask] for by_mask in results],
        "match_slots": [list(head.match) for head in toy.heads],
        "value_slots": [list(head.value) for head in toy.heads],
        "head_jobs": [head.job for head in toy.heads],
        "features": list(toy.features),
        "w_q": [plain(head.w_q) for head in toy.heads],
        "w_k": [plain(head.w_k) for head in toy.heads],
        "w_v": [plain(head.w_v) for head in toy.heads],
        "w_o": plain(toy.w_o),
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


def _reach(weighted: Array) -> Array:
    """How far stacked parts reach: the sums of the positive and of the negative parts."""
    return np.append(np.maximum(weighted, 0).sum(axis=1).ravel(), np.minimum(weighted, 0).sum(axis=1).ravel())


def _range(values: Array) -> list[float]:
    """An axis from 0 (or the smallest) to the largest value; never empty."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    return [shown(low), shown(high) if high > low else shown(low + 1)]
