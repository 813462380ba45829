"""A sheet to print: one row of attention to work out by hand, and the answers on a second page. Both are computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from markupsafe import Markup

from qkv.article.measures import Facts
from qkv.exports.made import Download, Made
from qkv.exports.single import policy
from qkv.figures.labels import named
from qkv.figures.numbers import exp4, number, three, weight3
from qkv.model.digits import shown
from qkv.model.states import MASKS
from qkv.output.assets import stylesheet

NAME = "worksheet.html"
BLANK = "\u2007" * 9  # room for a number


def worksheet(made: Made) -> list[Download]:
    """downloads/worksheet.html: the row of the state in which the page opens."""
    pages, words = made.pages, made.pages.words
    facts = Facts(pages.traces, pages.base, words("masked"))
    toy, state = pages.traces.toy, pages.base
    tokens, head = toy.sentences[state.sentence].tokens, toy.heads[state.head]
    asker, query, weights = state.token, facts.query(state.token), facts.row(state.token)
    rows, total = [], 0.0
    for place, weight in enumerate(weights):
        key = facts.key(place)
        product = sum(q * k for q, k in zip(query, key, strict=True))
        score = product / math.sqrt(toy.size)
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
        head=head.name,
        mask=words(f"mask.{MASKS[state.mask]}_long"),
        size=toy.size,
        root_of_size=number(shown(math.sqrt(toy.size))),
        query=_vector(query),
        match=", ".join(head.match),
        value=", ".join(head.value),
        rows=rows,
        total=exp4(shown(total)),
        one=weight3(shown(sum(weights))),
        out=_vector(facts.out(asker), three),
        blanks=[BLANK] * toy.size,
    )
    return [Download(NAME, html.encode(), words("course.worksheet"))]


def _vector(values: Iterable[float], write: Callable[[float], str] = number) -> str:
    return "(" + ", ".join(write(shown(value)) for value in values) + ")"
