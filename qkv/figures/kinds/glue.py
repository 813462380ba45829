"""The outputs of all heads glued together, and mixed again by W_O."""

from __future__ import annotations

from qkv.figures.charts import Block, Book, Chart, Plot, Table
from qkv.figures.labels import escape, label, short, width
from qkv.figures.shared import ASKER, PAD, bars, texts, zero_line
from qkv.figures.template import Node, look, phrase

STEP = 26  # pixels
WIDE = 16  # letters in a line of a label


def glue(book: Book) -> Chart:
    words, heads, size, features = book.words, book.axis_options("head"), book.size, book.features
    slots = [slot for names in book.slots("value") for slot in names]
    glued = [f"{heads[row // size].text} \u00b7 {slot}" for row, slot in enumerate(slots)]
    sizes = {
        "heads": str(len(heads)),
        "size": str(size),
        "all": str(len(heads) * size),
        "features": str(len(features)),
        "sum": " + ".join([str(size)] * len(heads)),
    }
    w_o = Table(
        "w_o",
        words("glue.w_o_table"),
        words("glue.slot"),
        {"$list": [[words("glue.number")], look("features[*]")]},
        glued,
        {"$columns": [look("glued[t,*]", "three"), look("w_o[*,*]", "number")]},
        row_marks=look("glued[t,*]", "lit"),
        foot=(words("glue.final"), {"$list": [[""], look("final[t,*]", "three")]}),
    )
    every = Table(
        "final",
        words("glue.every"),
        words("token"),
        look("features[*]"),
        look("tokens[*]"),
        look("final[*,*]", "three"),
    )
    colors = [f"@head{index % 6}" for index in range(len(heads)) for _ in range(size)]
    names = [head.text for head in heads]
    group = size + 1  # rows for a head: its name, then its numbers
    twelve = number_bars(
        "glued",
        words("glue.glued_label"),
        "glued[t,*]",
        [row for row in range(len(heads) * group) if row % group],
        slots,
        colors,
        max(book.slot_width("value"), 84),
        [
            texts(
                [look("final_range[0]")] * len(heads),
                [h * group for h in range(len(heads))],
                [short(name) + PAD for name in names],
                "middle left",
                [f"@head{h % 6}" for h in range(len(heads))],
                12,
            )
        ],
    )
    eight = number_bars(
        "final",
        words("glue.final_label"),
        "final[t,*]",
        list(range(len(features))),
        list(features),
        "@attention",
        round(7.8 * min(max(map(width, features)), WIDE)) + 16,
        [],
    )
    return Chart(
        "glue",
        words("glue.title"),
        ("sentence", "token", "mask"),
        (
            Block((twelve,), words("glue.glued_title", **sizes), name="glued"),
            Block((eight,), words("glue.final_title", **sizes), name="final"),
            Block((w_o,), name="w_o"),
        ),
        (every,),
        words.phrase("glue.says", asker=ASKER, after={"$join": look("final[t,*]", "three"), "by": ", "}, **sizes),
        words("glue.caption", **sizes),
    )


def padded(text: str) -> str:
    """A label with every line of it apart from the bars."""
    return text.replace("<br>", f"{PAD}<br>") + PAD


def number_bars(
    name: str,
    title: str,
    path: str,
    rows: list[int],
    names: list[str],
    color: Node,
    left: int,
    more: list[Node],
) -> Plot:
    """A bar and a number for each entry of a vector, each in its row."""
    count = rows[-1] + 1
    low, high = look("final_range[0]"), look("final_range[1]")
    labels = [padded(label(slot, WIDE)) for slot in names]
    hover = phrase("{slot} {value}", slot=list(map(escape, names)), value=look(path, "three"))
    data = (
        zero_line(count),
        bars(look(path), rows, color, hover),
        texts([low] * len(rows), rows, labels, "middle left", size=12),
        texts([high] * len(rows), rows, phrase("\u00a0{value}", value=look(path, "three")), "middle right", size=12),
        *more,
    )
    return Plot(
        name,
        title,
        count * STEP + 8,
        (left, 80, 4, 4),
        data,
        {"xaxis": {"range": [low, high]}, "yaxis": {"range": [count - 0.5, -0.5]}},
    )
