"""The only module that writes. Gathers every output, checks it whole, then swaps the folder in one go."""

from __future__ import annotations

import hashlib
import html
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined

from qkv.bundle import Bundle, squeezed
from qkv.charts import Chart
from qkv.content import Section
from qkv.errors import BuildError, Mistakes, Source, fail

KEPT = ".gitignore"  # what keeps the folder itself in the repository
MARKS = ("index.html", ".nojekyll")  # by these a folder is known as a built site, which may be replaced
_NAMED = re.compile(r'\s(id|href|src|data-plotly)="([^"]*)"')
_NOSCRIPT = re.compile(r"<noscript>.*?</noscript>", re.S)
_COMMENT = re.compile(r"^ *//.*\n|^ +", re.M)  # of a script, what readers need not load: lines of comment, indents
_BLOCK = re.compile(r'<script type="application/json".*?</script>', re.S)


@dataclass(frozen=True)
class Output:
    """One file of the site: its path below the folder, and its bytes."""

    path: str
    data: bytes


@dataclass(frozen=True)
class Budget:
    """A limit in bytes on what a page loads, or on a file to take along; beyond it the build stops, or only warns."""

    name: str
    limit: int
    actual: int
    fix: str = "make it smaller"
    stops: bool = True


# Budgets, for an article of CELLS weights in all its tables; data may grow with them where there are more.
INDEX_GZIP = 400_000  # index.html with all it loads
DATA_RAW = 100_000  # the trace arrays
DATA_GZIP = 30_000
CELLS = 2 * 2 * 3 * 10 * 10  # sentences, masks, heads, tokens, tokens


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
    env = Environment(loader=FileSystemLoader(folder), undefined=StrictUndefined, autoescape=False, bytecode_cache=kept)
    plots = [(chart.kind, plot) for chart in charts for plot in chart.plots]
    style = env.get_template("style.css").render(plots=plots, tall=[(part, *high) for part, high in heights.items()])
    scripts = [path.read_text("utf-8") for path in sorted(folder.glob("[0-9]*.js"))]
    app = (folder / "app.js").read_text("utf-8").replace("/* scripts */", "\n".join(scripts))
    app = _COMMENT.sub("", app)
    sources = {
        "style": ("style", ".css", style.encode()),
        "app": ("app", ".js", app.encode()),
        "noscript": ("noscript", ".css", (folder / "noscript.css").read_bytes()),
        "teachers": ("teachers", ".js", (folder / "teachers.js").read_bytes()),
        "early": ("early", ".js", (folder / "early.js").read_bytes()),
        "icon": ("icon", ".svg", (folder / "icon.svg").read_bytes()),
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


def weigh(outputs: list[Output], assets: dict[str, str], bundle: Bundle, traces: str, cells: int) -> list[Budget]:
    """The sizes that have a limit; `cells` is the number of weights in all tables."""
    times = max(cells / CELLS, 1.0)
    by_path = {output.path: output.data for output in outputs}
    loaded = [by_path["index.html"], *(by_path[assets[key]] for key in ("style", "app", "plotly_css", "icon"))]
    return [
        Budget(
            "index.html with all it loads, gzip",
            INDEX_GZIP + round(DATA_GZIP * (times - 1)),
            bundle.gzip_size + sum(len(squeezed(part)) for part in loaded),
        ),
        Budget("trace arrays", round(DATA_RAW * times), len(traces.encode())),
        Budget("trace arrays, gzip", round(DATA_GZIP * times), len(squeezed(traces.encode()))),
    ]


def write(outputs: list[Output], folder: Path) -> None:
    """Writes all outputs beside the folder, then swaps; whatever fails, the old folder stays whole."""
    shown = Source(str(folder))
    try:
        folder = folder.resolve()  # behind a link, the folder itself is replaced
        folder.parent.mkdir(parents=True, exist_ok=True)
        _refuse_others(folder, shown)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as made:
            fresh, old = Path(made, "new"), Path(made, "old")
            for output in outputs:
                path = fresh / output.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(output.data)
            if (folder / KEPT).exists():
                shutil.copy2(folder / KEPT, fresh / KEPT)
            if folder.exists():
                folder.rename(old)
            try:
                fresh.rename(folder)
            except BaseException:  # Ctrl+C too: the old site would go with the temporary folder
                if old.exists():
                    old.rename(folder)
                raise
    except OSError as error:
        said = error.strerror or type(error).__name__
        fix = "check the folder's permissions, or name another with --out"
        raise fail(shown, f"cannot be written ({said})", fix) from None


def _refuse_others(folder: Path, shown: Source) -> None:
    """Stops before anything but a built site, or an empty folder, is replaced."""
    names = {path.name for path in folder.iterdir()} - {KEPT} if folder.exists() else set()
    if ".git" in names:
        raise fail(shown, "holds a git repository, which would be lost", "name another folder with --out")
    if names and not names.issuperset(MARKS):
        raise fail(shown, "is not empty and does not look like a built site", "name another folder with --out")


def table(outputs: list[Output], budgets: list[Budget]) -> str:
    """What was built, in sizes."""
    rows = [("", "raw", "gzip")]
    for output in sorted(outputs, key=lambda o: -len(o.data)):
        rows.append((output.path, f"{len(output.data):,}", f"{len(squeezed(output.data)):,}"))
    lines = [f"{name:44}{raw:>12}{gz:>12}" for name, raw, gz in rows]
    lines += [f"{b.name:44}{b.actual:>12,} of {b.limit:,}" for b in budgets]
    return "\n".join(lines)


def over(budgets: list[Budget]) -> BuildError | None:
    """The error for budgets that are passed."""
    wrong = Mistakes()
    for budget in budgets:
        if budget.actual > budget.limit:
            wrong.add(
                Source("site"),
                f"{budget.name}: {budget.actual:,} bytes are over the budget of {budget.limit:,}",
                budget.fix,
            )
    return BuildError(wrong.found) if wrong.found else None
