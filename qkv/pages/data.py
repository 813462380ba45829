"""What a page hands to the browser, as JSON: the site's names, and its figures as templates that the browser fills."""

from __future__ import annotations

import json
from typing import Any

from qkv.article.notes import Notes
from qkv.content.strings import Words
from qkv.figures.charts import TABLE_PARTS, Chart
from qkv.figures.controls import option_text
from qkv.model.source import Source
from qkv.model.states import Axis, State

WORDS = (
    "and",
    "masked",
    "removed",
    "kept",
    "figure.describes_link",
    "figure.updating",
    "figure.failed",
    "figure.slow",
    "figure.undrawn",
    "figure.damaged",
    "figure.old",
    "figure.again",
    "figure.reload",
    "figure.help",
    "questions.right",
    "questions.wrong",
    "questions.first",
    "questions.notnumber",
)
# words whose {places} the browser fills
TEMPLATES = (
    "control.position",
    "figure.describes",
)


def names(source: Source, words: Words, base: State, shades: tuple[str, ...]) -> dict[str, Any]:
    """All that a page's script reads besides the trace arrays and the figures."""
    order = list(source.axis)
    parts = [f"figure.part_{axis.name}" for axis in source.axes if axis.name != "token"]
    return {
        "base": list(base.indexes),
        "axes": [_axis(axis, words) for axis in source.axes],
        "sentences": [{"id": s.id, "entry": s.entry, "switch": s.switch, "choice": s.choice} for s in source.sentences],
        "longest": source.longest,
        "dims": {name: [order.index(axis) for axis in leading] for name, leading in source.dims.items()},
        "shades": list(shades),
        "words": {name: words(name) for name in WORDS} | {name: words.template(name) for name in (*TEMPLATES, *parts)},
    }


def _axis(axis: Axis, words: Words) -> dict[str, Any]:
    """An axis with the ids of its options, and what they are called if that is something else; those of two axes stand
    elsewhere in the data."""
    if axis.name in ("sentence", "token"):
        return {"name": axis.name}
    texts = [option_text(axis.name, option, words) for option in axis.lists[0]]
    return {"name": axis.name, "ids": axis.ids, **({"texts": texts} if texts != axis.ids else {})}


def figure(chart: Chart, notes: Notes, assumes: dict[str, int], follows: list[str]) -> dict[str, Any]:
    """A figure as templates. `assumes`: the parts of the state that the text around it speaks of; `follows`: the axes
    on which it shows what the reader chooses."""
    tables = {
        table.name: {part: getattr(table, part) for part in TABLE_PARTS if getattr(table, part) is not None}
        for table in chart.tables
    }
    plots = {plot.name: {**plot.figure(), "rows": plot.rows, "share": plot.share} for plot in chart.plots}
    return {
        "plots": plots,
        "tables": tables,
        "says": chart.says,
        "notes": list(notes.get(chart.kind, ())),
        "chosen": {block.name: block.when for block in chart.blocks if block.when},
        "assumes": assumes,
        "follows": follows,
    }


def dump(value: Any) -> str:
    """JSON that may stand in a page: no <, > or &, no NaN, none of the letters that mark tokens."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return (
        text.replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
        .replace("\ue000", "\\ue000")
        .replace("\ue001", "\\ue001")
    )
