"""What a setting may be, declared as data: texts, numbers, lists and tables, with their limits.

A shape says how messages call a value of its kind (`must be {said}`) and what they advise to write (`fix`, in which
{key} stands for the setting's name). `qkv.content.settings` holds the values of a file against them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

EMPTY = object()  # the default of a setting that declares none: what is empty in its shape


@dataclass(frozen=True)
class Limits:
    """From `low` to `high`, both included. In a message {n} is the value or count, {s} its plural."""

    what: str  # as docs/writing.md lists it under its limits
    low: float
    high: float
    problem: str
    below: tuple[str, str]  # why there are none below (for {why}), and what to do
    above: tuple[str, str]
    whole: bool = False  # says the same of a value that is no whole number

    @property
    def both(self) -> tuple[float, float]:
        return self.low, self.high

    def fit(self, value: float) -> bool:
        return self.low <= value <= self.high

    def refuse(self, value: Any, shown: str) -> tuple[str, str]:
        """What to say of a value that does not fit, and what to do."""
        small = isinstance(value, int | float) and value < self.low
        why, fix = self.below if small else self.above
        parts = {"n": shown, "s": "s" * (value != 1), "why": why, "low": f"{self.low:g}", "high": f"{self.high:g}"}
        return self.problem.format(**parts), fix


@dataclass(frozen=True)
class Text:
    """A text; `filled`: not an empty one, `one_line`: without line breaks and tabs."""

    said: str = "a text"
    fix: str = 'write {key} = "\u2026"'
    filled: bool = False
    one_line: bool = False


@dataclass(frozen=True)
class Flag:
    """true or false."""

    said: str = "true or false"
    fix: str = "write {key} = true"


@dataclass(frozen=True)
class Whole:
    """A whole number."""

    limits: Limits | None = None
    said: str = "a whole number"
    fix: str = "write {key} = 1"


@dataclass(frozen=True)
class Number:
    """Any number within limits."""

    limits: Limits | None = None
    said: str = "a number"
    fix: str = "write a plain number, e.g. 1 or 0.5"


@dataclass(frozen=True)
class Anything:
    """What is checked where it is used: a state, an option of a figure."""

    said: str = "a value"
    fix: str = ""


@dataclass(frozen=True)
class List:
    """A list of one shape; `limits` count its entries.

    A wrong entry is reported as the list's, or with `each` as its own, as "`item` 1".
    """

    of: Shape
    said: str = ""
    fix: str = ""
    filled: bool = False
    each: bool = False
    item: str = "number"
    limits: Limits | None = None


@dataclass(frozen=True)
class Map:
    """A table whose names an author chooses.

    `names` is the table at the top of the same file whose names are the only ones it may have, and `noun` what one is.
    `deep`: an entry may also be a table of such entries, and so on.
    """

    of: Shape
    said: str = "a table"
    fix: str = "begin it with [{key}]"
    names: str = ""
    noun: str = ""
    deep: bool = False


@dataclass(frozen=True)
class Table:
    """A table of settings, called `name` in docs/writing.md; `unknown` is the advice for one that it does not have."""

    keys: Mapping[str, Key]
    name: str = ""
    said: str = "a table"
    fix: str = "begin it with [{key}]"
    noun: str = "setting"
    unknown: str = ""


Shape: TypeAlias = Text | Flag | Whole | Number | Anything | List | Map | Table


@dataclass(frozen=True)
class Key:
    """A setting: its shape, the sentence that documents it, its default, and whether it must be there."""

    shape: Shape
    sentence: str
    default: Any = field(default_factory=lambda: EMPTY)
    needed: bool = False

    def left_out(self) -> Any:
        """The value where an author writes none."""
        return empty(self.shape) if self.default is EMPTY else self.default


@dataclass(frozen=True)
class FileShape:
    """A settings file: what is in it, and how messages name a setting.

    With `joint`, by its whole path, joined by that ("head 1, w_q, alive"); else by its own name.
    """

    of: Table | Map
    joint: str = ""


def empty(shape: Shape) -> Any:
    """The value of a shape that says nothing."""
    by_kind: dict[type, Any] = {Text: "", Flag: False, Whole: 0, Number: 0.0, List: [], Map: {}, Table: {}}
    return by_kind.get(type(shape))


def tables(shape: Shape) -> Iterable[Table]:
    """Every table of settings in a shape."""
    if isinstance(shape, Table):
        yield shape
        for key in shape.keys.values():
            yield from tables(key.shape)
    elif isinstance(shape, List | Map):
        yield from tables(shape.of)


def limits(shape: Shape) -> Iterable[Limits]:
    """Every limit in a shape."""
    if isinstance(shape, Whole | Number | List) and shape.limits:
        yield shape.limits
    for inner in [key.shape for key in shape.keys.values()] if isinstance(shape, Table) else []:
        yield from limits(inner)
    if isinstance(shape, List | Map):
        yield from limits(shape.of)
