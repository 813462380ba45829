"""What a section's text assumes: the parts of the state that it speaks of."""

from __future__ import annotations

from qkv.article.links import States
from qkv.content.sections import Section
from qkv.errors import Mistakes, did_you_mean
from qkv.model.states import State


def assumed(section: Section, base: State, states: States, wrong: Mistakes) -> dict[str, int]:
    """The options of `assumes` by axis; a page that opens in other ones, `base`, is a mistake."""
    given, place = section.settings["assumes"], section.settings.where("assumes")
    axes = [axis for axis in states.source.axis if axis != "token"]
    for part in given:
        if part not in axes:
            wrong.add(place, f"unknown part {part!r} of a state", did_you_mean(part, axes))
    parts = {part: given[part] for part in axes if part in given}
    state = states.take(parts, base, place, wrong).state
    for part in parts:
        if state[part] != base[part]:
            wrong.add(
                place,
                f"the text assumes {part} = {parts[part]!r}, but its page opens in another",
                "set the same under [state], here or in site.toml",
            )
    return {part: state[part] for part in parts}
