"""The radio buttons of a figure. Sentence, word and token are views of two axes; any other control is an axis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qkv.content.strings import Words
from qkv.figures.charts import Chart
from qkv.model.source import Source
from qkv.model.states import Option, State


def choices(control: str, state: State, source: Source, words: Words) -> list[dict[str, Any]]:
    """The radio buttons of a control: what each sets, its name, whether it is on."""
    if control not in ("sentence", "word", "token"):
        return [
            {"sets": f"{control}={i}", "text": option_text(control, option, words), "on": i == state[control]}
            for i, option in enumerate(source.axis[control].options(state))
        ]
    sentences, chosen = source.sentences, state["sentence"]
    here = sentences[chosen]
    mates = [(s, sentence) for s, sentence in enumerate(sentences) if sentence.entry == here.entry]
    if control == "sentence":
        first = {sentence.entry: s for s, sentence in reversed(list(enumerate(sentences)))}
        return [
            {"sets": f"sentence={s}", "text": " ".join(sentences[s].tokens), "on": entry == here.entry}
            for entry, s in sorted(first.items())
        ]
    if control == "word":
        return [{"sets": f"sentence={s}", "text": m.choice or m.tokens[-1], "on": s == chosen} for s, m in mates]
    found = []
    for position, token in enumerate(here.tokens):
        options = [(f"token={position}", token, chosen)]
        if position == here.switch:
            options = [(f"sentence={s}&token={position}", m.choice, s) for s, m in mates]
        found += [
            {
                "sets": sets,
                "text": text,
                "on": position == state["token"] and s == chosen,
                "position": position + 1,
                "all": len(here.tokens),
            }
            for sets, text, s in options
        ]
    return found


def option_text(axis: str, option: Option, words: Words) -> str:
    """An option as controls and sentences call it. What a mask is called is an interface word."""
    return words(f"mask.{option.id}_long") if axis == "mask" else option.text


def controls(chart: Chart, source: Source) -> list[str]:
    """The controls of a figure that have something to choose on this site."""
    entries = {sentence.entry for sentence in source.sentences}
    has = {"sentence": len(entries) > 1, "word": any(s.switch is not None for s in source.sentences)}
    has |= {axis.name: axis.longest > 1 for axis in source.axes if axis.name != "sentence"}
    return [control for control in chart.controls if has.get(control, False)]


def followed(charts: Iterable[Chart], source: Source) -> list[str]:
    """The axes that a reader sets in these figures, in the order of the axes: with their controls, or by a click on the
    row of a token."""
    sets = {"word": {"sentence"}}
    if any(sentence.switch is not None for sentence in source.sentences):
        sets["token"] = {"token", "sentence"}  # a choice of the switch is one of the tokens
    found: set[str] = set()
    for chart in charts:
        for control in controls(chart, source):
            found |= sets.get(control, {control})
        if any(plot.rows for plot in chart.plots):
            found.add("token")
    return [axis.name for axis in source.axes if axis.name in found]
