"""The parts of the benchmark that compute rather than measure. Nothing here takes time, or depends on it."""

from __future__ import annotations

import argparse
import gzip
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bench import browser, build_cost, content, lighthouse, pages, report, run
from bench.peers import compare
from bench.report import Goal
from bench.server import Server
from qkv.content.article import load_content
from qkv.content.model_file import load_toy
from qkv.figures.kinds import KINDS
from qkv.output.bundle import ROOT

PAGE = """<!doctype html><html data-plotly="assets/plotly.0123456789.js"><head>
<link rel="stylesheet" href="assets/style.0123456789.css">
<noscript><link rel="stylesheet" href="assets/no.css"></noscript>
<script src="assets/app.0123456789.js" defer></script></head><body><a href="sections/other.html">other</a>
<div class="plot plot-a" data-plot="a"><svg><g></g><svg><text>1</text></svg></svg></div><p>text</p>
<noscript><div class="plot plot-a" data-plot="a"><svg></svg></div></noscript>
<div class="plot plot-b" data-plot="b"><svg><rect/></svg></div>
<link rel="stylesheet" href="assets/late.0123456789.css">
<script type="application/json" id="traces">{"tokens": []}</script>
<script type="application/json" id="figures">{}</script></body></html>
"""


def test_goals_are_judged() -> None:
    assert Goal("a", 2.0, 2.5).verdict == "met"
    assert Goal("a", 3.0, 2.5).verdict == "MISSED"
    assert Goal("a", 3.0, 2.5, least=2.0).verdict == "open"
    assert Goal("a", 3.0, 2.5, least=2.6).verdict == "MISSED"
    assert Goal("a", 94, 95, at_least=True).verdict == "MISSED"
    assert Goal("a", 95, 95, at_least=True).verdict == "met"
    assert Goal("a", 120.4, 100, "ms", least=80).line() == (
        "open    a: 120 ms (goal \u2264 100 ms; 80.0 ms of processor time)"
    )


def test_jobs_run_in_turn() -> None:
    order: list[str] = []

    def job(name: str) -> int:
        order.append(name)
        return len(order)

    assert report.in_turn(3, {name: partial(job, name) for name in ("a", "b")}) == {"a": [1, 4, 5], "b": [2, 3, 6]}
    assert order == ["a", "b", "b", "a", "a", "b"]


def test_statistics() -> None:
    assert report.ratios([2, 6], [1, 2]) == [2, 3]
    assert report.spread([3.0, 1.0, 2.0], 1) == "2.0 (1.0 to 3.0)"
    assert report.share(list(range(1, 101)), 0.95) == 95
    assert report.share([7], 0.95) == 7
    assert report.exponent([10, 20, 40], [1, 4, 16]) == pytest.approx(2)
    assert [report.number(v) for v in (0, 0.1234, 1.234, 12.34, 1234.5)] == ["0", "0.123", "1.23", "12.3", "1,234"]
    assert report.table([("name", "n"), ("a", "10")]).split("\n") == ["name   n", "----  --", "a     10"]


def test_longer_sentences() -> None:
    assert content.longer("a b {c|d}", 3) == "a b {c|d}"
    assert content.longer("a b {c|d}", 6) == "a b a b a {c|d}"
    model = 'hours = 12 # of the clock\ntext = "a b {c|d}"\n'
    assert content.longer_model(model, 3) == model
    assert content.longer_model(model, 40).startswith("hours = 42 # of the clock\n")
    with pytest.raises(ValueError, match="one sentence"):
        content.longer_model(model + 'text = "e f"\n', 3)


@pytest.mark.parametrize("count", build_cost.LENGTHS)
def test_made_content_can_be_read(count: int, tmp_path: Path) -> None:
    made = content.write_content(tmp_path / "content", ROOT / "content", build_cost.KINDS, count)
    assert {len(sentence.tokens) for sentence in load_toy(made).sentences} == {count}
    assert all(f'figure("{kind}")' in load_content(made).sections[0].body for kind in KINDS)


def test_every_kind_is_measured() -> None:
    assert set(build_cost.KINDS) == set(KINDS)
    assert set(compare.KINDS) <= set(KINDS)


def test_what_a_page_loads() -> None:
    names = ["assets/plotly.0123456789.js", "assets/style.0123456789.css", "assets/app.0123456789.js"]
    assert build_cost.loaded(PAGE) == [*names, "assets/late.0123456789.css"]
    assert build_cost.blocks(PAGE) == {"traces": '{"tokens": []}', "figures": "{}"}


def test_pictures_are_the_posters_and_the_styles() -> None:
    made = pages.pictures(PAGE)
    assert made.count("data-plot=") == 2
    assert made.count("<svg>") == 3
    assert "style.0123456789.css" in made
    for left_out in ("<script", "<noscript", "no.css", "late.", "<p>"):
        assert left_out not in made


def events(*tasks: tuple[float, float, float], **marks: float) -> list[dict[str, Any]]:
    """A trace as Chromium writes it, of tasks (start, took, processor time) and marks, in milliseconds."""
    here: dict[str, Any] = {"pid": 1, "tid": 2, "cat": "toplevel"}
    start = {**here, "name": "navigationStart", "ph": "R", "ts": 1000, "cat": "blink.user_timing"}
    found = [{**start, "args": {"data": {"documentLoaderURL": "http://x/index.html"}}}]
    for at, took, cpu in tasks:
        task = {"ph": "X", "ts": 1000 + at * 1000, "dur": took * 1000, "tdur": cpu * 1000, "args": {}}
        found.append({**here, "name": "ThreadControllerImpl::RunTask", **task})
    for name, at in marks.items():
        found.append({**here, "name": name, "ph": "R", "ts": 1000 + at * 1000, "cat": "blink.user_timing", "args": {}})
    found.append({**found[-1], "tid": 3, "name": "elsewhere"})
    return found


def test_traces_are_read() -> None:
    # the second task runs inside the first
    trace = browser.read_trace(events((0, 20, 10), (5, 5, 4), (30, 40, 15), (90, 5, 5), a=25, b=60), "index.html")
    assert [task.cpu for task in trace.tasks] == [10, 15, 5]
    assert "elsewhere" not in trace.marks
    assert trace.cpu(None, "a") == 40
    assert trace.cpu("a", "b") == 60
    assert browser.blocking(trace.slowed) == 10


def test_server_serves_only_its_folder(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("page", "utf-8")
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    with Server(tmp_path / "site") as server:
        body = server.body("/index.html")
        assert body is not None
        assert gzip.decompress(body) == b"page"
        assert server.body("/../secret.txt") is None
        assert server.body("/none.html") is None


def test_exhibit_for_other_tools() -> None:
    traces = '{"tokens": [["a", "b"]], "weights": [[[[[1, null], [0.5, 0.5]]]]], "head_names": ["h"]}'
    figures = '{"sentences": [{"id": "x"}], "masks": ["on"], "heads": ["h"]}'
    block = '<script type="application/json" id="{}">{}</script>'
    made = compare.exhibit(block.format("traces", traces) + block.format("figures", figures))
    assert made["weights"] == [[[[[1, 0.0], [0.5, 0.5]]]]]
    assert (made["sentences"], made["masks"], made["heads"]) == (["x"], ["on"], ["h"])


def test_scripts_from_elsewhere_have_a_stand_in() -> None:
    for address in ("https://a.example/x/d3/5.8.0/d3.min.js", "https://a.example/jquery.min.js?v=1"):
        script = compare.script_for(address)
        assert script is not None
        assert script.suffix == ".js"
    assert compare.script_for("https://a.example/fonts.css") is None


def test_every_builder_is_there() -> None:
    assert all((compare.HERE / f"with_{peer.builder}.py").is_file() for peer in compare.PEERS)


def test_lighthouse_names_what_costs_points() -> None:
    audits = {"good": {"score": 1}, "bad": {"score": 0.5}, "none": {"score": None}}
    refs = [{"id": name, "weight": 1} for name in audits]
    categories = {name: {"auditRefs": refs if name == "seo" else []} for name in lighthouse.CATEGORIES}
    assert lighthouse.failed({"audits": audits, "categories": categories}) == ["seo: bad 0.50"]


@pytest.mark.parametrize(
    ("given", "sections"),
    [
        ([], ["build", "pages", "lighthouse"]),
        (["build"], ["build"]),
        (["--peers"], ["build", "pages", "lighthouse", "peers"]),
        (["build", "--lighthouse"], ["build", "lighthouse"]),
        (["peers"], ["peers"]),
    ],
)
def test_sections_are_chosen(given: list[str], sections: list[str]) -> None:
    args: argparse.Namespace = run.parser().parse_args(given)
    assert run.chosen(args) == sections


@pytest.mark.parametrize("wrong", [["buld"], ["--rounds", "0"]])
def test_wrong_arguments_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run.main(wrong)
    assert stopped.value.code == 2
    assert "error:" in capsys.readouterr().err
