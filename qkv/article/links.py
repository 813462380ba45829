"""States as links: read, checked and written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from unicodedata import normalize
from urllib.parse import quote, unquote_plus

from qkv.article.answers import is_position
from qkv.article.evaluator import Asked
from qkv.content.settings import Settings
from qkv.errors import Mistakes, Place, did_you_mean, quoted
from qkv.model.states import State


@dataclass(frozen=True)
class Target:
    """Where a link to a state leads: the state, and the figure to show."""

    state: State
    at: str = ""


class States:
    """Reads and writes states as links: #sentence=tired&mask=on&head=meaning&token=9&at=lines."""

    def __init__(self, asked: Asked, kinds: tuple[str, ...]) -> None:
        self.asked, self.kinds = asked, kinds
        self.source = asked.source
        self.parts = (*self.source.axis, "at")

    def read(self, text: str, base: State, source: Place, wrong: Mistakes) -> Target:
        """`sentence=soft&token=it`, parts that are left out taken from `base`."""
        parts: dict[str, str] = {}
        for part in text.split("&") if text else ():
            key, _, value = part.partition("=")
            parts[key] = normalize("NFC", unquote_plus(value))
        return self.take(parts, base, source, wrong)

    def of(self, settings: Settings, base: State, wrong: Mistakes) -> State:
        """The state that a table `state` of settings names."""
        given = settings["state"]
        places = {key: settings.where("state", key) for key in given}
        return self.take(given, base, settings.where("state"), wrong, places).state

    def take(
        self,
        parts: dict[str, Any],
        base: State,
        source: Place,
        wrong: Mistakes,
        places: dict[str, Place] | None = None,
    ) -> Target:
        """The state that the parts name; `places` says where each stands, if not all at `source`."""
        places = places or {}
        state, at = base, ""
        for key, value in parts.items():
            place = places.get(key, source)
            if key == "at":
                if value not in self.kinds:
                    wrong.add(place, f"unknown figure {quoted(value)}", did_you_mean(quoted(value), self.kinds))
                at = str(value)
            elif key not in self.source.axis:
                wrong.add(place, f"{key!r} is no part of a state", did_you_mean(key, self.parts))
        for name, axis in self.source.axis.items():  # in their order: a token is looked for in its sentence
            if name not in parts:
                state = self.source.fit(state)
                continue
            place, value = places.get(name, source), parts[name]
            if name == "token":
                state = state.choose({name: self.token(value, self.source.sentence(state).tokens, place, wrong)})
                continue
            known = [option.id for option in axis.options(state)]
            if value in known:
                state = state.choose({name: known.index(value)})
            else:
                wrong.add(place, f"there is no {name} {quoted(value)}", did_you_mean(quoted(value), known))
        return Target(state, at)

    def token(self, name: Any, tokens: tuple[str, ...], source: Place, wrong: Mistakes) -> int:
        if name == "last" and "last" not in tokens:
            return len(tokens) - 1
        places = [i for i, token in enumerate(tokens) if token == name]
        if len(places) == 1:
            return places[0]
        position = int(name) if isinstance(name, str) and is_position(name) else name
        if not places and isinstance(position, int) and not isinstance(position, bool) and 0 <= position < len(tokens):
            return position
        if places:
            problem = f"the token {name!r} stands {len(places)} times in {' '.join(tokens)!r}"
            wrong.add(source, problem, f"name it by its position, {' or '.join(map(str, places))}")
        else:
            problem = f"there is no token {quoted(name)} in {' '.join(tokens)!r}"
            wrong.add(source, problem, did_you_mean(quoted(name), (*tokens, "last")))
        return 0

    def write(self, target: Target) -> str:
        parts = {axis.name: self.source.option(target.state, axis.name).id for axis in self.source.axes}
        if target.at:
            parts["at"] = target.at
        return "#" + "&".join(f"{key}={quote(value, safe='')}" for key, value in parts.items())
