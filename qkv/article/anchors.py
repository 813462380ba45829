"""Whether the links between sections lead somewhere."""

from __future__ import annotations

from collections.abc import Iterable

from qkv.article.prose import Prose
from qkv.errors import Mistakes, Place, did_you_mean


def check_links(
    sections: Iterable[Prose], slugs: Iterable[str], answers: Iterable[tuple[str, Place]], wrong: Mistakes
) -> None:
    """Refuses anchors and figures that the article does not have, and a figure that it shows twice.

    `answers` are the kinds of figure that show the answers of questions, and where an author says so.
    """
    sections, names = list(sections), list(slugs)
    shown: dict[str, Place] = {}
    for kind, source in (place for section in sections for place in section.shown):
        if kind in shown:
            wrong.add(source, f"the figure {kind!r} is shown already, see {shown[kind]}", "show each figure once")
        shown.setdefault(kind, source)
    there = {*names, "facts", *(f"figure-{kind}" for kind in shown)}
    for section in sections:
        for anchor, source in section.anchors:
            if anchor not in there:
                wrong.add(source, f"the link '#{anchor}' leads nowhere", did_you_mean(anchor, names))
    for kind, source in (*(lead for section in sections for lead in section.leads), *answers):
        if kind not in shown:
            fix = f'show it with {{{{ figure("{kind}") }}}}, or lead to another'
            wrong.add(source, f"the article does not show the figure {kind!r}", fix)
