"""The questions as a GIFT file, which Moodle and others read into their question banks.

A question stands alone in a bank, so each begins with the sentence and with what its section's text takes as given.
A sign that means something in GIFT has a backslash before it, and texts are plain, so that <s> stays <s>.
"""

from __future__ import annotations

import re

from qkv.article.questions import Choice, Question
from qkv.content.sections import Section
from qkv.exports.made import Download, Made
from qkv.figures.controls import option_text
from qkv.pages.render import Pages

NAME = "questions.gift.txt"
STAND_IN = "\ue002"  # where the text stands between its quotes
_SIGN = re.compile(r"[\\~=#{}:]")
_FORMAT = re.compile(r"\[(moodle|html|plain|markdown)\]", re.I)


def gift(made: Made) -> list[Download]:
    """downloads/questions.gift.txt; nothing where the article asks nothing."""
    pages = made.pages
    before, _, after = pages.words("course.gift_token", token=STAND_IN).partition(STAND_IN)
    parts = [pages.section(section, pages.base, "") for section in pages.content.sections]
    blocks = []
    for part in parts:
        asked = [question for question in part["questions"] if question.number is not None or len(question.choices) > 1]
        if asked:
            names = (str(pages.content.site["title"]), part["section"].title)
            blocks.append("$CATEGORY: " + "/".join(" ".join(name.replace("/", "//").split()) for name in names))
        given, otherwise = _given(pages, part["section"]), pages.words("questions.wrong")
        blocks += [_question(question.quoted(before, after), given, otherwise) for question in asked]
    if not blocks:
        return []
    return [Download(NAME, ("\n\n".join(blocks) + "\n").encode(), pages.words("course.gift"))]


def _given(pages: Pages, section: Section) -> str:
    """What the questions of a section take as given: the sentence, and what its text assumes besides."""
    words, source, assumed = pages.words, pages.source, section.settings["assumes"]
    given = [words("course.gift_sentence", sentence=" ".join(source.sentence(pages.base).tokens))]
    for axis in (axis for axis in source.axis if axis in assumed and axis != "sentence"):
        option = option_text(axis, source.option(pages.base, axis), words)
        jobs = source.arrays.get(f"{axis}_jobs", ())  # what the options of an axis do, where the source says so
        job = {"job": jobs[pages.base[axis]]} if jobs else {}
        given.append(words(f"course.gift_{axis}", **{axis: option}, **job))
    return " ".join(given)


def _question(question: Question, given: str, otherwise: str) -> str:
    ask = "\n".join((given, question.ask))
    lines = [f"::{question.id}::[plain]{_escaped(ask)} {{"]
    if question.number is None:
        lines += [f"\t{_mark(choice)}{_text(choice.text)}#{_text(choice.why)}" for choice in question.choices]
    else:
        tolerance = f"{question.tolerance:g}"
        lines[0] += "#"
        lines.append(f"\t=%100%{question.number:.10g}:{tolerance}#{_text(question.why)}")
        lines += [f"\t=%0%{often.value:.10g}:{tolerance}#{_text(often.why)}" for often in question.choices]
        lines.append(f"\t~#{_text(otherwise)}")
    return "\n".join((*lines, "}"))


def _mark(choice: Choice) -> str:
    """What stands before a choice; a text that begins like a share of the points gets its own before it."""
    if choice.right:
        return "="
    return "~%0%" if choice.text.startswith("%") else "~"


def _text(text: str) -> str:
    """An answer or what is said of it; one that begins like the name of a format is told to be plain."""
    return f"[plain]{_escaped(text)}" if _FORMAT.match(text.strip()) else _escaped(text)


def _escaped(text: str) -> str:
    return _SIGN.sub(r"\\\g<0>", text.strip()).replace("\r", "").replace("\n", "\\n")
