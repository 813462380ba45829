"""A source of attention: sentences, the axes along which there are variants, and arrays for each of them.

The toy model is one, captured weights of a real model can be another. Figures, claims and links ask it for arrays and
axes and know nothing else of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from operator import le
from typing import Any

from qkv.errors import Place
from qkv.model.attention import Array, Bools
from qkv.model.masks import Mask
from qkv.model.states import Axis, Option, State

AXES = ("sentence", "token")  # that every source has; its "weights" do not depend on the asking token
ARRAYS = ("tokens", "weights")  # that every source has


@dataclass(frozen=True)
class Sentence:
    """One sentence with its switch set: `id` names it in links, `switch` is the position that the choice fills.

    Sentences of one `entry` differ in their choice alone.
    """

    id: str
    entry: int
    tokens: tuple[str, ...]
    switch: int | None
    choice: str


@dataclass(frozen=True)
class Source:
    """All variants of attention over some sentences.

    `arrays` are nested lists as pages ship them: doubles of ten significant digits, None where a mask hides a token.
    `dims` names for each array the axes that are its first indexes; what follows these is up to the array: "tokens" are
    (n,) texts, "weights" (n, n), the first n asking. `values` are the same arrays in full doubles, for those that
    expressions ask for; there a masked weight is 0. Without what every source has it is a ValueError.
    """

    axes: tuple[Axis, ...]
    sentences: tuple[Sentence, ...]
    masks: tuple[Mask, ...]  # the options of the axis "mask", or the one that always holds
    arrays: dict[str, Any] = field(repr=False)
    dims: dict[str, tuple[str, ...]]
    values: dict[str, Any] = field(repr=False)
    place: Place  # where the sentences are written, for what is wrong with them

    def __post_init__(self) -> None:
        lacking = [name for name in AXES if name not in self.axis] + [n for n in ARRAYS if n not in self.arrays]
        lacking += [] if "weights" in self.values else ["values of its weights"]
        lacking += [] if self.masks else ["a mask"]
        if lacking:
            raise ValueError(f"a source of attention lacks {', '.join(lacking)}")

    # axes and states

    @cached_property
    def axis(self) -> dict[str, Axis]:
        """The axes by name."""
        return {axis.name: axis for axis in self.axes}

    @cached_property
    def first(self) -> State:
        """The state with the first option on every axis."""
        return State(tuple(axis.name for axis in self.axes), (0,) * len(self.axes))

    def state(self, choices: Mapping[str, int]) -> State:
        """The first state but for these choices."""
        return self.first.choose(choices)

    def fit(self, state: State) -> State:
        """The same state, with the last option where an axis has fewer here than the index asks for."""
        ends = [len(axis.options(state)) - 1 for axis in self.axes]
        if all(map(le, state.indexes, ends)):
            return state
        return State(state.axes, tuple(map(min, state.indexes, ends)))

    @cached_property
    def states(self) -> tuple[State, ...]:
        """Every state a reader can reach."""
        every = (self.state(dict(zip(self.first.axes, at, strict=True))) for at in product(*self._ranges))
        return tuple(state for state in every if self.fit(state) == state)

    def number(self, state: State) -> int:
        """One number for a state: its indexes in mixed radix. The browser counts the same way."""
        found = 0
        for index, choices in zip(state.indexes, self._ranges, strict=True):
            found = found * len(choices) + index
        return found

    def option(self, state: State, name: str) -> Option:
        """What a state has chosen on an axis."""
        return self.axis[name].options(state)[state[name]]

    @cached_property
    def _ranges(self) -> tuple[range, ...]:
        return tuple(range(axis.longest) for axis in self.axes)

    # what a state shows

    def sentence(self, state: State) -> Sentence:
        return self.sentences[state["sentence"]]

    def mask(self, state: State) -> Mask:
        return self.masks[state["mask"] if "mask" in state.axes else 0]

    def sees(self, state: State) -> Bools:
        """(n, n): what each token may look at."""
        return self.mask(state).matrix(len(self.sentence(state).tokens))

    def array(self, name: str, state: State) -> Any:
        """An array as pages ship it."""
        return self._find(self.arrays, name, state)

    def value(self, name: str, state: State) -> Array:
        """An array in full doubles."""
        found: Array = self._find(self.values, name, state)
        return found

    def _find(self, arrays: dict[str, Any], name: str, state: State) -> Any:
        found = arrays[name]
        for place in self._leading[name]:
            found = found[state.indexes[place]]
        return found

    @cached_property
    def _leading(self) -> dict[str, tuple[int, ...]]:
        """`dims`, by the places of the axes in a state."""
        return {name: tuple(self.first.axes.index(axis) for axis in leading) for name, leading in self.dims.items()}

    # sizes

    @property
    def longest(self) -> int:
        """The number of tokens of the longest sentence: figures are that high."""
        return max(len(sentence.tokens) for sentence in self.sentences)

    @property
    def cells(self) -> int:
        """The number of weights in all tables."""
        tables = 1
        for axis in self.axes:
            if axis.name in self.dims["weights"] and axis.name != "sentence":
                tables *= axis.longest
        return tables * sum(len(sentence.tokens) ** 2 for sentence in self.sentences)

    @property
    def numbers(self) -> int:
        """How many numbers the arrays hold."""
        return sum(map(_count, self.arrays.values()))


def sentence_axis(sentences: tuple[Sentence, ...]) -> Axis:
    return Axis("sentence", (tuple(Option(sentence.id, " ".join(sentence.tokens)) for sentence in sentences),))


def token_axis(sentences: tuple[Sentence, ...]) -> Axis:
    """The asking token, named in links by its position, since a word can stand twice."""
    lists = (tuple(Option(str(i), token) for i, token in enumerate(sentence.tokens)) for sentence in sentences)
    return Axis("token", tuple(lists), within="sentence")


def _count(values: Any) -> int:
    """How many entries nested lists hold."""
    return sum(map(_count, values)) if isinstance(values, list) else 1
