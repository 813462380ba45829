"""content/claims.toml: claims that no link carries, checked in all their states."""

from __future__ import annotations

from qkv.article.links import States
from qkv.content.article import Content
from qkv.errors import BuildError, Mistakes, did_you_mean
from qkv.model.states import State


def check_claims(content: Content, base: State, states: States, wrong: Mistakes) -> None:
    """Checks content/claims.toml."""
    source = states.source
    for claim in content.claims:
        first = states.of(claim, base, wrong)
        entry = source.sentence(first).entry
        every = {axis.name: range(axis.longest) for axis in source.axes if not axis.within}
        mates = [s for s, sentence in enumerate(source.sentences) if sentence.entry == entry]
        asked_in = [first]
        for dim in claim["every"]:
            if dim not in every:
                wrong.add(claim.where("every"), f"unknown part {dim!r}", did_you_mean(str(dim), every))
                continue
            options = mates if dim == "sentence" else every[dim]
            asked_in = [state.choose({dim: i}) for state in asked_in for i in options]
        for state in asked_in:
            try:
                states.asked.check(claim["claim"], state, claim.where("claim"), claim["name"])
            except BuildError as error:
                wrong.take(error)
                break
