"""The radio buttons of a figure."""

from __future__ import annotations

from typing import Any

from qkv.content.strings import Words
from qkv.figures.charts import Chart
from qkv.model.states import MASKS, State
from qkv.model.toy import Toy


def choices(control: str, state: State, toy: Toy, words: Words) -> list[dict[str, Any]]:
    """The radio buttons of a control: what each sets, its name, whether it is on."""
    here = toy.sentences[state.sentence]
    if control == "mask":
        return [
            {"sets": f"mask={m}", "text": words(f"mask.{name}_long"), "on": m == state.mask}
            for m, name in enumerate(MASKS)
        ]
    if control == "head":
        return [{"sets": f"head={h}", "text": head.name, "on": h == state.head} for h, head in enumerate(toy.heads)]
    mates = [(s, sentence) for s, sentence in enumerate(toy.sentences) if sentence.entry == here.entry]
    if control == "sentence":
        first = {sentence.entry: s for s, sentence in reversed(list(enumerate(toy.sentences)))}
        return [
            {"sets": f"sentence={s}", "text": " ".join(toy.sentences[s].tokens), "on": entry == here.entry}
            for entry, s in sorted(first.items())
        ]
    if control == "word":
        return [
            {"sets": f"sentence={s}", "text": m.choice or m.tokens[-1], "on": s == state.sentence} for s, m in mates
        ]
    found = []
    for position, token in enumerate(here.tokens):
        options = [(f"token={position}", token, state.sentence)]
        if position == here.switch:
            options = [(f"sentence={s}&token={position}", m.choice, s) for s, m in mates]
        found += [
            {
                "sets": sets,
                "text": text,
                "on": position == state.token and s == state.sentence,
                "position": position + 1,
                "all": len(here.tokens),
            }
            for sets, text, s in options
        ]
    return found


def controls(chart: Chart, toy: Toy) -> list[str]:
    """The controls of a figure that have something to choose on this site."""
    entries = {sentence.entry for sentence in toy.sentences}
    has = {
        "sentence": len(entries) > 1,
        "word": any(s.switch is not None for s in toy.sentences),
        "head": len(toy.heads) > 1,
    }
    return [control for control in chart.controls if has.get(control, True)]
