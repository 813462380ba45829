"""How a figure says what it shows: a template of plain JSON with nodes that look into the traces.

The same template is filled here, for the poster and the first table, and in the browser
(templates/assets/20-lookup.js) for every other state. Filling is looking up, formatting and scaling
to pixels; nothing of the model is computed. A node is a dict with one key that begins with "$":

    {"$": "weights[t,*]"}         a path into an array; `as`: a format, `at`: {"head": 1} pins, `flat`: true
    {"$phrase": "{a} to {b}", "of": {"a": node, "b": node}}   a text; a list of texts where a part is a list
    {"$join": node, "by": ", "}   "5, 0, 0"; by "and": "cat, mat and sat"; a list of texts where the parts are lists
    {"$mark": [yes, no], "of": node}     as many as the list: `yes` at the asking token
    {"$if": "mask=off", "then": node, "else": node}
    {"$size": [node, room], "then": node}   texts of `then` where the number has room for each letter, else ""
    {"$sum": [a, b]}              "5x2 + 0 + 0 + 0", the terms of a dot product
    {"$ribbons": "x" | "y", "from": token}  the outlines of ribbons, in so many `steps`; "near_x", "near_y", "text":
                                  points inside them, each with the `text` of its key
    {"$columns": [node, ...]}     lists side by side turned into rows
    {"$list": [node, ...]}        lists one after the other
    {"$row": node}                a flat grid with texts in the asking row alone

Indexes in a path: t (asking token), last, *, 1st and 2nd (largest and next weight of the asking row),
ties (all that share the largest), or a number. Names besides the arrays stand in names.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from qkv.figures.labels import WORD, isolated, label, short
from qkv.figures.names import NAMES
from qkv.figures.numbers import FORMATS, number, write
from qkv.figures.ribbons import STEPS, ribbons
from qkv.model.rows import TIE, ranked
from qkv.model.source import Source
from qkv.model.states import State

Node = Any  # JSON
Pins = Mapping[str, str]  # the ids of options of axes that do not follow the page
TINY = "~0"  # a weight under .005 where a cell has no room for "<.01"
FULL = "~1"  # and one over .995, for ">.99"
CLEAR = "rgba(0,0,0,0)"
FEW = 3  # tokens that a sentence names one by one
NOTABLE = 0.01  # a weight that is worth naming
_NAME = re.compile(r"\{(\w+)\}")


def look(path: str, show: str = "", flat: bool = False, at: Pins | None = None) -> Node:
    """A path into the traces, written by the format `show`; `at` pins parts of the state."""
    node: dict[str, Any] = {"$": path}
    if show:
        node["as"] = show
    if flat:
        node["flat"] = True
    if at:
        node["at"] = dict(at)
    return node


def phrase(template: str, **parts: Node) -> Node:
    """The template with each {name} replaced by what its part gives; a list of texts if a part gives a list.

    Every {name} needs its part; parts that give lists must be equally long.
    """
    return {"$phrase": template, "of": parts}


def mark(yes: Node, no: Node, of: Node) -> Node:
    """As many as the list `of` has: `yes` in the place of the asking token, `no` in all others."""
    return {"$mark": [yes, no], "of": of}


def when(state: str, then: Node, other: Node, at: Pins | None = None) -> Node:
    """`then` where the state is as said, "mask=off" or "form=even" (see View.form), else `other`."""
    return {"$if": state, "then": then, "else": other, **({"at": dict(at)} if at else {})}


@dataclass(frozen=True)
class View:
    """The traces as seen from one state."""

    source: Source
    state: State
    words: dict[str, str]  # interface words: "and", "masked"
    shades: tuple[str, ...]

    def fill(self, node: Node) -> Any:
        """The node with every lookup replaced by what it finds."""
        if isinstance(node, list | tuple):
            return [self.fill(part) for part in node]
        if not isinstance(node, dict):
            return node
        for key in node:
            if key.startswith("$"):
                return _NODES[key](self, node)
        return {key: self.fill(part) for key, part in node.items()}

    def at(self, pins: Pins) -> View:
        """The same from a state in which these axes have these options; the last one where a sentence has fewer."""
        if not pins:
            return self
        state = self.state
        for axis in self.source.axes:  # in their order, so that a token is looked up in its sentence
            if axis.name in pins:
                ids = [option.id for option in axis.options(state)]
                state = state.choose({axis.name: ids.index(pins[axis.name])})
        return replace(self, state=self.source.fit(state))

    @property
    def token(self) -> int:
        """The position of the asking token."""
        return self.state["token"]

    @cached_property
    def ranked(self) -> tuple[list[int], int]:
        """The keys of the asking row from the largest weight down, and how many share the largest."""
        return ranked(self.array("weights")[self.token])

    @cached_property
    def tokens(self) -> list[str]:
        tokens: list[str] = self.array("tokens")
        return tokens

    @property
    def slots(self) -> int:
        """The number of slots of a query, key or value."""
        return len(self.array("match_slots"))

    # what paths name

    def array(self, name: str) -> Any:
        if name in NAMES:
            return NAMES[name].make(self)
        return self.source.array(name, self.state)

    def path(self, path: str) -> Any:
        name, _, rest = path.partition("[")
        indexes = rest[:-1].split(",") if rest else []
        return self.pick(self.array(name), indexes)

    def pick(self, found: Any, indexes: list[str]) -> Any:
        if not indexes or found is None:
            return found
        index, rest = indexes[0], indexes[1:]
        if index == "*":
            return [self.pick(part, rest) for part in found]
        if index == "ties":
            order, ties = self.ranked
            return [self.pick(found[j], rest) for j in order[:ties]]
        return self.pick(found[self.position(index)], rest)

    def position(self, index: str) -> int:
        if index == "t":
            return self.token
        if index == "last":
            return len(self.tokens) - 1
        if index in ("1st", "2nd"):
            order, _ = self.ranked
            return order[min(int(index[0]) - 1, len(order) - 1)]
        return int(index)

    # nodes

    def _look(self, node: Node) -> Any:
        view = self.at(node.get("at", {}))
        found = view.path(node["$"])
        if node.get("flat"):
            found = flatten(found)
        return deep(view.format(node["as"]), found) if node.get("as") else found

    def format(self, name: str) -> Callable[[Any], Any]:
        """A format by name: those of numbers.py, and those that turn a weight into ink."""
        if name in FORMATS:
            return lambda v: write(name, v, self.words["masked"])
        return {
            "one": lambda _: 1,
            "length": lambda v: 0 if v is None else v,
            "shade": lambda v: CLEAR if v is None else self.shades[int(v * (len(self.shades) - 1))],
            "on_shade": lambda v: "@ink" if v is None else "#ffffff" if v >= 0.5 else "#111111",
            "brief": lambda v: {"<.01": TINY, ">.99": FULL}.get(text := write("cell", v, ""), text),
            "exp_beside": lambda v: self.words["masked"] if v is None else f"e\u02e2 = {write('exp4', v, '')}",
            "hatch": lambda v: "/" if v is None else "",
            "masked": lambda v: "masked" if v is None else "",
            "masked_word": lambda v: "" if v is not None else f" ({self.words['masked']})",
            "seen": lambda v: self.words["removed" if v is None else "kept"],
            "seen_color": lambda v: "@hatch" if v is None else "@attention",
            "lit": lambda v: "lit" if v else "",
            "greyed": lambda v: "" if v else "greyed",
            "label": label,
            "short": short,
            "escape": isolated,
            "word": lambda v: WORD[0] + v + WORD[1],
        }[name]

    def _phrase(self, node: Node) -> Any:
        parts = {name: self.fill(part) for name, part in node["of"].items()}
        lengths = [len(part) for part in parts.values() if isinstance(part, list)]
        if not lengths:
            return put(node["$phrase"], parts)
        return [
            put(node["$phrase"], {name: part[i] if isinstance(part, list) else part for name, part in parts.items()})
            for i in range(lengths[0])
        ]

    def _join(self, node: Node) -> Any:
        parts, by = self.fill(node["$join"]), node["by"]
        if parts and isinstance(parts[0], list):
            return [by.join(part) for part in parts]
        if by != "and" or len(parts) == 1:
            return by.join(parts)
        return ", ".join(parts[:-1]) + f" {self.words['and']} " + parts[-1]

    def _row(self, node: Node) -> list[Any]:
        rows = self.fill(node["$row"])
        return [text if i == self.token else "" for i, row in enumerate(rows) for text in row]

    def _mark(self, node: Node) -> list[Any]:
        yes, no = (self.fill(part) for part in node["$mark"])
        return [yes if i == self.token else no for i in range(len(self.fill(node["of"])))]

    def _if(self, node: Node) -> Any:
        return self.fill(node["then"] if self.at(node.get("at", {})).holds(node["$if"]) else node["else"])

    def holds(self, condition: str) -> bool:
        """Whether the state has an option on an axis, "mask=off", or the asking row a form, "form=even"."""
        name, _, wanted = condition.partition("=")
        if name == "form":
            return self.form() == wanted
        return self.source.option(self.state, name).id == wanted

    def form(self) -> str:
        """How the asking row reads: `only` one token visible; a tie of `even` few or of `many`; `one` in front of
        all others, or `two` where the next is in front of the rest as well."""
        row, (order, ties) = self.array("weights")[self.token], self.ranked
        seen = [row[j] for j in order if row[j] is not None]
        if len(seen) == 1:
            return "only"
        if ties > 1:
            return "even" if ties <= FEW else "many"
        return "two" if seen[1] >= NOTABLE and (len(seen) == 2 or seen[1] - seen[2] > TIE) else "one"

    def _size(self, node: Node) -> list[str]:
        values, texts = self.fill(node["$size"][0]), self.fill(node["then"])
        room = node["$size"][1]
        pairs = zip(values, texts, strict=True)
        return [text if abs(value or 0) >= room * len(text) else "" for value, text in pairs]

    def _sum(self, node: Node) -> Any:
        a, b = (self.fill(part) for part in node["$sum"])
        return [terms(a, row) for row in b] if isinstance(b[0], list) else terms(a, b)

    def _columns(self, node: Node) -> list[list[Any]]:
        rows = zip(*(self.fill(part) for part in node["$columns"]), strict=True)
        return [[leaf for part in row for leaf in (part if isinstance(part, list) else [part])] for row in rows]

    def _list(self, node: Node) -> list[Any]:
        return [leaf for part in node["$list"] for leaf in self.fill(part)]

    def _ribbons(self, node: Node) -> list[Any]:
        asker = self.token if node["from"] == "t" else int(node["from"])
        row = self.array("weights")
        if asker >= len(row):
            return []
        texts = self.fill(node["text"]) if "text" in node else []
        return ribbons(row[asker], asker, node["$ribbons"], texts, node.get("steps", STEPS))


_NODES: dict[str, Callable[[View, Node], Any]] = {
    "$": View._look,
    "$phrase": View._phrase,
    "$join": View._join,
    "$mark": View._mark,
    "$if": View._if,
    "$size": View._size,
    "$sum": View._sum,
    "$columns": View._columns,
    "$list": View._list,
    "$row": View._row,
    "$ribbons": View._ribbons,
}


def needs(*nodes: Node) -> set[str]:
    """The arrays that templates look up, and the axes that they pin or ask about."""
    found: set[str] = set()
    paths: set[str] = set()
    stack: list[Node] = [nodes]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if "at" in node:
                found.update(node["at"])
            if "$" in node:
                paths.add(node["$"])
                continue
            if "$if" in node and not node["$if"].startswith("form="):
                found.add(node["$if"].partition("=")[0])
            node = node.values()
        stack += [part for part in node if isinstance(part, (dict, list, tuple))]
    for name in {path.partition("[")[0] for path in paths}:
        found.update(NAMES[name].needs if name in NAMES else (name,))
    return found


def terms(a: list[float], b: list[float]) -> str:
    """The terms of a dot product: "5x2 + 0 + 0 + 0"."""
    return " + ".join(f"{number(p)}\u00d7{number(r)}" if p and r else "0" for p, r in zip(a, b, strict=True))


def put(template: str, parts: dict[str, Any]) -> str:
    """ "{a} to {b}" with the parts in place."""
    return _NAME.sub(lambda hit: str(parts[hit[1]]), template)


def deep(function: Callable[[Any], Any], value: Any) -> Any:
    """The function of every leaf of nested lists, which keep their shape."""
    if not isinstance(value, list):
        return function(value)
    return [deep(function, part) if isinstance(part, list) else function(part) for part in value]


def flatten(value: Any) -> list[Any]:
    """The leaves of nested lists in their order; a leaf alone becomes a list."""
    return [leaf for part in value for leaf in flatten(part)] if isinstance(value, list) else [value]
