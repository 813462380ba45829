"""What expressions may ask of a source of attention, from one state.

A measure is a method with the decorator `measure`, which names the arrays and axes that it needs. Its docstring begins
with the sentence that documents it for authors.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from qkv.article.answers import Ambiguous, Masked, Unknown, is_position
from qkv.errors import did_you_mean, quoted
from qkv.model.attention import Array
from qkv.model.rows import TIE
from qkv.model.source import Source
from qkv.model.states import State

Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True)
class Measure:
    """A function of expressions: the arrays and axes it needs, how it is called, and the sentence that documents it."""

    needs: tuple[str, ...]
    signature: inspect.Signature
    sentence: str


MEASURES: dict[str, Measure] = {}


def measure(*needs: str) -> Callable[[Method], Method]:
    """Registers a method of Measures as a function that expressions may call."""

    def register(method: Method) -> Method:
        sentence = (inspect.getdoc(method) or "").partition("\n")[0]
        MEASURES[method.__name__] = Measure(needs, inspect.signature(method), sentence)
        return method

    return register


@dataclass(frozen=True)
class Measures:
    """The measures as seen from one state.

    A token is its word, "last" or its position from 0; lists hold one number for each token or slot. What is not there
    is Unknown, what has several answers Ambiguous.
    """

    source: Source
    state: State
    masked: str  # the word for a masked weight

    # naming

    def pinned(self, pins: Mapping[str, Any]) -> Measures:
        """The same with other options on some axes, by their ids; raises Unknown for one that is not there."""
        state = self.state
        for name, axis in self.source.axis.items():
            if name in pins:
                ids = [option.id for option in axis.options(state)]
                if pins[name] not in ids:
                    raise Unknown(f"there is no {name} {quoted(pins[name])}", did_you_mean(str(pins[name]), ids))
                state = state.choose({name: ids.index(pins[name])})
        return replace(self, state=state)

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.source.sentence(self.state).tokens

    def token(self, name: str | int) -> int:
        """The position of a token: "last", a word that stands once, or a position from 0."""
        tokens = self.tokens
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

    def of(self, name: str) -> Array:
        """An array of this state in full doubles."""
        return self.source.value(name, self.state)

    def seen(self, i: int) -> tuple[int, ...]:
        """The positions that a token may look at."""
        return self.source.mask(self.state).seen(self.n())[i]

    @measure("weights")
    def row(self, asker: str | int) -> list[float]:
        """The weights that a token gives to those it can see: as many, adding up to 1."""
        i = self.token(asker)
        weights = self.of("weights")[i]
        return [float(weights[j]) for j in self.seen(i)]

    @measure("weights")
    def weight(self, asker: str | int, key: str | int) -> float:
        """The weight, 0 to 1, that the first gives to the second; where it is masked it counts as 0."""
        i, j = self.token(asker), self.token(key)
        return float(self.of("weights")[i, j]) if j in self.seen(i) else Masked(self.masked)

    @measure("scores")
    def score(self, asker: str | int, key: str | int) -> float:
        """The score, before the mask and softmax: q . k / sqrt(d)."""
        return float(self.of("scores")[self.token(asker), self.token(key)])

    @measure("x")
    def vector(self, token: str | int) -> list[float]:
        """Its own vector: word features, then the two clock numbers."""
        return [float(v) for v in self.of("x")[self.token(token)]]

    @measure("q")
    def query(self, token: str | int) -> list[float]:
        """Its query in this head, `size` numbers; key(), value() and out() as many."""
        return [float(v) for v in self.of("q")[self.token(token)]]

    @measure("k")
    def key(self, token: str | int) -> list[float]:
        """Its key in this head."""
        return [float(v) for v in self.of("k")[self.token(token)]]

    @measure("v")
    def value(self, token: str | int) -> list[float]:
        """Its value in this head, before any weight."""
        return [float(v) for v in self.of("v")[self.token(token)]]

    @measure("out")
    def out(self, token: str | int) -> list[float]:
        """The output of this head for it: the values, weighted and added up."""
        return [float(v) for v in self.of("out")[self.token(token)]]

    @measure("final")
    def final(self, token: str | int) -> list[float]:
        """The glued outputs of all heads times W_O: a number for each feature."""
        return [float(v) for v in self.of("final")[self.token(token)]]

    @measure("weights")
    def tops(self, asker: str | int) -> list[str]:
        """The tokens that share the largest weight of a row."""
        row = self.row(asker)
        seen = zip(self.seen(self.token(asker)), row, strict=True)
        return [self.tokens[j] for j, weight in seen if weight >= max(row) - TIE]

    @measure("weights")
    def top(self, asker: str | int) -> str:
        """The token with the largest weight of a row; an error if several share it."""
        tops = self.tops(asker)
        if len(tops) > 1:
            raise Ambiguous(
                f"{asker!r} gives {' and '.join(map(repr, tops))} the same weight, none is the top",
                f"ask for tops({asker!r})",
            )
        return tops[0]

    @measure("weights")
    def next(self, asker: str | int) -> float:
        """The largest weight of a row that is not at its top; 0 if there is none."""
        row = self.row(asker)
        return max((w for w in row if w < max(row) - TIE), default=0.0)

    @measure("scores")
    def positive(self, asker: str | int) -> list[str]:
        """The tokens whose key scores above 0."""
        return [self.tokens[j] for j, score in enumerate(self.of("scores")[self.token(asker)]) if score > 0]

    @measure("weights")
    def ever_changes(self, token: str | int) -> bool:
        """Whether a token's row of weights differs between the first two sentences in any head, mask on or off."""
        i = self.token(token)
        one, other = (
            [self.source.value("weights", state) for state in self.source.states if state["sentence"] == sentence]
            for sentence in (0, 1)
        )
        return any(float(np.abs(a[i] - b[i]).max()) > TIE for a, b in zip(one, other, strict=True))

    @measure("terms")
    def matching(self, asker: str | int) -> list[str]:
        """The tokens whose key has a number where the query of the asking token has one."""
        return [self.tokens[j] for j, terms in enumerate(self.of("terms")[self.token(asker)]) if terms.any()]

    @measure("scores")
    def scores(self) -> list[float]:
        """All different scores of this head, rounded."""
        return sorted({round(float(v), 9) + 0.0 for v in self.of("scores").ravel()})

    @measure("weights")
    def visible(self) -> int:
        """How many cells of the table are not masked."""
        return sum(len(self.row(i)) for i in range(self.n()))

    @measure("tokens")
    def n(self) -> int:
        """How many tokens the sentence has."""
        return len(self.tokens)

    # all rows of one variant

    @measure("weights")
    def row_error(self) -> float:
        """How far the sum of any row is from 1."""
        return max(abs(sum(self.row(i)) - 1) for i in range(self.n()))

    @measure("weights")
    def smallest(self) -> float:
        """The smallest weight that is not masked."""
        return min(min(self.row(i)) for i in range(self.n()))

    @measure("weights")
    def masked_sum(self) -> float:
        """All masked weights added up; nothing is masked with the mask off."""
        return float(np.abs(self.of("weights")[~self.source.sees(self.state)]).sum())

    @measure("weights", "mask")
    def cut_error(self) -> float:
        """How far a masked row is from the open row cut off and rescaled."""
        closed, opened = self.pinned({"mask": "on"}), self.pinned({"mask": "off"}).of("weights")
        cut = np.where(self.source.sees(closed.state), opened, 0)
        return float(np.abs(closed.of("weights") - cut / cut.sum(axis=1, keepdims=True)).max())

    @measure("weights")
    def top_two(self) -> float:
        """The smallest share that the two largest weights of a row hold."""
        return min(sum(sorted(self.row(i))[-2:]) for i in range(self.n()))

    @measure("weights")
    def on_previous(self) -> float:
        """The smallest weight on the token before, over all rows that have one."""
        return min(float(self.of("weights")[i, i - 1]) for i in range(1, self.n()))

    @measure("weights")
    def beside_previous(self) -> float:
        """The largest weight elsewhere, over the same rows."""
        weights = self.of("weights").copy()
        for i in range(1, self.n()):
            weights[i, i - 1] = 0
        return float(weights[1:].max())

    @measure("weights")
    def on_first(self) -> float:
        """The smallest weight on the first token."""
        return float(self.of("weights")[:, 0].min())

    @measure("weighted")
    def handed_over(self) -> float:
        """The largest number that any row takes from the value of the first token."""
        return float(np.abs(self.of("weighted")[:, 0]).max())

    # between variants

    @measure("weights")
    def changed(self, one: str = "", other: str = "", what: str = "weights") -> list[str]:
        """The tokens whose row differs between two sentences (the first two): of the weights, or of out.

        Named as in the first of the two; raises Unknown unless they are equally long.
        """
        ids = self.source.axis["sentence"].ids
        if len(ids) < 2:
            raise Unknown("changed() compares two sentences, and there is one", "ask for something else")
        a, b = self.pinned({"sentence": one or ids[0]}), self.pinned({"sentence": other or ids[1]})
        if a.n() != b.n():
            raise Unknown("changed() compares two sentences of different lengths", "name two that are equally long")
        if what not in ("weights", "out"):
            raise Unknown(f"changed() cannot compare {quoted(what)}", did_you_mean(str(what), ("weights", "out")))
        if what not in self.source.values:
            raise Unknown(f"changed() needs {what}, which this source does not have", "compare the weights")
        return [a.tokens[i] for i in range(a.n()) if np.abs(a.of(what)[i] - b.of(what)[i]).max() > TIE]

    @measure("weights", "head")
    def apart(self) -> float:
        """The smallest of the largest differences between any two heads' tables; 0 for a single head."""
        tables = [self.pinned({"head": head}).of("weights") for head in self.source.axis["head"].ids]
        apart = [float(np.abs(a - b).max()) for i, a in enumerate(tables) for b in tables[:i]]
        return min(apart, default=0.0)

    @measure("w_o", "head")
    def mixed(self) -> int:
        """How many heads W_O mixes into the output."""
        blocks = np.split(self.of("w_o"), len(self.source.axis["head"].ids))
        return sum(bool(block.any()) for block in blocks)
