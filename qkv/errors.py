"""One kind of error for everything an author can get wrong.

A message is `file:line: problem; what to do`. Checks collect as many of them as they can
find and raise them together, so that an author mends a file in one go.
"""

from __future__ import annotations

import difflib
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

EXIT_CODE = 1
LISTED = 12  # names in an advice; a longer list is not read
T = TypeVar("T")

# Control characters are not allowed in HTML; the private ones mark tokens and expressions while pages are made.
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ue000-\ue011]")
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True, order=True)
class Place:
    """A place in a file that somebody edits: path as shown to the author, line from 1 (0: the whole file)."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path

    def at(self, line: int) -> Place:
        """The same file, another line."""
        return Place(self.path, line)

    def or_line(self, line: int) -> Place:
        """This place, or that line where it is the file as a whole."""
        return self if self.line else self.at(line)


@dataclass(frozen=True, order=True)
class Mistake:
    """One thing that is wrong, where, and what to do about it."""

    source: Place
    problem: str
    fix: str

    def __str__(self) -> str:
        return _BREAKS.sub(" ", f"{self.source}: {self.problem}; {self.fix}")  # one line, whatever it quotes


class BuildError(Exception):
    """Stops the build. Holds one or more mistakes; str() is one line for each."""

    def __init__(self, mistakes: Mistake | Iterable[Mistake]) -> None:
        one = [mistakes] if isinstance(mistakes, Mistake) else mistakes
        self.mistakes = sorted(set(one))
        super().__init__("\n".join(map(str, self.mistakes)))


def fail(source: Place, problem: str, fix: str) -> BuildError:
    """A BuildError with a single mistake, to be raised."""
    return BuildError(Mistake(source, problem, fix))


class Mistakes:
    """Collects mistakes while checks go on; `stop()` raises them all, or does nothing."""

    def __init__(self) -> None:
        self.found: list[Mistake] = []

    def add(self, source: Place, problem: str, fix: str) -> None:
        self.found.append(Mistake(source, problem, fix))

    def take(self, error: BuildError) -> None:
        self.found.extend(error.mistakes)

    def attempt(self, read: Callable[[Path], T], path: Path) -> T:
        """What a reader makes of a path. Where it fails its mistakes are kept, and stop() will raise them."""
        try:
            return read(path)
        except BuildError as error:
            self.take(error)
            return cast(T, None)

    def stop(self) -> None:
        if self.found:
            raise BuildError(self.found)


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The advice for a name that is not known: the nearest one, else `otherwise`, else the list of all."""
    names = list(dict.fromkeys(known))
    alike = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(word[:100].casefold(), alike, n=1, cutoff=0.5)
    if near:
        return f"did you mean {alike[near[0]]!r}?"
    if otherwise or not names:
        return otherwise or "there are none yet"
    more = ", \u2026" if len(names) > LISTED else ""
    return "use one of " + ", ".join(map(repr, names[:LISTED])) + more


def quoted(value: object) -> str:
    """A value as a message shows it: never longer than a line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a number of more than 20 digits"
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "\u2026"


def unfit(text: str) -> tuple[int, str] | None:
    """The place and name of the first character that no page may hold."""
    hit = _UNFIT.search(text)
    return (hit.start(), f"U+{ord(hit.group()):04X}") if hit else None


def text_of(raw: bytes) -> str:
    """The text of a UTF-8 file, the same however git or an editor wrote it: lines end with LF, no byte order mark."""
    return raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: Path, shown: str) -> str:
    """The text of a UTF-8 file; raises a BuildError that names it when it is missing, unreadable or not UTF-8.

    However an editor wrote it, line ends are \\n and letters are whole (NFC): on a Mac, \u00fc may be a u and a dot.
    """
    source = Place(shown)
    try:
        kind = path.stat().st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):  # a pipe or device, which may never end
            raise fail(source, "is not a file", "put a file with text in its place")
        raw = path.read_bytes()
    except FileNotFoundError:
        raise fail(source, "this file is missing", "create it, or check its name") from None
    except OSError as error:
        raise fail(source, f"cannot be read ({error.strerror})", "make it a file that you may read") from None
    try:
        text = text_of(raw)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise fail(source.at(line), "this line is not UTF-8 text", "save the file with the encoding UTF-8") from None
    bad = unfit(text)
    if bad:
        line = text.count("\n", 0, bad[0]) + 1
        raise fail(source.at(line), f"holds the character {bad[1]}, which cannot be shown", "delete it")
    return unicodedata.normalize("NFC", text)
