"""content/model.toml -> Toy: features, words, sentences and heads as an author writes them, checked."""

from __future__ import annotations

import math
import re
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from qkv.content.reader import BREAK, Keys, Reader, is_list
from qkv.content.toml import load_toml
from qkv.errors import did_you_mean, quoted
from qkv.model.attention import Array, clock_rows
from qkv.model.masks import MASKS, Mask
from qkv.model.source import Sentence
from qkv.model.toy import CLOCK, Head, Toy

TOKENS = (2, 40)  # one token has nothing to look at; beyond 40 rows no cell is readable
HEADS = (1, 12)  # more small tables than GPT-2 small has heads do not fit a page
SIZE = (1, 16)  # q and k are read slot by slot
HOURS = (4, 60)  # 4 tell two tokens apart; beyond 60 the hands, to two decimals, are too alike
LARGEST_SCORE = 350.0  # e^350 squared still fits a double
_SWITCH = re.compile(r"\{[^{}]*\}")


def load_toy(content: Path) -> Toy:
    """Reads content/model.toml; raises a BuildError with every mistake found."""
    return _ModelReader(load_toml(content, "model.toml")).read()


class _ModelReader(Reader):
    """model.toml, part by part."""

    def read(self) -> Toy:
        self.keys((), ("masks", "clock", "features", "words", "sentences", "heads", "output"))
        self.arrays()
        hours = self.hours()
        names = self.table("features")
        labels = tuple(self.text(("features", name)) for name in names)
        if not names:
            self.add(("features",), "there are no features", 'add one, e.g. alive = "alive"')
        words = {word: self.vector(("words", word), tuple(names)) for word in self.table("words")}
        sentences = self.sentences(hours, words)
        heads = self.heads(tuple(names), hours)
        masks = self.masks()
        w_o = self.output(heads, tuple(names))
        self.wrong.stop()
        toy = Toy((*labels, *CLOCK), words, hours, sentences, heads, masks, w_o, self.file.where("sentences"))
        self.blind(toy)
        self.scores(toy)
        self.wrong.stop()
        return toy

    def hours(self) -> int:
        self.keys(("clock",), ("hours",))
        hours = self.get(("clock", "hours"))
        if hours is None:
            self.add(("clock", "hours"), "is missing", "write hours = 12 under [clock]")
            return HOURS[1]
        if not isinstance(hours, int) or isinstance(hours, bool) or not HOURS[0] <= hours <= HOURS[1]:
            self.add(
                ("clock", "hours"),
                f"{quoted(hours)} hours, but a clock has {HOURS[0]} to {HOURS[1]}, because fewer cannot tell two "
                "tokens apart, and the hands of more are too alike",
                "write a whole number, e.g. hours = 12",
            )
            return HOURS[1]
        return hours

    def masks(self) -> tuple[Mask, ...]:
        """What readers can switch between; without the setting, looking back only and both ways."""
        names = self.get(("masks",))
        if names is None:
            return (MASKS["on"], MASKS["off"])
        if not is_list(names) or not names or not all(isinstance(name, str) for name in names):
            self.add(("masks",), "must be a list of names", 'write e.g. masks = ["on", "off"]')
            return ()
        for place, name in enumerate(names):
            if name not in MASKS:
                self.add(("masks", place), f"there is no mask {quoted(name)}", did_you_mean(name, MASKS))
            elif name in names[:place]:
                self.add(("masks", place), f"the mask {name!r} is there already", "name each once")
        return tuple(MASKS[name] for name in dict.fromkeys(names) if name in MASKS)

    def sentences(self, hours: int, words: dict[str, tuple[float, ...]]) -> tuple[Sentence, ...]:
        found: list[Sentence] = []
        entries = [self.entry(index, table) for index, table in enumerate(self.array("sentences"))]
        for index, parts in enumerate(entries):
            key = "tokens" if self.get(("sentences", index, "tokens")) is not None else "text"
            self.tokens(("sentences", index, key), parts, hours, words)
            switches = [position for position, part in enumerate(parts) if len(part) > 1]
            switch = switches[0] if switches else None
            name = str(self.get(("sentences", index, "name")) or f"s{index + 1}")
            for choice in parts[switch] if switch is not None else ("",) * bool(parts):
                tokens = tuple(choice if position == switch else part[0] for position, part in enumerate(parts))
                found.append(Sentence(_free(choice or name, index, found), index, tokens, switch, choice))
        if len(found) < 2 and all(entries):
            self.add(
                ("sentences",),
                f"the page compares at least two sentences, and this makes {len(found)}",
                "add a [[sentences]] entry, or a switch such as {tired|soft}",
            )
        return tuple(found)

    def tokens(
        self, path: Keys, parts: tuple[tuple[str, ...], ...], hours: int, words: dict[str, tuple[float, ...]]
    ) -> None:
        """Checks the tokens of an entry; `parts` is empty where it could not be read."""
        count = len(parts)
        if count and not TOKENS[0] <= count <= TOKENS[1]:
            few = count < TOKENS[0]
            why = "a token needs another one to look at" if few else "more rows and columns cannot be read on a page"
            self.add(
                path,
                f"{count} token{'s' * (count > 1)}, but a sentence has {TOKENS[0]} to {TOKENS[1]}, because {why}",
                "make it longer" if few else "make it shorter",
            )
        elif count > hours - 2:
            self.add(
                path,
                f"{count} tokens are too many for a clock of {hours} hours, which tells {hours - 2} apart",
                f"make the sentence shorter, or set hours = {count + 2} or more under [clock]",
            )
        for token in dict.fromkeys(token for part in parts for token in part):
            if words and token not in words:
                advice = did_you_mean(token, words, 'add it there, e.g. "' + token + '" = { }')
                self.add(path, f"the word {quoted(token)} is not under [words]", advice)
        switches = sum(len(part) > 1 for part in parts)
        if switches > 1:
            self.add(
                path,
                f"{switches} switches, but a sentence has at most one, so that one thing changes at a time",
                "keep one and write the others as plain words",
            )

    def entry(self, index: int, table: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
        """The tokens of an entry, each as the tuple of its choices; none where it cannot be read."""
        path = ("sentences", index)
        self.keys(path, ("text", "tokens", "name"))
        name = table.get("name")
        if name is not None:
            self.text((*path, "name"))
            if name in [other.get("name") for other in self.array("sentences")[:index]]:
                self.add((*path, "name"), f"a sentence named {quoted(name)} is there already", "give it another name")
        if "tokens" in table:
            if "text" in table:
                self.add((*path, "text"), "there are tokens already", "keep either text or tokens")
            return self.listed((*path, "tokens"), table["tokens"])
        text = table.get("text")
        if not isinstance(text, str) or not text.strip():
            self.add((*path, "text"), "the sentence is empty", 'write e.g. text = "it was {tired|soft}"')
            return ()
        parts: list[tuple[str, ...]] = []
        for word in text.split():
            choices = tuple(word[1:-1].split("|")) if _SWITCH.fullmatch(word) else (word,)
            if choices != (word,) and (len(choices) < 2 or "" in choices or len(set(choices)) < len(choices)):
                problem = f"the switch {quoted(word)} needs two or more different words"
                self.add((*path, "text"), problem, "write e.g. {tired|soft}, without spaces")
                return ()
            if choices == (word,) and ("{" in word or "}" in word):
                problem = f"{quoted(word)} is neither a word nor a switch"
                self.add(
                    (*path, "text"),
                    problem,
                    'write a switch without spaces, or braces in tokens = ["\u2026", "\u2026"]',
                )
                return ()
            parts.append(choices)
        return tuple(parts)

    def listed(self, path: Keys, tokens: Any) -> tuple[tuple[str, ...], ...]:
        """The tokens of an entry that lists them, for those that hold spaces or braces."""
        fix = 'write e.g. tokens = ["it", "was", ["tired", "soft"]]'
        parts = [tuple(token) if isinstance(token, list) else (token,) for token in tokens] if is_list(tokens) else []
        if not parts:
            self.add(path, "must be a list of words", fix)
        for place, part in enumerate(parts):
            if not all(isinstance(token, str) and token.strip() and not BREAK.search(token) for token in part):
                self.add((*path, place), "a word is a text of at least one letter or sign, on one line", fix)
                return ()
            if isinstance(tokens[place], list) and (len(part) < 2 or len(set(part)) < len(part)):
                self.add((*path, place), "a switch needs two or more different words", fix)
                return ()
        return tuple(parts)

    def heads(self, names: tuple[str, ...], hours: int) -> tuple[Head, ...]:
        tables = self.array("heads")
        if not HEADS[0] <= len(tables) <= HEADS[1]:
            why = "more tables do not fit a page" if tables else "there is nothing to show without one"
            self.add(
                ("heads",),
                f"{len(tables)} heads, but a layer here has {HEADS[0]} to {HEADS[1]}, because {why}",
                "take some out" if tables else "add a [[heads]] block",
            )
        heads: list[Head] = []
        for index in range(len(tables)):
            path = ("heads", index)
            self.keys(path, ("name", "job", "match", "value", "w_q", "w_k", "w_v", "clock"))
            name = self.text((*path, "name"))
            if name and name in [head.name for head in heads]:
                self.add((*path, "name"), f"a head named {name!r} is there already", "give this one another name")
            match, value = self.slots((*path, "match")), self.slots((*path, "value"))
            if match and value and len(value) != len(match):
                self.add(
                    (*path, "value"),
                    f"{len(value)} slots, but match has {len(match)}",
                    'name as many in both, "-" for one that is not used',
                )
            size = next((len(head.match) for head in heads if head.match), 0)
            if match and size and size != len(match):
                self.add(
                    (*path, "match"),
                    f"{len(match)} slots, but the head before has {size}, and all heads have one size",
                    'name as many, "-" for one that is not used',
                )
            self.keys((*path, "clock"), ("w_q", "w_k"))
            w_q, w_k, w_v = (
                self.matrix((*path, key), names, slots, hours)
                # rows of w_v are not counted while the two disagree
                for key, slots in (("w_q", match), ("w_k", match), ("w_v", value if len(value) == len(match) else ()))
            )
            heads.append(Head(name, self.text((*path, "job")), match, value, w_q, w_k, w_v))
        return tuple(heads)

    def slots(self, path: Keys) -> tuple[str, ...]:
        """The names of a head's slots; none where they cannot be read."""
        listed = self.get(path)
        if not is_list(listed) or not all(isinstance(slot, str) and slot.strip() for slot in listed):
            fix = f'write e.g. {path[-1]} = ["alive", "thing", "-", "-"]'
            self.add(path, "is missing" if listed is None else "must be a list of names, one for each slot", fix)
            return ()
        for slot in sorted({slot for slot in listed if slot != "-" and listed.count(slot) > 1}):
            self.add(path, f"two slots are named {slot!r}", 'give each its own name, or "-" to one that is not used')
        if not SIZE[0] <= len(listed) <= SIZE[1]:
            self.add(
                path,
                f"{len(listed)} slots, but a head has {SIZE[0]} to {SIZE[1]}, because they are read one by one",
                "name fewer" if listed else 'name one, or write "-" for one that is not used',
            )
            return ()
        return tuple(listed)

    def matrix(self, path: Keys, names: tuple[str, ...], slots: tuple[str, ...], hours: int) -> Array:
        """(features, size): the rows that the author lists, and the clock's where the head asks for it; 0 elsewhere."""
        size = len(slots)
        matrix = np.zeros((len(names) + len(CLOCK), size))
        rows = self.table(*path)
        for name in rows:
            row = rows[name]
            if name not in names:
                self.add((*path, name), f"there is no feature {name!r}", did_you_mean(name, names))
            elif not is_list(row):
                self.add((*path, name), "must be a row of numbers", f"write e.g. {name} = [1, 0, 0, 0]")
            elif size and len(row) != size:
                problem = (
                    f"{len(row)} number{'s' * (len(row) != 1)}, but this head has {size} slots ({', '.join(slots)})"
                )
                self.add((*path, name), problem, "give one number for each slot")
            else:
                numbers = [self.number((*path, name, place), entry) for place, entry in enumerate(row)]
                matrix[names.index(name)] = numbers[:size]
        back = self.table(*path[:-1], "clock").get(str(path[-1]))
        if back is not None:
            if 0 < size < len(CLOCK):
                problem = f"the clock needs {len(CLOCK)} slots, this head has {size}"
                self.add((*path[:-1], "clock"), problem, "take the clock out")
            elif size:
                hand = self.number((*path[:-1], "clock", str(path[-1])), back)
                matrix[len(names) :] = clock_rows(hours, hand, size)
        return matrix

    def output(self, heads: tuple[Head, ...], names: tuple[str, ...]) -> Array:
        size = len(heads[0].value) if heads else 0
        matrix = np.zeros((len(heads) * size, len(names) + len(CLOCK)))
        by_name = {head.name: index for index, head in reversed(list(enumerate(heads))) if head.name}
        for name in self.table("output"):
            path = ("output", name)
            if name not in by_name:
                if len(by_name) == len(heads):  # else it may be meant for one whose name is wrong
                    self.add(path, f"there is no head {name!r}", did_you_mean(name, by_name))
                continue
            slots = heads[by_name[name]].value
            for slot in self.table(*path):
                if len(by_name) == len(heads) and slots and (slot not in slots or slot == "-"):
                    self.add(
                        (*path, slot),
                        f"the head {name!r} has no value slot {slot!r}",
                        did_you_mean(slot, [s for s in slots if s != "-"]),
                    )
                    continue
                row = self.vector((*path, slot), names)
                if slot in slots and len(slots) == size:  # else that is told already
                    matrix[by_name[name] * size + slots.index(slot), : len(names)] = row
        return matrix

    def blind(self, toy: Toy) -> None:
        """Refuses a mask under which a token sees nothing: its row of weights would have no sum."""
        for place, mask in enumerate(toy.masks):
            blind = ((position, one.id) for one in toy.sentences for position in mask.blind(len(one.tokens)))
            for position, name in islice(blind, 1):
                problem = f"under {mask.id!r} the token at position {position} of {name!r} sees no token"
                self.add(("masks", place), problem, "let it see one at least, or take the mask out")

    def scores(self, toy: Toy) -> None:
        """Refuses weights whose scores would leave the range in which e^score is a number."""
        layer = toy.layer
        largest: dict[int, tuple[float, str]] = {}  # for each head
        for sentence in toy.sentences:
            x = toy.embed(sentence.tokens)
            scores = (x @ layer.w_q) @ (x @ layer.w_k).transpose(0, 2, 1) / math.sqrt(toy.size)
            for index, score in enumerate(np.abs(scores).max(axis=(1, 2))):
                largest[index] = max(largest.get(index, (0.0, "")), (float(score), sentence.id))
        for index, (score, name) in largest.items():
            if score > LARGEST_SCORE:
                problem = (
                    f"scores reach \u00b1{score:.1f} in the sentence {name!r}, and e to a score beyond "
                    f"\u00b1{LARGEST_SCORE:.0f} is too large a number"
                )
                self.add(("heads", index), problem, "make the numbers of w_q or w_k smaller")


def _free(wanted: str, entry: int, found: list[Sentence]) -> str:
    """A name for links that no other sentence has: the same word may be a choice of two entries."""
    taken = {sentence.id for sentence in found}
    name = wanted if wanted not in taken else f"{wanted}-{entry + 1}"
    while name in taken:
        name += "-"
    return name
