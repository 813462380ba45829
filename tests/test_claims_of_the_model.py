"""What the article says of the toy model, in every state a reader can reach, asked of the reference alone."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

from qkv.content.model_file import load_toy
from qkv.model.source import Source
from qkv.model.traces import trace
from qkv.output.bundle import ROOT
from tests import reference
from tests.reference import FEATURES, HEADS, MASKS, SENTENCES, Head, Matrix, Reference, Row
from tests.toy_states import toy_state

EXACT = 1e-12
N = 10
BOTH = ("tired", "soft")
NAMES = tuple(head.name for head in HEADS)
MODEL = Reference()
VARIANTS = list(itertools.product(BOTH, MASKS))
in_every_variant = pytest.mark.parametrize(("sentence", "mask"), VARIANTS)
in_every_head = pytest.mark.parametrize("head", NAMES)


def rows(sentence: str, mask: str, head: str) -> list[Row]:
    return [MODEL.row(sentence, mask, head, token) for token in range(N)]


def weight(sentence: str, mask: str, head: str, asker: str | int, key: str | int) -> float:
    return MODEL.weight(sentence, mask, head, asker, key)


def three(values: list[float]) -> list[float]:
    return [round(value, 3) for value in values]


def words(row: Row) -> list[str]:
    """The words that share the largest weight of a row."""
    return [row.tokens[j] for j in row.largest]


def change(mask: str, head: str, token: int) -> float:
    """By how much the other sentence changes a token's weights."""
    one, other = (MODEL.row(s, mask, head, token).weights for s in BOTH)
    return max(abs((a or 0) - (b or 0)) for a, b in zip(one, other, strict=True))


# the fourteen groups, in the order of the design


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize(("last", "noun"), [("tired", "cat"), ("soft", "mat")])
def test_01_the_last_word_looks_at_its_noun(last: str, noun: str, mask: str) -> None:
    row = MODEL.row(last, mask, "meaning", last)
    assert words(row) == [noun]
    largest, following = sorted(row.seen, reverse=True)[:2]
    assert three([largest, following]) == [0.943, 0.006]


@in_every_head
@pytest.mark.parametrize("sentence", BOTH)
def test_01_the_last_row_is_the_same_with_and_without_the_mask(sentence: str, head: str) -> None:
    on, off = (MODEL.row(sentence, mask, head, N - 1) for mask in MASKS)
    assert on.weights == off.weights
    assert on.out == off.out


@pytest.mark.parametrize(("last", "noun", "slot"), [("tired", "cat", 0), ("soft", "mat", 1)])
def test_02_the_query_finds_one_key(last: str, noun: str, slot: int) -> None:
    row = MODEL.row(last, "on", "meaning", last)
    assert row.query == [5 if c == slot else 0 for c in range(4)]
    for token, key, score in zip(row.tokens, row.keys, row.scores, strict=True):
        assert key[slot] == (2 if token == noun else 0)
        assert score == (5 if token == noun else 0)


@in_every_variant
def test_03_scores_are_half_the_products_and_few(sentence: str, mask: str) -> None:
    found = set()
    for row in rows(sentence, mask, "meaning"):
        for product, score in zip(row.products, row.scores, strict=True):
            assert score == product / 2
            assert abs(score - round(score)) < EXACT
            found.add(round(score))
    assert found == {0, 2, 3, 4, 5}


@in_every_head
@in_every_variant
def test_04_weights_are_positive_and_add_up(sentence: str, mask: str, head: str) -> None:
    for row in rows(sentence, mask, head):
        assert len(row.seen) == (row.token + 1 if mask == "on" else N)
        assert row.weights[: len(row.seen)] == row.seen
        assert all(weight > 0 for weight in row.seen)
        assert abs(sum(row.seen) - 1) < EXACT


@in_every_variant
def test_05_two_points_more_are_seven_times_the_weight(sentence: str, mask: str) -> None:
    assert math.exp(2) > 7
    assert round(math.exp(2), 3) == 7.389
    row = MODEL.row(sentence, mask, "meaning", "was")
    cat, sat = row.tokens.index("cat"), row.tokens.index("sat")
    assert row.scores[cat] - row.scores[sat] == 2
    assert abs(row.seen[cat] / row.seen[sat] - math.exp(2)) < 1e-9


@pytest.mark.parametrize(
    ("head", "least", "exact"), [("meaning", 0.648, 0.64879), ("previous", 0.920, 0.92087), ("sink", 0.999, 0.99989)]
)
def test_06_two_tokens_hold_most_of_every_row(head: str, least: float, exact: float) -> None:
    held = [sum(sorted(row.seen)[-2:]) for s, m in VARIANTS for row in rows(s, m, head)]
    assert min(held) >= least
    assert round(min(held), 5) == exact


@in_every_variant
def test_07_it_comes_out_as_cat_and_mat_alike(sentence: str, mask: str) -> None:
    row = MODEL.row(sentence, mask, "meaning", "it")
    assert row.values[row.token] == [0, 0, 1, 0]
    assert three(row.out) == {"on": [0.490, 0.490, 0.003, 0.005], "off": [0.487, 0.487, 0.003, 0.008]}[mask]
    assert row.out[0] == row.out[1]
    assert words(row) == ["cat", "mat"]
    assert row.seen[1] == row.seen[5]


def test_07_it_is_the_same_in_both_sentences_under_the_mask() -> None:
    tired, soft = (MODEL.row(sentence, "on", "meaning", "it") for sentence in BOTH)
    assert tired.weights == soft.weights
    assert tired.out == soft.out


@pytest.mark.parametrize("mask", MASKS)
def test_08_the_outputs_of_the_last_words(mask: str) -> None:
    assert three(MODEL.row("tired", mask, "meaning", "tired").out) == [0.943, 0.006, 0.006, 0.015]
    assert three(MODEL.row("soft", mask, "meaning", "soft").out) == [0.006, 0.943, 0.006, 0.015]


@in_every_head
@pytest.mark.parametrize("sentence", BOTH)
def test_09_the_mask_cuts_rows_off_and_rescales_them(sentence: str, head: str) -> None:
    on, off = rows(sentence, "on", head), rows(sentence, "off", head)
    assert sum(len(row.seen) for row in on) == 55
    assert sum(len(row.weights) for row in on) == 100
    assert on[0].weights == [1, *[None] * 9]
    assert all(weight > 0 for row in off for weight in row.seen)
    assert sum(len(row.seen) for row in off) == 100
    for closed, opened in zip(on, off, strict=True):
        kept = opened.seen[: closed.token + 1]
        for weight, cut in zip(closed.seen, kept, strict=True):
            assert abs(weight - cut / sum(kept)) < EXACT


@pytest.mark.parametrize("sentence", BOTH)
def test_10_sat_shares_its_row_once_mat_is_in_sight(sentence: str) -> None:
    assert round(weight(sentence, "on", "meaning", "sat", "cat"), 3) == 0.965
    row = MODEL.row(sentence, "off", "meaning", "sat")
    assert [row.tokens[j] for j in row.order[:2]] == ["cat", "mat"]
    assert three(sorted(row.seen, reverse=True)[:3]) == [0.660, 0.243, 0.012]
    for mask in MASKS:
        scores = MODEL.row(sentence, mask, "meaning", "sat").scores
        assert (scores[1], scores[5]) == (4, 3)


def test_11_which_rows_the_last_word_changes() -> None:
    for mask, changed in (("on", [9]), ("off", [1, 5, 9])):
        assert [token for token in range(N) if change(mask, "meaning", token) > 0] == changed
        # A change that shows, not one in the last decimals.
        assert all(change(mask, "meaning", token) > 0.3 for token in changed)


@in_every_variant
def test_12_previous_looks_at_the_token_before(sentence: str, mask: str) -> None:
    for row in rows(sentence, mask, "previous")[1:]:
        assert row.largest == [row.token - 1]
        largest, following = sorted(row.seen, reverse=True)[:2]
        assert largest >= 0.839
        assert following <= 0.087


def test_12_the_exact_minimum_and_the_first_token() -> None:
    least = min(row.seen[row.token - 1] for s, m in VARIANTS for row in rows(s, m, "previous")[1:])
    assert round(least, 5) == 0.83955
    for sentence in BOTH:
        row = MODEL.row(sentence, "off", "previous", 0)
        assert row.largest == [0]
        assert round(row.seen[0], 3) == 0.997


@in_every_variant
def test_13_sink_parks_on_a_token_that_hands_over_nothing(sentence: str, mask: str) -> None:
    for row in rows(sentence, mask, "sink"):
        assert row.seen[0] >= 0.911
        assert row.values[0] == [0, 0, 0, 0]
    assert round(weight(sentence, mask, "sink", "sat", 0), 3) == 0.964
    assert sum(MODEL.embed(sentence)[2][:6]) == pytest.approx(1.4, abs=EXACT)
    handed = max(abs(number) for row in rows(sentence, mask, "sink") for number in row.out)
    assert round(handed, 4) == 0.0001


@in_every_variant
def test_14_three_tables_that_differ(sentence: str, mask: str) -> None:
    tables = [[[w or 0 for w in row.weights] for row in rows(sentence, mask, head)] for head in NAMES]
    for one, other in itertools.combinations(tables, 2):
        apart = max(abs(a - b) for p, q in zip(one, other, strict=True) for a, b in zip(p, q, strict=True))
        assert apart >= 0.91


@in_every_variant
def test_14_the_output_matrix_mixes_all_heads(sentence: str, mask: str) -> None:
    glued, final = MODEL.glued(sentence, mask), MODEL.final(sentence, mask)
    assert [len(glued), len(glued[0])] == [10, 12]
    assert [len(reference.W_O), len(reference.W_O[0])] == [12, 8]
    assert [len(final), len(final[0])] == [10, 8]
    for h in range(len(HEADS)):
        assert any(any(row) for row in reference.W_O[4 * h : 4 * h + 4])
    alive, thing = (final[N - 1][FEATURES.index(name)] for name in ("alive", "thing"))
    assert [round(alive, 2), round(thing, 2)] == ([0.94, 0.01] if sentence == "tired" else [0.01, 0.94])


# what else the article relies on


@in_every_variant
def test_equal_shares(sentence: str, mask: str) -> None:
    found = {row.token: words(row) for row in rows(sentence, mask, "meaning") if len(row.largest) > 1}
    nouns = ["cat", "mat"]
    wanted = {6: nouns, 7: nouns, 8: nouns}  # because, it, was
    wanted.update({1: ["The", "cat"]} if mask == "on" else {0: nouns, 3: nouns, 4: nouns})
    assert found == wanted


def test_cat_under_the_mask_finds_nothing_it_looks_for() -> None:
    row = MODEL.row("tired", "on", "meaning", "cat")
    assert row.seen == [0.5, 0.5]
    assert row.scores[:2] == [0, 0]


@pytest.mark.parametrize(("head", "most"), [("previous", 18.1), ("sink", 25.2)])
def test_largest_scores(head: str, most: float) -> None:
    assert round(max(score for s, m in VARIANTS for row in rows(s, m, head) for score in row.scores), 1) == most


def test_the_largest_e_to_the_score() -> None:
    most = max(e for s, m in VARIANTS for row in rows(s, m, "sink") for e in reference.visible(row.exps))
    assert f"{most:.1e}" == "8.8e+10"


# how far the numbers may be changed

OTHERS = {"cat": "dog", "mat": "rug", "tired": "sleepy", "soft": "dusty"}


def renamed(word: str) -> str:
    return OTHERS.get(word, word)


def test_other_words_with_the_same_features_give_the_same_numbers() -> None:
    sentences = {renamed(name): [renamed(word) for word in tokens] for name, tokens in SENTENCES.items()}
    vectors = {renamed(word): numbers for word, numbers in reference.WORDS.items()}
    other = Reference(sentences=sentences, words=vectors)
    for sentence, mask, head in itertools.product(BOTH, MASKS, NAMES):
        assert other.attention(renamed(sentence), mask, head) == MODEL.attention(sentence, mask, head)
    assert other.row("sleepy", "on", "meaning", "sleepy").tokens[1] == "dog"


def model_with(tmp_path: Path, *changes: tuple[str, str]) -> Source:
    """The site's own model with parts of its file changed, traced."""
    text = (ROOT / "content" / "model.toml").read_text(encoding="utf-8")
    for pattern, replacement in changes:
        text, count = re.subn(pattern, replacement, text)
        assert count, pattern
    (tmp_path / "model.toml").write_text(text, encoding="utf-8")
    return trace(load_toy(tmp_path))


def test_other_words_change_no_number_of_the_site(tmp_path: Path) -> None:
    other = model_with(tmp_path, *((rf"\b{word}\b", replacement) for word, replacement in OTHERS.items()))
    own = trace(load_toy(ROOT / "content"))
    assert other.arrays["tokens"] == [[renamed(word) for word in tokens] for tokens in own.arrays["tokens"]]
    names = {"tokens", "head_jobs"}
    assert {k: v for k, v in other.arrays.items() if k not in names} == {
        k: v for k, v in own.arrays.items() if k not in names
    }


def scaled(factor: float) -> Reference:
    def by(matrix: Matrix) -> Matrix:
        return [[number * factor for number in row] for row in matrix]

    heads = [Head(h.name, h.match, h.value, by(h.w_q), by(h.w_k), by(h.w_v)) for h in HEADS]
    return Reference(heads=heads, w_o=by(reference.W_O))


@pytest.mark.parametrize("factor", [0.9, 1.1])
@in_every_head
@in_every_variant
def test_scaled_weights_keep_every_order(sentence: str, mask: str, head: str, factor: float) -> None:
    other = scaled(factor)
    for row in rows(sentence, mask, head):
        changed = other.row(sentence, mask, head, row.token)
        assert changed.largest == row.largest
        for (a, p), (b, q) in itertools.combinations(zip(row.seen, changed.seen, strict=True), 2):
            assert (a < b) == (p < q) or min(abs(a - b), abs(p - q)) < EXACT
        assert place_of_largest(changed.out) == place_of_largest(row.out)
    alive, thing = other.final(sentence, mask)[N - 1][:2]
    assert (alive > thing) == (sentence == "tired")


def place_of_largest(numbers: list[float]) -> list[int]:
    return [i for i, number in enumerate(numbers) if number >= max(numbers) - EXACT]


LONGER = {  # a noun stands early: under the mask a word with nothing to look for spreads over all before it
    11: "The cat sat on the mat because it was so {tired|soft}",
    12: "The cat sat on the mat because it was so very {tired|soft}",
    13: "The cat sat on the mat and so it was all day {tired|soft}",
    14: "The cat sat on the mat and so it was all day very {tired|soft}",
}


@pytest.mark.parametrize(("hours", "length"), [(14, 11), (14, 12), (16, 11), (16, 12), (16, 13), (16, 14)])
def test_longer_sentences_keep_the_patterns(tmp_path: Path, hours: int, length: int) -> None:
    small = "".join(f"{word} = {{ filler = 1 }}\n" for word in ("all", "and", "day", "so", "very"))
    traces = model_with(
        tmp_path,
        (r"hours = 12", f"hours = {hours}"),
        (r"(\[words\].*\n)", rf"\1{small}"),
        (r'text = ".*"', f'text = "{LONGER[length]}"'),
    )
    meaning, previous, sink = range(3)
    for sentence, mask in itertools.product(range(len(traces.sentences)), range(len(traces.masks))):
        weights = np.stack([traces.value("weights", toy_state(sentence, mask, head)) for head in range(3)])
        tokens = traces.sentences[sentence].tokens
        assert len(tokens) == length
        assert np.sort(weights, axis=2)[:, :, -2:].sum(axis=2).min() >= 0.55
        for i in range(1, length):
            assert weights[previous, i].argmax() == i - 1
            assert weights[previous, i, i - 1] >= 0.82
        assert weights[previous, 0].argmax() == 0
        assert weights[sink, :, 0].min() >= 0.87
        noun = "cat" if tokens[-1] == "tired" else "mat"
        assert weights[meaning, -1].argmax() == tokens.index(noun), (sentence, mask)
