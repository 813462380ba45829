"""content/claims.toml: claims that no link carries, checked in all their states."""

from __future__ import annotations

from dataclasses import replace

from qkv.article.links import States
from qkv.content.article import Content
from qkv.errors import BuildError, Mistakes, did_you_mean
from qkv.model.states import MASKS, State


def check_claims(content: Content, base: State, states: States, wrong: Mistakes) -> None:
    """Checks content/claims.toml."""
    toy = states.asked.toy
    for claim in content.claims:
        first = states.of(claim, base, wrong)
        entry = toy.sentences[first.sentence].entry
        every = {
            "sentence": [s for s, sentence in enumerate(toy.sentences) if sentence.entry == entry],
            "mask": range(len(MASKS)),
            "head": range(len(toy.heads)),
        }
        asked_in = [first]
        for dim in claim["every"]:
            if dim not in every:
                wrong.add(claim.where("every"), f"unknown part {dim!r}", did_you_mean(str(dim), every))
                continue
            asked_in = [replace(state, **{dim: i}) for state in asked_in for i in every[dim]]
        for state in asked_in:
            try:
                states.asked.check(claim["claim"], state, claim.where("claim"), claim["name"])
            except BuildError as error:
                wrong.take(error)
                break
