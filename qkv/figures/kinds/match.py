"""The query of the asking token against every key: q·k, divided by the square root of the size, is the score."""

from __future__ import annotations

import math

from qkv.figures.charts import Block, Book, Chart, Table
from qkv.figures.numbers import number
from qkv.figures.shared import ASKER, FIRST, SECOND, TIED, panel, same, says
from qkv.figures.template import look, phrase


def match(book: Book) -> Chart:
    words, size = book.words, book.size
    root = number(math.sqrt(size))
    slots, score = look("match_slots[*]"), look("scores[t,*]", "number")
    hidden = look("weights[t,*]", "masked")
    said = phrase("{score}{mark}", score=score, mark=look("weights[t,*]", "masked_word"))
    head = Table(
        "match",
        words.phrase("match.table", asker=look("tokens[t]", "word")),
        words("match.key"),
        {"$list": [slots, [words("match.product"), words("match.scaled", root=root)]]},
        look("tokens[*]"),
        {"$columns": [look("k[*,*]", "number"), look("products[t,*]", "number"), said]},
        marks={"$columns": [look("terms[t,*,*]", "lit"), same("", look("index")), same("score", look("index"))]},
        row_marks=hidden,
        head=(
            words.phrase("match.query", asker=look("tokens[t]", "word")),
            {"$list": [look("q[t,*]", "number"), ["", ""]]},
        ),
    )
    terms = Table(
        "terms",
        words.phrase("match.terms", asker=look("tokens[t]", "word")),
        words("match.key"),
        [words("match.sum"), words("match.product"), words("match.scaled", root=root), words("match.after_mask")],
        look("tokens[*]"),
        {
            "$columns": [
                {"$sum": [look("q[t,*]"), look("k[*,*]")]},
                look("products[t,*]", "number"),
                score,
                look("weights[t,*]", "seen"),
            ]
        },
        words=True,
    )
    scores = panel(
        book,
        "match",
        words("match.label"),
        look("scores[t,*]"),
        score,
        look("weights[t,*]", "seen_color"),
        "score_range",
    )
    best = phrase(
        "{sum} = {product}; {product} \u00f7 {root} = {score}",
        sum={"$sum": [look("q[t,*]"), look("k[1st,*]")]},
        product=look("products[t,1st]", "number"),
        root=root,
        score=look("scores[t,1st]", "number"),
    )
    return Chart(
        "match",
        words("match.title"),
        ("sentence", "token"),
        (Block((head,), name="keys"), Block((scores,), words("match.bars"), name="bars")),
        (terms,),
        says(
            words,
            "match",
            asker=ASKER,
            key=FIRST,
            ties=TIED,
            best=best,
            next=look("scores[t,2nd]", "number"),
            second=SECOND,
        ),
        words("match.caption", root=root, size=str(size)),
    )
