"""The asking token's numbers pick rows of W_Q, W_K and W_V, and become its query, key and value."""

from __future__ import annotations

from qkv.figures.charts import Block, Book, Chart, Plot, Table
from qkv.figures.shared import ASKER, bars, same, texts, zero_line
from qkv.figures.template import Node, look, phrase

PAIRS = (("q", "match"), ("k", "match"), ("v", "value"))


def vectors(book: Book) -> Chart:
    words = book.words
    blocks = []
    for vector, slots in PAIRS:
        names = look(f"{slots}_slots[*]")
        table = Table(
            f"w_{vector}",
            words.phrase(f"vectors.{vector}_table", asker=look("tokens[t]", "word")),
            words("vectors.feature"),
            {"$list": [[words("vectors.x")], names]},
            look("features[*]"),
            {"$columns": [look("x[t,*]", "number"), look(f"w_{vector}[*,*]", "number")]},
            row_marks=phrase("{lit} {greyed}", lit=look("x[t,*]", "lit"), greyed=look(f"used_{vector}[*]", "greyed")),
            foot=(words(f"vectors.{vector}"), {"$list": [[""], look(f"{vector}[t,*]", "number")]}),
        )
        blocks.append(Block((bar_plot(book, vector, slots), table), words(f"vectors.{vector}_title"), name=vector))
    return Chart(
        "vectors",
        words("vectors.title"),
        ("sentence", "token"),
        tuple(blocks),
        (all_vectors(book),),
        words.phrase(
            "vectors.says",
            asker=ASKER,
            x=vector_text("x[t,*]"),
            q=vector_text("q[t,*]"),
            k=vector_text("k[t,*]"),
            v=vector_text("v[t,*]"),
        ),
        words("vectors.caption", size=str(book.size)),
    )


def vector_text(path: str) -> Node:
    """(5, 0, 0, 0)"""
    return phrase("({numbers})", numbers={"$join": look(path, "number"), "by": ", "})


def bar_plot(book: Book, vector: str, slots: str) -> Plot:
    """The numbers of one vector as bars, one row a slot."""
    size = book.size
    reach = f"{slots}_range"
    path = f"{vector}[t,*]"
    index = look("slot[0,*]")
    hover = phrase("{slot}: {value}", slot=look(f"{slots}_slots[*]", "escape"), value=look(path, "number"))
    data = (
        zero_line(size),
        bars(look(path), index, "@attention", hover),
        texts(
            same(look(f"{reach}[0]"), index),
            index,
            phrase("{slot}\u00a0\u00a0", slot=look(f"{slots}_slots[*]", "label")),
            "middle left",
            size=12,
        ),
        texts(
            same(look(f"{reach}[1]"), index),
            index,
            phrase("\u00a0{value}", value=look(path, "number")),
            "middle right",
            size=13,
        ),
    )
    return Plot(
        f"{vector}",
        book.words(f"vectors.{vector}_label"),
        size * 30 + 8,
        (book.slot_width(slots), 52, 4, 4),
        data,
        {"xaxis": {"range": [look(f"{reach}[0]"), look(f"{reach}[1]")]}, "yaxis": {"range": [size - 0.5, -0.5]}},
    )


def all_vectors(book: Book) -> Table:
    """Every token's q, k and v."""
    words = book.words
    return Table(
        "vectors",
        words("vectors.all"),
        words("token"),
        [words("vectors.q"), words("vectors.k"), words("vectors.v")],
        look("tokens[*]"),
        {"$columns": [vector_text(f"{name}[*,*]") for name in ("q", "k", "v")]},
    )
