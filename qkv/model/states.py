"""A state is a choice on named axes: which sentence, which mask, which head, which asking token.

Each source of attention declares its own axes; nothing else in the package knows how many there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """Something to choose on an axis: `id` names it in links, `text` on controls."""

    id: str
    text: str


@dataclass(frozen=True)
class Axis:
    """A named part of a state. One that lies `within` another has a list of options for each option of that one."""

    name: str
    lists: tuple[tuple[Option, ...], ...]
    within: str = ""

    def options(self, state: State) -> tuple[Option, ...]:
        """What can be chosen in a state."""
        return self.lists[state[self.within] if self.within else 0]

    @property
    def longest(self) -> int:
        """The number of options where there are most."""
        return max(map(len, self.lists))

    @property
    def ids(self) -> list[str]:
        """The ids of an axis that lies within none."""
        return [option.id for option in self.lists[0]]


@dataclass(frozen=True)
class State:
    """Indexes of options, in the order of the axes."""

    axes: tuple[str, ...]
    indexes: tuple[int, ...]

    def __getitem__(self, axis: str) -> int:
        return self.indexes[self.axes.index(axis)]

    def choose(self, choices: Mapping[str, int]) -> State:
        """The same but for these choices; an axis that this state does not have is a KeyError."""
        indexes = list(self.indexes)
        for axis, index in choices.items():
            if axis not in self.axes:
                raise KeyError(axis)
            indexes[self.axes.index(axis)] = index
        return State(self.axes, tuple(indexes))
