"""The interface words, all from content/strings.toml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qkv.content.schema import FILES
from qkv.content.settings import Validator
from qkv.content.toml import TomlFile, load_toml
from qkv.errors import Mistakes, did_you_mean

_PLACE = re.compile(r"\{(\w+)\}")


class Flat(dict[str, str]):
    """Texts by dotted name. One that is not there is a mistake of the file, and empty from then on."""

    def __init__(self, file: TomlFile, wrong: Mistakes) -> None:
        super().__init__()
        self.file, self.wrong = file, wrong

    def __missing__(self, name: str) -> str:
        table, _, key = name.rpartition(".")
        under = f"under [{table}]" if table else "at the top, before the first [table]"
        self.wrong.add(
            self.file.where(*name.split(".")), f"the text {name} is missing", f'add {key} = "\u2026" {under}'
        )
        self[name] = ""
        return ""


@dataclass(frozen=True)
class Words:
    """Interface words by dotted name: words("figure.numbers")."""

    file: TomlFile
    flat: Flat
    wrong: Mistakes

    def __call__(self, name: str, /, **parts: str) -> str:
        text = self.flat[name]
        self._check(name, text, parts)
        return _PLACE.sub(lambda hit: str(parts.get(hit.group(1), "")), text)

    def template(self, name: str) -> str:
        """A text whose {places} are filled later."""
        return self.flat[name]

    def phrase(self, name: str, /, **parts: Any) -> Any:
        """The node of a text whose parts are nodes."""
        text = self.flat[name]
        self._check(name, text, parts)
        text = _PLACE.sub(lambda hit: hit.group() if hit.group(1) in parts else "", text)
        used = set(_PLACE.findall(text))
        return {"$phrase": text, "of": {part: node for part, node in parts.items() if part in used}}

    def _check(self, name: str, text: str, parts: dict[str, Any]) -> None:
        for place in _PLACE.findall(text):
            if place not in parts:
                advice = did_you_mean(place, parts) if parts else "take it out"
                self.wrong.add(
                    self.file.where(*name.split(".")), f"{name}: {{{place}}} stands for nothing here", advice
                )


def load_words(content: Path) -> Words:
    """Reads content/strings.toml. Missing words and unknown {places} are collected in `wrong` as they are asked for."""
    file = load_toml(content, "strings.toml")
    wrong = Mistakes()
    flat = Flat(file, wrong)

    Validator(file, FILES["strings.toml"], wrong).read()
    flat.update(_flat(file.data))
    return Words(file, flat, wrong)


def _flat(table: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Every text by its dotted name; what is no text is empty, and reported already."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, (*path, key))
        else:
            yield ".".join((*path, key)), value if isinstance(value, str) else ""
