"""The numpy model against the loop-only reference, and what must hold for any weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from qkv.content.model_file import load_toy
from qkv.model.attention import Array, Bools, Layer, Result, attend, clock, clock_rows, softmax
from qkv.model.masks import MASKS
from qkv.model.source import Source
from qkv.model.toy import Toy
from qkv.model.traces import trace
from qkv.output.bundle import ROOT
from tests import reference
from tests.toy_states import toy_state

EXACT = 1e-12
FEW = settings(max_examples=50)
CAUSAL = MASKS["on"]
ARRAYS = ("q", "k", "v", "terms", "products", "scores", "weights", "weighted", "out")
HEADS = [head.name for head in reference.HEADS]


@pytest.fixture(scope="module")
def toy() -> Toy:
    return load_toy(ROOT / "content")


@pytest.fixture(scope="module")
def traces(toy: Toy) -> Source:
    return trace(toy)


def near(found: Array, wanted: Array) -> bool:
    """Equal to twelve decimals, above 1 to twelve digits."""
    return found.shape == wanted.shape and bool((np.abs(found - wanted) <= EXACT * np.maximum(1, np.abs(wanted))).all())


def filled(values: object, size: int = 0) -> Array:
    """The reference's lists as an array; what it masks is 0, in as many slots as a value has."""
    stand_in: object = [0.0] * size if size else 0.0

    def fill(value: object) -> object:
        if value is None:
            return stand_in
        return [fill(part) for part in value] if isinstance(value, list) else value

    return np.array(fill(values), dtype=float)


# the default content


def test_content_holds_the_designed_model(toy: Toy) -> None:
    assert toy.features == reference.LABELS
    assert {word: list(numbers) for word, numbers in toy.words.items()} == reference.WORDS
    assert {sentence.id: list(sentence.tokens) for sentence in toy.sentences} == reference.SENTENCES
    assert [(head.name, head.match, head.value) for head in toy.heads] == [
        (head.name, head.match, head.value) for head in reference.HEADS
    ]
    for head, wanted in zip(toy.heads, reference.HEADS, strict=True):
        for name in ("w_q", "w_k", "w_v"):
            assert getattr(head, name).tolist() == getattr(wanted, name), (head.name, name)
    assert toy.w_o.tolist() == reference.W_O


@pytest.mark.parametrize("sentence", range(2))
def test_vectors_are_words_and_clock_hands(toy: Toy, sentence: int) -> None:
    one = toy.sentences[sentence]
    assert toy.embed(one.tokens).tolist() == reference.Reference().embed(one.id)


@pytest.mark.parametrize("mask", range(2))
@pytest.mark.parametrize("sentence", range(2))
def test_every_variant_equals_the_reference(traces: Source, sentence: int, mask: int) -> None:
    wanted = reference.Reference()
    name = traces.sentences[sentence].id
    for h, head in enumerate(HEADS):
        state = toy_state(sentence, mask, h)
        attention = wanted.attention(name, reference.MASKS[mask], head)
        for array in ARRAYS:
            size = len(traces.array("match_slots", state)) if array == "weighted" else 0
            assert near(traces.value(array, state), filled(getattr(attention, array), size)), (head, array)
    for array, numbers in (("glued", wanted.glued), ("final", wanted.final)):
        assert near(traces.value(array, toy_state(sentence, mask)), filled(numbers(name, reference.MASKS[mask])))


# any small model


@dataclass(frozen=True)
class Case:
    """A random layer and random tokens."""

    x: Array
    layer: Layer

    @property
    def n(self) -> int:
        return len(self.x)

    @property
    def heads(self) -> int:
        return len(self.layer.w_q)

    def run(self, visible: Bools | None = None) -> Result:
        return attend(self.x, self.layer, np.ones((self.n, self.n), dtype=bool) if visible is None else visible)


def numbers(*shape: int) -> st.SearchStrategy[Array]:
    # Numbers as an author would write them: tiny ones would only test the rounding of doubles.
    return hnp.arrays(np.float64, shape, elements=st.integers(-300, 300).map(lambda hundredths: hundredths / 100))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n, features, heads, size = (draw(st.integers(*bounds)) for bounds in ((1, 6), (1, 5), (1, 3), (1, 4)))
    w_q, w_k, w_v = (draw(numbers(heads, features, size)) for _ in range(3))
    return Case(draw(numbers(n, features)), Layer(w_q, w_k, w_v, draw(numbers(heads * size, features))))


@st.composite
def masks(draw: st.DrawFn, n: int) -> Bools:
    """Any mask under which every token still sees itself."""
    return np.asarray(draw(hnp.arrays(np.bool_, (n, n))) | np.eye(n, dtype=bool))


@FEW
@given(cases())
def test_any_model_equals_the_reference(case: Case) -> None:
    for masked, visible in ((True, CAUSAL.matrix(case.n)), (False, np.ones((case.n, case.n), dtype=bool))):
        glued: reference.Matrix = [[] for _ in range(case.n)]
        result = case.run(visible)
        for h in range(case.heads):
            w_q, w_k, w_v = (matrix[h].tolist() for matrix in (case.layer.w_q, case.layer.w_k, case.layer.w_v))
            wanted = reference.attend(case.x.tolist(), w_q, w_k, w_v, masked)
            for array in ARRAYS:
                size = case.layer.w_v.shape[2] if array == "weighted" else 0
                assert near(getattr(result, array)[h], filled(getattr(wanted, array), size)), array
            glued = [before + after for before, after in zip(glued, wanted.out, strict=True)]
        assert near(result.glued, filled(glued))
        assert near(result.final, filled(reference.times(glued, case.layer.w_o.tolist())))


@FEW
@given(st.data(), cases())
def test_rows_sum_to_one_and_masked_is_nothing(data: st.DataObject, case: Case) -> None:
    visible = data.draw(masks(case.n))
    weights = case.run(visible).weights
    assert near(weights.sum(axis=2), np.ones((case.heads, case.n)))
    assert (weights[:, ~visible] == 0).all()
    assert (weights[:, visible] > 0).all()


@FEW
@given(cases())
def test_masked_row_is_the_open_row_cut_off_and_rescaled(case: Case) -> None:
    visible = CAUSAL.matrix(case.n)
    cut = case.run().weights * visible
    assert near(case.run(visible).weights, cut / cut.sum(axis=2, keepdims=True))


@FEW
@given(cases(), st.integers(-300, 300).map(lambda hundredths: hundredths / 100))
def test_the_same_added_to_every_key_changes_no_weight(case: Case, shift: float) -> None:
    # A feature that is 1 everywhere and adds to every key shifts each row of scores by one number.
    x = np.append(case.x, np.ones((case.n, 1)), axis=1)

    def with_row(matrix: Array, value: float) -> Array:
        return np.append(matrix, np.full((case.heads, 1, matrix.shape[2]), value), axis=1)

    old = case.layer
    layer = Layer(with_row(old.w_q, 0), with_row(old.w_k, shift), with_row(old.w_v, 0), old.w_o)
    shifted = attend(x, layer, CAUSAL.matrix(case.n))
    result = case.run(CAUSAL.matrix(case.n))
    by = shift * result.q.sum(axis=2, keepdims=True) / math.sqrt(result.q.shape[2])
    assert near(shifted.scores, result.scores + by)
    # Rounding of the shifted scores, which may be large, is all that may be left.
    assert np.abs(shifted.weights - result.weights).max() < 1e-10


@FEW
@given(st.data(), cases())
def test_the_order_of_tokens_without_a_clock_does_not_matter(data: st.DataObject, case: Case) -> None:
    order = np.array(data.draw(st.permutations(range(case.n))))
    visible = data.draw(masks(case.n))
    result = case.run(visible)
    moved = attend(case.x[order], case.layer, visible[np.ix_(order, order)])
    assert near(moved.weights, result.weights[:, order][:, :, order])
    assert near(moved.out, result.out[:, order])
    assert near(moved.final, result.final[order])


def test_a_clock_tells_equal_words_apart(toy: Toy) -> None:
    x = toy.embed(("the", "the", "the"))
    assert len({tuple(row) for row in x.tolist()}) == 3


@pytest.mark.parametrize("visible", [np.ones((3, 3), dtype=bool), CAUSAL.matrix(3)], ids=["off", "on"])
def test_scores_of_350_stay_in_range(visible: Bools) -> None:
    x = np.array([[1.0], [-1.0], [0.0]])
    w_q, w_k, w_v = (np.array([[[number]]]) for number in (25.0, 14.0, 1.0))
    layer = Layer(w_q, w_k, w_v, np.array([[1.0]]))
    with np.errstate(all="raise"):
        result = attend(x, layer, visible)
    assert result.scores[0].tolist() == [[350, -350, 0], [-350, 350, 0], [0, 0, 0]]
    assert near(result.weights.sum(axis=2), np.ones((1, 3)))
    assert (result.weights[:, visible] > 0).all()
    assert np.isfinite(result.final).all()
    wanted = reference.attend(x.tolist(), [[25.0]], [[14.0]], [[1.0]], masked=not visible[0, 1])
    assert near(result.weights[0], filled(wanted.weights))


def test_softmax_of_a_list() -> None:
    assert softmax(np.array([0.0, 0.0])).tolist() == [0.5, 0.5]
    assert near(softmax(np.array([2.0, 0.0])), np.array([math.e**2, 1]) / (math.e**2 + 1))
    assert softmax(np.array([3.0, -np.inf])).tolist() == [1, 0]
    assert near(softmax(np.array([1002.0, 1000.0])), softmax(np.array([2.0, 0.0])))


# the clock


def test_hands_of_a_clock_of_twelve() -> None:
    assert clock(10, 12).tolist() == reference.CLOCK


def test_rows_of_a_clock_of_twelve() -> None:
    assert clock_rows(12, 1, 4).tolist() == [[5.2, -3, 0, 0], [3, 5.2, 0, 0]]
    assert clock_rows(12, 0, 4).tolist() == [[6, 0, 0, 0], [0, 6, 0, 0]]
    assert clock_rows(12, 3, 2).tolist() == [[0, -6], [6, 0]]


@pytest.mark.parametrize("hours", [4, 5, 7, 12, 14, 16, 24, 59, 60])
def test_clock_has_two_decimals(hours: int) -> None:
    hands = clock(hours, hours)
    rows = np.concatenate([clock_rows(hours, back, 3) for back in (0, 0.5, 1, 2)])
    for values in (hands, rows):
        for value in values.ravel().tolist():
            assert value == round(value, 2)
            assert math.copysign(1, value) == 1 or value < 0  # a negative zero would be shown as −0
    for p, (up, right) in enumerate(hands.tolist()):
        angle = p * math.tau / hours
        assert abs(up - math.cos(angle)) <= 0.005 + EXACT
        assert abs(right - math.sin(angle)) <= 0.005 + EXACT


@pytest.mark.parametrize("back", [0, 1, 2])
@pytest.mark.parametrize("hours", [12, 14, 16])
def test_rows_of_a_clock_turn_its_hand_back(hours: int, back: int) -> None:
    turned = clock(hours, hours) @ clock_rows(hours, back, 2)
    wanted = np.roll(clock(hours, hours), back, axis=0) * hours / 2
    # What two decimals of the hand, half a clock long, leave undecided.
    assert np.abs(turned - wanted).max() <= 0.005 * (hours / 2 * (1 + math.sqrt(2)) + math.sqrt(2))
