"""All of content/ but the model and the strings: site settings, sections, facts, claims."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from qkv.content.address import unfit_address
from qkv.content.schema import FILES
from qkv.content.sections import Section, load_sections
from qkv.content.settings import Settings, Validator
from qkv.content.toml import load_toml
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


def _read(folder: Path, name: str, wrong: Mistakes) -> Settings:
    values: Settings = Validator(load_toml(folder, name), FILES[name], wrong).read()
    return values


def _site(folder: Path, wrong: Mistakes) -> Settings:
    site = _read(folder, "site.toml", wrong)
    address = site["base_url"]
    unfit = unfit_address(address) if address else None
    if unfit:
        wrong.add(site.where("base_url"), f"the address {quoted(address)} {unfit[0]}", unfit[1])
    return site


def _facts(folder: Path, wrong: Mistakes) -> tuple[Settings, ...]:
    facts: tuple[Settings, ...] = _read(folder, "facts.toml", wrong)["facts"]
    for fact in facts:
        for source in fact["sources"]:
            if source["url"] and not re.fullmatch(r"https?://[^\s/]\S*", source["url"]):
                fix = "begin it with https:// and leave no spaces in it"
                wrong.add(source.where("url"), f"{source['url']!r} is not an address of the web", fix)
    return facts


def _claims(folder: Path, wrong: Mistakes) -> tuple[Settings, ...]:
    claims: tuple[Settings, ...] = _read(folder, "claims.toml", wrong)["claims"]
    return claims
