"""The kinds of figure. A new kind is one function and one line in KINDS."""

from __future__ import annotations

from collections.abc import Callable

from qkv.figures.charts import Book, Chart
from qkv.figures.kinds.glue import glue
from qkv.figures.kinds.lines import lines
from qkv.figures.kinds.match import match
from qkv.figures.kinds.mix import compare, mix
from qkv.figures.kinds.softmax import softmax
from qkv.figures.kinds.table import heads, table
from qkv.figures.kinds.vectors import vectors

KINDS: dict[str, Callable[[Book], Chart]] = {
    "lines": lines,
    "vectors": vectors,
    "match": match,
    "softmax": softmax,
    "mix": mix,
    "compare": compare,
    "table": table,
    "heads": heads,
    "glue": glue,
}

# what a section may set under [figures.<kind>]
OPTIONS: dict[str, tuple[str, ...]] = {"compare": ("token",)}
