"""Gathers every output of a build, checks it whole, and weighs it."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from jinja2 import BytecodeCache, Environment, StrictUndefined

from qkv.bundle import Bundle, squeezed
from qkv.charts import Chart
from qkv.content import Content, Section
from qkv.errors import Mistake, Mistakes, Source
from qkv.templates import asset, loader
from qkv.traces import Traces

_NAMED = re.compile(r'\s(id|href|src|data-plotly)="([^"]*)"')
_NOSCRIPT = re.compile(r"<noscript>.*?</noscript>", re.S)
_COMMENT = re.compile(r"^ *(?://.*\n)?", re.M)  # what readers need not load of a script: lines of comment, indentation
_BLOCK = re.compile(r'<script type="application/json".*?</script>', re.S)


@dataclass(frozen=True)
class Output:
    """One file of the site: its path below the folder, and its bytes."""

    path: str
    data: bytes


@dataclass(frozen=True)
class Budget:
    """A limit in bytes on what readers load or take along, beyond which the build warns: where an author can do
    something about it, and what."""

    name: str
    limit: int
    actual: int
    place: Source
    fix: str


# What the article may weigh with all that it loads, in bytes after gzip: plotly.js, script, style and the frame of each
# figure, and for what an author writes as much as it takes, up to what pages of the web weigh on average.
FRAME = 375_000
PER_NUMBER, PER_CELL, PER_LETTER = 4, 6, 1  # of the traces, of the tables of weights, of the text
MOST = 2_000_000
_PICTURE = re.compile(r"data:image/[^\s)>]*")


def gather_assets(
    templates: Path,
    charts: Iterable[Chart],
    heights: Mapping[str, Sequence[int]],
    bundle: Bundle,
    kept: BytecodeCache | None,
) -> tuple[dict[str, str], list[Output]]:
    """The shared files, named by their content, and where a template finds each.

    `heights` are those of figures and sections in pixels, about: on a phone, in a column, in a window. `kept` holds
    compiled templates.
    """
    folder = templates / "assets"
    found = loader(folder, "templates/assets")
    env = Environment(loader=found, undefined=StrictUndefined, autoescape=False, bytecode_cache=kept)
    plots = [(chart.kind, plot) for chart in charts for plot in chart.plots]
    style = env.get_template("style.css").render(plots=plots, tall=[(part, *high) for part, high in heights.items()])
    scripts = [asset(templates, path.name) for path in sorted(folder.glob("[0-9]*.js"))]
    app = asset(templates, "app.js").replace("/* scripts */", "\n".join(scripts))
    app = _COMMENT.sub("", app)
    sources = {
        "style": ("style", ".css", style.encode()),
        "app": ("app", ".js", app.encode()),
        "noscript": ("noscript", ".css", asset(templates, "noscript.css").encode()),
        "teachers": ("teachers", ".js", asset(templates, "teachers.js").encode()),
        "early": ("early", ".js", asset(templates, "early.js").encode()),
        "icon": ("icon", ".svg", asset(templates, "icon.svg").encode()),
        "plotly": ("plotly", ".js", bundle.js),
        "plotly_css": ("plotly", ".css", bundle.css),
    }
    names: dict[str, str] = {}
    outputs: list[Output] = []
    for key, (stem, ending, data) in sources.items():
        names[key] = f"assets/{stem}.{hashlib.sha256(data).hexdigest()[:10]}{ending}"
        outputs.append(Output(names[key], data))
    return names, outputs


def check(outputs: list[Output], written: Mapping[str, Section]) -> None:
    """Refuses a path written twice, an id twice on a page, and a link or anchor that leads nowhere.

    `written` are the texts of pages whose links have not been checked before, by path.
    """
    wrong = Mistakes()
    paths: set[str] = set()
    for output in outputs:
        if output.path in paths:
            wrong.add(Source(f"site/{output.path}"), "is written twice", "give one of the two another slug")
        paths.add(output.path)
    links: dict[str, list[str]] = {}
    ids: dict[str, list[str]] = {}
    for output in outputs:
        if output.path.endswith(".html"):
            page = _BLOCK.sub("", output.data.decode())
            shown, other = _named(_NOSCRIPT.sub("", page)), _named("".join(_NOSCRIPT.findall(page)))
            links[output.path] = [value for name, value in shown + other if name != "id"]
            ids[output.path] = [value for name, value in shown if name == "id"]
    for path in links:
        seen: set[str] = set()
        for name in ids[path]:
            if name in seen:
                wrong.add(Source(f"site/{path}"), f"the id {name!r} stands twice", "show each figure once on a page")
            seen.add(name)
        for link in dict.fromkeys(links[path]):
            if re.match(r"[a-z]+:", link) or link.startswith("#sentence="):
                continue
            target, _, anchor = link.partition("#")
            found = resolve(path, target) if target else path
            if found not in paths:
                wrong.add(_place(path, link, written), f"the link {link!r} leads nowhere", "mend the address")
            elif anchor and "=" not in anchor and found in ids and anchor not in ids[found]:
                wrong.add(_place(path, link, written), f"the anchor {link!r} is not there", "mend the anchor")
    wrong.stop()


def _place(path: str, link: str, written: Mapping[str, Section]) -> Source:
    """Where an author has written a link that stands on a page; the page, if it is made of nothing written."""
    if path not in written:
        return Source(f"site/{path}")
    alone = re.compile(rf"(?<![\w./]){re.escape(link)}(?![\w./])")
    for number, line in enumerate(written[path].body.split("\n"), 1):
        if alone.search(html.unescape(line)):
            return written[path].at(number)
    return written[path].source.at(0)


def _named(page: str) -> list[tuple[str, str]]:
    """The ids and links of a page by the names of their attributes. Only in tags: in a text, id="x" is a text."""
    return [
        (hit[1], html.unescape(hit[2]))
        for hit in _NAMED.finditer(page)
        if page.rfind("<", 0, hit.start()) > page.rfind(">", 0, hit.start())
    ]


def resolve(page: str, target: str) -> str:
    """The path below the site's folder that a link on a page leads to; as in a browser, above it there is nothing."""
    parts: list[str] = []
    for part in (*PurePosixPath(page).parent.parts, *target.split("/")):
        if part == "..":
            if parts:
                parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def weigh(
    outputs: list[Output], assets: dict[str, str], bundle: Bundle, article: Content, traces: Traces, arrays: str
) -> Budget:
    """What the article weighs with all that it loads. `arrays` are the traces as they stand in a page."""
    by_path = {output.path: output.data for output in outputs}
    loaded = [by_path["index.html"], *(by_path[assets[key]] for key in ("style", "app", "plotly_css", "icon"))]
    texts = [(section.source, f"{section.settings.file.text}\n{section.body}") for section in article.sections]
    letters = sum(len(_PICTURE.sub("", text).encode()) for _, text in texts)
    own = FRAME + PER_NUMBER * traces.numbers + PER_CELL * traces.cells + PER_LETTER * letters

    # What weighs, where an author can change it, and how.
    numbers = "the numbers of the model: take shorter or fewer sentences, fewer heads, or fewer slots"
    parts = [(len(squeezed(arrays.encode())), Source(traces.toy.file.shown), numbers)]
    for source, text in texts:
        pictures = "".join(_PICTURE.findall(text))
        parts.append((len(squeezed(pictures.encode())), source, "its pictures: make them smaller, or take some out"))
    if bundle.full:
        parts.append((bundle.gzip_size, Source("--plotly full"), "all of plotly.js: build without this option"))
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
