"""content/model.toml -> Toy: features, words, sentences and heads as an author writes them, checked."""

from __future__ import annotations

import math
import re
from itertools import islice
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from qkv.content.schema import FILES, HOURS, TOKENS
from qkv.content.settings import Path, Settings, Validator
from qkv.content.toml import TomlFile, load_toml
from qkv.errors import Mistakes, did_you_mean, quoted
from qkv.model.attention import Array, clock_rows
from qkv.model.masks import MASKS, Mask
from qkv.model.source import Sentence
from qkv.model.toy import CLOCK, Head, Toy

LARGEST_SCORE = 350.0  # e^350 squared still fits a double
_SWITCH = re.compile(r"\{[^{}]*\}")
_BREAK = re.compile(r"[\n\t]")


def load_toy(content: FilePath) -> Toy:
    """Reads content/model.toml; raises a BuildError with every mistake found."""
    return _ModelReader(load_toml(content, "model.toml")).read()


class _ModelReader(Validator):
    """model.toml: after each setting by itself, what several of them must have in common."""

    def __init__(self, file: TomlFile) -> None:
        super().__init__(file, FILES["model.toml"], Mistakes())

    def read(self) -> Toy:
        model: Settings = super().read()
        features, words = model["features"], model["words"]
        if not features and self.file.data.get("features") == {}:
            self.add(("features",), "there are no features", 'add one, e.g. alive = "alive"')
        hours = int(model["clock"]["hours"] or HOURS.high)
        sentences = self.sentences(model["sentences"], hours)
        heads = self.heads(model["heads"], tuple(features), hours)
        masks = self.masks(model["masks"])
        w_o = self.output(model["output"], heads, tuple(features))
        self.wrong.stop()
        vectors = {word: _vector(by_feature, tuple(features)) for word, by_feature in words.items()}
        labels, place = (*features.values(), *CLOCK), self.file.where("sentences")
        toy = Toy(labels, vectors, hours, sentences, heads, masks, w_o, place)
        self.blind(toy)
        self.scores(toy)
        self.wrong.stop()
        return toy

    # parts of the file

    def masks(self, names: list[str]) -> tuple[Mask, ...]:
        """What readers can switch between; without the setting, looking back only and both ways."""
        for place, name in enumerate(names):
            if name not in MASKS:
                self.add(("masks", place), f"there is no mask {quoted(name)}", did_you_mean(name, MASKS))
            elif name in names[:place]:
                self.add(("masks", place), f"the mask {name!r} is there already", "name each once")
        return tuple(MASKS[name] for name in dict.fromkeys(names or ("on", "off")) if name in MASKS)

    def blind(self, toy: Toy) -> None:
        """Refuses a mask under which a token sees nothing: its row of weights would have no sum."""
        for place, mask in enumerate(toy.masks):
            blind = ((position, one.id) for one in toy.sentences for position in mask.blind(len(one.tokens)))
            for position, name in islice(blind, 1):
                problem = f"under {mask.id!r} the token at position {position} of {name!r} sees no token"
                self.add(("masks", place), problem, "let it see one at least, or take the mask out")

    def sentences(self, listed: tuple[Settings, ...], hours: int) -> tuple[Sentence, ...]:
        found: list[Sentence] = []
        entries = [self.entry(index, listed) for index in range(len(listed))]
        for index, (parts, settings) in enumerate(zip(entries, listed, strict=True)):
            self.tokens((*settings.path, "tokens" if settings["tokens"] else "text"), parts, hours)
            switches = [position for position, part in enumerate(parts) if len(part) > 1]
            switch = switches[0] if switches else None
            name = settings["name"].strip() or f"s{index + 1}"
            for choice in parts[switch] if switch is not None else ("",) * bool(parts):
                tokens = tuple(choice if position == switch else part[0] for position, part in enumerate(parts))
                found.append(Sentence(_free(choice or name, index, found), index, tokens, switch, choice))
        if len(found) < 2 and all(entries) and isinstance(self.file.data.get("sentences", []), list):
            self.add(
                ("sentences",),
                f"the page compares at least two sentences, and this makes {len(found)}",
                "add a [[sentences]] entry, or a switch such as {tired|soft}",
            )
        return tuple(found)

    def tokens(self, path: Path, parts: tuple[tuple[str, ...], ...], hours: int) -> None:
        """Checks the tokens of an entry; `parts` is empty where it could not be read."""
        count = len(parts)
        if count and self.within(TOKENS, count, path) and count > hours - 2:
            self.add(
                path,
                f"{count} tokens are too many for a clock of {hours} hours, which tells {hours - 2} apart",
                f"make the sentence shorter, or set hours = {count + 2} or more under [clock]",
            )
        words = self.file.data.get("words")
        for token in dict.fromkeys(token for part in parts for token in part):
            if isinstance(words, dict) and token not in words:
                advice = did_you_mean(token, words, 'add it there, e.g. "' + token + '" = { }')
                self.add(path, f"the word {quoted(token)} is not under [words]", advice)
        switches = sum(len(part) > 1 for part in parts)
        if switches > 1:
            self.add(
                path,
                f"{switches} switches, but a sentence has at most one, so that one thing changes at a time",
                "keep one and write the others as plain words",
            )

    def entry(self, index: int, listed: tuple[Settings, ...]) -> tuple[tuple[str, ...], ...]:
        """The tokens of an entry, each as the tuple of its choices; none where it cannot be read."""
        settings = listed[index]
        path, name, text = settings.path, settings["name"], settings["text"]
        if name and name in [other["name"] for other in listed[:index]]:
            self.add((*path, "name"), f"a sentence named {quoted(name)} is there already", "give it another name")
        if "tokens" in settings.given:
            if "text" in settings.given:
                self.add((*path, "text"), "there are tokens already", "keep either text or tokens")
            return self.listed((*path, "tokens"), settings["tokens"])
        if not text.strip():
            if isinstance(settings.given.get("text", ""), str):  # else that is reported already
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

    def listed(self, path: Path, tokens: list[Any]) -> tuple[tuple[str, ...], ...]:
        """The tokens of an entry that lists them, for those that hold spaces or braces."""
        fix = 'write e.g. tokens = ["it", "was", ["tired", "soft"]]'
        parts = [tuple(token) if isinstance(token, list) else (token,) for token in tokens]
        for place, part in enumerate(parts):
            if not all(isinstance(token, str) and token.strip() and not _BREAK.search(token) for token in part):
                self.add((*path, place), "a word is a text of at least one letter or sign, on one line", fix)
                return ()
            if isinstance(tokens[place], list) and (len(part) < 2 or len(set(part)) < len(part)):
                self.add((*path, place), "a switch needs two or more different words", fix)
                return ()
        return tuple(parts)

    def heads(self, listed: tuple[Settings, ...], features: tuple[str, ...], hours: int) -> tuple[Head, ...]:
        heads: list[Head] = []
        for settings in listed:
            path, name, match, value = settings.path, settings["name"], settings["match"], settings["value"]
            if name and name in [head.name for head in heads]:
                self.add((*path, "name"), f"a head named {name!r} is there already", "give this one another name")
            for key in ("match", "value"):
                self.twice((*path, key), settings[key])
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
            w_q, w_k, w_v = (
                self.matrix(settings, key, features, slots, hours)
                # rows of w_v are not counted while the two disagree
                for key, slots in (("w_q", match), ("w_k", match), ("w_v", value if len(value) == len(match) else []))
            )
            heads.append(Head(name, settings["job"], tuple(match), tuple(value), w_q, w_k, w_v))
        return tuple(heads)

    def twice(self, path: Path, slots: list[str]) -> None:
        """Refuses slots that have the same name."""
        for slot in sorted({slot for slot in slots if slot != "-" and slots.count(slot) > 1}):
            self.add(path, f"two slots are named {slot!r}", 'give each its own name, or "-" to one that is not used')

    def matrix(self, head: Settings, key: str, features: tuple[str, ...], slots: list[str], hours: int) -> Array:
        """(features, size): the rows that the author lists, and the clock's where the head asks for it; 0 elsewhere."""
        size = len(slots)
        matrix = np.zeros((len(features) + len(CLOCK), size))
        for name, row in head[key].items():
            if size and len(row) != size:
                problem = (
                    f"{len(row)} number{'s' * (len(row) != 1)}, but this head has {size} slots ({', '.join(slots)})"
                )
                self.add((*head.path, key, name), problem, "give one number for each slot")
            elif size and name in features:
                matrix[features.index(name)] = row
        back = head["clock"].values.get(key)
        if back is not None:
            if 0 < size < len(CLOCK):
                problem = f"the clock needs {len(CLOCK)} slots, this head has {size}"
                self.add((*head.path, "clock"), problem, "take the clock out")
            elif size:
                matrix[len(features) :] = clock_rows(hours, back, size)
        return matrix

    def output(self, output: dict[str, Any], heads: tuple[Head, ...], features: tuple[str, ...]) -> Array:
        size = len(heads[0].value) if heads else 0
        matrix = np.zeros((len(heads) * size, len(features) + len(CLOCK)))
        by_name = {head.name: index for index, head in reversed(list(enumerate(heads))) if head.name}
        if len(by_name) < len(heads):  # a name may be meant for a head whose own is wrong
            return matrix
        for name, rows in output.items():
            path = ("output", name)
            if name not in by_name:
                self.add(path, f"there is no head {name!r}", did_you_mean(name, by_name))
                continue
            slots = heads[by_name[name]].value
            for slot, by_feature in rows.items():
                if slots and (slot not in slots or slot == "-"):
                    self.add(
                        (*path, slot),
                        f"the head {name!r} has no value slot {slot!r}",
                        did_you_mean(slot, [s for s in slots if s != "-"]),
                    )
                elif len(slots) == size and slots:  # else that is reported already
                    row = by_name[name] * size + slots.index(slot)
                    matrix[row, : len(features)] = _vector(by_feature, features)
        return matrix

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


def _vector(by_feature: dict[str, float], features: tuple[str, ...]) -> tuple[float, ...]:
    """{feature = number, …} -> numbers in the order of the features."""
    return tuple(by_feature.get(name, 0.0) for name in features)


def _free(wanted: str, entry: int, found: list[Sentence]) -> str:
    """A name for links that no other sentence has: the same word may be a choice of two entries."""
    taken = {sentence.id for sentence in found}
    name = wanted if wanted not in taken else f"{wanted}-{entry + 1}"
    while name in taken:
        name += "-"
    return name
