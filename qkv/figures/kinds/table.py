"""All rows at once: the square table of weights; and the tables of all heads beside each other."""

from __future__ import annotations

import math

from qkv.figures.charts import Block, Book, Chart, Plot, Table
from qkv.figures.labels import named
from qkv.figures.numbers import number
from qkv.figures.shared import ASKER, PAD, cells, row_labels, rows_axis, same, texts
from qkv.figures.template import CLEAR, Node, Pins, look, phrase, when
from qkv.model.masks import MASKS
from qkv.model.states import Option

CELL = 30  # pixels, the height of a row
SMALL = 24
COLUMNS = look("tokens[*]", "short")
INDEX = look("index")


def table(book: Book) -> Chart:
    """The weights; with Q and K in the margins and the scores in a table, where the source has them."""
    words, source, n = book.words, book.source, book.longest
    sizes = {"n": str(n), "size": str(book.size)}
    weights = weight_table(book, "weights", words("table.numbers"))
    margins = all(name in source.arrays for name in ("q", "k", "match_slots"))
    blocks: tuple[Block, ...] = (Block((weight_plot(book, n),), name="weights" if margins else ""),)
    tables: tuple[Table, ...] = (weights,)
    caption = "table.caption" if margins else "table.caption_weights"
    if margins:
        root = number(math.sqrt(book.size))
        blocks = (
            Block((), words("table.product", root=root, **sizes), name="corner"),
            Block((margin(book, "k", words("table.k_margin", **sizes)),), name="k"),
            Block((margin(book, "q", words("table.q_margin", **sizes)),), name="q"),
            *blocks,
        )
        slots = look("match_slots[*]")
        tables += (number_table(book, "q", "table.asks", slots), number_table(book, "k", "table.key", slots))
    if "scores" in source.arrays:
        tables += (number_table(book, "scores", "table.asks", look("tokens[*]")),)
    parts = {"visible": look("visible"), "opened": look("opened"), "all": look("cells")}
    says = words.phrase(f"table.{source.masks[-1].id}", **parts)
    for mask in reversed(source.masks[:-1]):
        says = when(f"mask={mask.id}", words.phrase(f"table.{mask.id}", **parts), says)
    leading = [name for name in source.dims["weights"] if name != "sentence"]
    controls = ("sentence", "word", *leading)
    return Chart("table", words("table.title"), controls, blocks, tables, says, words(caption, **sizes))


def number_table(book: Book, name: str, corner: str, columns: Node) -> Table:
    """An array with a row a token, as a table of numbers."""
    cells, words = look(f"{name}[*,*]", "number"), book.words
    return Table(name, words(f"table.{name}_table"), words(corner), columns, look("tokens[*]"), cells)


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
    data = (
        *cells(look("weights[*,*]", "brief", flat=True), hover),
        *stairs(book, n),
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


def stairs(book: Book, n: int) -> tuple[Node, ...]:
    """Where a table can be opened: the border of what has opened then."""
    if not {MASKS["on"], MASKS["off"]} <= set(book.source.masks):
        return ()
    return (
        {
            "type": "scatter",
            "mode": "lines",
            "hoverinfo": "skip",
            "line": {"color": when("mask=off", "@ink", CLEAR), "width": 2.5},
            "x": [v for i in range(n) for v in (i + 0.5, i + 0.5)],
            "y": [v for i in range(n) for v in (i - 0.5, i + 0.5)],
        },
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
    jobs = book.source.arrays.get("head_jobs", ())
    blocks, tables = [], []
    for index, head in enumerate(book.axis_options("head")):
        name = named(head.text)
        title = f"{name}: {jobs[index]}" if jobs else name
        blocks.append(Block((small(book, n, index, head),), title, name=f"head{index}", when=f"head={head.id}"))
        caption = words("heads.table", head=name)
        tables.append(weight_table(book, f"head-{index}", caption, at={"head": head.id}))
    rows = words.phrase(
        "heads.says",
        asker=ASKER,
        list={"$join": [head_says(book, head) for head in book.axis_options("head")], "by": "; "},
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


def head_says(book: Book, head: Option) -> Node:
    pins = {"head": head.id}
    weight = look("weights[t,1st]", "percent", at=pins)
    each = book.words.phrase("heads.each", weight=weight)
    return book.words.phrase(
        "heads.one",
        head=named(head.text),
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
