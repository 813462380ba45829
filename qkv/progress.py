"""What counts as done: the states of a section that a learner must choose, as its front matter declares them.

    done = ["sentence=tired&token=last", "token=on|token=was"]

Each entry must be visited; | stands between states of which one is enough. An entry names parts of a state, and is
visited when a learner's own action sets one of these parts (or confirms it) and all of them are as named.
`templates/assets/scorm.js` watches for it; here the entries are read, and refused where no learner could get there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import unescape
from typing import Any

from qkv.content import Section
from qkv.controls import choices
from qkv.errors import BuildError, Mistakes, Source, quoted
from qkv.prose import States, Target
from qkv.strings import Words
from qkv.traces import MASKS, State

PARTS = ("sentence", "mask", "head", "token")
_LEADS = re.compile(r'<a class="state" href="#([^"]*)"|<a href="#([^"]*)" class="state"')


@dataclass(frozen=True)
class Choice:
    """Part of a state, in indexes, and which of its parts were named: one of these the learner must set."""

    state: dict[str, int]
    by: tuple[str, ...]


@dataclass(frozen=True)
class Need:
    """One entry of `done`: any of its choices will do; `text` is what a learner is told to choose."""

    either: tuple[Choice, ...]
    text: str


@dataclass(frozen=True)
class Ways:
    """How a learner can get to a state in a section: the controls of its figures, and its links; `opens` are the
    states in which the pages that show it open."""

    controls: frozenset[str]
    links: tuple[State, ...]
    opens: tuple[State, ...]


def ways(prose_html: str, controls: Iterable[str], shows: Iterable[Target], opens: tuple[State, ...], states: States) -> Ways:
    """The ways that a rendered section offers."""
    found = []
    for hit in _LEADS.finditer(prose_html):
        address = unescape(hit.group(1) or hit.group(2))
        if "=" in address:
            found.append(states.read(address, opens[0], Source("")).state)
    return Ways(frozenset(controls), (*found, *(target.state for target in shows)), opens)
