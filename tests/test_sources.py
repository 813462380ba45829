"""A second source of attention and a mask of one's own need no change in the package; what a source lacks is said."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qkv.article.answers import Masked
from qkv.article.evaluator import Asked
from qkv.article.measures import Measures
from qkv.content.article import load_content
from qkv.content.model_file import load_toy
from qkv.content.sources import load_source
from qkv.content.strings import load_words
from qkv.errors import EXIT_CODE, Place
from qkv.figures.kinds import KINDS
from qkv.figures.template import View
from qkv.model.masks import MASKS, Mask
from qkv.model.source import Source
from qkv.model.traces import trace
from qkv.pages.render import Pages
from tests import layers, reference
from tests.contents import ROOT, copy_small, run
from tests.layers import LAYERS, SENTENCES, WIDTH, WINDOW, capture, weight
from tests.test_numbers import node
from tests.toy_states import toy_state


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    with layers.known():
        yield


def built(content: Path) -> Pages:
    """The pages of an article, in memory."""
    return Pages(load_content(content), load_words(content), load_source(content), ROOT / "templates", ROOT / ".cache")


def table(text: str, name: str) -> list[list[str]]:
    """The cells of a table in a page, row by row."""
    found = re.search(rf'<table data-table="{name}".*?<tbody[^>]*>(.*?)</tbody>', text, re.S)
    assert found
    rows = re.findall(r"<tr.*?</tr>", found[1], re.S)
    return [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows]


# a source of one's own


def test_an_article_on_it(tmp_path: Path) -> None:
    """With its axes in controls, links, claims and notes; nothing is asked of model.toml, which is not there."""
    content = layers.write(tmp_path)
    assert run("--content", str(content), "--out", str(tmp_path / "site")) == (0, "")
    text = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "5 tokens, 9 cells." in text
    assert re.findall(r'data-control="(\w+)"', text) == ["sentence", "token", "sentence", "layer"]
    links = [html.unescape(link) for link in re.findall(r'class="state" href="(#[^"]+=[^"]+)"', text)]
    assert "#sentence=long&layer=1&token=2&at=table" in links
    assert "#sentence=long&layer=1&token=1&at=lines" in links
    words = SENTENCES["long"]
    wanted = [
        [reference.weight3(weight(0, i, j)) if i - WIDTH < j <= i else "masked" for j in range(len(words))]
        for i in range(len(words))
    ]
    figure = text[text.index('id="figure-table"') :]
    assert table(figure, "weights") == wanted
    assert re.findall(r'<table data-table="(\w+)"', figure) == ["weights"]  # no margins, no scores


def test_all_that_can_be_taken_along(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """But for the sheet to work out by hand, which is about queries and keys."""
    content = layers.write(tmp_path)
    assert run("packages", "--content", str(content), "--out", str(tmp_path / "site")) == (0, "")
    names = {path.name for path in (tmp_path / "site" / "downloads").iterdir()}
    assert {"article.html", "scorm12-article.zip", "scorm2004-section-layers.zip", "questions.gift.txt"} <= names
    assert "worksheet.html" not in names
    asked = (tmp_path / "site" / "downloads" / "questions.gift.txt").read_text("utf-8")
    assert "Layer\\: 0." in asked
    assert "60.0% of it." in asked
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "lacking"),
    [
        ("match", "k, match_slots, products, q, score_range, scores, terms"),
        ("softmax", "exp_range, exps, score_range, scores, sum_exps, sum_weights"),
        ("heads", "head"),
    ],
)
def test_a_figure_that_needs_more(tmp_path: Path, kind: str, lacking: str) -> None:
    call = f'{{{{ figure("{kind}") }}}}'
    section = layers.SECTION.replace('{{ figure("table") }}', f'{{{{ figure("table") }}}}\n\n{call}')
    content, line = layers.write(tmp_path, section=section), section.splitlines().index(call) + 1
    code, said = run("--content", str(content), "--out", str(tmp_path / "site"))
    assert code == EXIT_CODE
    assert said == (
        f"content/sections/1-layers.md:{line}: the figure {kind!r} needs {lacking}, "
        "which this source of attention does not have; leave it out\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("'saw'), 0.7", "'saw'), 0.5", "is false: .* \\(with sentence=long, layer=1: .*0.7"),
        ("layer='1'), 0.6", "layer='2'), 0.6", "there is no layer '2' \\(in: .*\\); did you mean '1'\\?|use one of"),
        ("layer='1'), 0.6", "head='1'), 0.6", "weight is not asked like this"),
        ("#layer=1&token=2", "#layer=7&token=2", "there is no layer '7'; use one of '0', '1'"),
        ("#layer=1&token=2", "#head=1&token=2", "'head' is no part of a state; use one of|did you mean"),
        ("near(weight('her', 'saw'), 0.7)", "score('her', 'saw') > 1", "score\\(\\) needs scores, which this source"),
        ("near(weight('her', 'saw'), 0.7)", "apart() > 1", "apart\\(\\) needs head, which this source"),
        ("near(weight('her', 'saw'), 0.7)", "changed(what='out') == []", "lengths|needs out"),
        ('s = { layer = "0" }', 's = { layer = "1" }', "assumes layer = '1', but its page opens in another"),
        ('done = ["layer=1"]', 'done = ["layer=3"]', "there is no layer '3'"),
    ],
)
def test_what_can_be_wrong_with_its_axes(tmp_path: Path, old: str, new: str, wanted: str) -> None:
    assert layers.SECTION.count(old) >= 1
    content = layers.write(tmp_path, section=layers.SECTION.replace(old, new))
    code, said = run("--content", str(content), "--out", str(tmp_path / "site"))
    assert code == EXIT_CODE
    assert re.search(rf"content/sections/1-layers\.md:\d+: .*(?:{wanted})", said), said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("layer", "the text control.layer is missing; add layer = "),
        ("part_layer", "the text figure.part_layer is missing"),
        ("window", "the text table.window is missing"),
    ],
)
def test_texts_that_are_missing(tmp_path: Path, text: str, wanted: str) -> None:
    code, said = run("--content", str(layers.write(tmp_path, leave_out=text)), "--out", str(tmp_path / "site"))
    assert code == EXIT_CODE
    assert wanted in said


def test_an_unfit_source_is_refused(tmp_path: Path) -> None:
    """A mistake of who writes one, not of an author."""
    whole = capture(tmp_path)
    with pytest.raises(ValueError, match=r"lacks token, weights$"):
        Source(whole.axes[:2], whole.sentences, whole.masks, {"tokens": []}, whole.dims, whole.values, whole.place)


def test_states_are_numbered_alike(tmp_path: Path) -> None:
    """In the page as in the build, though its sentences have different lengths."""
    pages = built(layers.write(tmp_path))
    text = next(page.html for page in pages.all({}.fromkeys(ASSETS, "x")) if page.path == "index.html")
    blocks = dict(re.findall(r'<script type="application/json" id="(\w+)">(.*?)</script>', text, re.S))
    scripts = [(ROOT / "templates" / "assets" / name).read_text("utf-8") for name in SCRIPTS]
    states = pages.source.states
    given = [dict(zip(state.axes, state.indexes, strict=True)) for state in states]
    program = """
        const {lines, table} = site.figures;
        output = input.states.map((state) => [indexOfState(state), writeHash(state, "table"),
          new View(state).fill(lines.says), new View(state).fill(table.plots.weights.data)]);"""
    stubs = '"use strict"; const document = {getElementById: (id) => ({textContent: input.blocks[id]})};'
    found = node(stubs + "\n".join(scripts) + program, {"blocks": blocks, "states": given})
    assert len(states) == 2 * 5 + 2 * 3
    for state, (number, link, says, data) in zip(states, found, strict=True):
        view = View(pages.source, state, pages.words.flat, pages.shades)
        assert number == pages.source.number(state)
        layer, token = state["layer"], state["token"]
        assert link == f"#sentence={list(SENTENCES)[state['sentence']]}&layer={LAYERS[layer]}&token={token}&at=table"
        assert says == view.fill(pages.charts["lines"].says)
        plot = next(plot for plot in pages.charts["table"].plots if plot.name == "weights")
        assert data == json.loads(json.dumps(view.fill(plot.figure())["data"]))


SCRIPTS = ("10-numbers.js", "20-lookup.js", "30-state.js")
ASSETS = ("style", "app", "plotly", "plotly_css", "noscript", "icon", "early", "teachers")


# what figures need


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_needs_what_it_looks_up(kind: str) -> None:
    """Neither less nor more than what filling it in every state asks the source for."""
    pages = Pages(
        load_content(ROOT / "content"),
        load_words(ROOT / "content"),
        load_source(ROOT / "content"),
        ROOT / "templates",
        ROOT / ".cache",
    )
    chart = pages.charts[kind]
    asked: set[str] = set()

    class Noting(View):
        def array(self, name: str, /) -> Any:
            if name in self.source.arrays:
                asked.add(name)
            return super().array(name)

    for state in pages.source.states:
        view = Noting(pages.source, state, pages.words.flat, pages.shades)
        view.fill([plot.figure() for plot in chart.plots])
        tables = [(t.caption, t.columns, t.rows, t.cells, t.marks, t.row_marks, t.head, t.foot) for t in chart.tables]
        view.fill([tables, chart.says, [block.title for block in chart.blocks]])
    always = {"tokens", "weights"}
    assert (chart.needs & pages.source.arrays.keys()) - always == asked - always
    assert chart.needs - pages.source.arrays.keys() <= pages.source.axis.keys()


# a mask of one's own


@pytest.fixture
def windowed(tmp_path: Path) -> Path:
    """The article of the toy model with a third mask, under which a token sees itself and the one before."""
    content = copy_small(tmp_path)
    model = content / "model.toml"
    model.write_text('masks = ["on", "off", "window"]\n' + model.read_text("utf-8"), "utf-8")
    strings = content / "strings.toml"
    text = strings.read_text("utf-8")
    for name, line in layers.TEXTS.items():
        if name in ("mask", "table"):
            text = text.replace(f"[{name}]", f"[{name}] #\n{line}\n#", 1)
    strings.write_text(text, "utf-8")
    return content


def test_a_window(windowed: Path, tmp_path: Path) -> None:
    """Everywhere as a third choice: weights, tables, measures; against loops over plain numbers."""
    source = load_source(windowed)
    scores, closed = reference_scores(source), list(source.axis["mask"].ids).index("window")
    assert source.axis["mask"].ids == ["on", "off", "window"]
    for s, sentence in enumerate(source.sentences):
        n = len(sentence.tokens)
        for h, _ in enumerate(source.axis["head"].ids):
            state = toy_state(s, closed, h)
            measures = Measures(source, state, "masked")
            for i in range(n):
                seen = [j for j in range(n) if i - WIDTH < j <= i]
                exps = {j: math.exp(scores[s][h][i][j]) for j in seen}
                row = [exps[j] / sum(exps.values()) for j in seen]
                shipped = source.array("weights", state)[i]
                assert [j for j in range(n) if shipped[j] is not None] == seen
                assert [shipped[j] for j in seen] == pytest.approx(row, rel=1e-9)
                assert measures.row(i) == pytest.approx(row, abs=1e-12)
                assert list(measures.seen(i)) == seen
                for j in range(n):
                    found = measures.weight(i, j)
                    assert isinstance(found, Masked) == (j not in seen)
                    assert found == pytest.approx(dict(zip(seen, row, strict=True)).get(j, 0.0), abs=1e-12)
                most = [j for j, part in zip(seen, row, strict=True) if part >= max(row) - 1e-9]
                assert measures.tops(i) == [sentence.tokens[j] for j in most]
            assert measures.visible() == 2 * n - 1
            assert measures.row_error() < 1e-12
            assert measures.masked_sum() == 0
            assert measures.cut_error() < 1e-12  # of the two masks that it is about
    asked = Asked(source, "masked")
    asked.check("visible(mask='window') == 9 and visible() == 15", toy_state(), Place("x"))
    code, said = run("--content", str(windowed), "--out", str(tmp_path / "site"))
    assert (code, said) == (0, "")


def reference_scores(source: Source) -> list[list[list[list[float]]]]:
    """q · k over the root of the size, by sentence and head, in loops."""
    found = []
    for s in range(len(source.sentences)):
        by_head = []
        for h in range(len(source.axis["head"].ids)):
            q, k = (source.array(name, toy_state(s, 0, h)) for name in ("q", "k"))
            by_head.append(
                [[sum(a * b for a, b in zip(one, two, strict=True)) / math.sqrt(len(one)) for two in k] for one in q]
            )
        found.append(by_head)
    return found


def test_a_window_in_a_figure(windowed: Path) -> None:
    """Its table hatches what it hides, and says so in its own words."""
    pages = built(windowed)
    chart, source = pages.charts["table"], pages.source
    view = View(source, toy_state(0, 2, 0), pages.words.flat, pages.shades)
    marks = view.fill(next(one for one in chart.tables if one.name == "weights").marks)
    n = len(source.sentences[0].tokens)
    assert [[mark == "masked" for mark in row] for row in marks] == [
        [not i - WIDTH < j <= i for j in range(n)] for i in range(n)
    ]
    assert view.fill(chart.says) == "Each token sees itself and its neighbour: 9 of 25 cells are open."
    figure = view.fill(next(plot for plot in chart.plots if plot.name == "weights").figure())
    hatched = figure["data"][1]
    assert len([x for x in hatched["x"] if x is None]) == n * n - (2 * n - 1)
    chosen = [choice["text"] for choice in pages.choices("mask", toy_state(0, 2, 0)) if choice["on"]]
    assert chosen == [pages.words("mask.window_long")]


def test_a_mask_under_which_a_token_sees_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MASKS, "others", Mask("others", lambda i, n: [j < i for j in range(n)]))
    content = copy_small(tmp_path)
    model = content / "model.toml"
    model.write_text('masks = ["on", "off", "others"]\n' + model.read_text("utf-8"), "utf-8")
    code, said = run("--content", str(content), "--out", str(tmp_path / "site"))
    assert code == EXIT_CODE
    assert said.splitlines()[0] == (
        "content/model.toml:1: masks, number 3: under 'others' the token at position 0 of 'tired' sees no token; "
        "let it see one at least, or take the mask out"
    )


def test_the_toy_is_a_source_like_any_other() -> None:
    """What load_source gives for the article is what its model file says."""
    own, again = load_source(ROOT / "content"), trace(load_toy(ROOT / "content"))
    assert own.arrays == again.arrays
    assert [axis.name for axis in own.axes] == ["sentence", "mask", "head", "token"]
    assert np.array_equal(own.value("weights", toy_state()), again.value("weights", toy_state()))
    assert WINDOW not in own.masks
