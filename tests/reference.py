"""The toy model worked out once more, number by number: what the article says and the pages show is checked by it.

Nothing but loops over plain numbers, nothing from the site's own code, and a copy of the model typed out from its
design, so that a slip in the content shows as well. Masked is None, since a masked key is left out before softmax.

    row = Reference().row("tired", "on", "meaning", "sat")
    row.tokens[row.largest[0]], percent(row.weights[1])        # 'cat', '96.5%'
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

Vector = list[float]
Matrix = list[Vector]
Hidden = list[float | None]  # one number for each key, None where the mask hides it

MASKS = ("on", "off")
SAME = 1e-9  # weights this close count as equal

# The model ------------------------------------------------------------------------------------------------------

FEATURES = ("alive", "thing", "of_alive", "of_thing", "pronoun", "filler", "up", "right")
LABELS = ("alive", "a thing", "said of something alive", "said of a thing", "pronoun", "small word", "up", "right")
WORDS: dict[str, Vector] = {
    "cat": [1, 0, 0, 0, 0, 0],
    "mat": [0, 1, 0, 0, 0, 0],
    "tired": [0, 0, 1, 0, 0, 0],
    "soft": [0, 0, 0, 1, 0, 0],
    "sat": [0, 0, 0.8, 0.6, 0, 0],
    "it": [0, 0, 0, 0, 1, 0],
    "The": [0, 0, 0, 0, 0, 1],
    "the": [0, 0, 0, 0, 0, 1],
    "on": [0, 0, 0, 0, 0, 1],
    "because": [0, 0, 0, 0, 0, 1],
    "was": [0, 0, 0, 0, 0, 1],
}
CLOCK: Matrix = [  # the hand at p o'clock: up, right
    [1, 0],
    [0.87, 0.5],
    [0.5, 0.87],
    [0, 1],
    [-0.5, 0.87],
    [-0.87, 0.5],
    [-1, 0],
    [-0.87, -0.5],
    [-0.5, -0.87],
    [0, -1],
]
SENTENCES: dict[str, list[str]] = {
    "tired": ["The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired"],
    "soft": ["The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "soft"],
}


@dataclass(frozen=True)
class Head:
    """One head's matrices, a row for each feature."""

    name: str
    match: tuple[str, ...]
    value: tuple[str, ...]
    w_q: Matrix
    w_k: Matrix
    w_v: Matrix


HEADS = (
    Head(
        "meaning",
        ("alive", "thing", "of alive", "of thing"),
        ("alive", "thing", "pronoun", "said"),
        [
            [0, 0, 5, 0],
            [0, 0, 0, 5],
            [5, 0, 0, 0],
            [0, 5, 0, 0],
            [5, 5, 0, 0],
            [2, 2, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
        ],
        [
            [2, 0, 0, 0],
            [0, 2, 0, 0],
            [0, 0, 2, 0],
            [0, 0, 0, 2],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
        ],
        [
            [1, 0, 0, 0],
            [0, 1, 0, 0],
            [0, 0, 0, 1],
            [0, 0, 0, 1],
            [0, 0, 1, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
        ],
    ),
    Head(
        "previous",
        ("up", "right", "-", "-"),
        ("noun", "said", "pronoun", "filler"),
        [
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [5.2, -3, 0, 0],
            [3, 5.2, 0, 0],
        ],
        [
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [6, 0, 0, 0],
            [0, 6, 0, 0],
        ],
        [
            [1, 0, 0, 0],
            [1, 0, 0, 0],
            [0, 1, 0, 0],
            [0, 1, 0, 0],
            [0, 0, 1, 0],
            [0, 0, 0, 1],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
        ],
    ),
    Head(
        "sink",
        ("up", "right", "-", "-"),
        ("of alive", "of thing", "pronoun", "-"),
        [
            [6, 0, 0, 0],
            [6, 0, 0, 0],
            [6, 0, 0, 0],
            [6, 0, 0, 0],
            [6, 0, 0, 0],
            [6, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
        ],
        [
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [6, 0, 0, 0],
            [0, 6, 0, 0],
        ],
        [
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [1, 0, 0, 0],
            [0, 1, 0, 0],
            [0, 0, 1, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
            [0, 0, 0, 0],
        ],
    ),
)
W_O: Matrix = [  # 12 x 8
    [1, 0, 0, 0, 0, 0, 0, 0],  # meaning: alive, thing, pronoun, said
    [0, 1, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 1, 0, 0, 0],
    [0, 0, 0.5, 0.5, 0, 0, 0, 0],
    [0, 0, 0.5, 0.5, 0, 0, 0, 0],  # previous: noun, said, pronoun, filler
    [0, 0, 0.5, 0.5, 0, 0, 0, 0],
    [0, 0, 0, 0, 0.5, 0, 0, 0],
    [0, 0, 0, 0, 0, 0.5, 0, 0],
    [0, 0, 1, 0, 0, 0, 0, 0],  # sink: of alive, of thing, pronoun, -
    [0, 0, 0, 1, 0, 0, 0, 0],
    [0, 0, 0, 0, 1, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 0],
]

# The computation ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attention:
    """Everything that one head works out for one sentence under one mask; the first index is the asking token."""

    x: Matrix
    q: Matrix
    k: Matrix
    v: Matrix
    terms: list[Matrix]  # the terms of every q·k
    products: Matrix
    scores: Matrix  # before the mask
    exps: list[Hidden]
    sums: Vector
    weights: list[Hidden]
    weighted: list[list[Vector | None]]  # each value times its weight
    out: Matrix


@dataclass(frozen=True)
class Row:
    """The same for one asking token; `keys` and `values` are those of all tokens."""

    token: int
    tokens: list[str]
    x: Vector
    query: Vector
    keys: Matrix
    values: Matrix
    terms: Matrix
    products: Vector
    scores: Vector
    exps: Hidden
    total: float
    weights: Hidden
    weighted: list[Vector | None]
    out: Vector
    glued: Vector
    final: Vector

    @property
    def seen(self) -> Vector:
        """The weights that are not masked."""
        return visible(self.weights)

    @property
    def order(self) -> list[int]:
        """The visible positions from the largest weight down, equal ones from left to right."""
        rest = [(-weight, j) for j, weight in enumerate(self.weights) if weight is not None and j not in self.largest]
        return self.largest + [j for _, j in sorted(rest)]

    @property
    def largest(self) -> list[int]:
        """The positions that share the largest weight."""
        top = max(self.seen)
        return [j for j, weight in enumerate(self.weights) if weight is not None and weight >= top - SAME]


def visible(numbers: Sequence[float | None]) -> Vector:
    """Those that are not masked."""
    return [number for number in numbers if number is not None]


def _number(value: float | None) -> float:
    assert value is not None
    return value


def times(a: Matrix, b: Matrix) -> Matrix:
    """The product of two matrices."""
    product = []
    for row in a:
        entries = []
        for column in range(len(b[0])):
            total = 0.0
            for i in range(len(b)):
                total += row[i] * b[i][column]
            entries.append(total)
        product.append(entries)
    return product


def attend(x: Matrix, w_q: Matrix, w_k: Matrix, w_v: Matrix, masked: bool) -> Attention:
    """One head over the rows of x; with `masked` a token looks only at itself and at those before it."""
    q, k, v = times(x, w_q), times(x, w_k), times(x, w_v)
    n, size = len(x), len(w_q[0])
    terms: list[Matrix] = []
    products: Matrix = []
    scores: Matrix = []
    exps: list[Hidden] = []
    sums: Vector = []
    weights: list[Hidden] = []
    weighted: list[list[Vector | None]] = []
    out: Matrix = []
    for i in range(n):
        terms.append([[q[i][c] * k[j][c] for c in range(size)] for j in range(n)])
        products.append([sum(terms[i][j]) for j in range(n)])
        scores.append([products[i][j] / math.sqrt(size) for j in range(n)])
        open_keys = [j for j in range(n) if j <= i or not masked]
        exps.append([math.exp(scores[i][j]) if j in open_keys else None for j in range(n)])
        sums.append(sum(visible(exps[i])))
        weights.append([None if e is None else e / sums[i] for e in exps[i]])
        weighted.append([None if w is None else [w * number for number in v[j]] for j, w in enumerate(weights[i])])
        total = [0.0] * len(v[0])
        for part in weighted[i]:
            if part is not None:
                total = [a + b for a, b in zip(total, part, strict=True)]
        out.append(total)
    return Attention(x, q, k, v, terms, products, scores, exps, sums, weights, weighted, out)


class Reference:
    """The model in every state. Sentences are named by their last word, masks "on" and "off", heads by name,
    tokens by word where it stands once, or by position from 0."""

    def __init__(
        self,
        sentences: dict[str, list[str]] = SENTENCES,
        words: dict[str, Vector] = WORDS,
        clock: Matrix = CLOCK,
        heads: Sequence[Head] = HEADS,
        w_o: Matrix = W_O,
    ) -> None:
        self.sentences, self.words, self.clock, self.heads, self.w_o = sentences, words, clock, heads, w_o
        self._known: dict[tuple[str, str, str], Attention] = {}

    def embed(self, sentence: str) -> Matrix:
        """The vectors of a sentence: each word's numbers, then its position's clock hand."""
        return [[*self.words[word], *self.clock[p]] for p, word in enumerate(self.sentences[sentence])]

    def attention(self, sentence: str, mask: str, head: str) -> Attention:
        key = (sentence, mask, head)
        if key not in self._known:
            one = next(one for one in self.heads if one.name == head)
            masked = MASKS.index(mask) == 0
            self._known[key] = attend(self.embed(sentence), one.w_q, one.w_k, one.w_v, masked)
        return self._known[key]

    def glued(self, sentence: str, mask: str) -> Matrix:
        """The outputs of all heads side by side."""
        outs = [self.attention(sentence, mask, head.name).out for head in self.heads]
        return [[number for out in outs for number in out[i]] for i in range(len(outs[0]))]

    def final(self, sentence: str, mask: str) -> Matrix:
        """The same, mixed by W_O."""
        return times(self.glued(sentence, mask), self.w_o)

    def position(self, sentence: str, token: str | int) -> int:
        if isinstance(token, int):
            return token
        places = [p for p, word in enumerate(self.sentences[sentence]) if word == token]
        if len(places) != 1:
            raise LookupError(f"{token!r} stands {len(places)} times in {sentence!r}")
        return places[0]

    def row(self, sentence: str, mask: str, head: str, token: str | int) -> Row:
        """What one asking token does in one state."""
        all_rows, i = self.attention(sentence, mask, head), self.position(sentence, token)
        return Row(
            i,
            self.sentences[sentence],
            all_rows.x[i],
            all_rows.q[i],
            all_rows.k,
            all_rows.v,
            all_rows.terms[i],
            all_rows.products[i],
            all_rows.scores[i],
            all_rows.exps[i],
            all_rows.sums[i],
            all_rows.weights[i],
            all_rows.weighted[i],
            all_rows.out[i],
            self.glued(sentence, mask)[i],
            self.final(sentence, mask)[i],
        )

    def weight(self, sentence: str, mask: str, head: str, asker: str | int, key: str | int) -> float:
        """A weight that is not masked."""
        return _number(self.row(sentence, mask, head, asker).weights[self.position(sentence, key)])


# How a reader expects a number to be written ----------------------------------------------------------------------

MASKED = "masked"
_RAISED = dict(zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))


def _decimals(value: float, places: int) -> Decimal:
    """Rounded as with pencil and paper: half away from zero, on the digits as they are written."""
    return Decimal(repr(float(value))).quantize(Decimal((0, (1,), -places)), ROUND_HALF_UP)


def _signed(rounded: Decimal) -> str:
    return f"{rounded:f}".replace("-", "−")


def _scientific(value: float, digits: int) -> str:
    """1.2×10⁻⁴"""
    rounded = Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(repr(float(value)))
    power = rounded.adjusted()
    mantissa = rounded.scaleb(-power).quantize(Decimal((0, (1,), 1 - digits)))
    return f"{_signed(mantissa)}×10{''.join(_RAISED[sign] for sign in str(power))}"


def percent(weight: float | None) -> str:
    """A weight in a sentence: 94.3%"""
    if weight is None:
        return MASKED
    if weight == 1:
        return "100%"
    if weight >= 0.9995:
        return ">99.9%"
    if weight < 0.0005:
        return "<0.1%"
    return f"{_decimals(weight, 3) * 100:.1f}%"


def weight3(weight: float | None) -> str:
    """A weight in a table: 0.943"""
    if weight is None:
        return MASKED
    if weight == 1:
        return "1.000"
    if weight >= 0.9995:
        return ">0.999"
    if weight < 0.0005:
        return "<0.001"
    return str(_decimals(weight, 3))


def cell(weight: float | None) -> str:
    """A weight in a small cell: .94; a masked cell is empty."""
    if weight is None:
        return ""
    if weight == 1:
        return "1"
    if weight >= 0.995:
        return ">.99"
    if weight < 0.005:
        return "<.01"
    return str(_decimals(weight, 2)).removeprefix("0")


def number(value: float | None) -> str:
    """A score, or a number of a vector: 5, 2.5, 0.87, −3, 1.2×10⁻⁴"""
    if value is None:
        return MASKED
    if value == 0:
        return "0"
    if abs(value) < 0.005:
        return _scientific(value, 2)
    text = _signed(_decimals(value, 2))
    while text[-1] == "0":
        text = text[:-1]
    return text.removesuffix(".")


def three(value: float | None) -> str:
    """A number handed over or put out: 0.943, 0, 1.1×10⁻⁴"""
    if value is None:
        return MASKED
    if value == 0:
        return "0"
    if abs(value) < 0.0005:
        return _scientific(value, 2)
    return _signed(_decimals(value, 3))


def exp4(value: float | None) -> str:
    """e^score in four digits: 1, 7.389, 148.4, 8.775×10¹⁰"""
    if value is None:
        return MASKED
    if value == 1:
        return "1"
    rounded = Context(prec=4, rounding=ROUND_HALF_UP).create_decimal(repr(float(value)))
    if not -3 <= rounded.adjusted() < 6:
        return _scientific(value, 4)
    return f"{rounded.quantize(Decimal((0, (1,), min(rounded.adjusted() - 3, 0))), ROUND_HALF_UP):f}"


FORMATS = {"percent": percent, "weight3": weight3, "cell": cell, "number": number, "three": three, "exp4": exp4}
