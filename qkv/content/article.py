"""All of content/ but the model and the strings: site settings, sections, facts, claims."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qkv.content.address import unfit_address
from qkv.content.schema import CLAIM, FACT, SITE, SOURCE
from qkv.content.sections import Section, load_sections
from qkv.content.settings import Settings, entries, settings
from qkv.content.toml import TomlFile, load_toml
from qkv.errors import Mistakes, quoted


@dataclass(frozen=True)
class Content:
    """All that an author edits besides the model and the strings."""

    folder: Path
    site: Settings
    sections: tuple[Section, ...]
    facts: tuple[Settings, ...]
    claims: tuple[Settings, ...] = field(default=())


def load_content(folder: Path) -> Content:
    """Reads everything below content/ but model.toml and strings.toml; raises a BuildError with every mistake found."""
    wrong = Mistakes()
    site = wrong.attempt(lambda path: _site(path, wrong), folder)
    sections = wrong.attempt(lambda path: load_sections(path, wrong), folder)
    facts = wrong.attempt(lambda path: _facts(path, wrong), folder)
    claims = wrong.attempt(lambda path: _claims(path, wrong), folder)
    wrong.stop()
    return Content(folder, site, sections, facts, claims)


def _site(folder: Path, wrong: Mistakes) -> Settings:
    file = load_toml(folder, "site.toml")
    site = settings(file, (), SITE, wrong, ("title", "description", "language"))
    address = site["base_url"]
    unfit = unfit_address(address) if address else None
    if unfit:
        wrong.add(site.where("base_url"), f"the address {quoted(address)} {unfit[0]}", unfit[1])
    return site


def _facts(folder: Path, wrong: Mistakes) -> tuple[Settings, ...]:
    file = load_toml(folder, "facts.toml")
    facts = _list(file, "facts", FACT, wrong, ("term", "text"))
    for index, fact in enumerate(facts):
        for place in range(len(fact["sources"])):
            source = settings(file, ("facts", index, "sources", place), SOURCE, wrong, ("title", "url"))
            _check_address(source, "url", wrong)
    return facts


def _check_address(place: Settings, key: str, wrong: Mistakes) -> None:
    if place[key] and not re.fullmatch(r"https?://[^\s/]\S*", place[key]):
        fix = "begin it with https:// and leave no spaces in it"
        wrong.add(place.where(key), f"{place[key]!r} is not an address of the web", fix)


def _claims(folder: Path, wrong: Mistakes) -> tuple[Settings, ...]:
    return _list(load_toml(folder, "claims.toml"), "claims", CLAIM, wrong, ("name", "claim"))


def _list(
    file: TomlFile, name: str, known: dict[str, Any], wrong: Mistakes, needed: tuple[str, ...]
) -> tuple[Settings, ...]:
    for key in file.data:
        if key != name:
            wrong.add(file.where(key), f"unknown setting {key!r}", f"write each entry as [[{name}]]")
    return entries(file, (name,), known, wrong, needed)
