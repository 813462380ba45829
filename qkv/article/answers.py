"""What an expression may get besides numbers and texts: nothing, too much, or a masked weight."""

from __future__ import annotations

from typing import Any


class Unknown(Exception):
    """A name in an expression that is not there: what is wrong, and what to do."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.problem, self.fix = problem, fix


class Ambiguous(Unknown):
    """An expression that has no single answer, such as the top of a tie."""

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(f"ambiguous: {problem}", fix)


class Masked(float):
    """A weight that the mask hides: it counts as 0, and is written as a word, even after it was scaled or rounded."""

    word: str

    def __new__(cls, word: str) -> Masked:
        made = super().__new__(cls)
        made.word = word
        return made

    def __str__(self) -> str:
        return self.word

    def __format__(self, _: str) -> str:
        return self.word

    def _same(self, *_: Any) -> Any:
        return self

    __mul__ = __rmul__ = __truediv__ = __round__ = __abs__ = __neg__ = __pos__ = _same


def is_position(name: str) -> bool:
    """Whether a token is named by its position. (² is a digit too, and int() takes no more than 4300 of them.)"""
    return len(name) <= 9 and name.isascii() and name.isdigit()
