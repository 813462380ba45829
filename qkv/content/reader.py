"""A settings file read part by part: what is wrong is collected, and a stand-in takes its place."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from qkv.content.toml import TomlFile
from qkv.errors import Mistakes, did_you_mean, quoted

LARGEST = 100.0  # a number that is still readable
BREAK = re.compile(r"[\n\t]")
Keys: TypeAlias = tuple[str | int, ...]


class Reader:
    """Walks the file once, collecting mistakes. A stand-in replaces a wrong part, so that the rest is checked too."""

    def __init__(self, file: TomlFile) -> None:
        self.file = file
        self.wrong = Mistakes()

    def add(self, path: Keys, problem: str, fix: str) -> None:
        named = _named(path)
        joint = " " if problem.startswith(("is ", "must be ")) else ": "
        self.wrong.add(self.file.where(*path), f"{named}{joint}{problem}", fix)

    def get(self, path: tuple[str | int, ...]) -> Any:
        node: Any = self.file.data
        for part in path:
            try:
                node = node[part]
            except (KeyError, IndexError, TypeError):
                return None
        return node

    def table(self, *path: str | int) -> dict[str, Any]:
        node = self.get(path)
        if node is None and len(path) > 1:
            return {}
        if not isinstance(node, dict):
            self.add(
                path,
                "is missing" if node is None else "must be a table",
                f"begin it with [{path[0]}]" if len(path) == 1 else "write it as its neighbours are",
            )
            return {}
        return node

    def array(self, name: str) -> list[dict[str, Any]]:
        node = self.get((name,))
        if not is_list(node) or not all(isinstance(entry, dict) for entry in node):
            return []
        return list(node)

    def arrays(self) -> None:
        """Says once which lists of tables are something else."""
        for name in ("sentences", "heads"):
            node = self.get((name,))
            if node is not None and node != self.array(name):
                self.add((name,), "must be a list of tables", f"begin each with [[{name}]]")

    def keys(self, path: Keys, known: tuple[str, ...]) -> None:
        node = self.get(path)
        for key in node if isinstance(node, dict) else ():
            if key not in known:
                self.add((*path, key), "unknown setting", did_you_mean(key, known))

    def text(self, path: Keys) -> str:
        node = self.get(path)
        if not isinstance(node, str) or not node.strip() or BREAK.search(node):
            state = "is missing" if node is None else "is empty" if node == "" else "must be a text of one line"
            self.add(path, state, f'write {path[-1]} = "\u2026"')
            return ""
        return node

    def vector(self, path: Keys, names: tuple[str, ...]) -> tuple[float, ...]:
        """{feature = number, …} -> numbers in the order of the features."""
        table = self.get(path)
        if not isinstance(table, dict):
            self.add(path, "must be a table of features", "write e.g. { alive = 1 }")
            return (0.0,) * len(names)
        for name in table:
            if name not in names:
                self.add((*path, name), f"there is no feature {name!r}", did_you_mean(name, names))
        return tuple(self.number((*path, name), table.get(name, 0)) for name in names)

    def number(self, path: Keys, entry: object) -> float:
        if isinstance(entry, bool) or not isinstance(entry, int | float) or entry != entry:
            self.add(path, f"{quoted(entry)} is not a number", "write a plain number, e.g. 1 or 0.5")
            return 0.0
        if abs(entry) > LARGEST:
            problem = (
                f"{quoted(entry)} is not from -{LARGEST:.0f} to {LARGEST:.0f}, the numbers that are read at a glance"
            )
            self.add(path, problem, "use a smaller one")
            return 0.0
        return float(entry)


def is_list(node: Any) -> bool:
    return isinstance(node, list)


def _named(path: Keys) -> str:
    """heads, 0, w_q -> head 1, w_q"""
    names = []
    for before, part in zip(("", *path), path, strict=False):
        if isinstance(part, str):
            names.append(part)
        elif before in ("heads", "sentences"):
            names[-1] = f"{str(before)[:-1]} {part + 1}"
        elif before == "tokens":
            names[-1] = f"word {part + 1}"
        else:
            names.append(f"number {part + 1}")
    return ", ".join(names)
