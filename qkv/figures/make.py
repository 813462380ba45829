"""Every kind of figure, made from a source; and those that it cannot be made into, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from qkv.content.sections import Section
from qkv.content.strings import Words
from qkv.errors import BuildError, Mistakes, Place, did_you_mean
from qkv.figures.charts import Book, Chart
from qkv.figures.kinds import KINDS, OPTIONS
from qkv.model.source import Source

Given = Mapping[str, tuple[dict[str, Any], dict[str, Place]]]  # the options of kinds, and where each stands


@dataclass(frozen=True)
class Figures:
    """The charts by kind. Nothing is wrong with a kind that is not among them, unless a section shows it."""

    charts: dict[str, Chart]
    refused: dict[str, BuildError]  # kinds that cannot show these sentences
    lacking: dict[str, list[str]]  # kinds for which the source lacks arrays or axes, and which

    def refuse(self, kind: str, place: Place, wrong: Mistakes) -> None:
        """Reports a figure at the place that shows it although there is no chart of it."""
        if kind in self.refused:
            wrong.take(self.refused[kind])
        else:
            lacking = ", ".join(self.lacking[kind])
            problem = f"the figure {kind!r} needs {lacking}, which this source of attention does not have"
            wrong.add(place, problem, "leave it out")


def figure_options(sections: Iterable[Section], wrong: Mistakes) -> Given:
    """What the sections set under [figures.<kind>], checked; a figure's options come from the section that shows it."""
    given: dict[str, tuple[dict[str, Any], dict[str, Place]]] = {}
    for section in sections:
        for kind, options in section.settings["figures"].items():
            if kind not in KINDS:
                place = section.settings.where("figures", kind)
                wrong.add(place, f"unknown figure {kind!r}", did_you_mean(kind, KINDS))
                continue
            values, places = given.setdefault(kind, ({}, {}))
            for name in options:
                places[name] = section.settings.where("figures", kind, name)
                if name not in OPTIONS.get(kind, ()):
                    advice = did_you_mean(name, OPTIONS.get(kind, ()), "take it out")
                    wrong.add(places[name], f"unknown option {name!r} of the figure {kind!r}", advice)
            values.update(options)
    return given


def make_figures(source: Source, words: Words, given: Given) -> Figures:
    """Every kind once, with the options that sections give."""
    charts: dict[str, Chart] = {}
    refused: dict[str, BuildError] = {}
    lacking: dict[str, list[str]] = {}
    for kind, make in KINDS.items():
        try:
            chart = make(Book(source, words, *given.get(kind, ({}, {}))))
        except BuildError as error:
            refused[kind] = error
            continue
        if missing := chart.needs - source.arrays.keys() - source.axis.keys():
            lacking[kind] = sorted(missing)
        else:
            charts[kind] = chart
    return Figures(charts, refused, lacking)
