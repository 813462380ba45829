"""The one validator of settings files: what is in a file, held against its shape in the schema."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from qkv.content.shapes import (
    EMPTY,
    Anything,
    FileShape,
    Flag,
    Key,
    Limits,
    List,
    Map,
    Number,
    Shape,
    Table,
    Text,
    Whole,
    empty,
)
from qkv.content.toml import TomlFile
from qkv.errors import Mistakes, Place, did_you_mean, quoted

Path: TypeAlias = tuple[str | int, ...]
_BREAK = re.compile(r"[\n\t]")


@dataclass(frozen=True)
class Settings:
    """One table of settings, with defaults filled in, that knows its place.

    A table in it is Settings again, a list of tables a tuple of Settings, a table of an author's own names a dict.
    """

    file: TomlFile
    path: Path
    values: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    @property
    def given(self) -> dict[str, Any]:
        """What stands in the file, wrong or not."""
        node: Any = self.file.data
        for part in self.path:
            node = node.get(part) if isinstance(node, dict) else node[part]
        return node if isinstance(node, dict) else {}

    def where(self, *key: str | int) -> Place:
        return self.file.where(*self.path, *key)


class Validator:
    """Reads a file by its shape. Mistakes are collected in `wrong`; a stand-in takes the place of what is wrong."""

    def __init__(self, file: TomlFile, shape: FileShape, wrong: Mistakes) -> None:
        self.file, self.shape, self.wrong = file, shape, wrong

    def read(self) -> Any:
        """The whole file: Settings, or a dict where its names are an author's own."""
        return self.value(self.shape.of, (), self.file.data)

    def add(self, path: Path, problem: str, fix: str) -> None:
        """Adds a mistake; its problem goes on from the setting's name ("is missing"), or stands for itself."""
        named = self.called(path)
        if problem.startswith(("is ", "must be ")):
            problem = f"{named} {problem}"
        elif self.shape.joint and named:
            problem = f"{named}: {problem}"
        self.wrong.add(self.file.where(*path), problem, fix.replace("{key}", str(path[-1]) if path else ""))

    def called(self, path: Path) -> str:
        """The name of a setting: heads, 0, w_q -> head 1, w_q."""
        names: list[str] = []
        shape: Any = self.shape.of
        for part in path:
            if isinstance(part, str):
                names.append(part)
                key = shape.keys.get(part) if isinstance(shape, Table) else None
                deeper = shape if isinstance(shape, Map) and shape.deep else getattr(shape, "of", None)
                shape = key.shape if key else deeper
                continue
            item = shape.item if isinstance(shape, List) else List.item
            if item != List.item:  # it says what it is, without the name of its list
                names.pop()
            names.append(f"{item} {part + 1}")
            shape = getattr(shape, "of", None)
        own = [part for part in path if isinstance(part, str)][-1:]
        return self.shape.joint.join(names) if self.shape.joint else "".join(own)

    # values

    def value(self, shape: Shape, path: Path, node: Any, key: Key | None = None) -> Any:
        """The value of a node of the file; the empty one of its shape, or the key's default, where it is wrong."""
        stand_in = key.left_out() if key else empty(shape)
        if not _fits(shape, node):
            self.add(path, *self.unfit(shape, path, node, f" ({key.sentence})" if key and key.sentence else ""))
            return self.unset(shape, path) if isinstance(shape, Table) else stand_in
        if isinstance(shape, Whole | Number) and shape.limits and not self.within(shape.limits, node, path):
            return stand_in
        return self.inside(shape, path, node)

    def unfit(self, shape: Shape, path: Path, node: Any, purpose: str) -> tuple[str, str]:
        """What to say of a node that does not fit its shape, and what to do."""
        if isinstance(shape, Number):
            return f"{quoted(node)} is not a number", shape.fix
        if isinstance(shape, Whole) and shape.limits and shape.limits.whole:
            return shape.limits.refuse(node, quoted(node))
        if isinstance(shape, Text) and isinstance(node, str) and not node.strip():
            return f"is empty{purpose}", shape.fix
        return f"must be {_said(shape)}{purpose}", _fix(shape, path)

    def within(self, limits: Limits, value: float, path: Path) -> bool:
        """Whether a value or count is within limits; a mistake is added if not."""
        if not limits.fit(value):
            self.add(path, *limits.refuse(value, quoted(value)))
            return False
        return True

    def inside(self, shape: Shape, path: Path, node: Any) -> Any:
        """A node that fits as a whole, with what is in it."""
        if isinstance(shape, Table):
            return self.in_table(shape, path, node)
        if isinstance(shape, Map):
            return self.in_map(shape, path, node)
        if isinstance(shape, List):
            return self.in_list(shape, path, node)
        return float(node) if isinstance(shape, Number) else node

    def in_list(self, shape: List, path: Path, node: Any) -> Any:
        entries = [self.value(shape.of, (*path, place), entry) for place, entry in enumerate(node)]
        left_out = shape.filled and not entries  # where it is given, it is not empty
        if shape.limits and not left_out and not self.within(shape.limits, len(entries), path):
            entries = entries if isinstance(shape.of, Table) else []  # tables are checked further
        return tuple(entries) if isinstance(shape.of, Table) else entries

    def in_map(self, shape: Map, path: Path, node: dict[str, Any]) -> dict[str, Any]:
        """Its entries; those that are wrong are left out."""
        known = self.file.data.get(shape.names) if shape.names else None
        values = {}
        for name, entry in node.items():
            before = len(self.wrong.found)
            if isinstance(known, dict) and name not in known:
                self.add((*path, name), f"there is no {shape.noun} {name!r}", did_you_mean(name, known))
                continue
            of = shape if shape.deep and isinstance(entry, dict) else shape.of
            value = self.value(of, (*path, name), entry)
            if len(self.wrong.found) == before or (isinstance(value, list | dict) and value):
                values[name] = value
        return values

    def in_table(self, shape: Table, path: Path, node: dict[str, Any]) -> Settings:
        for name in node:
            if name not in shape.keys:
                where = f"{self.called(path)}: " if self.shape.joint and path else ""
                problem = f"{where}unknown {shape.noun} {name!r}"
                self.wrong.add(self.file.where(*path, name), problem, shape.unknown or did_you_mean(name, shape.keys))
        values = {name: self.setting(key, (*path, name), node) for name, key in shape.keys.items()}
        return Settings(self.file, path, values)

    def unset(self, shape: Table, path: Path) -> Settings:
        """What stands in for a table that is none: nothing of it is reported as missing."""
        values = {
            name: self.unset(key.shape, (*path, name)) if isinstance(key.shape, Table) else key.left_out()
            for name, key in shape.keys.items()
        }
        return Settings(self.file, path, values)

    def setting(self, key: Key, path: Path, node: dict[str, Any]) -> Any:
        """The value of one setting of a table."""
        if path[-1] in node:
            value = self.value(key.shape, path, node[path[-1]], key)
            blank = isinstance(value, str) and not value.strip()
            if key.needed and blank and _fits(key.shape, node[path[-1]]):
                self.add(path, f"is empty ({key.sentence})", _fix(key.shape, path))
            return value
        if key.needed and key.default is EMPTY:
            place = self.file.where(*path).or_line(self.file.first)
            fix = _fix(key.shape, path).replace("{key}", str(path[-1]))
            self.wrong.add(place, f"{self.called(path)} is missing ({key.sentence})", fix)
            return empty(key.shape)
        return self.inside(key.shape, path, key.left_out()) if key.left_out() is not None else None


def _fits(shape: Shape, value: Any) -> bool:
    """Whether a value is of a shape, apart from limits and from what is reported of its parts."""
    match shape:
        case Text():
            return (
                isinstance(value, str)
                and not (shape.filled and not value.strip())
                and not (shape.one_line and _BREAK.search(value))
            )
        case Flag():
            return isinstance(value, bool)
        case Whole():
            return type(value) is int
        case Number():
            return type(value) in (int, float) and not (isinstance(value, float) and math.isnan(value))
        case List():
            listed = isinstance(value, list) and not (shape.filled and not value)
            return listed and (shape.each or all(_fits(shape.of, entry) for entry in value))
        case Map() | Table():
            return isinstance(value, dict)
        case Anything():
            return True


def _said(shape: Shape) -> str:
    if isinstance(shape, List) and not shape.said:
        return "a list of tables" if isinstance(shape.of, Table) else "a list of texts"
    return shape.said


def _fix(shape: Shape, path: Path) -> str:
    """What to write for a setting."""
    if not isinstance(shape, List) or shape.fix:
        return shape.fix
    if not isinstance(shape.of, Table):
        return 'write {key} = ["\u2026", "\u2026"]'
    if len(path) == 1:
        return "write each as [[{key}]]"
    needed = ", ".join(f'{name} = "\u2026"' for name, key in shape.of.keys.items() if key.needed)
    return f"write {{key}} = [{{ {needed} }}]"
