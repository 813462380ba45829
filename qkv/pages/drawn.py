"""A figure in one state, as templates show it: posters, tables, sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from qkv.article.links import Target
from qkv.figures.charts import Chart, Plot, Table
from qkv.figures.labels import WORD
from qkv.figures.poster import poster
from qkv.figures.template import View


@dataclass(frozen=True)
class Drawn:
    """A chart in one state, for a template: posters, tables, sentence."""

    chart: Chart
    view: View
    target: Target
    notes: tuple[dict[str, Any], ...]

    def poster(self, plot: Plot, place: str = "") -> Markup:
        svg = poster(self.view.fill(plot.figure()), f"{self.chart.kind}-{plot.name}{place}")
        return Markup(f'<div translate="no">{svg}</div>')  # SVG itself has no such attribute

    def table(self, table: Table) -> dict[str, Any]:
        fill = self.view.fill
        cells = fill(table.cells)
        marks = fill(table.marks) or [[""] * len(row) for row in cells]
        columns = list(map(heading, fill(marked(table.columns))))
        return {
            "caption": sentence(fill(table.caption)),
            "corner": table.corner,
            "columns": columns,
            "data": all(column["data"] for column in columns),
            "words": table.words,
            "rows": list(map(heading, fill(marked(table.rows)))) if table.words else fill(table.rows),
            "cells": cells,
            "marks": marks,
            "row_marks": fill(table.row_marks) or [""] * len(cells),
            "head": [sentence(fill(table.head[0])), fill(table.head[1])] if table.head else None,
            "foot": [fill(table.foot[0]), fill(table.foot[1])] if table.foot else None,
        }

    def text(self, node: Any) -> Markup:
        return sentence(self.view.fill(node))

    @property
    def says(self) -> Markup:
        return self.text(self.chart.says)

    @property
    def said_notes(self) -> list[Markup]:
        index = self.view.source.number(self.view.state)
        return [sentence(note["text"]) for note in self.notes if index in note["states"]]


def sentence(text: str) -> Markup:
    """A text whose tokens are marked, as HTML: each token an element that keeps its own direction, and its language."""
    safe = str(escape(text))
    return Markup(safe.replace(WORD[0], '<bdi class="token" translate="no">').replace(WORD[1], "</bdi>"))


def marked(node: Any) -> Any:
    """The node of headings in which what comes from the model is marked, and words of the interface are not."""
    if isinstance(node, dict):
        return {**node, "as": "word"} if "$" in node else {key: marked(part) for key, part in node.items()}
    return [marked(part) for part in node] if isinstance(node, list | tuple) else node


def heading(text: str) -> dict[str, Any]:
    """A heading of a table: its text, and whether that is data, all of it."""
    data = text.startswith(WORD[0]) and text.endswith(WORD[1])
    return {"text": text.strip("".join(WORD)) if data else sentence(text), "data": data}
