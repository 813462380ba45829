"""The pages in Chromium: how soon they show, answer and redraw, and whether they leak. On the clocks of browser.py."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser

from bench.browser import CLOCKS, Opened, blocking, browser, opened
from bench.build_cost import build_command, cost, loaded
from bench.report import Goal, in_turn, ratios, share, spread, table
from bench.server import Server, serving

CHANGES = 500
PICTURES = "pictures.html"
WATCH = (Path(__file__).parent / "pages.js").read_text("utf-8")

_NOSCRIPT = re.compile(r"<noscript>.*?</noscript>", re.S)
_POSTER = re.compile(r'<div class="plot [^>]*data-plot[^>]*>\s*<svg.*?</div>', re.S)
_STYLES = re.compile(r'<link rel="stylesheet"[^>]*>')

Key = tuple[str, str]  # a figure and one of its controls


@dataclass(frozen=True)
class Load:
    """One load of a page, in milliseconds: until its first figure shows, and of blocking until Plotly starts."""

    figure: float
    blocking: float
    longest: float


@dataclass(frozen=True)
class Change:
    """One click on a radio button, in milliseconds until the page shows its effect."""

    told: float
    drawn: float | None = None


def pictures(html: str) -> str:
    """The posters of a built page and the stylesheets in its head, and nothing else."""
    bare = _NOSCRIPT.sub("", html)
    posters = _POSTER.findall(bare)
    if len(posters) != bare.count("data-plot="):
        raise ValueError(f"{len(posters)} posters found for {bare.count('data-plot=')} plots")
    styles = "".join(_STYLES.findall(bare.partition("</head>")[0]))
    head = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Pictures</title>{styles}</head>'
    body = "\n".join(posters)
    return f"{head}\n<body><main>\n{body}\n</main></body></html>\n"


def run(rounds: int) -> list[Goal]:
    """Prints the section; returns its goals."""
    with tempfile.TemporaryDirectory() as made:
        site = Path(made) / "site"
        cost(build_command(site))
        html = (site / "index.html").read_text("utf-8")
        (site / PICTURES).write_text(pictures(html), "utf-8")
        plotly = next("/" + name for name in loaded(html) if re.search(r"plotly\.\w+\.js$", name))
        with serving(site) as server, browser() as running:
            print(f"Chromium {running.version}, headless, 1280 by 800")
            print(CLOCKS + "\n")
            goals = _loads(rounds, running, server, plotly)
            goals += _changes(max(2, rounds // 3), running, server, plotly)
            return goals + _leaks(running, server)


def _loads(rounds: int, running: Browser, server: Server, plotly: str) -> list[Goal]:
    """First figure and blocking, with Plotly asked for but held back."""
    release = server.hold(plotly)

    def load(path: str, traced: bool) -> Load:
        with opened(running, server.root, path, WATCH, slow=not traced, traced=traced) as one:
            figure = one.page.evaluate("() => bench.figure")
            if path != PICTURES:
                one.page.wait_for_function("() => document.querySelector('script[src*=plotly]')", polling=200)
            one.page.wait_for_timeout(500)
            if traced:
                trace = one.trace()
                return Load(trace.cpu(None, "figure"), blocking(trace.slowed), max(trace.slowed))
            tasks = one.page.evaluate("() => bench.long")
            return Load(figure, blocking(tasks), max(tasks, default=0))

    jobs = {
        (path, clock): partial(load, path, clock == "cpu")
        for path in ("index.html", PICTURES)
        for clock in ("wall", "cpu")
    }
    in_turn(1, jobs)
    found = in_turn(rounds, jobs)
    release.set()
    rows: list[tuple[str, ...]] = [(f"median of {rounds} loads, ms", "first figure", "blocking", "longest task")]
    for (path, clock), runs in found.items():
        label = "index.html until Plotly starts" if path == "index.html" else "a page of its posters alone"
        values = (median(getattr(x, key) for x in runs) for key in ("figure", "blocking", "longest"))
        rows.append((f"{label}, {clock}", *(f"{value:.0f}" for value in values)))
    print(table(rows))
    times = {
        clock: ratios([x.figure for x in found["index.html", clock]], [x.figure for x in found[PICTURES, clock]])
        for clock in ("wall", "cpu")
    }
    blocked = {clock: [x.blocking for x in found["index.html", clock]] for clock in ("wall", "cpu")}
    for clock in ("wall", "cpu"):
        print(f"first figure against the posters alone, {clock}, round by round: {spread(times[clock], 2)}")
    print()
    return [
        Goal("pages: first figure against a page of its posters alone", median(times["wall"]), 1.2, "times"),
        _timed("pages: blocking until Plotly starts", blocked, 60),
    ]


def _timed(name: str, values: dict[str, list[float]], limit: float) -> Goal:
    return Goal(name, median(values["wall"]), limit, "ms", least=median(values["cpu"]))


def _changes(turns: int, running: Browser, server: Server, plotly: str) -> list[Goal]:
    """Clicks on radio buttons of every figure, before Plotly is there and after."""
    found: dict[tuple[str, str], dict[Key, list[Change]]] = {}
    for clock in ("wall", "cpu"):
        release = server.hold(plotly)
        traced = clock == "cpu"
        with opened(running, server.root, "index.html", WATCH, slow=not traced, traced=traced) as one:
            keys: list[Key] = [(figure, control) for figure, control in one.page.evaluate("bench.controls()")]
            one.page.evaluate("bench.rest")  # it listens
            made: list[tuple[str, Key, Change]] = []
            for part in ("before", "after"):
                for turn in range(turns):
                    for key in keys:
                        made.append((part, key, _click(one, key, turn, len(made), part == "after")))
                release.set()
            trace = one.trace() if traced else None
            for number, (part, key, change) in enumerate(made):
                if trace:
                    told = trace.cpu(f"released-{number}", f"told-{number}")
                    drawn = trace.cpu(f"released-{number}", f"drawn-{number}") if part == "after" else None
                    change = Change(told, drawn)
                found.setdefault((part, clock), {}).setdefault(key, []).append(change)
    return _report_changes(turns, found)


def _click(one: Opened, key: Key, turn: int, number: int, drawn: bool) -> Change:
    """A real click, once everything in view has come to rest."""
    before = None
    for _ in range(20):  # what comes into view may change its height, and move what is aimed at
        place = one.page.evaluate("bench.aim", [*key, turn])
        one.page.mouse.move(*place)
        one.page.wait_for_timeout(150)
        if place == before:
            break
        before = place
    else:
        raise RuntimeError(f"{key[1]} of {key[0]} does not come to rest")
    if drawn:
        one.page.evaluate("bench.rest")
    one.page.evaluate("bench.expect", [key[0], number])
    one.page.mouse.down()
    one.page.mouse.up()
    told = one.page.evaluate("bench.within(60000, bench.told)")
    if told is None:
        raise RuntimeError(f"a click on {key[1]} of {key[0]} changed nothing")
    return Change(told, one.page.evaluate("bench.within(60000, bench.drawn)") if drawn else None)


def _report_changes(turns: int, found: dict[tuple[str, str], dict[Key, list[Change]]]) -> list[Goal]:
    columns = {
        "text, wall": ("before", "wall", "told"),
        "text, cpu": ("before", "cpu", "told"),
        "text after, wall": ("after", "wall", "told"),
        "text after, cpu": ("after", "cpu", "told"),
        "graphics, wall": ("after", "wall", "drawn"),
        "graphics, cpu": ("after", "cpu", "drawn"),
    }
    every: dict[str, list[float]] = {name: [] for name in columns}
    rows = [(f"median of {turns} clicks, ms", *columns)]
    for key in found["before", "wall"]:
        cells = []
        for name, (part, clock, what) in columns.items():
            values = [getattr(change, what) for change in found[part, clock][key]]
            every[name] += values
            cells.append(f"{median(values):.0f}")
        rows.append((": ".join(key), *cells))
    rows.append(("all, median", *(f"{median(values):.0f}" for values in every.values())))
    rows.append(("all, 95 of 100 are under", *(f"{share(values, 0.95):.0f}" for values in every.values())))
    print(table(rows))
    print("text: tables and sentence before Plotly is there; text after: the same once it has drawn;")
    print("graphics: all graphics in view, once Plotly has drawn them\n")
    return [
        _timed(name, {clock: every[f"{what}, {clock}"] for clock in ("wall", "cpu")}, limit)
        for name, what, limit in (
            ("pages: a change to tables and sentence, before Plotly", "text", 100),
            ("pages: a change to all graphics in view, after Plotly", "graphics", 200),
        )
    ]


def _leaks(running: Browser, server: Server) -> list[Goal]:
    """Nodes and listeners before and after many changes; the same changes have been made once before."""
    with opened(running, server.root, "index.html", WATCH) as one:
        one.session.send("Performance.enable")
        counts = []
        for _ in range(2):
            one.page.evaluate("bench.change", CHANGES)
            counts.append(_counts(one))
    names = {"Nodes": "nodes", "JSEventListeners": "listeners", "JSHeapUsedSize": "bytes of heap"}
    rows = [("", *names.values())]
    for label, found in zip((f"after {CHANGES} changes", f"after the same {CHANGES} again"), counts, strict=True):
        rows.append((label, *(f"{found[key]:,.0f}" for key in names)))
    print(table(rows))
    print()
    return [
        Goal(f"pages: {names[key]} that {CHANGES} changes add", counts[1][key] - counts[0][key], 0)
        for key in ("Nodes", "JSEventListeners")
    ]


def _counts(one: Opened) -> dict[str, float]:
    one.page.wait_for_timeout(700)
    for _ in range(3):
        one.session.send("HeapProfiler.collectGarbage")
        one.page.wait_for_timeout(100)
    return {metric["name"]: metric["value"] for metric in one.session.send("Performance.getMetrics")["metrics"]}
