"""Predict, then check: questions after a section, whose right answers the model gives.

An author never types an answer: a choice carries an expression that is true if it is the right one, and exactly
one of them must be; a number is an expression too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from qkv.article.answers import Masked
from qkv.article.evaluator import short
from qkv.article.expressions import fill_expressions, stressed, without_stress
from qkv.article.links import States, Target
from qkv.content.sections import Section
from qkv.content.settings import Settings
from qkv.errors import BuildError, Mistakes, Place
from qkv.figures.numbers import fixed
from qkv.model.states import State

LARGEST = 1e12
_NOWHERE = Place("")
WHOLE = 1e-9  # how far a whole number may be from it: sums of fractions are


@dataclass(frozen=True)
class Choice:
    """Something to choose, or a number that is often given; `why` explains it."""

    text: str
    right: bool
    why: str
    value: float = 0.0


@dataclass(frozen=True)
class Question:
    """A question with its answer as the model has it; `number` is None where there are choices.

    Texts are plain, but for the marks STRESS around what was written between stars.
    """

    id: str
    ask: str
    choices: tuple[Choice, ...]
    show: Target
    number: float | None = None
    digits: int = 0
    why: str = ""
    place: Place = _NOWHERE  # where an author has written what it shows

    def quoted(self, before: str, after: str) -> Question:
        """The same with these signs around what is stressed, for where there are no italics."""

        def plain(text: str) -> str:
            return without_stress(text, before, after)

        choices = tuple(replace(choice, text=plain(choice.text), why=plain(choice.why)) for choice in self.choices)
        return replace(self, ask=plain(self.ask), why=plain(self.why), choices=choices)

    @property
    def tolerance(self) -> float:
        """How far a number may be off: one in the last decimal that is asked for; nothing for a whole number."""
        return 10.0**-self.digits if self.digits else 0.0

    @property
    def answer(self) -> str:
        if self.number is not None:
            return _written(self.number, self.digits)
        return self.choices[self.right].text

    @property
    def right(self) -> int:
        """Which choice is right."""
        return next(place for place, choice in enumerate(self.choices) if choice.right)

    @property
    def explained(self) -> str:
        return self.why if self.number is not None else self.choices[self.right].why


def _written(value: float, digits: int) -> str:
    """A number to so many decimals; a whole one has none."""
    return fixed(value, 0 if abs(value - round(value)) < WHOLE else digits)


def questions(section: Section, base: State, states: States, wrong: Mistakes) -> tuple[Question, ...]:
    """The questions of a section, answered; mistakes are collected."""
    reader = _Reader(base, states, wrong)
    asked = (reader.read(settings, f"{section.slug}-{place}") for place, settings in enumerate(section.questions, 1))
    return tuple(question for question in asked if question)


@dataclass(frozen=True)
class _Reader:
    base: State
    states: States
    wrong: Mistakes

    def read(self, settings: Settings, name: str) -> Question | None:
        show = self.states.read(settings["show"], self.base, settings.where("show"), self.wrong)
        if settings["choices"]:
            return self.choose(settings, name, show)
        if settings["answer"]:
            return self.count(settings, name, show)
        fix = "give it choices, or an answer such as answer = \"len(positive('tired'))\""
        self.wrong.add(settings.where(), "the question has no answer", fix)
        return None

    def choose(self, settings: Settings, name: str, show: Target) -> Question | None:
        choices = tuple(
            Choice(self.text(option, "text"), self.value(option, "right") is True, self.text(option, "why"))
            for option in settings["choices"]
        )
        right = sum(choice.right for choice in choices)
        if right != 1:
            fix = "mend the expressions: exactly one choice must be right"
            self.wrong.add(settings.where("choices"), f"{right} of {len(choices)} choices are right", fix)
            return None
        return Question(name, self.text(settings, "ask"), choices, show, place=settings.where("show"))

    def count(self, settings: Settings, name: str, show: Target) -> Question | None:
        number, digits = self.number(settings, "answer"), settings["digits"]
        found = [(self.number(option, "value"), self.text(option, "why")) for option in settings["wrong"]]
        often = tuple(Choice(_written(value, digits), False, why, value) for value, why in found)
        ask, why = self.text(settings, "ask"), self.text(settings, "why")
        return Question(name, ask, often, show, number, digits, why, settings.where("show"))

    def number(self, settings: Settings, key: str) -> float:
        """The number that an expression gives; 0 where it gives none, which is a mistake."""
        found = self.value(settings, key)
        if isinstance(found, int | float) and not isinstance(found, bool | Masked) and abs(found) < LARGEST:
            return float(found)
        if found is not None:  # else the expression is a mistake already
            given = "a masked weight" if isinstance(found, Masked) else short(found)
            problem = f"{key} gives {given}, which is not a number that a reader can give"
            self.wrong.add(settings.where(key), problem, "ask for a number, or give choices")
        return 0.0

    def text(self, settings: Settings, key: str) -> str:
        place = settings.where(key)
        text = stressed(settings[key])
        return fill_expressions(text, self.base, place, self.states.asked, self.wrong, {}).unescape()

    def value(self, settings: Settings, key: str) -> Any:
        try:
            return self.states.asked.evaluate(settings[key], self.base, settings.where(key))[0]
        except BuildError as error:
            self.wrong.take(error)
            return None
