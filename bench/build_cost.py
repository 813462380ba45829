"""The build: CPU time against a process that only imports its libraries, memory, bytes, growth with the sentence."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from bench.content import write_content
from bench.report import Goal, exponent, in_turn, number, ratios, spread, table
from qkv.output.gzip import squeezed

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("lines", "vectors", "match", "softmax", "mix", "compare", "table", "heads", "glue")
LENGTHS = (10, 20, 40)  # tokens; a sentence has at most 40
FLOOR = "import numpy, jinja2, markdown, plotly"
_NOSCRIPT = re.compile(r"<noscript>.*?</noscript>", re.S)
_LOADED = re.compile(r'\s(?:href|src|data-plotly)="([^"#?:]+\.(?:css|js|svg))"')
_BLOCK = re.compile(r'<script type="application/json" id="(\w+)">(.*?)</script>', re.S)


@dataclass(frozen=True)
class Cost:
    """What one run of a command took: seconds of CPU (user and system, with its children) and of wall, peak bytes."""

    cpu: float
    wall: float
    peak: float


def cost(command: list[str]) -> Cost:
    """Runs a command in the checkout; raises if it fails."""
    helper = [sys.executable, "-I", "-S", str(ROOT / "bench" / "rusage.py")]
    # compiled modules are kept, as they are by whoever has not switched that off, and apart from those of others
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(ROOT / ".cache" / "bench" / "compiled")
    done = subprocess.run([*helper, *command], cwd=ROOT, env=env, capture_output=True, check=True)
    said = json.loads(done.stdout)
    if said["code"]:
        raise RuntimeError(f"{' '.join(command)} failed: {said['said']}")
    return Cost(said["cpu"], said["wall"], said["peak"])


def build_command(out: Path, content: Path | None = None) -> list[str]:
    """The command that builds into a folder, the article or other content."""
    other = [] if content is None else ["--content", str(content)]
    return [sys.executable, "build.py", "--quiet", "--out", str(out), *other]


def loaded(html: str) -> list[str]:
    """The files that a page of the site loads once scripts run."""
    return list(dict.fromkeys(_LOADED.findall(_NOSCRIPT.sub("", html))))


def blocks(html: str) -> dict[str, str]:
    """The JSON blocks of a page, by id."""
    return dict(_BLOCK.findall(html))


def gzipped(data: bytes) -> int:
    return len(squeezed(data))


def weights(site: Path) -> list[tuple[str, int, int]]:
    """name, bytes, bytes after gzip: index.html, what it loads, all of that, and the blocks of data inside it."""
    html = (site / "index.html").read_text("utf-8")
    files = {name: (site / name).read_bytes() for name in ("index.html", *loaded(html))}
    rows = [(re.sub(r"\.[0-9a-f]{10}\.", ".", name), len(data), gzipped(data)) for name, data in files.items()]
    rows.append(("index.html with all it loads", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    for name, text in blocks(html).items():
        rows.append((f"of index.html: {name}", len(text.encode()), gzipped(text.encode())))
    return rows


def run(rounds: int) -> list[Goal]:
    """Prints the section; returns its goals."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        goals = _cost(rounds, folder / "site")
        print()
        print(table([("bytes", "raw", "gzip"), *((n, f"{r:,}", f"{g:,}") for n, r, g in weights(folder / "site"))]))
        print()
        return goals + _growth(rounds, folder)


def _cost(rounds: int, out: Path) -> list[Goal]:
    jobs = {"build": partial(cost, build_command(out)), "imports": partial(cost, [sys.executable, "-c", FLOOR])}
    in_turn(1, jobs)  # fills caches: the bundle, compiled templates and modules
    found = in_turn(rounds, jobs)
    times = ratios([c.cpu for c in found["build"]], [c.cpu for c in found["imports"]])
    peak = median(c.peak for c in found["build"]) / 1e6
    rows = [(f"median of {rounds} rounds", "CPU s", "wall s", "peak MB")]
    for name, label in (("build", "python build.py --quiet"), ("imports", FLOOR)):
        runs = found[name]
        rows.append(
            (
                label,
                f"{median(c.cpu for c in runs):.3f}",
                f"{median(c.wall for c in runs):.3f}",
                f"{median(c.peak for c in runs) / 1e6:.1f}",
            )
        )
    print(table(rows))
    print(f"CPU of the build against the imports, round by round: {spread(times, 2)}")
    return [
        Goal("build: CPU time against importing its libraries", median(times), 2.5, "times"),
        Goal("build: peak memory", peak, 120, "MB"),
    ]


def _growth(rounds: int, folder: Path) -> list[Goal]:
    contents = {n: write_content(folder / f"content-{n}", ROOT / "content", KINDS, n) for n in LENGTHS}
    jobs = {str(n): partial(cost, build_command(folder / f"site-{n}", contents[n])) for n in LENGTHS}
    in_turn(1, jobs)
    found = in_turn(max(3, rounds // 2), jobs)
    cpu = [median(c.cpu for c in found[str(n)]) for n in LENGTHS]
    peak = [median(c.peak for c in found[str(n)]) / 1e6 for n in LENGTHS]
    data = []
    for n in LENGTHS:
        text = blocks((folder / f"site-{n}" / "index.html").read_text("utf-8"))["traces"].encode()
        data.append((len(text), gzipped(text)))
    rows = [("tokens", "n\u00b2", "CPU s", "times", "peak MB", "trace bytes", "times", "gzip", "times")]
    for i, n in enumerate(LENGTHS):
        (raw, packed), (first, first_packed) = data[i], data[0]
        growth = (f"{cpu[i] / cpu[0]:.2f}", f"{peak[i]:.1f}", f"{raw:,}", f"{raw / first:.2f}")
        square = f"{n * n / LENGTHS[0] ** 2:.0f}"
        rows.append((str(n), square, f"{cpu[i]:.3f}", *growth, f"{packed:,}", f"{packed / first_packed:.2f}"))
    print("A page of all nine figures, for a sentence of n tokens in two versions; budgets off")
    print(table(rows))
    powers = exponent(LENGTHS, cpu), exponent(LENGTHS, [raw for raw, _ in data])
    print(f"from 20 to 40 tokens: CPU grows as n^{number(powers[0])}, trace bytes as n^{number(powers[1])}")
    return [
        Goal("build: power of n by which CPU time grows", powers[0], 2),
        Goal("build: power of n by which trace bytes grow", powers[1], 2.05),
    ]
