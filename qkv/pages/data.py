"""What a page hands to the browser, as JSON: the site's names, and its figures as templates that the browser fills."""


from __future__ import annotations

import json
from typing import Any

from qkv.article.notes import Notes
from qkv.content.strings import Words
from qkv.figures.charts import Chart
from qkv.model.states import MASKS, State
from qkv.model.traces import DIMS, Traces

WORDS = (
    "and",
    "masked",
    "removed",
    "kept",
    "mask.on_long",
    "mask.off_long",
    "figure.describes_link",
    "figure.updating",
    "figure.failed",
    "figure.slow",
    "figure.undrawn",
    "figure.damaged",
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
    "figure.part_sentence",
    "figure.part_mask",
    "figure.part_head",
)
TABLE_PARTS = ("caption", "columns", "rows", "cells", "marks", "row_marks", "head", "foot")


def names(traces: Traces, words: Words, base: State, shades: tuple[str, ...]) -> dict[str, Any]:
    """All that a page's script reads besides the trace arrays and the figures."""
    toy = traces.toy
    return {
        "base": [base.sentence, base.mask, base.head, base.token],
        "sentences": [{"id": s.id, "entry": s.entry, "switch": s.switch, "choice": s.choice} for s in toy.sentences],
        "masks": list(MASKS),
        "heads": [head.name for head in toy.heads],
        "size": toy.size,
        "longest": traces.longest,
        "dims": DIMS,
        "shades": list(shades),
        "words": {name: words(name) for name in WORDS} | {name: words.template(name) for name in TEMPLATES},
    }


def figure(chart: Chart, notes: Notes, assumes: dict[str, int]) -> dict[str, Any]:
    """A figure as templates. `assumes`: the parts of the state that the text around it speaks of."""
    tables = {
        table.name: {part: getattr(table, part) for part in TABLE_PARTS if getattr(table, part) is not None}
        for table in chart.tables
    }
    plots = {plot.name: {**plot.figure(), "rows": plot.rows, "share": plot.share} for plot in chart.plots}
    said = list(notes.get(chart.kind, ()))
    return {"plots": plots, "tables": tables, "says": chart.says, "notes": said, "assumes": assumes}


def dump(value: Any) -> str:
    """JSON that may stand in a page: no <, > or &, no NaN."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return (
        text.replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )
