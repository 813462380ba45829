"""TOML with the line of every key, so that a mistake can say where it stands.

tomllib keeps no positions. `TomlFile.where` finds a table and key again in the raw text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from qkv.errors import Place, fail, read_text, unfit

KeyPath: TypeAlias = tuple[str | int, ...]

_TOKEN = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\#[^\n]*|[\n\[\]{},=.]|[^\s\[\]{},=.\#"']+''',
    re.S,
)
_END = (",", "]", "}", "\n")

# tomllib's words -> what they mean to somebody who has never heard of TOML, and what to do
_PLAIN = (
    ("Cannot overwrite|Duplicate|Cannot declare", "this name stands in its table already", "keep one of the two"),
    ("Unterminated string|Illegal character '.n'", "a text has no quotation mark at its end", "close it"),
    ("Unclosed|Expected '\\]' at", "a bracket is not closed", "close it, or look at the line before"),
    ("Expected '='", "there is no = after the name", 'write e.g. name = "text" or name = 1'),
    ("Expected newline", "something stands after the value", "put each name = value on a line of its own"),
    (
        "Invalid value",
        "a value cannot be read here",
        'write a text in quotes ("text") or a plain number, and close every bracket',
    ),
    ("Exceeds the limit", "a number has thousands of digits", "use a smaller one"),
    (
        "Invalid statement|Invalid initial",
        "this line is neither name = value nor a [table]",
        "mend it, or put # before it",
    ),
    (
        "backslash|hex value|Unescaped",
        "a \\ stands in a text",
        "write \\\\ for the sign itself, or use 'single quotes'",
    ),
)


@dataclass(frozen=True)
class TomlFile:
    """A parsed TOML text: `shown` is the path an author sees, `first` the line its text begins at (front matter: 2)."""

    shown: str
    text: str
    data: dict[str, Any]
    first: int = 1

    def where(self, *path: str | int) -> Place:
        """The line of a table, a key or an entry of a list, e.g. where("heads", 0, "w_q", "alive").

        Falls back to the nearest enclosing one that stands in the text, and to the file as a whole.
        """
        try:
            lines = positions(self.text)
        except RecursionError:  # nested beyond all reason, and yet read
            lines = {}
        for end in range(len(path), 0, -1):
            line = lines.get(path[:end])
            if line:
                return Place(self.shown, line + self.first - 1)
        return Place(self.shown)


def parse_toml(text: str, shown: str, first: int = 1) -> TomlFile:
    """Parses TOML; a syntax error, or a text that cannot be shown, becomes a BuildError with its line."""
    try:
        file = TomlFile(shown, text, tomllib.loads(text), first)
    except RecursionError:
        raise fail(Place(shown), "brackets stand too deep inside one another", "make it flatter") from None
    except ValueError as error:  # besides TOML errors: a whole number of thousands of digits
        said = str(error)
        at = re.search(r"\(at line (\d+)", said)
        end = re.search("[0-9_]{4000}", text) if "Exceeds" in said else None
        line = int(at.group(1)) if at else text[: end.start() if end else len(text.rstrip())].count("\n") + 1
        said = re.sub(r"\s*\(at .*\)$", "", said)
        plain = ((problem, fix) for words, problem, fix in _PLAIN if re.search(words, said))
        problem, fix = next(plain, (said, "mend the line, or the one before it"))
        raise fail(Place(shown, line + first - 1), f"broken TOML: {problem}", fix) from None
    for path, string in _strings(file.data):
        bad = unfit(string)
        if bad:
            raise fail(file.where(*path), f"holds the character {bad[1]}, which cannot be shown", "delete it")
    return file


def load_toml(folder: Path, name: str) -> TomlFile:
    """Reads and parses `folder/name`, shown as `<folder's name>/name`."""
    shown = f"{folder.resolve().name}/{name}"
    return parse_toml(read_text(folder / name, shown), shown)


@lru_cache(maxsize=64)
def positions(text: str) -> dict[KeyPath, int]:
    """The line (from 1) of every table, key and entry of a list in a text that tomllib has read without complaint."""
    return _Walk(text).walk()


class _Walk:
    """Goes over the text token by token; `found` keeps the first line on which each path stands."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, int]] = []
        line, end = 1, 0
        for hit in _TOKEN.finditer(text):
            line += text.count("\n", end, hit.start())
            if not hit.group().startswith("#"):
                self.tokens.append((hit.group(), line))
            line += hit.group().count("\n")
            end = hit.end()
        self.tokens.append(("", line))  # so that there is always a next one
        self.place = 0
        self.found: dict[KeyPath, int] = {}
        self.counts: dict[KeyPath, int] = {}  # entries of each array of tables so far

    def walk(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        while self.next:
            if self.take("\n"):
                continue
            if self.take("["):
                table = self.header(array=self.take("["))
            else:
                self.pair(table)
        return self.found

    @property
    def next(self) -> str:
        return self.tokens[self.place][0]

    def take(self, sign: str) -> bool:
        taken = self.next == sign
        self.place += taken
        return taken

    def note(self, path: KeyPath, line: int) -> None:
        for end in range(1, len(path) + 1):
            self.found.setdefault(path[:end], line)

    def header(self, array: bool) -> KeyPath:
        """[a.b] or [[a.b]]: where a name is an array of tables, its latest entry is meant."""
        names, line = self.key()
        path: KeyPath = ()
        for name in names[:-1]:
            path = (*path, name)
            if path in self.counts:
                path = (*path, self.counts[path])
        path = (*path, names[-1])
        if array:
            self.counts[path] = self.counts.get(path, -1) + 1
            path = (*path, self.counts[path])
        self.note(path, line)
        self.place += 2 if array else 1  # the closing brackets
        return path

    def key(self) -> tuple[list[str], int]:
        """The parts of a key, and its line."""
        line = self.tokens[self.place][1]
        names = []
        while True:
            raw = self.next
            names.append(str(tomllib.loads(f"text = {raw}")["text"]) if raw[0] in "\"'" else raw)
            self.place += 1
            if not self.take("."):
                return names, line

    def pair(self, table: KeyPath) -> None:
        """name = value"""
        names, line = self.key()
        self.note((*table, *names), line)
        self.place += 1  # =
        self.value((*table, *names))

    def value(self, path: KeyPath) -> None:
        if self.take("["):
            count = 0
            while not self.take("]"):
                if not self.take("\n") and not self.take(","):
                    self.note((*path, count), self.tokens[self.place][1])
                    self.value((*path, count))
                    count += 1
        elif self.take("{"):
            while not self.take("}"):
                if not self.take("\n") and not self.take(","):
                    self.pair(path)
        else:
            while self.next and self.next not in _END:  # numbers and dates may be several tokens
                self.place += 1


def _strings(node: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Every text in the data, names included, with its path."""
    if isinstance(node, str):
        yield path, node
    elif isinstance(node, dict):
        for key, inner in node.items():
            yield (*path, key), key
            yield from _strings(inner, (*path, key))
    elif isinstance(node, list):
        for index, inner in enumerate(node):
            yield from _strings(inner, (*path, index))
