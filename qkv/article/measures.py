"""What expressions may ask of the traces, from one state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qkv.errors import did_you_mean, quoted
from qkv.model.attention import Array
from qkv.model.states import MASKS, State
from qkv.model.traces import TIE, Traces


class Unknown(Exception):
    """A name in an expression that is not there: what is wrong, and what to do."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.problem, self.fix = problem, fix


class Ambiguous(Unknown):
    """An expression that has no single answer, such as the top of a tie."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(f"ambiguous: {problem}", fix)


class Masked(float):
    """A weight that the mask hides: it counts as 0, and is written as a word, even after it was scaled or rounded."""

    word: str

    def __new__(cls, word: str) -> Masked:
        made = super().__new__(cls)
        made.word = word
        return made

    def __str__(self) -> str:
        return self.word

    def __format__(self, _: str) -> str:
        return self.word

    def _same(self, *_: Any) -> Any:
        return self

    __mul__ = __rmul__ = __truediv__ = __round__ = __abs__ = __neg__ = __pos__ = _same


@dataclass(frozen=True)
class Facts:
    """What expressions may ask of the traces, from one state; docs/writing.md lists it for authors.

    A token is its word, "last" or its position from 0; lists hold one number for each token or slot. What is not there
    is Unknown, what has several answers Ambiguous.
    """

    traces: Traces
    state: State
    masked: str  # the word for a masked weight

    # naming

    def pinned(self, sentence: str = "", mask: str = "", head: str = "") -> Facts:
        """The same from another state; raises Unknown for a name that is not there."""
        state = self.state
        if sentence:
            state = replace(state, sentence=self.find("sentence", sentence))
        if mask:
            state = replace(state, mask=self.find("mask", mask))
        if head:
            state = replace(state, head=self.find("head", head))
        return replace(self, state=state)

    def find(self, what: str, name: str) -> int:
        names = {
            "sentence": [s.id for s in self.traces.toy.sentences],
            "mask": list(MASKS),
            "head": [h.name for h in self.traces.toy.heads],
        }[what]
        if name not in names:
            raise Unknown(f"there is no {what} {quoted(name)}", did_you_mean(str(name), names))
        return names.index(name)

    def token(self, name: str | int) -> int:
        """The position of a token: "last", a word that stands once, or a position from 0."""
        tokens = self.traces.toy.sentences[self.state.sentence].tokens
        if name == "last" and "last" not in tokens:
            return len(tokens) - 1
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise Unknown(f"{quoted(name)} is not a token", "name a token by its word in quotes, or by its position")
        if isinstance(name, int) or (is_position(name) and name not in tokens):
            if not 0 <= int(name) < len(tokens):
                raise Unknown(
                    f"there is no token at position {quoted(int(name))}", f"give one from 0 to {len(tokens) - 1}"
                )
            return int(name)
        places = [i for i, token in enumerate(tokens) if token == name]
        if not places:
            raise Unknown(
                f"there is no token {quoted(name)} in {' '.join(tokens)!r}", did_you_mean(name, (*tokens, "last"))
            )
        if len(places) > 1:
            stands = " and ".join(map(str, places))
            raise Ambiguous(f"the token {name!r} stands at the positions {stands}", "name it by its position")
        return places[0]

    # one variant

    @property
    def result(self) -> Any:
        return self.traces.results[self.state.sentence, self.state.mask]

    def of(self, name: str) -> Array:
        """One array of this head."""
        return np.asarray(getattr(self.result, name)[self.state.head])

    def row(self, asker: str | int) -> list[float]:
        """The weights that a token gives to those it can see: as many, adding up to 1."""
        i = self.token(asker)
        weights = self.of("weights")[i]
        return [float(w) for w in (weights[: i + 1] if self.state.mask == 0 else weights)]

    def weight(self, asker: str | int, key: str | int) -> float:
        """The weight, 0 to 1, that the first gives to the second; where it is masked it counts as 0."""
        i, j = self.token(asker), self.token(key)
        return Masked(self.masked) if self.state.mask == 0 and j > i else float(self.of("weights")[i, j])

    def score(self, asker: str | int, key: str | int) -> float:
        """The score, before the mask and softmax: q . k / sqrt(d)."""
        return float(self.of("scores")[self.token(asker), self.token(key)])

    def vector(self, token: str | int) -> list[float]:
        """Its own vector: word features, then the two clock numbers."""
        return [
            float(v)
            for v in self.traces.toy.embed(self.traces.toy.sentences[self.state.sentence].tokens)[self.token(token)]
        ]

    def query(self, token: str | int) -> list[float]:
        """Its query in this head, `size` numbers; key(), value() and out() as many."""
        return [float(v) for v in self.of("q")[self.token(token)]]

    def key(self, token: str | int) -> list[float]:
        """Its key in this head."""
        return [float(v) for v in self.of("k")[self.token(token)]]

    def value(self, token: str | int) -> list[float]:
        """Its value in this head, before any weight."""
        return [float(v) for v in self.of("v")[self.token(token)]]

    def out(self, token: str | int) -> list[float]:
        """The output of this head for it: the values, weighted and added up."""
        return [float(v) for v in self.of("out")[self.token(token)]]

    def final(self, token: str | int) -> list[float]:
        """The glued outputs of all heads times W_O: a number for each feature."""
        return [float(v) for v in self.result.final[self.token(token)]]

    def tops(self, asker: str | int) -> list[str]:
        """The tokens that share the largest weight of a row."""
        row = self.row(asker)
        tokens = self.traces.toy.sentences[self.state.sentence].tokens
        return [tokens[j] for j, weight in enumerate(row) if weight >= max(row) - TIE]

    def top(self, asker: str | int) -> str:
        """The token with the largest weight of a row; an error if several share it."""
        tops = self.tops(asker)
        if len(tops) > 1:
            raise Ambiguous(
                f"{asker!r} gives {' and '.join(map(repr, tops))} the same weight, none is the top",
                f"ask for tops({asker!r})",
            )
        return tops[0]

    def next(self, asker: str | int) -> float:
        """The largest weight of a row that is not at its top; 0 if there is none."""
        row = self.row(asker)
        return max((w for w in row if w < max(row) - TIE), default=0.0)

    def positive(self, asker: str | int) -> list[str]:
        """The tokens whose key scores above 0."""
        tokens = self.traces.toy.sentences[self.state.sentence].tokens
        return [tokens[j] for j, score in enumerate(self.of("scores")[self.token(asker)]) if score > 0]

    def ever_changes(self, token: str | int) -> bool:
        """Whether a token's row of weights differs between the first two sentences in any head, mask on or off."""
        i = self.token(token)
        ids = [s.id for s in self.traces.toy.sentences]
        return any(
            float(np.abs(a.of("weights")[i] - b.of("weights")[i]).max()) > TIE
            for mask in MASKS
            for head in self.traces.toy.heads
            for a, b in [(self.pinned(ids[0], mask, head.name), self.pinned(ids[1], mask, head.name))]
        )

    def matching(self, asker: str | int) -> list[str]:
        """The tokens whose key has a number where the query of the asking token has one."""
        tokens = self.traces.toy.sentences[self.state.sentence].tokens
        return [tokens[j] for j, terms in enumerate(self.of("terms")[self.token(asker)]) if terms.any()]

    def scores(self) -> list[float]:
        """All different scores of this head, rounded."""
        return sorted({round(float(v), 9) + 0.0 for v in self.of("scores").ravel()})

    def visible(self) -> int:
        """How many cells of the table are not masked."""
        return sum(len(self.row(i)) for i in range(self.n()))

    def n(self) -> int:
        """How many tokens the sentence has."""
        return len(self.traces.toy.sentences[self.state.sentence].tokens)

    # all rows of one variant

    def row_error(self) -> float:
        """How far the sum of any row is from 1."""
        return max(abs(sum(self.row(i)) - 1) for i in range(self.n()))

    def smallest(self) -> float:
        """The smallest weight that is not masked."""
        return min(min(self.row(i)) for i in range(self.n()))

    def masked_sum(self) -> float:
        """All masked weights added up; nothing is masked with the mask off."""
        return float(np.abs(np.triu(self.of("weights"), 1)).sum()) if self.state.mask == 0 else 0.0

    def cut_error(self) -> float:
        """How far a masked row is from the open row cut off and rescaled."""
        closed, opened = self.pinned(mask="on").of("weights"), self.pinned(mask="off").of("weights")
        cut = np.tril(opened)
        return float(np.abs(closed - cut / cut.sum(axis=1, keepdims=True)).max())

    def top_two(self) -> float:
        """The smallest share that the two largest weights of a row hold."""
        return min(sum(sorted(self.row(i))[-2:]) for i in range(self.n()))

    def on_previous(self) -> float:
        """The smallest weight on the token before, over all rows that have one."""
        return min(float(self.of("weights")[i, i - 1]) for i in range(1, self.n()))

    def beside_previous(self) -> float:
        """The largest weight elsewhere, over the same rows."""
        weights = self.of("weights").copy()
        for i in range(1, self.n()):
            weights[i, i - 1] = 0
        return float(weights[1:].max())

    def on_first(self) -> float:
        """The smallest weight on the first token."""
        return float(self.of("weights")[:, 0].min())

    def handed_over(self) -> float:
        """The largest number that any row takes from the value of the first token."""
        return float(np.abs(self.of("weighted")[:, 0]).max())

    # between variants

    def changed(self, one: str = "", other: str = "", what: str = "weights") -> list[str]:
        """The tokens whose row differs between two sentences (the first two): of the weights, or of out.

        Named as in the first of the two; raises Unknown unless they are equally long.
        """
        ids = [s.id for s in self.traces.toy.sentences]
        a, b = self.pinned(sentence=one or ids[0]), self.pinned(sentence=other or ids[1])
        tokens = self.traces.toy.sentences[a.state.sentence].tokens
        if a.n() != b.n():
            raise Unknown("changed() compares two sentences of different lengths", "name two that are equally long")
        if what not in ("weights", "out"):
            raise Unknown(f"changed() cannot compare {quoted(what)}", did_you_mean(str(what), ("weights", "out")))
        return [tokens[i] for i in range(a.n()) if np.abs(a.of(what)[i] - b.of(what)[i]).max() > TIE]

    def apart(self) -> float:
        """The smallest of the largest differences between any two heads' tables; 0 for a single head."""
        tables = self.result.weights
        apart = [float(np.abs(a - b).max()) for i, a in enumerate(tables) for b in tables[:i]]
        return min(apart, default=0.0)

    def mixed(self) -> int:
        """How many heads W_O mixes into the output."""
        blocks = np.split(self.traces.toy.w_o, len(self.traces.toy.heads))
        return sum(bool(block.any()) for block in blocks)


ASKS = (
    "row",
    "weight",
    "score",
    "vector",
    "query",
    "key",
    "value",
    "out",
    "final",
    "tops",
    "top",
    "next",
    "matching",
    "positive",
    "ever_changes",
    "scores",
    "visible",
    "n",
    "row_error",
    "smallest",
    "masked_sum",
    "cut_error",
    "top_two",
    "on_previous",
    "beside_previous",
    "on_first",
    "handed_over",
    "changed",
    "apart",
    "mixed",
)


def is_position(name: str) -> bool:
    """Whether a token is named by its position. (² is a digit too, and int() takes no more than 4300 of them.)"""
    return len(name) <= 9 and name.isascii() and name.isdigit()
