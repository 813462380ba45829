"""The notes that figures add in some states, worked out in each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from qkv.article.evaluator import Asked
from qkv.article.expressions import fill_expressions
from qkv.article.links import States
from qkv.content.article import Content
from qkv.content.settings import Settings
from qkv.errors import BuildError, Mistakes, did_you_mean
from qkv.figures.kinds import KINDS
from qkv.model.source import Source
from qkv.model.states import State

Notes = dict[str, tuple[dict[str, Any], ...]]


def place_notes(content: Content, states: States, wrong: Mistakes) -> Notes:
    """For each figure its notes, with the states in which each is said; its text and claim are worked out in each."""
    found: dict[str, list[dict[str, Any]]] = {}
    named = [(state, _names(state, states.source)) for state in states.source.states]
    for section in content.sections:
        for note in section.notes:
            if note["figure"] not in KINDS:
                wrong.add(
                    note.where("figure"), f"unknown figure {note['figure']!r}", did_you_mean(note["figure"], KINDS)
                )
                continue
            said: dict[str, list[int]] = {}  # the states of each text, since its numbers may differ between them
            try:
                for state in _said(note, states.asked, named):
                    if note["claim"]:
                        states.asked.check(note["claim"], state, note.where("claim"))
                    said.setdefault(_text(note, state, states.asked), []).append(states.source.number(state))
            except BuildError as error:
                wrong.take(error)
                continue
            if not said:
                wrong.add(
                    note.where("when"),
                    f"no state fulfils {note['when']!r}",
                    "mend the condition, or take the note out",
                )
            found.setdefault(note["figure"], []).extend({"text": text, "states": at} for text, at in said.items())
    return {kind: tuple(notes) for kind, notes in found.items()}


def _text(note: Settings, state: State, asked: Asked) -> str:
    """What a note says in a state."""
    wrong = Mistakes()
    text = fill_expressions(note["text"], state, note.where("text"), asked, wrong, {})
    wrong.stop()
    return text.unescape()


def _names(state: State, source: Source) -> dict[str, Any]:
    """What a condition may speak of besides the model: the options of the axes, the asking token and its position."""
    names: dict[str, Any] = {axis: source.option(state, axis).id for axis in source.axis if axis != "token"}
    return names | {"asker": source.option(state, "token").text, "position": state["token"]}


def _said(note: Settings, asked: Asked, named: list[tuple[State, dict[str, Any]]]) -> Iterator[State]:
    """The states that fulfil a note's condition."""
    when = note["when"]
    known: dict[object, bool] = {}
    for state, names in named:
        # A condition that does not ask the model sees the names alone, and to it most states look alike.
        seen = state if "(" in when else tuple(value for name, value in names.items() if name in when)
        if seen not in known:
            known[seen] = bool(asked.evaluate(when, state, note.where("when"), names)[0])
        if known[seen]:
            yield state
