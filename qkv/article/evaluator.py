"""Prose against numbers: the expressions an author may write, each evaluated in a state of the page.

`{{ percent(weight('tired', 'cat')) }}` prints a number; a claim is an expression that must be true.
Tokens are named by their word, or by position from 0 where a word stands twice.
Every function takes the axes of the source, such as mask=, to look into another variant.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jinja2 import BaseLoader, BytecodeCache, Environment, StrictUndefined, TemplateSyntaxError
from jinja2.environment import TemplateExpression
from jinja2.exceptions import SecurityError, UndefinedError
from jinja2.sandbox import SandboxedEnvironment

from qkv.article.answers import Masked, Unknown
from qkv.article.measures import MEASURES, Measures
from qkv.errors import BuildError, Place, did_you_mean, fail, quoted
from qkv.figures import numbers
from qkv.model.source import Source
from qkv.model.states import State

NEAR = 0.0005  # a number in a claim is as exact as its three decimals
SEE = "see docs/writing.md for what an expression may use"


def near(a: Any, b: Any) -> bool:
    """Equal to three decimals; lists number by number."""
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(near(p, q) for p, q in zip(a, b, strict=True))
    return bool(abs(a - b) <= NEAR + 1e-12)


class Function(NamedTuple):
    """A function that needs no model, and the sentence that documents it for authors."""

    call: Callable[..., Any]
    sentence: str


FUNCTIONS = {
    "near": Function(near, "equal to three decimals; lists number by number"),
    "exp": Function(math.exp, "e to a power"),
    "sqrt": Function(math.sqrt, "a square root"),
    "abs": Function(abs, "the number without its sign"),
    "round": Function(round, "rounded to so many decimals"),
    "min": Function(min, "the smallest of a list"),
    "max": Function(max, "the largest of a list"),
    "sum": Function(sum, "a sum"),
    "len": Function(len, "how many there are"),
    "sorted": Function(sorted, "a list in order"),
    "all": Function(all, "whether all are true"),
    "any": Function(any, "whether one is true"),
}
# names for a number, each with the array that it counts
COUNTS: dict[str, tuple[str, Callable[[Source], int]]] = {
    "size": ("match_slots", lambda source: len(source.arrays["match_slots"][0])),
    "heads": ("weights", lambda source: len(source.axis["head"].ids) if "head" in source.axis else 1),
    "features": ("features", lambda source: len(source.arrays["features"])),
}


_MARKS = re.compile(r"[{%#]\}|\{[{%#]|\n")  # what would end or begin a template's own signs


class _Loader(BaseLoader):
    """Makes an expression a template, since only templates are kept compiled."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, None, Callable[[], bool]]:
        del environment
        return f"{{% set result = {template} %}}", None, lambda: True


class Asked:
    """Evaluates expressions in states, and keeps what was asked and answered so that an error can show it."""

    def __init__(self, source: Source, masked: str, kept: BytecodeCache | None = None) -> None:
        self.source, self.masked = source, masked
        # compiling an expression takes longer than working it out: what is compiled is kept, here and in `kept`
        self.env = SandboxedEnvironment(
            undefined=StrictUndefined, autoescape=False, loader=_Loader(), bytecode_cache=kept, cache_size=-1
        )
        self.compiled: dict[str, TemplateExpression] = {}
        self.measures = Measures(source, source.first, masked)  # the state of the expression that is being worked out
        self.answers: list[str] = []  # what it has been told so far
        self.names: dict[str, Any] = {
            **{name: function.call for name, function in FUNCTIONS.items()},
            **{name: self.written(name) for name in numbers.FOR_AUTHORS},
            **{name: self.recorded(name) for name in MEASURES},
            **{name: count(source) for name, (array, count) in COUNTS.items() if array in source.arrays},
        }

    def evaluate(
        self, expression: str, state: State, source: Place, more: dict[str, Any] | None = None
    ) -> tuple[Any, list[str]]:
        """The value of an expression and the answers it was made from; anything wrong is a BuildError at `source`."""
        answers: list[str] = []
        self.measures, self.answers = Measures(self.source, state, self.masked), answers
        names = {**self.names, **(more or {})}
        try:
            if expression not in self.compiled:
                self.compiled[expression] = self.compile(expression)
            found = self.compiled[expression](**names)
            str(found)  # an undefined name that is the whole expression complains only when used
        except TemplateSyntaxError as error:
            if not expression:
                raise fail(source, "the expression is empty", "write one between {{ and }}, or take them out") from None
            problem = f"the expression cannot be read: {expression} ({error.message})"
            raise fail(source, problem, f"mend it, {SEE}") from None
        except UndefinedError as error:
            raise fail(source, *self.undefined(str(error), expression, names)) from None
        except Unknown as error:
            raise fail(source, f"{error.problem} (in: {expression})", error.fix) from None
        except SecurityError as error:
            raise fail(source, f"the expression is not allowed: {expression} ({error})", SEE) from None
        except BuildError:
            raise
        except Exception as error:
            said = str(error) or type(error).__name__
            raise fail(
                source, f"the expression cannot be worked out: {expression} ({said})", f"mend it, {SEE}"
            ) from None
        if inspect.isfunction(found) or inspect.isbuiltin(found):
            raise fail(source, f"the expression asks nothing: {expression}", "write brackets after the name, e.g. n()")
        return found, answers

    def compile(self, expression: str) -> TemplateExpression:
        """An expression, ready to be called; raises TemplateSyntaxError."""
        if not _MARKS.search(expression):
            with contextlib.suppress(TemplateSyntaxError):  # to be told in the words for an expression alone, below
                return TemplateExpression(self.env.get_template(expression), undefined_to_none=False)
        return self.env.compile_expression(expression, undefined_to_none=False)

    def written(self, name: str) -> Callable[[float], str]:
        """A format as expressions call it: for a masked weight it gives the word."""
        return lambda value: numbers.write(name, None if isinstance(value, Masked) else value, self.masked)

    def recorded(self, name: str) -> Callable[..., Any]:
        """A measure as expressions call it: in their state, and written down."""

        needs, signature = MEASURES[name].needs, MEASURES[name].signature
        known = {"tokens", *self.source.values, *self.source.axis}

        def ask(*args: Any, **given: Any) -> Any:
            for part in (*args, *given.values()):
                str(part)  # a name that means nothing complains when it is used
            axes = self.source.axis.keys() - signature.parameters
            pins = {axis: given[axis] for axis in self.source.axis if axis in given and axis in axes}
            more = {key: value for key, value in given.items() if key not in pins}
            try:
                signature.bind(self.measures, *args, **more)
            except TypeError:
                names = [part.name for part in signature.parameters.values() if part.default is part.empty][1:]
                raise Unknown(f"{name} is not asked like this", f"write {name}({', '.join(names)})") from None
            if lacking := [need for need in needs if need not in known]:
                raise Unknown(f"{name}() needs {', '.join(lacking)}, which this source does not have", SEE)
            measures = self.measures.pinned({axis: pin for axis, pin in pins.items() if pin})
            answer = getattr(measures, name)(*args, **more)
            said = [repr(part) for part in args] + [f"{key}={value!r}" for key, value in (pins | more).items() if value]
            self.answers.append(f"{name}({', '.join(said)}) = {short(answer)}")
            return answer

        return ask

    def undefined(self, said: str, expression: str, names: dict[str, Any]) -> tuple[str, str]:
        """What is wrong and what to do where an expression uses a name that means nothing."""
        name = re.fullmatch(r"'(.*)' is undefined", said)
        if not name:
            return f"the expression cannot be worked out: {expression} ({said})", f"mend it, {SEE}"
        problem = f"the name {name[1]!r} means nothing (in: {expression})"
        if any(name[1] in sentence.tokens for sentence in self.source.sentences):
            return problem, f"put a word in quotes: '{name[1]}'"
        return problem, did_you_mean(name[1], names, SEE)

    def check(self, expression: str, state: State, source: Place, name: str = "") -> None:
        """Raises a BuildError with the actual values unless the claim is true in the state."""
        found, answers = self.evaluate(expression, state, source)
        if found is True or (isinstance(found, np.bool_) and bool(found)):
            return
        if not isinstance(found, bool | np.bool_):
            problem = f"the claim is {quoted(found)}, neither true nor false: {expression}"
            raise fail(source, problem, "compare it with something, e.g. == 'cat'")
        axes = [axis for axis in self.source.axis if axis != "token"]
        where = ", ".join(f"{axis}={self.source.option(state, axis).id}" for axis in axes)
        values = ", ".join(dict.fromkeys(answers)) or "it asks nothing of the model"
        called = f" {name!r}" if name else ""
        raise fail(
            source,
            f"the claim{called} is false: {expression} (with {where}: {values})",
            "change the sentence, the claim or the model",
        )


def short(value: Any) -> str:
    """An answer as a message shows it."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return "[" + ", ".join(map(short, value)) + "]"
    return repr(value)
