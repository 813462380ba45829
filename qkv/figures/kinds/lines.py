"""Left the tokens that ask, right the tokens they look at, a ribbon for each weight."""

from __future__ import annotations

from qkv.figures.charts import Block, Book, Chart, Plot, Table
from qkv.figures.ribbons import THICKEST
from qkv.figures.shared import ASKER, FIRST, ROW, SECOND, TIED, row_labels, rows_axis, same, says, texts
from qkv.figures.template import Node, look, phrase

SMOOTH = 32  # steps of the ribbons that stand out; the faint ones need fewer
CLOSE = 90  # steps between the points that carry the words


def ribbon(asker: int | str, color: str, hover: bool = False) -> list[Node]:
    """All ribbons of one asking token as one trace; with hover, points in them carry the words, since a filled
    outline has one text for all of it and a line none between its ends."""
    steps = {"steps": SMOOTH} if asker == "t" else {}
    shape: Node = {
        "type": "scatter",
        "mode": "none",
        "fill": "toself",
        "fillcolor": color,
        "hoverinfo": "skip",
        "x": {"$ribbons": "x", "from": asker, **steps},
        "y": {"$ribbons": "y", "from": asker, **steps},
    }
    return [shape, hover_points()] if hover else [shape]


def hover_points() -> Node:
    """Points that are not drawn, along both edges of each ribbon and just inside it: wherever the pointer is in a
    ribbon, the nearest point is one of its own, however thin its neighbours are."""
    words = phrase(
        "{asker} \u2192 {key}: {weight}",
        asker=look("tokens[t]", "escape"),
        key=look("tokens[*]", "escape"),
        weight=look("weights[t,*]", "percent"),
    )
    return {
        "type": "scatter",
        "mode": "none",
        "hoveron": "points",
        "hoverinfo": "text",
        "x": {"$ribbons": "near_x", "from": "t", "steps": CLOSE},
        "y": {"$ribbons": "near_y", "from": "t", "steps": CLOSE},
        "hovertext": {"$ribbons": "text", "from": "t", "steps": CLOSE, "text": words},
    }


def lines(book: Book) -> Chart:
    words, n = book.words, book.longest
    index = look("index")
    data: list[Node] = []
    for asker in range(n):
        data += ribbon(asker, "@faint")
    data += ribbon("t", "@attention", hover=True)
    weight = look("weights[t,*]", "percent")
    data += [
        row_labels(0, asking=True),
        texts(same(1, index), index, phrase("\u00a0\u00a0{token}", token=look("tokens[*]", "short")), "middle right"),
        texts(
            same(1, index),
            look("below[*]"),
            phrase("\u00a0\u00a0\u00a0{weight}", weight=weight),
            "middle right",
            "@muted",
            11,
        ),
        texts(
            [0, 1],
            [-0.85, -0.85],
            [words("lines.asks") + "\u00a0\u00a0", "\u00a0\u00a0" + words("lines.looked_at")],
            ["middle left", "middle right"],
            "@muted",
            11,
        ),
    ]
    side = book.label_width + 8
    row = ROW + 4
    plot = Plot(
        "lines",
        words("lines.label"),
        n * row + 34,
        (side, side, 28 - row // 2, 6),
        tuple(data),
        {"xaxis": {"range": [0, 1]}, "yaxis": rows_axis(n, above=0.5)},
        rows=n,
        share="left",
    )
    table = Table(
        "weights",
        words.phrase("lines.table", asker=look("tokens[t]", "word")),
        words("lines.looked_at"),
        [words("weight")],
        look("tokens[*]"),
        {"$columns": [look("weights[t,*]", "weight3")]},
        {"$columns": [look("weights[t,*]", "masked")]},
    )
    return Chart(
        "lines",
        words("lines.title"),
        ("sentence", "token"),
        (Block((plot,)),),
        (table,),
        says(
            words,
            "lines",
            asker=ASKER,
            key=FIRST,
            weight=look("weights[t,1st]", "percent"),
            next=SECOND,
            next_weight=look("weights[t,2nd]", "percent"),
            ties=TIED,
        ),
        words("lines.caption", share=str(round(100 * THICKEST))),
    )
