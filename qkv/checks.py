"""Checks that stand outside the sections' text: content/claims.toml, and the notes that figures add in some states."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.claims import Asked
from qkv.content import Content, Settings
from qkv.errors import BuildError, Mistakes, did_you_mean
from qkv.kinds import KINDS
from qkv.payload import Notes, state_index
from qkv.prose import States, fill_expressions
from qkv.traces import MASKS, State


def check_claims(content: Content, base: State, states: States, wrong: Mistakes) -> None:
    """Checks content/claims.toml."""
    toy = states.asked.toy
    counts = {"sentence": len(toy.sentences), "mask": len(MASKS), "head": len(toy.heads)}
    for claim in content.claims:
        asked_in = [states.of(claim, base, wrong)]
        for dim in claim["every"]:
            if dim not in counts:
                wrong.add(claim.where("every"), f"unknown part {dim!r}", did_you_mean(str(dim), counts))
                continue
            asked_in = [replace(state, **{dim: i}) for state in asked_in for i in range(counts[dim])]
        for state in asked_in:
            try:
                states.asked.check(claim["claim"], state, claim.where("claim"), claim["name"])
            except BuildError as error:
                wrong.take(error)
                break


def place_notes(content: Content, base: State, states: States, wrong: Mistakes) -> Notes:
    """For each figure its notes, with the states in which each is said; the claim is checked in all of them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for section in content.sections:
        for note in section.notes:
            if note["figure"] not in KINDS:
                wrong.add(
                    note.where("figure"), f"unknown figure {note['figure']!r}", did_you_mean(note["figure"], KINDS)
                )
                continue
            said: list[int] = []
            try:
                for state in states.asked.traces.states:
                    if not _applies(note, state, states.asked):
                        continue
                    said.append(state_index(states.asked.traces, state))
                    if note["claim"]:
                        states.asked.check(note["claim"], state, note.where("claim"))
            except BuildError as error:
                wrong.take(error)
                continue
            if not said:
                wrong.add(
                    note.where("when"),
                    f"no state fulfils {note['when']!r}",
                    "mend the condition, or take the note out",
                )
            text = fill_expressions(note["text"], base, note.where("text"), states.asked, wrong, {})
            found.setdefault(note["figure"], []).append({"text": text.unescape(), "states": said})
    return {kind: tuple(notes) for kind, notes in found.items()}


def _applies(note: Settings, state: State, asked: Asked) -> bool:
    toy = asked.toy
    sentence = toy.sentences[state.sentence]
    names = {
        "asker": sentence.tokens[state.token],
        "position": state.token,
        "sentence": sentence.id,
        "mask": MASKS[state.mask],
        "head": toy.heads[state.head].name,
    }
    return bool(asked.evaluate(note["when"], state, note.where("when"), names)[0])
