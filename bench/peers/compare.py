"""The same exhibit as a page of this site and of other tools: bytes, first and all figures, and a change of state.

The other tools are installed into .cache/ when this runs. Nothing of the site depends on them. What cannot be
installed or built here is left out, and the output says so.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Route, ViewportSize

from bench.browser import CLOCKS, browser, opened
from bench.build_cost import ROOT, blocks, build_command, cost, gzipped
from bench.content import write_content
from bench.report import Goal, in_turn, table
from bench.server import BLANK, Server, serving
from qkv.errors import BuildError
from qkv.output.bundle import npm

HERE = Path(__file__).parent
CACHE = ROOT / ".cache" / "bench-peers"
WATCH = (HERE / "compare.js").read_text("utf-8")
TALL: ViewportSize = {"width": 1280, "height": 2600}  # every figure of every page is in view
SWITCHES = 6
KINDS = ("lines", "table", "softmax")
# BertViz's page gets these from other hosts; here they come from npm.
SCRIPTS = {
    "require": ("requirejs@2.3.6", "requirejs/require.js"),
    "d3": ("d3@5.7.0", "d3/dist/d3.min.js"),
    "jquery": ("jquery@2.2.4", "jquery/dist/jquery.min.js"),
}


@dataclass(frozen=True)
class Peer:
    """A tool: its builder, what it needs, how many figures its page has, and how its page is watched and switched."""

    title: str
    builder: str
    needs: tuple[tuple[str, ...], ...]  # arguments of pip, one install each
    venv: str
    count: int
    shown_as: str  # a name in COUNT of compare.js
    switch: str  # a name in SWITCH there


PYTHON = (("panel==1.9.4", "bokeh==3.9.2", "holoviews==1.23.2", "plotly==7.1.0"),)
PEERS = (
    Peer("Plotly, a menu of states", "menu", PYTHON, "python", 3, "plotly", "menu"),
    Peer("Plotly, a frame for each state", "frames", PYTHON, "python", 3, "plotly", "frames"),
    Peer("Panel, states embedded", "panel", PYTHON, "python", 3, "bokeh", "bokeh"),
    Peer("HoloViews, states embedded", "holoviews", PYTHON, "python", 3, "bokeh", "bokeh"),
    Peer(
        "BertViz, lines only",
        "bertviz",
        (("torch==2.13.0", "ipython", "numpy"), ("--no-deps", "bertviz==1.4.1")),
        "bertviz",
        1,
        "bertviz",
        "bertviz",
    ),
)
OURS = Peer("this site, three figures", "", (), "", 5, "posters", "posters")


class LeftOut(Exception):
    """A tool cannot be installed or built here; the text says why."""


@dataclass(frozen=True)
class Seen:
    """One load of a page: milliseconds until the first and all figures, and of each change of state; bytes loaded."""

    first: float
    every: float
    switches: tuple[float, ...]
    loaded: int


def exhibit(html: str) -> dict[str, Any]:
    """What the builders are given, from the data of a built page."""
    data = blocks(html)
    traces, names = json.loads(data["traces"]), json.loads(data["figures"])
    weights = [
        [[[[weight or 0.0 for weight in row] for row in head] for head in mask] for mask in sentence]
        for sentence in traces["weights"]
    ]
    return {
        "sentences": [sentence["id"] for sentence in names["sentences"]],
        "masks": names["masks"],
        "heads": names["heads"],
        "tokens": traces["tokens"],
        "weights": weights,
    }


def run(rounds: int) -> list[Goal]:
    """Prints the section. There are no goals here: it shows what else there is."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ours = folder / "ours"
        cost(build_command(ours, write_content(folder / "content", ROOT / "content", KINDS)))
        data = folder / "exhibit.json"
        data.write_text(json.dumps(exhibit((ours / "index.html").read_text("utf-8"))), "utf-8")
        pages = {OURS: "ours"}
        for peer in PEERS:
            try:
                print(f"{peer.title}: {_build(peer, data, folder / peer.builder)}")
                pages[peer] = peer.builder
            except LeftOut as error:
                print(f"{peer.title}: left out, {error}")
        print()
        with serving(folder) as server, browser() as running:
            _measure(max(3, rounds // 3), running, server, pages)
    return []


def _build(peer: Peer, data: Path, folder: Path) -> str:
    """Builds a tool's page; returns what the builder says of its versions."""
    if peer.builder == "bertviz":
        _scripts()
    command = [_python(peer), str(HERE / f"with_{peer.builder}.py"), str(data), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not (folder / "index.html").is_file():
        said = (done.stderr.strip() or "no output").splitlines()[-1]
        raise LeftOut(f"its page could not be built (exit code {done.returncode}: {said})")
    return done.stdout.strip().splitlines()[-1]


def _python(peer: Peer) -> str:
    """The Python that has a tool, installed first if it is not there."""
    folder = CACHE / peer.venv
    python, stamp = folder / "bin" / "python", folder / "installed"
    wanted = repr(peer.needs)
    if not stamp.is_file() or stamp.read_text("utf-8") != wanted:
        print(f"installing for {peer.title} ...", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        for arguments in peer.needs:
            install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
            done = subprocess.run(install, capture_output=True, text=True, check=False)
            if done.returncode:
                raise LeftOut(f"it could not be installed ({(done.stderr.strip() or 'no output').splitlines()[-1]})")
        stamp.write_text(wanted, "utf-8")
    return str(python)


def _scripts() -> None:
    if all((CACHE / "npm" / "node_modules" / path).is_file() for _, path in SCRIPTS.values()):
        return
    (CACHE / "npm").mkdir(parents=True, exist_ok=True)
    (CACHE / "npm" / "package.json").write_text('{"private": true}\n', "utf-8")
    try:
        npm(["install", "--ignore-scripts", "--no-save", *(name for name, _ in SCRIPTS.values())], CACHE / "npm")
    except BuildError as error:
        raise LeftOut(f"the scripts of its page could not be installed ({str(error).partition(';')[0]})") from error


def script_for(address: str) -> Path | None:
    """The file from npm that stands in for a script from another host."""
    name = re.sub(r"[.@-].*", "", address.partition("?")[0].rpartition("/")[2])
    return CACHE / "npm" / "node_modules" / SCRIPTS[name][1] if name in SCRIPTS else None


def _measure(rounds: int, running: Browser, server: Server, pages: dict[Peer, str]) -> None:
    jobs = {
        (peer, clock): partial(_see, running, server, peer, f"{folder}/index.html", clock == "cpu")
        for peer, folder in pages.items()
        for clock in ("wall", "cpu")
    }
    found: dict[tuple[Peer, str], list[Seen]] = in_turn(rounds, jobs)
    rows = [("", "gzip", *(f"{what}, {clock}" for what in ("first", "all", "change") for clock in ("wall", "cpu")))]
    for peer in pages:
        runs = {clock: found[peer, clock] for clock in ("wall", "cpu")}
        cells = [f"{runs['wall'][0].loaded:,}"]
        for what in ("first", "every"):
            cells += [f"{median(getattr(seen, what) for seen in runs[clock]):,.0f}" for clock in ("wall", "cpu")]
        switches = {clock: [taken for seen in runs[clock] for taken in seen.switches] for clock in ("wall", "cpu")}
        cells += [f"{median(taken):,.0f}" if taken else "-" for taken in switches.values()]
        rows.append((peer.title, *cells))
    print(table(rows))
    print(
        f"bytes that a page loads, after gzip; milliseconds (median of {rounds} loads, {SWITCHES} changes each) until "
        "the first\nfigure, until all of them, and from a change of state to the last of what it changes"
    )
    print(CLOCKS + "\n")


def _see(running: Browser, server: Server, peer: Peer, path: str, traced: bool) -> Seen:
    """Loads a page and changes its state a few times."""
    watch = f"{WATCH}\nbench.every = bench.figures({json.dumps(peer.shown_as)}, {peer.count});"
    loaded: set[str] = set()
    outside = 0

    def answer(route: Route) -> None:
        nonlocal outside
        address = route.request.url
        if address.startswith(server.root):
            loaded.add(address.removeprefix(server.root))
            route.continue_()
            return
        script = script_for(address)
        if script is None:
            route.abort()
            return
        outside += gzipped(script.read_bytes())
        route.fulfill(path=script, headers={"access-control-allow-origin": "*", "content-type": "text/javascript"})

    with opened(running, server.root, path, watch, slow=not traced, traced=traced, size=TALL, route=answer) as one:
        first, every = one.page.evaluate("() => bench.every")
        if peer is OURS:  # its posters show at once; a change of state is measured once Plotly has drawn all of them
            one.page.mouse.move(640, 700)
            one.page.wait_for_function(
                "(count) => document.querySelectorAll('[data-drawn]').length >= count", arg=peer.count, polling=200
            )
        one.page.evaluate("bench.still(1000)")
        taken = [one.page.evaluate("bench.switch", [peer.switch, number]) for number in range(SWITCHES)]
        counted = [number for number in range(SWITCHES) if taken[number] is not None]
        size = sum(len(server.body(name.partition("?")[0]) or b"") for name in loaded if name != BLANK) + outside
        if not traced:
            return Seen(first, every, tuple(taken[number] for number in counted), size)
        trace = one.trace()
        switches = tuple(trace.cpu(f"asked-{number}", f"switched-{number}") for number in counted)
        return Seen(trace.cpu(None, "first"), trace.cpu(None, "every"), switches, size)


if __name__ == "__main__":
    sys.exit("run `python bench/run.py peers`")
