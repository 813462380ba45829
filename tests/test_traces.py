"""The arrays that the pages ship: complete, masked where the mask is, in ten digits, and inside their axes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from qkv.content.model_file import load_toy
from qkv.errors import Place
from qkv.figures.numbers import percent
from qkv.model.masks import MASKS
from qkv.model.rows import TIE, ranked
from qkv.model.source import Sentence, Source
from qkv.model.toy import Head, Toy
from qkv.model.traces import DIMS, trace
from qkv.output.bundle import ROOT
from tests import reference
from tests.toy_states import toy_state

OVER_KEYS = ("exps", "weights", "weighted")  # those of which the mask hides a part
SEEDS = (0, 3, 5)  # in the last two a number reaches furthest with the mask off
BOTH = tuple(MASKS[name] for name in reference.MASKS)
DIGITS = 1e-9  # relative: what ten significant digits may leave out


def random_toy(seed: int) -> Toy:
    """Two sentences of different lengths and two heads, with numbers of either sign."""
    draw = np.random.default_rng(seed)
    words = {word: tuple(draw.normal(size=2).round(2).tolist()) for word in "abcdef"}
    sentences = (Sentence("long", 0, tuple("abcdef"), None, ""), Sentence("short", 1, ("c", "c", "a"), None, ""))
    matrices = draw.normal(scale=2, size=(2, 3, 4, 3)).round(2)
    slots = ("one", "two", "three")
    heads = tuple(Head(f"head {h}", "job", slots, slots, *matrices[h]) for h in range(2))
    return Toy(("f", "g", "up", "right"), words, 12, sentences, heads, BOTH, draw.normal(size=(6, 4)), Place("-"))


def still_toy() -> Toy:
    """A model whose scores are all 0."""
    sentences = tuple(Sentence(word, s, ("a", "a", word), None, "") for s, word in enumerate("ab"))
    head = Head("still", "job", ("one",), ("one",), np.zeros((3, 1)), np.zeros((3, 1)), np.ones((3, 1)))
    return Toy(
        ("f", "up", "right"), {"a": (1,), "b": (-1,)}, 12, sentences, (head,), BOTH, np.zeros((1, 3)), Place("-")
    )


TOYS = {
    "own": load_toy(ROOT / "content"),
    **{f"random {seed}": random_toy(seed) for seed in SEEDS},
    "still": still_toy(),
}


@pytest.fixture(scope="module", params=TOYS, ids=lambda name: name.replace(" ", "-"))
def toy(request: pytest.FixtureRequest) -> Toy:
    return TOYS[request.param]


@pytest.fixture(scope="module")
def traces(toy: Toy) -> Source:
    return trace(toy)


@pytest.fixture(scope="module")
def own() -> Source:
    return trace(TOYS["own"])


def variants(traces: Source, name: str) -> Iterator[tuple[dict[str, int], Any]]:
    """Every part of an array, with the sentence, mask and head that it belongs to."""
    counts = {axis.name: axis.longest for axis in traces.axes}
    found: list[tuple[dict[str, int], Any]] = [({}, traces.arrays[name])]
    for dim in DIMS[name]:
        for _, part in found:
            assert len(part) == counts[dim], (name, dim)
        found = [({**at, dim: i}, part[i]) for at, part in found for i in range(counts[dim])]
    yield from found


def shape(value: Any) -> tuple[int, ...]:
    """The shape of nested lists, every one of which must be full."""
    if not isinstance(value, list):
        return ()
    inner = {shape(part) for part in value}
    assert len(inner) == 1, "lists side by side have different shapes"
    return (len(value), *inner.pop())


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def rows(traces: Source, name: str) -> Iterator[tuple[int, dict[str, int], Any]]:
    """The rows of an array that belongs to one head under one mask."""
    for at, part in variants(traces, name):
        for i, row in enumerate(part):
            yield i, at, row


def test_every_array_says_what_it_depends_on(traces: Source) -> None:
    assert set(traces.arrays) == set(DIMS)
    assert {axis for axes in DIMS.values() for axis in axes} == {"sentence", "mask", "head"}


def test_every_variant_has_its_shape(traces: Source, toy: Toy) -> None:
    features, heads, size = len(toy.features), len(toy.heads), toy.size

    def shapes(n: int) -> dict[str, tuple[int, ...]]:
        over_tokens = dict.fromkeys(("products", "scores", "exps", "weights"), (n, n))
        over_slots = dict.fromkeys(("q", "k", "v", "out"), (n, size))
        matrices = dict.fromkeys(("w_q", "w_k", "w_v"), (features, size))
        used = dict.fromkeys(("used_q", "used_k", "used_v"), (features,))
        ranges = dict.fromkeys(("score_range", "exp_range", "match_range", "value_range", "final_range"), (2,))
        return {
            "tokens": (n,), "x": (n, features), "terms": (n, n, size), "weighted": (n, n, size), "sum_exps": (n,),
            "sum_weights": (n,),
            "glued": (n, heads * size), "final": (n, features), "match_slots": (size,),
            "value_slots": (size,), "head_jobs": (heads,), "features": (features,),
            "w_o": (heads * size, features), **over_tokens, **over_slots, **matrices, **used, **ranges,
        }  # fmt: skip

    for name in DIMS:
        for at, part in variants(traces, name):
            n = len(toy.sentences[at.get("sentence", 0)].tokens)
            assert shape(part) == shapes(n)[name], (name, at)


def test_states_are_all_that_a_reader_can_reach(own: Source, traces: Source, toy: Toy) -> None:
    assert len(own.states) == 120
    assert len(set(traces.states)) == len(traces.states)
    for state in traces.states:
        assert 0 <= state["token"] < len(toy.sentences[state["sentence"]].tokens)
    assert {(s["sentence"], s["mask"], s["head"]) for s in traces.states} == {
        (s, m, h) for s in range(len(toy.sentences)) for m in range(2) for h in range(len(toy.heads))
    }
    assert toy_state() in traces.states
    assert traces.longest == max(len(sentence.tokens) for sentence in toy.sentences)


@pytest.mark.parametrize("name", OVER_KEYS)
def test_nothing_where_masked_and_there_alone(traces: Source, name: str) -> None:
    for i, at, row in rows(traces, name):
        for j, part in enumerate(row):
            hidden = reference.MASKS[at["mask"]] == "on" and j > i
            assert all((leaf is None) == hidden for leaf in leaves(part)), (at, i, j)


def test_no_other_array_has_holes(traces: Source) -> None:
    for name in set(DIMS) - set(OVER_KEYS):
        assert None not in list(leaves(traces.arrays[name])), name


def test_arrays_are_plain_json(traces: Source) -> None:
    text = json.dumps(traces.arrays, allow_nan=False)
    assert json.loads(text) == traces.arrays


def test_whole_numbers_are_whole_and_others_have_ten_digits(traces: Source, toy: Toy) -> None:
    seen = 0
    for name in DIMS:
        for leaf in leaves(traces.arrays[name]):
            if not isinstance(leaf, float):
                continue
            seen += 1
            assert leaf == float(f"{leaf:.9e}"), name
            assert leaf != int(leaf) or abs(leaf) >= 1e6 or name.endswith("_range"), name
    assert seen or toy is TOYS["still"]


@pytest.mark.parametrize("sentence", reference.SENTENCES)
@pytest.mark.parametrize("mask", reference.MASKS)
def test_own_arrays_hold_the_numbers_of_the_reference(own: Source, sentence: str, mask: str) -> None:
    wanted = reference.Reference()
    s, m = list(reference.SENTENCES).index(sentence), reference.MASKS.index(mask)

    def array(name: str, h: int) -> Any:
        found = own.arrays[name]
        for dim in DIMS[name]:
            found = found[{"sentence": s, "mask": m, "head": h}[dim]]
        return found

    def agree(found: Any, numbers: Any) -> None:
        a, b = list(leaves(found)), list(leaves(numbers))
        for p, q in zip(a, b, strict=True):
            assert (p is None) == (q is None)
            assert p is None or abs(p - q) <= max(DIGITS * abs(q), 1e-12)

    for h, head in enumerate(reference.HEADS):
        attention = wanted.attention(sentence, mask, head.name)
        for name in ("x", "q", "k", "v", "terms", "products", "scores", "exps", "weights", "out"):
            agree(array(name, h), getattr(attention, name))
        agree(array("sum_exps", h), attention.sums)
        agree(array("sum_weights", h), [sum(w for w in row if w is not None) for row in attention.weights])
        hidden = [None] * len(head.value)
        agree(array("weighted", h), [[hidden if part is None else part for part in row] for row in attention.weighted])
        for name in ("w_q", "w_k", "w_v"):
            agree(array(name, h), getattr(head, name))
            assert array(f"used_{name[-1]}", h) == [int(any(row)) for row in getattr(head, name)]
        assert array("match_slots", h) == list(head.match)
        assert array("value_slots", h) == list(head.value)
    agree(array("glued", 0), wanted.glued(sentence, mask))
    agree(array("final", 0), wanted.final(sentence, mask))
    agree(own.arrays["w_o"], reference.W_O)
    assert array("tokens", 0) == reference.SENTENCES[sentence]


def test_only_a_token_that_is_alone_has_a_weight_of_one(traces: Source) -> None:
    for _, _, row in rows(traces, "weights"):
        visible = [weight for weight in row if weight is not None]
        assert (1 in visible) == (len(visible) == 1)
        assert all(0 < weight <= 1 for weight in visible)


def test_a_weight_that_rounds_to_one_is_not_one() -> None:
    # 40 points ahead: a double cannot tell the weight from 1.
    toy = still_toy()
    head = Head("far", "job", ("one",), ("one",), np.full((3, 1), 10.0), np.array([[4.0], [0], [0]]), np.ones((3, 1)))
    words: dict[str, tuple[float, ...]] = {"a": (0.0,), "b": (1.0,)}
    far = trace(replace(toy, words=words, heads=(head,)))
    row = far.arrays["weights"][1][0][0][2]
    assert row[2] == 0.9999999999
    assert percent(row[2]) == ">99.9%"
    assert 0 < row[0] < 1e-9


# order and ties


def test_order_goes_from_the_largest_weight_down(traces: Source) -> None:
    for _, _, row in rows(traces, "weights"):
        order, tied = ranked(row)
        assert sorted(order) == list(range(len(row)))
        # What the mask hides comes last, so that the first and second are always visible where two are.
        ordered = [-1 if row[j] is None else row[j] for j in order]
        top = max(ordered)
        assert order[:tied] == [j for j, weight in enumerate(row) if weight is not None and weight >= top - TIE]
        assert ordered[tied:] == sorted(ordered[tied:], reverse=True)


def test_equal_weights_are_ordered_by_position() -> None:
    still = trace(TOYS["still"])
    for at, table in variants(still, "weights"):
        visible = [1, 2, 3] if at["mask"] == 0 else [3, 3, 3]
        assert [ranked(row) for row in table] == [([0, 1, 2], ties) for ties in visible]


def test_weights_that_differ_in_the_last_digits_alone_are_equal() -> None:
    def ties(score: float) -> list[int]:
        toy = still_toy()
        head = Head("near", "job", ("one",), ("one",), np.ones((3, 1)), np.array([[score], [0], [0]]), np.ones((3, 1)))
        words: dict[str, tuple[float, ...]] = {"a": (0.0,), "b": (1.0,)}
        table = trace(replace(toy, words=words, heads=(head,))).arrays["weights"][1][1][0]
        return [ranked(row)[1] for row in table]

    assert ties(1e-12) == [3, 3, 3]
    assert ties(1e-6) == [1, 1, 1]


def test_own_ties_are_those_of_the_article(own: Source) -> None:
    for s, sentence in enumerate(reference.SENTENCES):
        for m, mask in enumerate(reference.MASKS):
            for h, head in enumerate(reference.HEADS):
                for t in range(10):
                    row = reference.Reference().row(sentence, mask, head.name, t)
                    order, ties = ranked(own.arrays["weights"][s][m][h][t])
                    assert order[:ties] == row.largest


# ranges


def test_ranges_hold_zero_and_are_not_empty(traces: Source) -> None:
    for name in (name for name in DIMS if name.endswith("_range")):
        for _, (low, high) in variants(traces, name):
            assert low <= 0 <= high
            assert low < high


def enclosed(values: Any, reach: list[float]) -> bool:
    slack = DIGITS * max(map(abs, reach))
    return all(reach[0] - slack <= leaf <= reach[1] + slack for leaf in leaves(values) if leaf is not None)


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("score_range", ("scores",)),
        ("match_range", ("q", "k")),
        ("value_range", ("v", "out")),
        ("exp_range", ("weights",)),
        ("final_range", ("glued", "final")),
    ],
)
def test_ranges_enclose_every_number_of_every_state(traces: Source, name: str, held: tuple[str, ...]) -> None:
    for array in held:
        for at, part in variants(traces, array):
            reach = traces.arrays[name]
            assert enclosed(part, reach[at["head"]] if DIMS[name] else reach), (array, at)


def test_value_range_encloses_stacked_bars(traces: Source, toy: Toy) -> None:
    for _, at, parts in rows(traces, "weighted"):
        for slot in range(toy.size):
            numbers = [part[slot] for part in parts if part[slot] is not None]
            reach = traces.arrays["value_range"][at["head"]]
            assert enclosed(sum(number for number in numbers if number > 0), reach)
            assert enclosed(sum(number for number in numbers if number < 0), reach)


def test_ranges_are_no_wider_than_needed(own: Source) -> None:
    assert own.arrays["exp_range"] == [0, 1]
    scores = [list(leaves([sentence[h] for sentence in own.arrays["scores"]])) for h in range(3)]
    assert own.arrays["score_range"] == [[min(*part, 0), max(part)] for part in scores]
