"""All rows at once: the square table of weights; and the tables of all heads beside each other."""

from __future__ import annotations

import math

from qkv.figures.charts import Block, Book, Chart, Plot, Table
from qkv.figures.numbers import number
from qkv.figures.shared import ASKER, PAD, cells, row_labels, rows_axis, same, texts
from qkv.figures.template import CLEAR, Node, Pins, look, phrase, when
from qkv.model.states import Option

CELL = 30  # pixels, the height of a row
SMALL = 24
COLUMNS = look("tokens[*]", "short")
INDEX = look("index")


def table(book: Book) -> Chart:
    words, n = book.words, book.longest
    weights = weight_table(book, "weights", words("table.numbers"))
    q = Table(
        "q",
        words("table.q_table"),
        words("table.asks"),
        look("match_slots[*]"),
        look("tokens[*]"),
        look("q[*,*]", "number"),
    )
    k = Table(
        "k",
        words("table.k_table"),
        words("table.key"),
        look("match_slots[*]"),
        look("tokens[*]"),
        look("k[*,*]", "number"),
    )
    scores = Table(
        "scores",
        words("table.scores_table"),
        words("table.asks"),
        look("tokens[*]"),
        look("tokens[*]"),
        look("scores[*,*]", "number"),
    )
    size = book.size
    sizes = {"n": str(n), "size": str(size)}
    blocks = (
        Block((), words("table.product", root=number(math.sqrt(size)), **sizes), name="corner"),
        Block((margin(book, "k", words("table.k_margin", **sizes)),), name="k"),
        Block((margin(book, "q", words("table.q_margin", **sizes)),), name="q"),
        Block((weight_plot(book, n),), name="weights"),
    )
    opened = words.phrase("table.off", opened=look("opened"), all=look("cells"))
    closed = words.phrase("table.on", visible=look("visible"), all=look("cells"))
    return Chart(
        "table",
        words("table.title"),
        ("sentence", "word", "mask", "head"),
        blocks,
        (weights, q, k, scores),
        when("mask=off", opened, closed),
        words("table.caption", **sizes),
    )


def weight_table(book: Book, name: str, caption: Node, at: Pins | None = None) -> Table:
    return Table(
        name,
        caption,
        book.words("table.asks"),
        look("tokens[*]"),
        look("tokens[*]"),
        look("weights[*,*]", "weight3", at=at),
        marks=look("weights[*,*]", "masked", at=at),
    )


def weight_plot(book: Book, n: int) -> Plot:
    words = book.words
    hover = phrase(
        "{asker} \u2192 {key}: {weight}",
        asker=look("askers[*,*]", "escape", flat=True),
        key=look("keys[*,*]", "escape", flat=True),
        weight=look("weights[*,*]", "weight3", flat=True),
    )
    stairs: Node = {
        "type": "scatter",
        "mode": "lines",
        "hoverinfo": "skip",
        "line": {"color": when("mask=off", "@ink", CLEAR), "width": 2.5},
        "x": [v for i in range(n) for v in (i + 0.5, i + 0.5)],
        "y": [v for i in range(n) for v in (i - 0.5, i + 0.5)],
    }
    data = (
        *cells(look("weights[*,*]", "brief", flat=True), hover),
        stairs,
        row_labels(-0.5, asking=False, show="short"),
    )
    return Plot(
        "weights",
        words("table.label"),
        n * CELL + book.label_width + 4,
        (book.label_width, 6, book.label_width, 4),
        data,
        {"xaxis": column_axis(n), "yaxis": rows_axis(n)},
        rows=n,
    )


def column_axis(
    n: int, names: Node = COLUMNS, places: Node = INDEX, color: str = "@ink", size: int = 13
) -> dict[str, Node]:
    """Columns with the tokens above them: real ticks, since only ticks can be turned."""
    return {
        "range": [-0.5, n - 0.5],
        "visible": True,
        "side": "top",
        "tickmode": "array",
        "tickvals": places,
        "ticktext": names,
        "tickangle": -90,
        "ticklabeloverflow": "allow",  # else Plotly measures each label, which always has room
        "tickfont": {"size": size, "color": color},
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "showline": False,
        "automargin": False,
    }


def margin(book: Book, vector: str, title: str) -> Plot:
    """Q (rows) left of the table, K^T (columns) above it, number by number, in line with its rows and columns."""
    n, size = book.longest, book.size
    numbers = look(f"{vector}[*,*]", "number", flat=True)
    place, slot = look("row_of_slot[*,*]", flat=True), look("slot[*,*]", flat=True)
    side = book.label_width
    turned = vector == "k"
    data: list[Node] = [texts(place if turned else slot, slot if turned else place, numbers, "middle center", size=11)]
    slots = look("match_slots[*]", "short")
    if turned:
        data.append(
            texts(same(-0.5, slots), look("slot[0,*]"), phrase("{slot}" + PAD, slot=slots), "middle left", "@muted", 11)
        )
    across, down = (n, size) if turned else (size, n)
    return Plot(
        f"margin-{vector}",
        title,
        down * (22 if turned else CELL) + (4 if turned else side + 4),
        (side if turned else 4, 6 if turned else 4, 2 if turned else side, 2 if turned else 4),
        tuple(data),
        {
            "xaxis": {"range": [-0.5, across - 0.5]}
            if turned
            else column_axis(size, slots, look("slot[0,*]"), "@muted", 11),
            "yaxis": rows_axis(down),
        },
    )


def heads(book: Book) -> Chart:
    words, n = book.words, book.longest
    jobs = book.source.arrays["head_jobs"]
    blocks, tables = [], []
    for index, head in enumerate(book.heads):
        name = look(f"head_names[{index}]", "word")
        title = phrase("{name}: {job}", name=name, job=jobs[index])
        blocks.append(Block((small(book, n, index, head),), title, name=f"head{index}"))
        tables.append(weight_table(book, f"head-{index}", words.phrase("heads.table", head=name), at={"head": head.id}))
    rows = words.phrase(
        "heads.says",
        asker=ASKER,
        list={"$join": [head_says(book, index, head) for index, head in enumerate(book.heads)], "by": "; "},
    )
    return Chart(
        "heads",
        words("heads.title"),
        ("sentence", "token", "mask", "head"),
        tuple(blocks),
        tuple(tables),
        rows,
        words("heads.caption"),
    )


def head_says(book: Book, index: int, head: Option) -> Node:
    pins = {"head": head.id}
    weight = look("weights[t,1st]", "percent", at=pins)
    each = book.words.phrase("heads.each", weight=weight)
    return book.words.phrase(
        "heads.one",
        head=look(f"head_names[{index}]", "word"),
        keys={"$join": look("tokens[ties]", "word", at=pins), "by": "and"},
        weight=when(
            "form=one", weight, when("form=two", weight, when("form=only", weight, each, at=pins), at=pins), at=pins
        ),
    )


def small(book: Book, n: int, index: int, head: Option) -> Plot:
    """One head's table; numbers only in the asking row."""
    pins = {"head": head.id}
    hover = phrase(
        "{asker} \u2192 {key}: {weight}",
        asker=look("askers[*,*]", "escape", flat=True),
        key=look("keys[*,*]", "escape", flat=True),
        weight=look("weights[*,*]", "weight3", flat=True, at=pins),
    )
    numbers: Node = {"$row": look("weights[*,*]", "brief", at=pins)}
    data = (
        *cells(numbers, hover, pins),
        row_labels(-0.5, asking=True, show="short"),
    )
    return Plot(
        f"head-{index}",
        book.words("heads.label", head=head.text),
        n * SMALL + book.label_width + 4,
        (book.label_width, 4, book.label_width, 4),
        data,
        {"xaxis": column_axis(n), "yaxis": rows_axis(n)},
        rows=n,
    )
