"""The kinds of figure. A new kind is one function and one line in KINDS."""

from __future__ import annotations

from collections.abc import Callable

from qkv.charts import Book, Chart
from qkv.kinds.glue import glue
from qkv.kinds.lines import lines
from qkv.kinds.match import match
from qkv.kinds.mix import compare, mix
from qkv.kinds.softmax import softmax
from qkv.kinds.table import heads, table
from qkv.kinds.vectors import vectors

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
