"""Tables of settings, checked against the schema; each knows its place in its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qkv.content.schema import TABLES, TEXTS
from qkv.content.toml import TomlFile
from qkv.errors import Mistakes, Place, did_you_mean


@dataclass(frozen=True)
class Settings:
    """One table of settings, with defaults filled in, that knows its place."""

    file: TomlFile
    path: tuple[str | int, ...]
    values: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def where(self, *key: str | int) -> Place:
        return self.file.where(*self.path, *key)


def entries(
    file: TomlFile, path: tuple[str | int, ...], known: dict[str, Any], wrong: Mistakes, needed: tuple[str, ...]
) -> tuple[Settings, ...]:
    """An array of tables as settings."""
    listed: Any = file.data
    for part in path:
        listed = listed[part] if isinstance(part, int) else listed.get(part, [])
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        wrong.add(
            file.where(*path), f"{path[-1]} must be a list of tables", f"write each as [[{'.'.join(map(str, path))}]]"
        )
        return ()
    return tuple(settings(file, (*path, i), known, wrong, needed) for i in range(len(listed)))


def settings(
    file: TomlFile, path: tuple[str | int, ...], known: dict[str, Any], wrong: Mistakes, needed: tuple[str, ...] = ()
) -> Settings:
    """A table of settings, checked: unknown names, wrong types, missing ones."""
    table: Any = file.data
    for part in path:
        table = table[part]
    values = {}
    for key in table:
        if key not in known:
            wrong.add(file.where(*path, key), f"unknown setting {key!r}", did_you_mean(key, known))
    for key, (kind, default, purpose) in known.items():
        value = table.get(key, default)
        example = f"write {key} = {_EXAMPLE[kind]}"
        if not _fits(value, kind):
            wrong.add(file.where(*path, key), f"{key} must be {_KIND[kind]} ({purpose})", example)
            value = default
        elif key in needed and not value.strip():
            state = "is empty" if key in table else "is missing"
            wrong.add(file.where(*path, key).or_line(file.first), f"{key} {state} ({purpose})", example)
        values[key] = value
    return Settings(file, path, values)


_KIND: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    dict: "a table",
    TEXTS: "a list of texts",
    TABLES: "a list of tables",
}
_EXAMPLE: dict[Any, str] = {
    str: '"\u2026"',
    int: "1",
    bool: "true",
    dict: '{ mask = "on" }',
    TEXTS: '["\u2026", "\u2026"]',
    TABLES: '[{ title = "\u2026", url = "https://\u2026" }]',
}


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind of _KIND."""
    if isinstance(kind, tuple):
        return isinstance(value, kind[0]) and all(isinstance(part, kind[1]) for part in value)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
