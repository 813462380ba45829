"""A section's Markdown -> HTML: expressions evaluated, claims checked, links to states made whole.

A link to a state is an ordinary Markdown reference whose address is the state and whose title, if there is
one, is a claim that must be true in that state:

    [only *cat* has a key that says so][only-cat].

    [only-cat]: #token=tired&at=match "matching('tired') == ['cat']"

HTML in the text shows as it is written, so that a token such as <s> can be spoken of.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions.admonition import AdmonitionExtension
from markdown.extensions.sane_lists import SaneListExtension
from markdown.extensions.tables import TableExtension
from markdown.treeprocessors import Treeprocessor
from markupsafe import Markup, escape

from qkv.article.expressions import EXPRESSION, HOLE, OPENING, UNCLOSED, FigureCall, printed
from qkv.article.links import States, Target
from qkv.content.sections import Section
from qkv.errors import BuildError, Mistakes, Place, did_you_mean
from qkv.model.states import State

# An expression alone in a paragraph, or in what blanks before it have made code of, whatever an editor left beside it.
_UNSEEN = "(?:\\s|[\u200b\u2060\ufeff]|&nbsp;|<br>|\\\\)*"
_BLOCK = re.compile(f"<(p|pre><code)>{_UNSEEN}\ue010(\\d+)\ue011{_UNSEEN}</(?:p|code></pre)>")
_DEFINITION = re.compile(r"""^ {0,3}\[([^\[\]]+)\]:\s*(\#\S*)(?:\s+"(.*)")?\s*$""")
_NEARLY = re.compile(r"^\s*\[[^\[\]]+\]:\s*\#")  # meant as a definition
_ORDINARY = re.compile(r"^ {0,3}\[([^\[\]]+)\]:", re.M)
_USE = re.compile(r"(?<![!\\])\[([^\[\]]+)\]\[([^\[\]]*)\]")
_INLINE = re.compile(r"(!?)\[[^\[\]]*\]\(\s*<?([^\s<>()]*)")
_HEADING = re.compile("h[1-6]")
TITLE = 2  # the level of a section's title, in the article
_KEY = "state:"  # stands before the number of a link until Markdown has found its place


@dataclass(frozen=True)
class Prose:
    """A rendered section: HTML, the figures in it, the states that its "Try it" prompts ask for, where links lead."""

    slug: str
    html: str
    shown: tuple[tuple[str, Place], ...]  # kinds of figure
    tries: tuple[Target, ...]
    leads: tuple[tuple[str, Place], ...]  # kinds of figure that links to states lead to
    anchors: tuple[tuple[str, Place], ...]

    @property
    def figures(self) -> tuple[str, ...]:
        return tuple(kind for kind, _ in self.shown)


def render(
    section: Section,
    base: State,
    states: States,
    figure: Callable[[str, Place], Markup],
    wrong: Mistakes,
    more: dict[str, Any],
) -> Prose:
    """Renders a section; mistakes are collected in `wrong`. `figure` makes the HTML of a figure of a given kind."""
    return _Renderer(section, base, states, figure, wrong, more).render()


class _Renderer:
    def __init__(
        self,
        section: Section,
        base: State,
        states: States,
        figure: Callable[[str, Place], Markup],
        wrong: Mistakes,
        more: dict[str, Any],
    ) -> None:
        self.section, self.base, self.states = section, base, states
        self.figure, self.wrong, self.more = figure, wrong, more
        self.addresses: list[Target | str] = []  # of links that are defined by name: states, and ordinary anchors
        self.used: set[int] = set()
        self.undefined = False
        self.shown: list[tuple[str, Place]] = []
        self.tries: list[Target] = []
        self.leads: list[tuple[str, Place]] = []
        self.anchors: list[tuple[str, Place]] = []

    def render(self) -> Prose:
        text, expressions = self.cut_expressions(self.section.body)
        text, defined = self.cut_definitions(text)
        self.check_links(text, defined)
        md = Markdown(extensions=[AdmonitionExtension(), TableExtension(), SaneListExtension()], output_format="html")
        md.preprocessors.deregister("html_block")
        md.inlinePatterns.deregister("html")
        md.references.update({name: (f"{_KEY}{place}", "") for name, (place, _) in defined.items()})
        md.treeprocessors.register(_Links(md, self), "states", 5)
        md.treeprocessors.register(_Headings(md), "headings", 4)
        html = md.convert(text)
        for name, (place, source) in defined.items():
            if place not in self.used and not self.undefined:  # else it may be one of these, misspelt
                fix = f"write [some words][{name}] in the text, or take it out"
                self.wrong.add(source, f"the link [{name}] is never used", fix)
        values = [self.evaluate(expression, line) for expression, line in expressions]
        html = _BLOCK.sub(lambda hit: self.block(values[int(hit.group(2))], hit.group(0)), html)
        html = HOLE.sub(lambda hit: self.inline(values[int(hit.group(1))]), html)
        tries = tuple(dict.fromkeys(self.tries))
        return Prose(self.section.slug, html, tuple(self.shown), tries, tuple(self.leads), tuple(self.anchors))

    def cut_expressions(self, text: str) -> tuple[str, list[tuple[str, int]]]:
        """Takes {{ expressions }} out, so that Markdown cannot touch what they print; keeps the count of lines."""
        found: list[tuple[str, int]] = []

        def cut(hit: re.Match[str]) -> str:
            line = text.count("\n", 0, hit.start()) + 1
            found.append((hit.group(1).strip(), line))
            return f"\ue010{len(found) - 1}\ue011" + "\n" * hit.group(0).count("\n")

        cut_text = EXPRESSION.sub(cut, text)
        for number, line in enumerate(cut_text.split("\n"), 1):
            if OPENING.search(line):
                self.wrong.add(self.section.at(number), *UNCLOSED)
        return cut_text.replace("\\{{", "{{"), found

    def cut_definitions(self, text: str) -> tuple[str, dict[str, tuple[int, Place]]]:
        """Takes the definitions of links to states out and checks their claims; each name with its number and place."""
        defined: dict[str, tuple[int, Place]] = {}
        kept: list[str] = []
        for number, line in enumerate(text.split("\n"), 1):
            source = self.section.at(number)
            hit = _DEFINITION.match(line)
            if not hit and _NEARLY.match(line):
                fix = 'begin the line with [name]: #token=last, and end it there or with a claim in "quotes"'
                self.wrong.add(source, "this defines no link", fix)
            kept.append("" if hit or _NEARLY.match(line) else line)
            if not hit:
                continue
            name, address, claim = _fold(hit.group(1)), hit.group(2)[1:], hit.group(3)
            if name in defined:
                self.wrong.add(source, f"the link [{name}] is defined twice", "give one of them another name")
            defined[name] = len(self.addresses), source
            target = Target(self.base)
            if address and "=" not in address:
                self.anchors.append((address, source))
                self.addresses.append("#" + address)
            else:
                target = self.states.read(address, self.base, source, self.wrong)
                self.addresses.append(target)
                if target.at in self.states.kinds:
                    self.leads.append((target.at, source))
            if claim:
                try:
                    self.states.asked.check(claim, target.state, source, name)
                except BuildError as error:
                    self.wrong.take(error)
        return "\n".join(kept), defined

    def check_links(self, text: str, defined: dict[str, tuple[int, Place]]) -> None:
        """Finds links whose name is not defined, and addresses that lead nowhere; notes the anchors."""
        ordinary = {_fold(name) for name in _ORDINARY.findall(text)}
        for hit in _USE.finditer(text):
            name = _fold(hit.group(2) or hit.group(1))
            if name not in defined and name not in ordinary:
                advice = did_you_mean(name, defined, f"add a line [{name}]: #token=last")
                self.wrong.add(self.place(text, hit), f"the link [{name}] is not defined", advice)
                self.undefined = True
        for hit in _INLINE.finditer(text):
            picture, address = hit.groups()
            source = self.place(text, hit)
            if picture:
                if not address.startswith("data:image/"):
                    self.wrong.add(source, f"the picture {address!r} is not part of the site", "take it out")
            elif address.startswith("#") and "=" not in address:
                self.anchors.append((address[1:], source))
            elif address.startswith("#"):
                fix = f"write [words][name], and on a line of its own [name]: {address}"
                self.wrong.add(source, "a link to a state stands in the text", fix)
            elif not re.match(r"https?://[^/]|mailto:.", address):
                fix = "begin it with https://, or write # and the slug of a section"
                self.wrong.add(source, f"the link {address!r} leads nowhere", fix)

    def place(self, text: str, hit: re.Match[str]) -> Place:
        return self.section.at(text.count("\n", 0, hit.start()) + 1)

    def evaluate(self, expression: str, line: int) -> Any:
        source = self.section.at(line)
        names: dict[str, Any] = {"figure": lambda kind: FigureCall(str(kind), source), **self.more}
        return printed(expression, self.base, source, self.states.asked, self.wrong, names)

    def block(self, value: Any, otherwise: str) -> str:
        """A figure alone in a paragraph is not in a paragraph."""
        if not isinstance(value, FigureCall):
            return otherwise
        self.shown.append((value.kind, value.source))
        return str(self.figure(value.kind, value.source))

    def inline(self, value: Any) -> str:
        if isinstance(value, FigureCall):
            self.wrong.add(
                value.source,
                f"the figure {value.kind!r} stands inside a text",
                "give it a line of its own, with empty lines around it",
            )
            self.shown.append((value.kind, value.source))
            return ""
        return str(escape(value))


class _Links(Treeprocessor):
    """Makes links to states whole, and boxes of `!!! more` into disclosures; notes the states of `!!! try`."""

    def __init__(self, md: Markdown, renderer: _Renderer) -> None:
        super().__init__(md)
        self.renderer = renderer

    def run(self, root: Element) -> None:
        self.walk(root, False)

    def walk(self, element: Element, trying: bool) -> None:
        classes = element.get("class", "").split()
        trying = trying or "try" in classes
        if element.tag == "div" and "more" in classes:
            element.tag = "details"
            element.set("class", "more")
            if len(element) and element[0].get("class") == "admonition-title":
                element[0].tag = "summary"
                del element[0].attrib["class"]
        if element.tag == "a" and element.get("href", "").startswith(_KEY):
            number = int(element.get("href", "")[len(_KEY) :])
            self.renderer.used.add(number)
            target = self.renderer.addresses[number]
            element.attrib.pop("title", None)
            if isinstance(target, str):
                element.set("href", target)
            else:
                element.set("href", self.renderer.states.write(target))
                element.set("class", "state")
                if trying:
                    self.renderer.tries.append(target)
        for child in element:
            self.walk(child, trying)


class _Headings(Treeprocessor):
    """Puts the headings of a text below the title of its section, which is an h2, each below the one it belongs to:
    whatever levels an author writes, none is left out."""

    def run(self, root: Element) -> None:
        above: list[str] = []  # the levels, as written, of the headings that the next one may belong to
        for heading in root.iter():
            if not _HEADING.fullmatch(heading.tag):
                continue
            while above and above[-1] >= heading.tag:
                above.pop()
            above.append(heading.tag)
            heading.tag = f"h{min(TITLE + len(above), 6)}"
            heading.set("class", "part")


def _fold(name: str) -> str:
    """The name of a link as Markdown compares it."""
    return " ".join(name.lower().split())
