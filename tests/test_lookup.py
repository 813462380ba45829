"""The browser's lookup against Python's: the same template filled alike in every state, and against the reference."""

from __future__ import annotations

import html
import json
import random
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from qkv.content.article import load_content
from qkv.content.model_file import load_toy
from qkv.content.strings import load_words
from qkv.figures import labels, ribbons
from qkv.figures import template as lookup
from qkv.figures.charts import Chart
from qkv.figures.kinds import KINDS
from qkv.figures.labels import WORD, WRAP, escape, label, letters, short, width
from qkv.figures.names import ASIDE, BELOW, NAMES
from qkv.figures.template import View
from qkv.model import rows
from qkv.model.states import State
from qkv.model.traces import trace
from qkv.output.bundle import ROOT
from qkv.pages.render import Pages
from tests import reference
from tests.contents import add_rest
from tests.test_numbers import node
from tests.toy_states import toy_state

ASSETS = ROOT / "templates" / "assets"
# In the order in which the pages have them; below, they find the page's data where a browser would.
SCRIPTS = "\n".join((ASSETS / name).read_text("utf-8") for name in ("10-numbers.js", "20-lookup.js"))
STUBS = '"use strict"; const document = {getElementById: (id) => ({textContent: input.blocks[id]})};'
FILL = """
    const each = (parts, make) => Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, make(part)]));
    const filled = (view, parts) => each(parts, (node) => view.fill(node));
    output = input.states.map((state) => {
      const view = new View(state);
      return each(site.figures, (figure) => ({
        plots: each(figure.plots, ({data, layout}) => filled(view, {data, layout})),
        tables: each(figure.tables, (table) => filled(view, table)),
        says: view.fill(figure.says),
      }));
    });"""

HOSTILE = ("<s>", "</s>", "&", "&amp;", "😀", "שלום", "x" * 30, "{key}", "$&", "<br>")


@dataclass(frozen=True)
class Built:
    """A site's index page, and what stands in it for the browser."""

    pages: Pages
    html: str

    @property
    def blocks(self) -> dict[str, str]:
        """The JSON blocks of the page by their ids."""
        found = re.findall(r'<script type="application/json" id="(\w+)">(.*?)</script>', self.html, re.S)
        assert sorted(name for name, _ in found) == ["figures", "traces"]
        return dict(found)

    @property
    def states(self) -> tuple[State, ...]:
        return self.pages.source.states

    def view(self, state: State) -> View:
        return replace(self.pages.view, state=state)

    def in_the_browser(self) -> list[dict[str, Any]]:
        """Every figure of the page filled for every state, by the page's own script."""
        states = [dict(zip(state.axes, state.indexes, strict=True)) for state in self.states]
        data = {"blocks": self.blocks, "states": states}
        found: list[dict[str, Any]] = node(STUBS + SCRIPTS + FILL, data)
        return found


class Names(dict[str, str]):
    """Stands in for the addresses of the files that a page loads, which do not matter here."""

    def __missing__(self, name: str) -> str:
        return name


def build(content: Path) -> Built:
    """The index page, in memory."""
    texts, words, made = load_content(content), load_words(content), trace(load_toy(content))
    pages = Pages(texts, words, made, ROOT / "templates", ROOT / ".cache")
    return Built(pages, next(page.html for page in pages.all(Names()) if page.path == "index.html"))


MODEL = """
[clock]
hours = 14
[features]
one = "<one>"
two = "a&b"
three = "a label of several words"
[words]
{words}
[[sentences]]
tokens = {tokens}
[[sentences]]
tokens = ["&", "<s>", "&"]
[[heads]]
name = "<b>head</b>"
job = "a & b"
match = ["<q>", "&", "-"]
value = ["<v>", "&v", "a rather long name of a slot"]
[heads.w_q]
one = [2, -1.5, 0.25]
two = [0, 1, 0.003]
[heads.w_k]
one = [1, 1, 0]
two = [-2, 0.5, 0]
[heads.w_v]
one = [1, -1, 0.0001]
two = [-0.5, 0, 1]
[[heads]]
name = "all alike"
job = "spreads"
match = ["x", "-", "y"]
value = ["x", "y", "-"]
[heads.w_q]
[heads.w_k]
[heads.w_v]
three = [1, 0, -0.75]
[output."<b>head</b>"]
"<v>" = {{ one = 1, two = -1 }}
[output."all alike"]
x = {{ three = 1 }}
"""


@pytest.fixture(scope="module")
def hostile_content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tokens and labels full of markup, numbers of either sign, and sentences of different lengths."""
    content = tmp_path_factory.mktemp("hostile") / "content"
    (content / "sections").mkdir(parents=True)
    words = "\n".join(
        f"{json.dumps(word, ensure_ascii=False)} = {{ one = {i % 3 - 1}, two = {i / 10}, three = {i % 2} }}"
        for i, word in enumerate(HOSTILE)
    )
    tokens = json.dumps([*HOSTILE[:-1], [HOSTILE[0], HOSTILE[-1]]], ensure_ascii=False)
    (content / "model.toml").write_text(MODEL.format(words=words, tokens=tokens), encoding="utf-8")
    (content / "site.toml").write_text('title = "T"\ndescription = "D"\n', encoding="utf-8")
    for name in ("facts.toml", "claims.toml"):
        (content / name).write_text("", encoding="utf-8")
    figures = "\n\n".join(f'{{{{ figure("{kind}") }}}}' for kind in KINDS)
    front = '+++\ntitle = "All"\n[figures.compare]\ntoken = "😀"\n+++\n'
    (content / "sections" / "1-all.md").write_text(front + figures, encoding="utf-8")
    add_rest(content)
    return content


@pytest.fixture(scope="module")
def own() -> Built:
    return build(ROOT / "content")


@pytest.fixture(scope="module")
def hostile(hostile_content: Path) -> Built:
    return build(hostile_content)


@pytest.fixture(scope="module")
def own_in_the_browser(own: Built) -> list[dict[str, Any]]:
    return own.in_the_browser()


@pytest.fixture(scope="module")
def hostile_in_the_browser(hostile: Built) -> list[dict[str, Any]]:
    return hostile.in_the_browser()


def filled(view: View, chart: Chart) -> dict[str, Any]:
    """All of a chart in one state, laid out as the browser's data is."""
    parts = ("caption", "columns", "rows", "cells", "marks", "row_marks", "head", "foot")
    return {
        "plots": {plot.name: view.fill(plot.figure()) for plot in chart.plots},
        "tables": {
            table.name: {part: view.fill(getattr(table, part)) for part in parts if getattr(table, part) is not None}
            for table in chart.tables
        },
        "says": view.fill(chart.says),
    }


def difference(a: Any, b: Any, path: str = "") -> str:
    """Where two pieces of JSON first differ, or nothing."""
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            return f"{path}: keys {sorted(a.keys() ^ b.keys())}"
        return next((found for key in a if (found := difference(a[key], b[key], f"{path}.{key}"))), "")
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"{path}: {len(a)} and {len(b)} entries"
        pairs = enumerate(zip(a, b, strict=True))
        return next((found for i, (p, q) in pairs if (found := difference(p, q, f"{path}[{i}]"))), "")
    return "" if a == b else f"{path}: {a!r} and {b!r}"


def differences(built: Built, browser: list[dict[str, Any]], kind: str) -> list[str]:
    chart = built.pages.charts[kind]
    found = []
    for state, figures in zip(built.states, browser, strict=True):
        ours = filled(built.view(state), chart)
        if ours != figures[kind]:
            found.append(f"{state}{difference(ours, figures[kind])}")
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_state_is_filled_alike(own: Built, own_in_the_browser: list[dict[str, Any]], kind: str) -> None:
    assert len(own_in_the_browser) == 120
    assert differences(own, own_in_the_browser, kind) == []


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_states_are_filled_alike(
    hostile: Built, hostile_in_the_browser: list[dict[str, Any]], kind: str
) -> None:
    assert differences(hostile, hostile_in_the_browser, kind) == []


def test_difference_finds_what_differs() -> None:
    a = {"x": [1, {"y": "z"}], "n": None}
    assert difference(a, json.loads(json.dumps(a))) == ""
    assert difference(a, {"x": [1, {"y": "Z"}], "n": None}) == ".x[1].y: 'z' and 'Z'"
    assert difference(a, {"x": [1], "n": None}) == ".x: 2 and 1 entries"
    assert difference(a, {"x": 1}) == ": keys ['n']"


def test_what_stands_in_both_files_is_equal(own: Built) -> None:
    names = re.findall(r"\b([A-Z]{2,}) = [\d\"]", (ASSETS / "20-lookup.js").read_text("utf-8"))
    both = ["STEPS", "THICKEST", "THINNEST", "WRAP", "LINES", "FEW", "NOTABLE", "TIE", "BELOW", "ASIDE", "INSET"]
    both.append("TINY")
    assert set(both) <= set(names)
    program = f"""
        output = {{constants: {{{", ".join(names)}}}, nodes: Object.keys(NODES), names: Object.keys(VIRTUAL),
          formats: Object.keys(FORMATS)}};"""
    found = node(STUBS + SCRIPTS + program, {"blocks": own.blocks})
    elsewhere = {"ASIDE": ASIDE, "BELOW": BELOW, "TIE": rows.TIE, "OPEN": WORD[0], "CLOSE": WORD[1]}
    here = {**vars(labels), **vars(ribbons), **vars(lookup), **elsewhere}
    assert found["constants"] == {name: here.get(name) for name in names}
    assert sorted(found["nodes"]) == sorted(lookup._NODES)
    assert sorted(found["names"]) == sorted(NAMES)
    view = own.view(toy_state())
    for name in found["formats"]:
        assert callable(view.format(name))


def test_the_page_has_every_figure_with_all_its_parts(own: Built) -> None:
    shipped = json.loads(own.blocks["figures"])["figures"]
    assert list(shipped) == list(KINDS)
    for kind, chart in own.pages.charts.items():
        assert list(shipped[kind]["plots"]) == [plot.name for plot in chart.plots]
        assert list(shipped[kind]["tables"]) == [table.name for table in chart.tables]
    assert json.loads(own.blocks["traces"]) == own.pages.source.arrays


# against the reference


def test_tables_hold_the_numbers_of_the_reference(own: Built) -> None:
    model = reference.Reference()
    number, three, exp4, weight3 = reference.number, reference.three, reference.exp4, reference.weight3

    def cells(kind: str, table: str, state: State) -> Any:
        return own.view(state).fill(next(t for t in own.pages.charts[kind].tables if t.name == table).cells)

    for state in own.states:
        sentence, head = list(reference.SENTENCES)[state["sentence"]], reference.HEADS[state["head"]].name
        row = model.row(sentence, reference.MASKS[state["mask"]], head, state["token"])
        assert cells("lines", "weights", state) == [[weight3(weight)] for weight in row.weights]
        assert cells("softmax", "softmax", state) == [
            [number(score), exp4(e), weight3(weight)]
            for score, e, weight in zip(row.scores, row.exps, row.weights, strict=True)
        ]
        match = cells("match", "match", state)
        assert [[*line[:-1], line[-1].split()[0]] for line in match] == [
            [*map(number, key), number(product), number(score)]
            for key, product, score in zip(row.keys, row.products, row.scores, strict=True)
        ]
        assert [" " in line[-1] for line in match] == [weight is None for weight in row.weights]
        assert cells("mix", "mix", state) == [
            [weight3(weight), *map(three, [None] * 4 if part is None else part)]
            for weight, part in zip(row.weights, row.weighted, strict=True)
        ]
        if state["token"] == 0:
            table = model.attention(sentence, reference.MASKS[state["mask"]], head).weights
            assert cells("table", "weights", state) == [[weight3(weight) for weight in line] for line in table]


@pytest.mark.parametrize(
    ("mask", "head", "token", "form"),
    [
        ("on", "meaning", 0, "only"),
        ("off", "meaning", 0, "even"),
        ("on", "meaning", 1, "even"),
        ("on", "meaning", 2, "one"),
        ("off", "meaning", 2, "two"),
        ("on", "meaning", 9, "one"),
        ("on", "previous", 5, "two"),
        ("on", "sink", 9, "two"),
    ],
)
def test_rows_are_told_in_their_form(own: Built, mask: str, head: str, token: int, form: str) -> None:
    names = [one.name for one in reference.HEADS]
    assert own.view(toy_state(0, reference.MASKS.index(mask), names.index(head), token)).form() == form


def test_a_row_that_spreads_over_many_is_told_so(hostile: Built) -> None:
    forms = [hostile.view(toy_state(0, 0, 1, token)).form() for token in range(len(HOSTILE))]
    assert forms == ["only", "even", "even", *["many"] * 7]


def test_ribbons_lie_side_by_side_and_end_at_their_tokens() -> None:
    row = [0.25, 0.0005, 0.7495, None]
    y, x = (ribbons.ribbons(row, 1, part, [], 4) for part in ("y", "x"))
    # The second is too thin to be seen; the last is masked.
    assert x.count(None) == y.count(None) == 2
    assert len(x) == len(y) == 2 * (2 * 5 + 1)
    first, second = y[:10], y[11:21]
    start = 1 - ribbons.THICKEST / 2
    assert first[0] == pytest.approx(start)
    assert first[-1] == pytest.approx(start + 0.25 * ribbons.THICKEST)
    assert second[0] == pytest.approx(start + 0.2505 * ribbons.THICKEST)
    assert second[-1] == pytest.approx(1 + ribbons.THICKEST / 2)
    for outline, key, weight in ((first, 0, 0.25), (second, 2, 0.7495)):
        assert (outline[4] + outline[5]) / 2 == pytest.approx(key)
        assert outline[5] - outline[4] == pytest.approx(weight * ribbons.THICKEST)
    assert ribbons.ribbons(row, 1, "text", list("abcd"), 4) == ["a"] * 10 + ["c"] * 10


# labels


def parts(text: str) -> list[str]:
    return [html.unescape(line) for line in label(text).split("<br>")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("cat", "cat"),
        ("<s>", "&lt;s&gt;"),
        ("</s>", "&lt;/s&gt;"),
        ("&", "&amp;"),
        ("&amp;", "&amp;amp;"),
        ("<br>", "&lt;br&gt;"),
        ("it's", "it's"),
        ('"', '"'),
        ("😀" * 6, "😀" * 6),
        ("😀" * 7, "😀" * 6 + "<br>😀"),
        ("שלום", "שלום"),
        ("x" * 24, "x" * 12 + "<br>" + "x" * 12),
        ("x" * 30, "x" * 12 + "<br>" + "x" * 11 + "…"),
        ("注意" * 10, "注意" * 3 + "<br>" + "注意注意注…"),
        ("W" * 20, "W" * 8 + "<br>" + "W" * 7 + "…"),
        ("e\u0301" * 13, "e\u0301" * 12 + "<br>e\u0301"),
        ("👩‍👩‍👧" * 7, "👩‍👩‍👧" * 6 + "<br>👩‍👩‍👧"),
        ("👍🏽🇩🇪" * 4, "👍🏽🇩🇪" * 3 + "<br>👍🏽🇩🇪"),
        ("각" * 7, "각" * 6 + "<br>각"),
        ("<" * 13, "&lt;" * 12 + "<br>&lt;"),
    ],
)
def test_labels_of_hostile_tokens(text: str, wanted: str) -> None:
    assert WRAP == 12
    assert label(text) == wanted


def test_a_label_of_several_words_breaks_between_them() -> None:
    assert parts("said of something") == ["said of", "something"]
    assert parts("said of something alive") == ["said of", "something…"]
    assert parts("a Donaudampfschifffahrtskapitän") == ["a", "Donaudampf…"]
    assert parts("small word") == ["small word"]


@pytest.mark.parametrize("text", HOSTILE)
def test_escape_takes_all_markup_out(text: str) -> None:
    assert not set("<>") & set(escape(text))
    assert html.unescape(escape(text)) == text


def texts() -> list[str]:
    draw = random.Random(3)
    letters = [
        "a",
        "b",
        "<",
        ">",
        "&",
        "/",
        " ",
        " ",
        "😀",
        "ש",
        "é",
        "e\u0301",
        "\u200d",
        "W",
        "É",
        "注",
        "각",
        "\u0e33",
        "\U0001f3fd",
        "\U0001f1e9",
        "'",
        '"',
        "{",
        "$",
        "\\",
        ";",
    ]
    return [*HOSTILE, *("".join(draw.choices(letters, k=draw.randrange(1, 40))) for _ in range(1000))]


def test_labels_are_short_and_say_where_they_are_shortened() -> None:
    for text in texts():
        lines = parts(text)
        assert len(lines) <= 2
        assert all(width(line) <= WRAP for line in lines)
        shown, whole = "".join(lines).replace(" ", ""), text.replace(" ", "")
        assert shown == whole or (whole.startswith(shown[:-1]) and shown[-1] == "…")
        if width(text) <= WRAP:
            assert lines == [text.lstrip(" ")]


def test_no_letter_is_cut_in_two() -> None:
    """Whatever a line of a label keeps are whole letters of the text."""
    for text in (one.replace(" ", "") for one in texts()):
        for line in (*parts(text), html.unescape(short(text))):
            kept = line.removesuffix("…")
            assert not kept or any(
                letters(text)[i : i + len(letters(kept))] == letters(kept) for i in range(len(letters(text)))
            )


def test_the_browser_makes_the_same_labels(own: Built) -> None:
    program = "output = input.texts.map((one) => [label(one), escape(one), short(one), width(one), letters(one)]);"
    found = node(STUBS + SCRIPTS + program, {"blocks": own.blocks, "texts": texts()})
    assert found == [[label(text), escape(text), short(text), width(text), letters(text)] for text in texts()]
