"""Prose against numbers: the expressions an author may write, each evaluated in a state of the page.

`{{ percent(weight('tired', 'cat')) }}` prints a number; a claim is an expression that must be true.
Tokens are named by their word, or by position from 0 where a word stands twice.
Every function takes sentence=, mask= and head= to look into another variant.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jinja2 import BaseLoader, BytecodeCache, Environment, StrictUndefined, TemplateSyntaxError
from jinja2.environment import TemplateExpression
from jinja2.exceptions import SecurityError, UndefinedError
from jinja2.sandbox import SandboxedEnvironment

from qkv import numbers
from qkv.errors import BuildError, Source, did_you_mean, fail, quoted
from qkv.model import Array
from qkv.traces import MASKS, TIE, State, Traces

NEAR = 0.0005  # a number in a claim is as exact as its three decimals
SEE = "see docs/writing.md for what an expression may use"


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


@dataclass(frozen=True)
class Facts:
    """What expressions may ask of the traces, from one state; docs/writing.md lists it for authors.

    A token is its word, "last" or its position from 0; lists hold one number for each token or slot. What is not there
    is Unknown, what has several answers Ambiguous.
    """

    traces: Traces
    state: State
    masked: str  # the word for a masked weight

    # naming

    def pinned(self, sentence: str = "", mask: str = "", head: str = "") -> Facts:
        """The same from another state; raises Unknown for a name that is not there."""
        state = self.state
        if sentence:
            state = replace(state, sentence=self.find("sentence", sentence))
        if mask:
            state = replace(state, mask=self.find("mask", mask))
        if head:
            state = replace(state, head=self.find("head", head))
        return replace(self, state=state)

    def find(self, what: str, name: str) -> int:
        names = {
            "sentence": [s.id for s in self.traces.toy.sentences],
            "mask": list(MASKS),
            "head": [h.name for h in self.traces.toy.heads],
        }[what]
        if name not in names:
            raise Unknown(f"there is no {what} {quoted(name)}", did_you_mean(str(name), names))
        return names.index(name)

    def token(self, name: str | int) -> int:
        """The position of a token: "last", a word that stands once, or a position from 0."""
        tokens = self.traces.toy.sentences[self.state.sentence].tokens
        if name == "last" and "last" not in tokens:
            return len(tokens) - 1
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise Unknown(f"{quoted(name)} is not a token", "name a token by its word in quotes, or by its position")
        if isinstance(name, int) or (is_position(name) and name not in tokens):
            if not 0 <= int(name) < len(tokens):
                raise Unknown(
                    f"there is no token at position {quoted(int(name))}", f"give one from 0 to {len(tokens) - 1}"
                )
            return int(name)
        places = [i for i, token in enumerate(tokens) if token == name]
        if not places:
            raise Unknown(
                f"there is no token {quoted(name)} in {' '.join(tokens)!r}", did_you_mean(name, (*tokens, "last"))
            )
        if len(places) > 1:
            stands = " and ".join(map(str, places))
            raise Ambiguous(f"the token {name!r} stands at the positions {stands}", "name it by its position")
        return places[0]

    # one variant

    @property
    def result(self) -> Any:
        return self.traces.results[self.state.sentence, self.state.mask]

    def of(self, name: str) -> Array:
        """One array of this head."""
        return np.asarray(getattr(self.result, name)[self.state.head])

    def row(self, asker: str | int) -> list[float]:
        """The weights that a token gives to those it can see: as many, adding up to 1."""
        i = self.token(asker)
        weights = self.of("weights")[i]
        return [float(w) for w in (weights[: i + 1] if self.state.mask == 0 else weights)]

    def weight(self, asker: str | int, key: str | int) -> float:
        """The weight, 0 to 1, that the asking token gives to another; Masked, which counts as 0, where it sees none."""
        i, j = self.token(asker), self.token(key)
        return Masked(self.masked) if self.state.mask == 0 and j > i else float(self.of("weights")[i, j])

    def score(self, asker: str | int, key: str | int) -> float:
        """q . k / sqrt(d), before the mask."""
        return float(self.of("scores")[self.token(asker), self.token(key)])

    def vector(self, token: str | int) -> list[float]:
        """Its own vector: word features, then the two clock numbers."""
        return [
            float(v)
            for v in self.traces.toy.embed(self.traces.toy.sentences[self.state.sentence].tokens)[self.token(token)]
        ]

    def query(self, token: str | int) -> list[float]:
        """Its query in this head, `size` numbers; key(), value() and out() as many."""
        return [float(v) for v in self.of("q")[self.token(token)]]

    def key(self, token: str | int) -> list[float]:
        """Its key in this head."""
        return [float(v) for v in self.of("k")[self.token(token)]]

    def value(self, token: str | int) -> list[float]:
        """Its value in this head, before any weight."""
        return [float(v) for v in self.of("v")[self.token(token)]]

    def out(self, token: str | int) -> list[float]:
        """The output of this head for it: the values, weighted and added up."""
        return [float(v) for v in self.of("out")[self.token(token)]]

    def final(self, token: str | int) -> list[float]:
        """The glued outputs of all heads times W_O: a number for each feature."""
        return [float(v) for v in self.result.final[self.token(token)]]

    def tops(self, asker: str | int) -> list[str]:
        """The tokens that share the largest weight of a row."""
        row = self.row(asker)
        tokens = self.traces.toy.sentences[self.state.sentence].tokens
        return [tokens[j] for j, weight in enumerate(row) if weight >= max(row) - TIE]

    def top(self, asker: str | int) -> str:
        """The token with the largest weight of a row; raises Ambiguous if several share it."""
        tops = self.tops(asker)
        if len(tops) > 1:
            raise Ambiguous(
                f"{asker!r} gives {' and '.join(map(repr, tops))} the same weight, none is the top",
                f"ask for tops({asker!r})",
            )
        return tops[0]

    def next(self, asker: str | int) -> float:
        """The largest weight of a row that is not at its top; 0 if there is none."""
        row = self.row(asker)
        return max((w for w in row if w < max(row) - TIE), default=0.0)

    def positive(self, asker: str | int) -> list[str]:
        """The tokens whose key scores above 0."""
        tokens = self.traces.toy.sentences[self.state.sentence].tokens
        return [tokens[j] for j, score in enumerate(self.of("scores")[self.token(asker)]) if score > 0]

    def ever_changes(self, token: str | int) -> bool:
        """Whether a token's row of weights differs between the first two sentences in any head, mask on or off."""
        i = self.token(token)
        ids = [s.id for s in self.traces.toy.sentences]
        return any(
            float(np.abs(a.of("weights")[i] - b.of("weights")[i]).max()) > TIE
            for mask in MASKS
            for head in self.traces.toy.heads
            for a, b in [(self.pinned(ids[0], mask, head.name), self.pinned(ids[1], mask, head.name))]
        )

    def matching(self, asker: str | int) -> list[str]:
        """The tokens whose key has a number where the query of the asking token has one."""
        tokens = self.traces.toy.sentences[self.state.sentence].tokens
        return [tokens[j] for j, terms in enumerate(self.of("terms")[self.token(asker)]) if terms.any()]

    def scores(self) -> list[float]:
        """All different scores of this head, rounded."""
        return sorted({round(float(v), 9) + 0.0 for v in self.of("scores").ravel()})

    def visible(self) -> int:
        """How many cells of the table are not masked."""
        return sum(len(self.row(i)) for i in range(self.n()))

    def n(self) -> int:
        """How many tokens the sentence has."""
        return len(self.traces.toy.sentences[self.state.sentence].tokens)

    # all rows of one variant

    def row_error(self) -> float:
        """How far the sum of any row is from 1."""
        return max(abs(sum(self.row(i)) - 1) for i in range(self.n()))

    def smallest(self) -> float:
        """The smallest weight that is not masked."""
        return min(min(self.row(i)) for i in range(self.n()))

    def masked_sum(self) -> float:
        """All masked weights added up; nothing is masked with the mask off."""
        return float(np.abs(np.triu(self.of("weights"), 1)).sum()) if self.state.mask == 0 else 0.0

    def cut_error(self) -> float:
        """How far a masked row is from the open row cut off and rescaled."""
        closed, opened = self.pinned(mask="on").of("weights"), self.pinned(mask="off").of("weights")
        cut = np.tril(opened)
        return float(np.abs(closed - cut / cut.sum(axis=1, keepdims=True)).max())

    def top_two(self) -> float:
        """The smallest share that the two largest weights of a row hold."""
        return min(sum(sorted(self.row(i))[-2:]) for i in range(self.n()))

    def on_previous(self) -> float:
        """The smallest weight on the token before, over all rows that have one."""
        return min(float(self.of("weights")[i, i - 1]) for i in range(1, self.n()))

    def beside_previous(self) -> float:
        """The largest weight elsewhere, over the same rows."""
        weights = self.of("weights").copy()
        for i in range(1, self.n()):
            weights[i, i - 1] = 0
        return float(weights[1:].max())

    def on_first(self) -> float:
        """The smallest weight on the first token."""
        return float(self.of("weights")[:, 0].min())

    def handed_over(self) -> float:
        """The largest number that any row takes from the value of the first token."""
        return float(np.abs(self.of("weighted")[:, 0]).max())

    # between variants

    def changed(self, one: str = "", other: str = "", what: str = "weights") -> list[str]:
        """The tokens whose row differs between two sentences (the first two): of the weights, or of out.

        Named as in the first of the two; raises Unknown unless they are equally long.
        """
        ids = [s.id for s in self.traces.toy.sentences]
        a, b = self.pinned(sentence=one or ids[0]), self.pinned(sentence=other or ids[1])
        tokens = self.traces.toy.sentences[a.state.sentence].tokens
        if a.n() != b.n():
            raise Unknown("changed() compares two sentences of different lengths", "name two that are equally long")
        if what not in ("weights", "out"):
            raise Unknown(f"changed() cannot compare {quoted(what)}", did_you_mean(str(what), ("weights", "out")))
        return [tokens[i] for i in range(a.n()) if np.abs(a.of(what)[i] - b.of(what)[i]).max() > TIE]

    def apart(self) -> float:
        """The smallest of the largest differences between any two heads' tables; 0 for a single head."""
        tables = self.result.weights
        apart = [float(np.abs(a - b).max()) for i, a in enumerate(tables) for b in tables[:i]]
        return min(apart, default=0.0)

    def mixed(self) -> int:
        """How many heads W_O mixes into the output."""
        blocks = np.split(self.traces.toy.w_o, len(self.traces.toy.heads))
        return sum(bool(block.any()) for block in blocks)


_ASKS = (
    "row",
    "weight",
    "score",
    "vector",
    "query",
    "key",
    "value",
    "out",
    "final",
    "tops",
    "top",
    "next",
    "matching",
    "positive",
    "ever_changes",
    "scores",
    "visible",
    "n",
    "row_error",
    "smallest",
    "masked_sum",
    "cut_error",
    "top_two",
    "on_previous",
    "beside_previous",
    "on_first",
    "handed_over",
    "changed",
    "apart",
    "mixed",
)
_FORMS = {name: inspect.signature(getattr(Facts, name)) for name in _ASKS}


def is_position(name: str) -> bool:
    """Whether a token is named by its position. (² is a digit too, and int() takes no more than 4300 of them.)"""
    return len(name) <= 9 and name.isascii() and name.isdigit()


def near(a: Any, b: Any) -> bool:
    """Equal to three decimals; vectors number by number."""
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(near(p, q) for p, q in zip(a, b, strict=True))
    return bool(abs(a - b) <= NEAR + 1e-12)


_PLAIN: dict[str, Any] = {
    "near": near,
    "exp": math.exp,
    "sqrt": math.sqrt,
    "abs": abs,
    "min": min,
    "max": max,
    "sum": sum,
    "len": len,
    "round": round,
    "all": all,
    "any": any,
    "sorted": sorted,
}
_WRITTEN = ("percent", "weight3", "number", "three", "exp4")  # formats of numbers.py


_MARKS = re.compile(r"[{%#]\}|\{[{%#]|\n")  # what would end or begin a template's own signs


class _Loader(BaseLoader):
    """Makes an expression a template, since only templates are kept compiled."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, None, Callable[[], bool]]:
        del environment
        return f"{{% set result = {template} %}}", None, lambda: True


class Asked:
    """Evaluates expressions in states, and keeps what was asked and answered so that an error can show it."""

    def __init__(self, traces: Traces, masked: str, kept: BytecodeCache | None = None) -> None:
        self.traces, self.masked = traces, masked
        # compiling an expression takes longer than working it out: what is compiled is kept, here and in `kept`
        self.env = SandboxedEnvironment(
            undefined=StrictUndefined, autoescape=False, loader=_Loader(), bytecode_cache=kept, cache_size=-1
        )
        self.toy = traces.toy
        self.compiled: dict[str, TemplateExpression] = {}
        self.facts = Facts(traces, State(), masked)  # the state of the expression that is being worked out
        self.answers: list[str] = []  # what it has been told so far
        self.names: dict[str, Any] = {
            **_PLAIN,
            **{name: self.written(name) for name in _WRITTEN},
            **{name: self.recorded(name) for name in _ASKS},
            "size": self.toy.size,
            "heads": len(self.toy.heads),
            "features": len(self.toy.features),
        }

    def evaluate(
        self, expression: str, state: State, source: Source, more: dict[str, Any] | None = None
    ) -> tuple[Any, list[str]]:
        """The value of an expression and the answers it was made from; anything wrong is a BuildError at `source`."""
        answers: list[str] = []
        self.facts, self.answers = Facts(self.traces, state, self.masked), answers
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
        """A function of Facts as expressions call it: in their state, and written down."""

        def ask(*args: Any, sentence: str = "", mask: str = "", head: str = "", **more: Any) -> Any:
            for part in (*args, sentence, mask, head, *more.values()):
                str(part)  # a name that means nothing complains when it is used
            try:
                _FORMS[name].bind(self.facts, *args, **more)
            except TypeError:
                names = [part.name for part in _FORMS[name].parameters.values() if part.default is part.empty][1:]
                raise Unknown(f"{name} is not asked like this", f"write {name}({', '.join(names)})") from None
            answer = getattr(self.facts.pinned(sentence, mask, head), name)(*args, **more)
            given = [repr(a) for a in args] + [
                f"{k}={v!r}" for k, v in {"sentence": sentence, "mask": mask, "head": head, **more}.items() if v
            ]
            self.answers.append(f"{name}({', '.join(given)}) = {short(answer)}")
            return answer

        return ask

    def undefined(self, said: str, expression: str, names: dict[str, Any]) -> tuple[str, str]:
        """What is wrong and what to do where an expression uses a name that means nothing."""
        name = re.fullmatch(r"'(.*)' is undefined", said)
        if not name:
            return f"the expression cannot be worked out: {expression} ({said})", f"mend it, {SEE}"
        problem = f"the name {name[1]!r} means nothing (in: {expression})"
        if any(name[1] in sentence.tokens for sentence in self.toy.sentences):
            return problem, f"put a word in quotes: '{name[1]}'"
        return problem, did_you_mean(name[1], names, SEE)

    def check(self, expression: str, state: State, source: Source, name: str = "") -> None:
        """Raises a BuildError with the actual values unless the claim is true in the state."""
        found, answers = self.evaluate(expression, state, source)
        if found is True or (isinstance(found, np.bool_) and bool(found)):
            return
        if not isinstance(found, bool | np.bool_):
            problem = f"the claim is {quoted(found)}, neither true nor false: {expression}"
            raise fail(source, problem, "compare it with something, e.g. == 'cat'")
        sentence, head = self.toy.sentences[state.sentence].id, self.toy.heads[state.head].name
        where = f"sentence={sentence}, mask={MASKS[state.mask]}, head={head}"
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
