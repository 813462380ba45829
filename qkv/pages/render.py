"""Jinja rendering: charts -> figures in HTML, sections -> pages. Returns strings; output/ writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from qkv.article.anchors import check_links
from qkv.article.assumed import assumed
from qkv.article.claims import check_claims
from qkv.article.evaluator import Asked
from qkv.article.expressions import STRESS, fill_expressions
from qkv.article.goals import Need, needs, ways
from qkv.article.links import States, Target
from qkv.article.notes import place_notes
from qkv.article.prose import Prose, render
from qkv.article.questions import Question, questions
from qkv.content.article import Content
from qkv.content.sections import Section
from qkv.content.settings import Settings
from qkv.content.strings import Words
from qkv.errors import Mistakes, Place, did_you_mean
from qkv.figures.charts import Chart
from qkv.figures.controls import choices, controls, followed
from qkv.figures.kinds import KINDS
from qkv.figures.make import Figures, figure_options, make_figures
from qkv.figures.palette import shades
from qkv.figures.poster import Unsupported
from qkv.figures.template import View
from qkv.model.source import Source
from qkv.model.states import State
from qkv.pages import data as payload
from qkv.pages.data import dump
from qkv.pages.drawn import Drawn, sentence
from qkv.pages.page import CSP, Page
from qkv.pages.translators import model_names, untranslated
from qkv.templates import Compiled, loader

FACTS = "facts"  # the id of the list at the end of the article


def emphasis(text: str) -> Markup:
    """A short text with marks around what is stressed, as HTML."""
    return Markup(str(escape(text)).replace(STRESS[0], "<em>").replace(STRESS[1], "</em>"))


def lifted(html: str, levels: int) -> str:
    """The same with its headings so many levels higher."""
    return re.sub(r"(</?h)([2-6])\b", lambda hit: f"{hit[1]}{int(hit[2]) - levels}", html)


class Pages:
    """Renders everything of one site. Mistakes are collected; `all()` raises them together."""

    def __init__(self, content: Content, words: Words, source: Source, templates: Path, cache: Path) -> None:
        self.content, self.words, self.source = content, words, source
        self.wrong = Mistakes()
        kept = Compiled(cache / "templates")
        self.asked = Asked(source, words("masked"), kept)
        self.states = States(self.asked, tuple(KINDS))
        self.env = Environment(
            loader=loader(templates, "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            bytecode_cache=kept,
        )
        self.env.globals.update(words=words, site=content.site, pages=self, csp=CSP, address=self.address)
        self.env.filters.update(emphasis=self.emphasis, sentence=sentence)
        self.shades, self.names = shades(), model_names(source)
        self.base = self.states.of(content.site, source.first, self.wrong)
        self.made: dict[tuple[str, State], tuple[Prose, list[Drawn], tuple[Question, ...]]] = {}
        self.figures: dict[tuple[str, State], Markup] = {}  # what figure() has made
        self.dumped: dict[str, str] = {}  # each kind of figure as a page's script reads it
        self.homes: dict[str, str] = {}  # for each figure, the section that shows it
        self.assumes: dict[str, dict[str, int]] = {}  # for each figure, what the text around it speaks of
        self.follows: dict[str, list[str]] = {}  # for each figure, the axes that it or its section has a control for
        self.needs: dict[str, list[Need]] = {}  # for each section, what must be visited for it to count as done
        self.notes = place_notes(self.content, self.states, self.wrong)

    def all(self, assets: dict[str, str]) -> list[Page]:
        """index.html and one page a section."""
        self.env.globals.update(assets=assets)
        check_claims(self.content, self.base, self.states, self.wrong)
        sections = [self.section(section, self.base, "") for section in self.content.sections]
        asked = [question for part in sections for question in part["questions"]]
        answers = [(question.show.at, question.place) for question in asked if question.show.at in KINDS]
        check_links([part["prose"] for part in sections], [s.slug for s in self.content.sections], answers, self.wrong)
        self.needs = {part["section"].slug: self._needs(part) for part in sections}
        facts = self._facts()
        pages = [self._page("index.html", "index.html", self.content.site["title"], self.base, sections, facts=facts)]
        for place, section in enumerate(self.content.sections):
            base = self.own(section)
            before = self.content.sections[place - 1] if place else None
            after = self.content.sections[place + 1] if place + 1 < len(self.content.sections) else None
            path = f"sections/{section.slug}.html"
            parts = [self.section(section, base, "./")]
            pages.append(self._page("section.html", path, section.title, base, parts, before=before, after=after))
        self.wrong.found.extend(self.words.wrong.found)
        self.wrong.stop()
        return pages

    def address(self, path: str) -> str:
        """The full address of a page; empty where the site has no base URL."""
        base_url = str(self.content.site["base_url"]).rstrip("/")
        return f"{base_url}/{path.removesuffix('index.html')}" if base_url else ""

    @cached_property
    def all_figures(self) -> Figures:
        """Every kind once."""
        return make_figures(self.source, self.words, figure_options(self.content.sections, self.wrong))

    @property
    def charts(self) -> dict[str, Chart]:
        return self.all_figures.charts

    @property
    def view(self) -> View:
        """The state in which the first page opens."""
        return View(self.source, self.base, self.words.flat, self.shades)

    def drawn(self, kind: str, target: Target) -> Drawn:
        view = View(self.source, target.state, self.words.flat, self.shades)
        return Drawn(self.charts[kind], view, target, self.notes.get(kind, ()))

    def own(self, section: Section) -> State:
        """The state in which a section's own page opens."""
        return self.states.of(section.settings, self.base, self.wrong)

    def section(self, section: Section, base: State, root: str) -> dict[str, Any]:
        """A section as a template needs it; made once for each state that it opens in."""
        key = section.slug, base
        if key not in self.made:
            prose = self._prose(section, base)
            asked = questions(section, self.base, self.states, self.wrong)
            follows = followed((self.charts[kind] for kind in prose.figures if kind in self.charts), self.source)
            self.follows |= dict.fromkeys(prose.figures, follows)
            self.made[key] = prose, [self.drawn(target.at, target) for target in self._tried(prose, base)], asked
        prose, tries, asked = self.made[key]
        html = Markup(untranslated(self._links(prose, root), self.names))
        return {"section": section, "prose": prose, "html": html, "tries": tries, "questions": asked, "root": root}

    def _needs(self, part: dict[str, Any]) -> list[Need]:
        section, prose = part["section"], part["prose"]
        charts = [self.charts[kind] for kind in prose.figures if kind in self.charts]
        controls = [control for chart in charts for control in self.controls(chart)]
        shows = [question.show for question in part["questions"]]
        found = ways(prose.html, controls, shows, (self.base, self.own(section)), self.states)
        return needs(section, self.base, found, self.states, self.words, self.wrong)

    def _prose(self, section: Section, base: State) -> Prose:
        assumes = assumed(section, base, self.states, self.wrong)

        def figure(kind: str, source: Place) -> Markup:
            if kind not in KINDS:
                self.wrong.add(source, f"unknown figure {kind!r}", did_you_mean(kind, KINDS))
                return Markup("")
            if kind not in self.charts:
                self.all_figures.refuse(kind, source, self.wrong)
                return Markup("")
            if self.charts[kind].controls:
                self.assumes[kind] = assumes
            try:
                return self.figure(kind, Target(base, kind))
            except Unsupported as error:
                self.wrong.add(
                    source,
                    f"the poster of {kind!r} cannot draw {error}",
                    "teach qkv/figures/poster.py, or leave it out of the chart",
                )
                return Markup("")

        return render(section, base, self.states, figure, self.wrong, {})

    def figure(self, kind: str, target: Target) -> Markup:
        """A figure in a state, with all that belongs to it."""
        key = kind, target.state
        if key not in self.figures:
            template: Any = self.env.get_template("figure.html").module
            self.figures[key] = Markup(template.figure(self.drawn(kind, target), self, target.state))
        return self.figures[key]

    def _tried(self, prose: Prose, base: State) -> list[Target]:
        """States that a "Try it" asks for and that the page does not already show."""
        shown, found = {(base, at): True for at in prose.figures}, []
        for target in prose.tries:
            chart = self.charts.get(target.at)
            if not chart or target.at not in prose.figures or not chart.controls:
                continue
            state = target.state
            if "token" not in chart.controls:
                state = self.source.fit(state.choose({"token": base["token"]}))
            if not shown.setdefault((state, target.at), False):
                shown[state, target.at] = True
                found.append(Target(state, target.at))
        return found

    def _links(self, prose: Prose, root: str) -> str:
        """Away from index.html, links to what stands elsewhere lead to its page; `root` leads to the sections.

        There the section's title is the page's h1, so what stands under it moves up.
        """
        for kind in prose.figures if not root else ():
            self.homes[kind] = prose.slug
        if not root:
            return prose.html
        slugs = {section.slug for section in self.content.sections} - {prose.slug}

        def lead(hit: re.Match[str]) -> str:
            anchor = unescape(hit.group(1))
            kind = anchor.rpartition("&at=")[2] if "&at=" in anchor else anchor.removeprefix("figure-")
            if anchor == FACTS:
                return f'href="../index.html#{FACTS}"'  # root leads to a folder beside this one, or to this one
            if anchor in slugs:
                return f'href="{root}{anchor}.html"'
            if kind in self.homes and self.homes[kind] != prose.slug:
                return f'href="{root}{self.homes[kind]}.html#{hit.group(1)}"'
            return hit.group(0)

        return lifted(re.sub(r'href="#([^"]*)"', lead, prose.html), 1)

    def _page(
        self, template: str, path: str, name: str, base: State, sections: list[dict[str, Any]], **more: Any
    ) -> Page:
        kinds = list(
            dict.fromkeys(kind for section in sections for kind in section["prose"].figures if kind in self.charts)
        )
        root = "../" * path.count("/")
        html = self.env.get_template(template).render(
            path=path,
            root=root,
            sections=sections,
            all_sections=self.content.sections,
            base=base,
            data=self.data(kinds, base),
            traces=self.arrays,
            **more,
        )
        return Page(path, html, name=name)

    def emphasis(self, text: str) -> Markup:
        """The same as the function of this name, for translators as well."""
        return Markup(untranslated(str(emphasis(text)), self.names))

    @cached_property
    def arrays(self) -> Markup:
        """The trace arrays as they stand in every page."""
        return Markup(dump(self.source.arrays))

    def lost(self) -> str:
        """The page for an address that is not there; its links are full, since it is served at any depth."""
        return self.env.get_template("404.html").render(path="404.html", root=self.address("index.html"))

    def data(self, kinds: Sequence[str], base: State) -> Markup:
        """What a page's script reads, as JSON; each figure is written once for all pages."""
        for kind in kinds:
            if kind not in self.dumped:
                made = payload.figure(
                    self.charts[kind], self.notes, self.assumes.get(kind, {}), self.follows.get(kind, [])
                )
                self.dumped[kind] = f"{dump(kind)}:{dump(made)}"
        page = dump(payload.names(self.source, self.words, base, self.shades))
        return Markup(f'{page[:-1]},"figures":{{{",".join(self.dumped[kind] for kind in kinds)}}}}}')

    def _facts(self) -> list[dict[str, Any]]:
        found = []
        for fact in self.content.facts:
            parts: dict[str, Any] = {"term": fact["term"], "sources": fact["sources"]}
            for key in ("text", "more"):
                parts[key] = self._short(fact, key) if fact[key] else ""
            found.append(parts)
        return found

    def _short(self, settings: Settings, key: str) -> Markup:
        """A short text of a TOML file with its {{ expressions }} filled in."""
        return fill_expressions(
            settings[key], self.base, settings.where(key), self.asked, self.wrong, {"formula": self._formula}
        )

    def _formula(self) -> Markup:
        return Markup(self.env.get_template("formula.html").render())

    # for the templates

    def link(self, target: Target) -> str:
        return self.states.write(target)

    def shown(self, state: State) -> str:
        """A state as a figure that shows it is marked."""
        return self.link(Target(state))[1:]

    def lead(self, target: Target, slug: str, root: str) -> str:
        """The same from a section's page: to the page of the section that shows the figure."""
        home = self.homes.get(target.at, slug)
        return (f"{root}{home}.html" if root and home != slug else "") + self.link(target)

    def choices(self, control: str, state: State) -> list[dict[str, Any]]:
        return choices(control, state, self.source, self.words)

    def controls(self, chart: Chart) -> list[str]:
        return controls(chart, self.source)
