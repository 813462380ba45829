"""Traces and texts that several kinds share."""

from __future__ import annotations

from qkv.content.strings import Words
from qkv.figures.charts import Book, Plot
from qkv.figures.template import Node, Pins, look, mark, phrase, when

ROW = 34  # pixels for a token
PAD = "\u00a0\u00a0"
# on nothing; its lines have the colour of the bar, or the outline says which
HATCH = {"size": 6, "solidity": 0.25}


def texts(x: Node, y: Node, text: Node, place: Node, color: Node = "@ink", size: int = 14) -> Node:
    """A text trace; `place` is where the text stands from its point, as Plotly says it."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": x,
        "y": y,
        "text": text,
        "textposition": place,
        "textfont": {"size": size, "color": color},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def same(value: Node, of: Node) -> Node:
    """A list of `value`, as long as the list `of`."""
    return mark(value, value, of)


def row_labels(x: Node, asking: bool, show: str = "label") -> Node:
    """The tokens left of the plot; with `asking`, the asking token has its accent and a mark."""
    tokens = look("tokens[*]", show)
    color = mark("@accent", "@ink", look("index")) if asking else "@ink"
    text = phrase("{mark}{token}" + PAD, mark=mark("\u25b8\u00a0", "", look("index")) if asking else "", token=tokens)
    return texts(same(x, look("index")), look("index"), text, "middle left", color)


def zero_line(rows: float) -> Node:
    """The line that bars start from."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [0, 0],
        "y": [-0.5, rows - 0.5],
        "line": {"color": "@line", "width": 1},
        "hoverinfo": "skip",
    }


def bars(x: Node, y: Node, color: Node, hover: Node, width: float = 0.62, **more: Node) -> Node:
    """Horizontal bars."""
    marker = {"color": color, "line": {"width": 0}, **more.pop("marker", {})}
    return {
        "type": "bar",
        "orientation": "h",
        "x": x,
        "y": y,
        "width": width,
        "marker": marker,
        "hovertext": hover,
        "hoverinfo": "text",
        **more,
    }


def cells(text: Node, hover: Node, at: Pins | None = None) -> tuple[Node, Node]:
    """A table of weights: crisp cells of the one hue as one trace of bars, and a hatching over the masked ones.

    The hatching is one shape, since Plotly takes longer for the pattern of a bar than for all else of it.
    """
    weights = "weights[*,*]"
    bar = {
        "type": "bar",
        "orientation": "h",
        "y": look("row[*,*]", flat=True),
        "base": look("cell_start[*,*]", flat=True),
        "x": look(weights, "one", flat=True, at=at),
        "width": 1,
        "offset": -0.5,
        "text": text,
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "insidetextfont": {"size": 10, "color": look(weights, "on_shade", flat=True, at=at)},
        "marker": {
            "color": look(weights, "shade", flat=True, at=at),
            "line": {"width": 1, "color": "@edge"},
        },
        "hovertext": hover,
        "hoverinfo": "text",
    }
    hatching = {
        "type": "scatter",
        "mode": "lines",
        "x": look("masked_x", at=at),
        "y": look("masked_y", at=at),
        "line": {"width": 1, "color": "@edge"},
        "fill": "toself",
        "fillpattern": {"shape": "/", "fgcolor": "@hatch", **HATCH},
        "hoverinfo": "skip",
    }
    return bar, hatching


def panel(
    book: Book, name: str, title: str, value: Node, shown: Node, color: Node, reach: str, more: Node = None
) -> Plot:
    """A bar for each key of the asking token; the number at the right edge, so that a short bar does not hide it.

    Hatched where the mask takes the key out before softmax.
    """
    index, n = look("index"), book.longest
    hover = phrase(
        "{asker} \u2192 {key}: {value}", asker=look("tokens[t]", "escape"), key=look("tokens[*]", "escape"), value=shown
    )
    data = (
        zero_line(n),
        bars(value, index, color, hover, marker={"pattern": {"shape": look("weights[t,*]", "hatch"), **HATCH}}),
        row_labels(look(f"{reach}[0]"), asking=False),
        texts(
            same(look(f"{reach}[1]"), index),
            index,
            phrase("\u00a0{value}", value=more or shown),
            "middle right",
            size=13,
        ),
    )
    return Plot(
        name,
        title,
        n * ROW + 8,
        (book.label_width, 130 if more else 66, 4, 4),
        data,
        {"xaxis": {"range": [look(f"{reach}[0]"), look(f"{reach}[1]")]}, "yaxis": rows_axis(n)},
    )


def rows_axis(rows: float, above: float = 0) -> dict[str, Node]:
    """Rows from top to bottom, one unit each; `above` is the room for a heading, which plotly may hide outside."""
    return {"range": [rows - 0.5, -0.5 - above]}


def says(words: Words, kind: str, **parts: Node) -> Node:
    """The sentence of a figure in the form that the asking row has: only, even, many, two or one."""
    node = words.phrase(f"{kind}.one", **parts)
    for form in ("two", "many", "even", "only"):
        node = when(f"form={form}", words.phrase(f"{kind}.{form}", **parts), node)
    return node


ASKER = look("tokens[t]", "word")
FIRST = look("tokens[1st]", "word")
SECOND = look("tokens[2nd]", "word")
TIED: Node = {"$join": look("tokens[ties]", "word"), "by": "and"}
