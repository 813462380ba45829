"""A sheet to print: one row of attention to work out by hand, and the answers on a second page. Both are computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from markupsafe import Markup

from qkv.article.measures import Measures
from qkv.exports.made import Download, Made
from qkv.exports.single import policy
from qkv.figures.labels import named
from qkv.figures.numbers import exp4, number, three, weight3
from qkv.model.digits import shown
from qkv.output.assets import stylesheet

NAME = "worksheet.html"
NEEDS = ("q", "k", "v", "out", "match_slots", "value_slots", "head")  # arrays and axes
BLANK = "\u2007" * 9  # room for a number


def worksheet(made: Made) -> list[Download]:
    """downloads/worksheet.html: the row of the state in which the page opens."""
    pages, words = made.pages, made.pages.words
    source, state = pages.source, pages.base
    if lacking := [name for name in NEEDS if name not in source.arrays and name not in source.axis]:
        made.left_out.append(f"the worksheet is left out: the source of attention has no {', '.join(lacking)}")
        return []
    facts = Measures(source, state, words("masked"))
    tokens, size = facts.tokens, len(source.array("match_slots", state))
    asker, query, weights = state["token"], facts.query(state["token"]), facts.row(state["token"])
    rows, total = [], 0.0
    for place, weight in enumerate(weights):
        key = facts.key(place)
        product = sum(q * k for q, k in zip(query, key, strict=True))
        score = product / math.sqrt(size)
        total += math.exp(score)
        cells = (number(shown(product)), number(shown(score)), exp4(shown(math.exp(score))), weight3(shown(weight)))
        value = _vector(facts.value(place))
        rows.append({"token": tokens[place], "key": _vector(key), "cells": cells, "value": value})
    style = stylesheet(made.templates, "worksheet.css")
    html = pages.env.get_template("worksheet.html").render(
        policy=policy([], [style]),
        style=Markup(style),
        asker=tokens[asker],
        named=named,
        place=asker,
        tokens=tokens,
        head=source.option(state, "head").text,
        mask=words(f"mask.{source.mask(state).id}_long"),
        size=size,
        root_of_size=number(shown(math.sqrt(size))),
        query=_vector(query),
        match=", ".join(source.array("match_slots", state)),
        value=", ".join(source.array("value_slots", state)),
        rows=rows,
        total=exp4(shown(total)),
        one=weight3(shown(sum(weights))),
        out=_vector(facts.out(asker), three),
        blanks=[BLANK] * size,
    )
    return [Download(NAME, html.encode(), words("course.worksheet"))]


def _vector(values: Iterable[float], write: Callable[[float], str] = number) -> str:
    return "(" + ", ".join(write(shown(value)) for value in values) + ")"
