"""What a reader loads, and how large it may be."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qkv.content.article import Content
from qkv.errors import Mistake, Place
from qkv.model.source import Source
from qkv.output.bundle import Bundle
from qkv.output.files import Output
from qkv.output.gzip import squeezed


@dataclass(frozen=True)
class Budget:
    """A limit in bytes on what readers load or take along, beyond which the build warns: where an author can do
    something about it, and what."""

    name: str
    limit: int
    actual: int
    place: Place
    fix: str


# What the article may weigh with all that it loads, in bytes after gzip: plotly.js, script, style and the frame of each
# figure, and for what an author writes as much as it takes, up to what pages of the web weigh on average.
FRAME = 375_000
PER_NUMBER, PER_CELL, PER_LETTER = 4, 6, 1  # of the traces, of the tables of weights, of the text
MOST = 2_000_000
_PICTURE = re.compile(r"data:image/[^\s)>]*")


def weigh(
    outputs: list[Output], assets: dict[str, str], bundle: Bundle, article: Content, source: Source, arrays: str
) -> Budget:
    """What the article weighs with all that it loads. `arrays` are the traces as they stand in a page."""
    by_path = {output.path: output.data for output in outputs}
    loaded = [by_path["index.html"], *(by_path[assets[key]] for key in ("style", "app", "plotly_css", "icon"))]
    texts = [(section.source, f"{section.settings.file.text}\n{section.body}") for section in article.sections]
    letters = sum(len(_PICTURE.sub("", text).encode()) for _, text in texts)
    own = FRAME + PER_NUMBER * source.numbers + PER_CELL * source.cells + PER_LETTER * letters

    # What weighs, where an author can change it, and how.
    numbers = "the numbers of the model: take shorter or fewer sentences, fewer heads, or fewer slots"
    parts = [(len(squeezed(arrays.encode())), source.place.at(0), numbers)]
    for place, text in texts:
        pictures = "".join(_PICTURE.findall(text))
        parts.append((len(squeezed(pictures.encode())), place, "its pictures: make them smaller, or take some out"))
    if bundle.full:
        parts.append((bundle.gzip_size, Place("--plotly full"), "all of plotly.js: build without this option"))
    size, place, what = max(parts)
    return Budget(
        "the article with all it loads, gzip",
        min(own, MOST),
        bundle.gzip_size + sum(len(squeezed(part)) for part in loaded),
        place,
        f"{size:,} of them are {what}",
    )


def table(outputs: list[Output], budgets: list[Budget]) -> str:
    """What was built, in sizes."""
    rows = [("", "raw", "gzip")]
    for output in sorted(outputs, key=lambda o: -len(o.data)):
        rows.append((output.path, f"{len(output.data):,}", f"{len(squeezed(output.data)):,}"))
    lines = [f"{name:44}{raw:>12}{gz:>12}" for name, raw, gz in rows]
    lines += [f"{b.name:44}{b.actual:>12,} of {b.limit:,}" for b in budgets]
    return "\n".join(lines)


def warnings(budgets: list[Budget]) -> list[str]:
    """A line for each budget that is passed: what is large, by how much, and what to do."""
    found = []
    for budget in budgets:
        more = budget.actual - budget.limit
        problem = f"{budget.name}: {budget.actual:,} bytes, {more:,} more than it should have"
        if more > 0:
            found.append(f"warning: {Mistake(budget.place, problem, budget.fix)}")
    return found
