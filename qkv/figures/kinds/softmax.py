"""Scores become weights: e^score, divided by the sum of all of them in the row."""

from __future__ import annotations

from qkv.figures.charts import Block, Book, Chart, Plot, Table
from qkv.figures.shared import ASKER, FIRST, SECOND, TIED, panel, says
from qkv.figures.template import look, phrase


def softmax(book: Book) -> Chart:
    words = book.words
    total, whole = look("sum_exps[t]", "exp4"), look("sum_weights[t]", "weight3")
    table = Table(
        "softmax",
        words.phrase("softmax.table", asker=look("tokens[t]", "word")),
        words("softmax.key"),
        [words("score"), words("softmax.exp"), words("weight")],
        look("tokens[*]"),
        {"$columns": [look("scores[t,*]", "number"), look("exps[t,*]", "exp4"), look("weights[t,*]", "weight3")]},
        row_marks=look("weights[t,*]", "masked"),
        foot=(words("softmax.sum"), {"$list": [[""], [total], [whole]]}),
    )
    return Chart(
        "softmax",
        words("softmax.title"),
        ("sentence", "token"),
        (
            Block((scores(book),), words("softmax.scores"), name="scores"),
            Block((weights(book),), words("softmax.weights"), name="weights"),
        ),
        (table,),
        says(
            words,
            "softmax",
            asker=ASKER,
            key=FIRST,
            next=SECOND,
            ties=TIED,
            total=total,
            whole=whole,
            exp=look("exps[t,1st]", "exp4"),
            weight=look("weights[t,1st]", "weight3"),
            next_exp=look("exps[t,2nd]", "exp4"),
            next_weight=look("weights[t,2nd]", "weight3"),
            score=look("scores[t,1st]", "number"),
            next_score=look("scores[t,2nd]", "number"),
        ),
        words("softmax.caption"),
    )


def scores(book: Book) -> Plot:
    """Scores as bars, with e^score beside each."""
    score = look("scores[t,*]", "number")
    more = phrase("{score},<br>\u00a0{exp}", score=score, exp=look("exps[t,*]", "exp_beside"))
    return panel(
        book,
        "scores",
        book.words("softmax.scores_label"),
        look("scores[t,*]"),
        score,
        look("weights[t,*]", "seen_color"),
        "score_range",
        more,
    )


def weights(book: Book) -> Plot:
    """Weights as bars; a masked key has none."""
    return panel(
        book,
        "weights",
        book.words("softmax.weights_label"),
        look("weights[t,*]", "length"),
        look("weights[t,*]", "weight3"),
        "@attention",
        "exp_range",
    )
