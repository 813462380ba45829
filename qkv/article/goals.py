"""What counts as done: the states of a section that a learner must choose, as its front matter declares them.

    done = ["sentence=tired&token=last", "token=on|token=was"]

Each entry must be visited; | stands between states of which one is enough. A state names some of its parts, and is
visited when a learner's own action sets one of these, or confirms it, and all of them are as named. In packages for
course platforms `templates/assets/scorm.js` watches for that. Here the entries are read, and refused where no learner
could get there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape

from qkv.article.links import States, Target
from qkv.content.sections import Section
from qkv.content.strings import Words
from qkv.errors import Mistakes, Place, quoted
from qkv.figures.controls import option_text
from qkv.figures.labels import named
from qkv.model.states import State

_LINK = re.compile(r'class="state" href="#([^"]*=[^"]*)"')


@dataclass(frozen=True)
class Choice:
    """Parts of a state, in indexes; `by` are those that were named: one of them the learner must set."""

    state: dict[str, int]
    by: tuple[str, ...]


@dataclass(frozen=True)
class Need:
    """One entry of `done`: any of these choices will do; `text` says them to a learner."""

    either: tuple[Choice, ...]
    text: str


@dataclass(frozen=True)
class Ways:
    """How a learner gets to a state in a section: the controls of its figures, its links, and the states in which the
    pages that show it open."""

    controls: frozenset[str]
    links: tuple[State, ...]
    opens: tuple[State, ...]


def ways(html: str, controls: Iterable[str], shows: Iterable[Target], opens: tuple[State, ...], states: States) -> Ways:
    """The ways that a rendered section offers; `shows` are the states that its questions lead to."""
    unheard = Mistakes()  # links are checked where they are rendered
    links = [states.read(unescape(address), opens[0], Place(""), unheard).state for address in _LINK.findall(html)]
    return Ways(frozenset(controls), (*links, *(target.state for target in shows)), opens)


def needs(section: Section, base: State, open_ways: Ways, states: States, words: Words, wrong: Mistakes) -> list[Need]:
    """What must be visited in a section; mistakes are collected."""
    reader = _Reader(base, open_ways, states, words, wrong)
    return [reader.need(text, section.settings.where("done", i)) for i, text in enumerate(section.settings["done"])]


@dataclass(frozen=True)
class _Reader:
    base: State
    ways: Ways
    states: States
    words: Words
    wrong: Mistakes

    def need(self, text: str, place: Place) -> Need:
        found: list[Choice] = []
        for part in text.split("|"):
            before = len(self.wrong.found)
            choices = self.choices(part.strip(), place)
            if len(self.wrong.found) == before and not any(self.reachable(choice) for choice in choices):
                fix = "show a figure that has this choice, or a link that leads there"
                self.wrong.add(place, f"nothing in the section leads to {quoted(part.strip())}", fix)
            found += choices
        said = dict.fromkeys(self.say(choice) for choice in found)
        return Need(tuple(found), self.words("course.either").join(said))

    def choices(self, text: str, place: Place) -> list[Choice]:
        """A state as it may be in each sentence: a token that is named alone may stand in several places."""
        names = [part.partition("=")[0] for part in text.split("&")]
        by = tuple(part for part in self.states.source.axis if part in names)
        if not text or "at" in names:
            fix = "name parts of a state, e.g. token=last or mask=off"
            self.wrong.add(place, f"{quoted(text)} is no state to be visited", fix)
            return []
        whole = self.states.read(text, self.base, place, self.wrong).state
        named = {part: whole[part] for part in by}
        if "token" not in by or "sentence" in by:
            return [Choice(named, by)]
        places: dict[int, int] = {}
        for index in range(len(self.states.source.sentences)):
            unheard = Mistakes()
            base = self.states.source.fit(self.base.choose({"sentence": index}))
            other = self.states.read(text, base, place, unheard).state
            if not unheard.found:
                places[index] = other["token"]
        if set(places.values()) == {whole["token"]} and len(places) == len(self.states.source.sentences):
            return [Choice(named, by)]
        return [Choice({**named, "sentence": index, "token": token}, by) for index, token in places.items()]

    def reachable(self, choice: Choice) -> bool:
        """Whether a learner can get there, by a link or by the controls, on every page that shows the section."""
        if any(all(link[part] == value for part, value in choice.state.items()) for link in self.ways.links):
            return True
        return all(
            any(self.settable(part, choice, opened) for part in choice.by)
            and all(opened[p] == v or self.settable(p, choice, opened) for p, v in choice.state.items())
            for opened in self.ways.opens
        )

    def settable(self, part: str, choice: Choice, opened: State) -> bool:
        """Whether a control of the section sets a part to what the choice names."""
        controls = self.ways.controls
        if part != "sentence":
            return part in controls
        sentences = self.states.source.sentences
        wanted, here = sentences[choice.state["sentence"]], sentences[opened["sentence"]]
        switched = "word" in controls or ("token" in controls and wanted.switch is not None)
        if wanted.entry == here.entry:
            return switched
        first = next(sentence for sentence in sentences if sentence.entry == wanted.entry)
        return "sentence" in controls and (wanted is first or switched)

    def say(self, choice: Choice) -> str:
        """The choice as the controls call it: `Mask: both ways (BERT)`; what is data is marked."""
        source = self.states.source
        state = source.fit(self.base.choose(choice.state))
        said = []
        for part in choice.by:
            name, text = part, option_text(part, source.option(state, part), self.words)
            if part == "sentence" and source.sentence(state).switch is not None:
                name, text = "word", source.sentence(state).choice
            said.append(f"{self.words('control.' + name)}: {text if part == 'mask' else named(text)}")
        return ", ".join(said)
