"""Tokens as labels of a graphic."""

from __future__ import annotations

import html
import re
import unicodedata

WRAP = 12  # letters in a line of a label
LINES = 2  # more of them lie on the next row
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
# what belongs to the letter before it besides marks: joiners, skin tones, tags of flags, parts of Korean syllables
JOINED = re.compile("[\u200d\u1160-\u11ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")  # two of them are one
# letters that need the room of more than one: Chinese, Japanese, Korean and pictures; broad ones; capitals
WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\U0001f000-\U0003fffd]"
)
BROAD = re.compile("[MWmw@%\u2014]")
CAPITAL = re.compile("[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]")
WORD = ("\ue000", "\ue001")  # stand around a token in a sentence until it is made an element of its own


def named(text: str) -> str:
    """A name from the model among words, marked like a token."""
    return WORD[0] + text + WORD[1]


def letters(text: str) -> list[str]:
    """The text letter by letter as a reader sees it: marks, joined pictures and flags stay whole."""
    found: list[str] = []
    for sign in text:
        last = found[-1] if found else ""
        pair = FLAG.fullmatch(last) and FLAG.match(sign)
        if last and (JOINED.match(sign) or unicodedata.category(sign)[0] == "M" or last[-1] == "\u200d" or pair):
            found[-1] += sign
        else:
            found.append(sign)
    return found


def width(text: str) -> float:
    """About how many ordinary letters need the room of this text."""
    return sum(
        2 if WIDE.match(one) else 1.5 if BROAD.match(one) else 1.25 if CAPITAL.match(one) else 1
        for one in letters(text)
    )


def fitting(text: str, wrap: float) -> str:
    """The beginning of the text that has room in a line; at least one letter."""
    line = ""
    for letter in letters(text):
        if line and width(line + letter) > wrap:
            break
        line += letter
    return line


def label(text: str, wrap: int = WRAP) -> str:
    """A token as a Plotly label: its pseudo-HTML escaped, in two lines if it is long, shortened if longer."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if width(joined) <= wrap:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        rest = word
        while width(rest) > wrap:
            lines[-1] = fitting(rest, wrap)
            rest = rest[len(lines[-1]) :]
            lines.append("")
        lines[-1] = rest
    if len(lines) > LINES:
        lines[LINES - 1 :] = [fitting(lines[LINES - 1], wrap - 1).rstrip() + "\u2026"]
    return "<br>".join(escape(line) for line in lines)


def short(text: str) -> str:
    """A token as a Plotly label of one line, where there is no room for more; the whole of it stands elsewhere."""
    return escape(text if width(text) <= WRAP else fitting(text, WRAP - 1).rstrip() + "\u2026")


def escape(text: str) -> str:
    """Plotly reads <, > and & in any text as markup."""
    return html.escape(text, quote=False)


def isolated(text: str) -> str:
    """A token among other words: one written from right to left must not turn what stands around it."""
    return f"\u2068{escape(text)}\u2069" if RIGHT_TO_LEFT.search(text) else escape(text)
