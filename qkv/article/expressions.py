"""Expressions in short texts, and what they print."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from qkv.article.answers import Masked
from qkv.article.evaluator import SEE, Asked, short
from qkv.errors import BuildError, Mistakes, Place, unfit
from qkv.model.states import State

EXPRESSION = re.compile(r"(?<!\\)\{\{((?:(?!\{\{).)*?)\}\}", re.S)
OPENING = re.compile(r"(?<!\\)\{\{")
UNCLOSED = ("{{ is not closed", "end the expression with }}, or write \\{{ for the signs")
HOLE = re.compile("\ue010(\\d+)\ue011")
_STARS = re.compile(r"(?<![\\*])\*(?![*\s])((?:\\\*|[^*])+)(?<![\\\s])\*(?!\*)")
STRESS = ("\ue002", "\ue003")  # stand around *stars* in a short text until it is shown


@dataclass(frozen=True)
class FigureCall:
    """What {{ figure("lines") }} evaluates to; rendered after all expressions, so that its own errors are its own."""

    kind: str
    source: Place


def fill_expressions(
    text: str, state: State, source: Place, asked: Asked, wrong: Mistakes, more: dict[str, Any]
) -> Markup:
    """A short text with its {{ expressions }} filled in; everything is escaped but what is markup already."""
    filled = Markup()
    for place, part in enumerate(EXPRESSION.split(text)):  # texts and expressions in turn
        if place % 2:
            filled += escape(printed(part.strip(), state, source, asked, wrong, more))
            continue
        if OPENING.search(part):
            wrong.add(source, *UNCLOSED)
        filled += escape(part.replace("\\{{", "{{"))
    return filled


def stressed(text: str) -> str:
    """A short text whose *stars* became marks, but for those inside {{ expressions }}; \\* is a star itself."""
    kept: list[str] = []

    def cut(hit: re.Match[str]) -> str:
        kept.append(hit.group())
        return f"\ue010{len(kept) - 1}\ue011"

    marked = _STARS.sub(rf"{STRESS[0]}\1{STRESS[1]}", EXPRESSION.sub(cut, text)).replace("\\*", "*")
    return HOLE.sub(lambda hit: kept[int(hit.group(1))], marked)


def without_stress(text: str, before: str = "", after: str = "") -> str:
    """The same text plain, with other signs, or none, around what was stressed."""
    return text.replace(STRESS[0], before).replace(STRESS[1], after)


def printed(expression: str, state: State, source: Place, asked: Asked, wrong: Mistakes, more: dict[str, Any]) -> Any:
    """What an expression puts into the text: a number, a text, a figure; nothing if it is wrong."""
    try:
        found = asked.evaluate(expression, state, source, more)[0]
    except BuildError as error:
        wrong.take(error)
        return ""
    if isinstance(found, Masked):
        return str(found)
    if isinstance(found, bool) or not isinstance(found, str | int | float | FigureCall):
        problem = f"the expression gives {short(found)}, which is neither a text nor a number: {expression}"
        wrong.add(source, problem, f"ask for one of its parts, {SEE}")
        return ""
    bad = unfit(found) if isinstance(found, str) else None
    if bad:
        problem = f"the expression gives the character {bad[1]}, which cannot be shown: {expression}"
        wrong.add(source, problem, "take it out")
        return ""
    return found
