"""What a figure is: plots, tables and a sentence, each a template that `lookup` fills for any state.

A kind of figure is one function that takes a Book and returns a Chart, and one line in `kinds.KINDS`.
The Plotly figure in a Plot is the one description of its graphic: the poster is drawn from it, the browser
hands it to Plotly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from qkv.content.strings import Words
from qkv.errors import Place
from qkv.figures.labels import WRAP, width
from qkv.figures.template import CLEAR, Node, needs
from qkv.model.source import Source
from qkv.model.states import Option

FONT = "@font"  # that of the page, a CSS variable
LETTER = 7.6  # pixels, about
TABLE_PARTS = ("caption", "columns", "rows", "cells", "marks", "row_marks", "head", "foot")  # those that are templates


@dataclass(frozen=True)
class Plot:
    """A Plotly figure as a template; pixels for height and margin (left, right, top, bottom)."""

    name: str
    label: str  # what it is, for those who cannot see it
    height: int
    margin: tuple[int, int, int, int]
    data: tuple[Node, ...]
    layout: dict[str, Node]
    rows: int = 0  # how many asking tokens stand in it from top to bottom: a click on a row chooses it
    share: str = "all"  # how much of the width answers such a click: "all" or "left"

    def figure(self) -> dict[str, Node]:
        """The whole Plotly figure, still a template."""
        left, right, top, bottom = self.margin
        axis = {"visible": False, "fixedrange": True}
        base: dict[str, Node] = {
            "height": self.height,
            "margin": {"l": left, "r": right, "t": top, "b": bottom, "pad": 0},
            "paper_bgcolor": CLEAR,
            "plot_bgcolor": CLEAR,
            "showlegend": False,
            "dragmode": False,
            "hovermode": "closest",
            "barmode": "overlay",
            "bargap": 0.2,
            "font": {"family": FONT, "size": 13, "color": "@ink"},
            "hoverlabel": {
                "bgcolor": "@page",
                "bordercolor": "@ink",
                "font": {"family": FONT, "size": 13, "color": "@ink"},
            },
        }
        axes = {name: {**axis, **self.layout.get(name, {})} for name in ("xaxis", "yaxis")}
        return {"data": list(self.data), "layout": {**base, **self.layout, **axes}}


@dataclass(frozen=True)
class Table:
    """A table as a template: `columns` and `rows` are headings, `cells` rows of texts, `marks` rows of classes."""

    name: str
    caption: Node
    corner: str
    columns: Node
    rows: Node
    cells: Node
    marks: Node = None
    row_marks: Node = None
    head: tuple[Node, Node] | None = None  # one more row on top of the body
    foot: tuple[str, Node] | None = None
    words: bool = False  # whether the body holds words of the interface, and not data alone


@dataclass(frozen=True)
class Block:
    """Part of a figure: an optional heading, and plots and tables from top to bottom. One with a condition `when`, such
    as "head=sink", is the chosen one where that holds."""

    items: tuple[Plot | Table, ...]
    title: Node = ""
    note: Node = ""
    name: str = ""
    when: str = ""


@dataclass(frozen=True)
class Chart:
    """A figure of the page.

    `controls` are what its reader sets in it: "sentence", "word" and "token" (qkv/figures/controls.py), or any axis.
    """

    kind: str
    title: str
    controls: tuple[str, ...]
    blocks: tuple[Block, ...]
    numbers: tuple[Table, ...]  # folded under "Show the numbers"
    says: Node  # the sentence about this state
    caption: str = ""

    @property
    def plots(self) -> tuple[Plot, ...]:
        return tuple(item for block in self.blocks for item in block.items if isinstance(item, Plot))

    @property
    def tables(self) -> tuple[Table, ...]:
        shown = tuple(item for block in self.blocks for item in block.items if isinstance(item, Table))
        return shown + self.numbers

    @property
    def needs(self) -> set[str]:
        """What a source must have for it: the arrays that its templates look up, the axes they pin or ask about."""
        tables = [getattr(table, part) for table in self.tables for part in TABLE_PARTS]
        headings = [(block.title, block.note) for block in self.blocks]
        return needs(self.says, headings, tables, [(plot.data, plot.layout) for plot in self.plots])


@dataclass(frozen=True)
class Book:
    """What a figure is made from.

    Where the source has no such array or axis, a stand-in is as good: a figure that needs it is left out (Chart.needs).
    """

    source: Source
    words: Words
    options: dict[str, Any] = field(default_factory=dict)  # from the section's front matter
    places: dict[str, Place] = field(default_factory=dict)  # where each option stands

    @property
    def longest(self) -> int:
        """The number of tokens of the longest sentence."""
        return self.source.longest

    @property
    def size(self) -> int:
        """d, the numbers of a query, key or value."""
        return len(self.slots("match")[0])

    def slots(self, kind: str) -> list[list[str]]:
        """The names of the slots of q and k ("match") or of v ("value"), head by head."""
        names: list[list[str]] = self.source.arrays.get(f"{kind}_slots", [["-"]])
        return names

    def axis_options(self, axis: str) -> tuple[Option, ...]:
        """What can be chosen on an axis that lies within no other."""
        return self.source.axis[axis].lists[0] if axis in self.source.axis else (Option("-", "-"),)

    @property
    def features(self) -> list[str]:
        """The names of the numbers of a token's own vector."""
        names: list[str] = self.source.arrays.get("features", ["-"])
        return names

    @property
    def label_width(self) -> int:
        """Pixels for the longest token (or a line of it) and a gap."""
        tokens = [token for sentence in self.source.sentences for token in sentence.tokens]
        return round(min(max(map(width, tokens)), WRAP) * LETTER) + 28

    def slot_width(self, kind: str) -> int:
        """Pixels for the longest name of a slot (or a line of it) and a gap."""
        names = [slot for head in self.slots(kind) for slot in head]
        return round(min(max(map(width, names)), WRAP) * LETTER) + 16
