"""Tokens, names and texts that look like something else show as they are written, wherever a page shows them."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from build import ROOT
from qkv.content.article import load_content
from qkv.content.model_file import load_toy
from qkv.content.strings import load_words
from qkv.figures.kinds import KINDS
from qkv.figures.labels import label, short
from qkv.figures.template import View
from qkv.figures.validate import validate
from qkv.model.states import MASKS, State
from qkv.model.traces import trace
from qkv.pages.render import Pages
from tests.contents import add_rest, copy_small, run

HOSTILE = ROOT / "tests" / "content_hostile"
TOY = load_toy(HOSTILE)
FIRST = [next(s for s in TOY.sentences if s.entry == entry) for entry in range(3)]
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
STATE_LINK = re.compile(r"#sentence=[\w.~%-]+&mask=(on|off)&head=[\w.~%-]+&token=\d+(&at=[a-z]+)?", re.ASCII)


class Reading(HTMLParser):
    """What a reader, or a script, finds on a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[tuple[str, dict[str, str]]] = []
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.links: list[str] = []
        self.meta: dict[str, str] = {}
        self.blocks: dict[str, str] = {}  # JSON
        self.titles: list[str] = []
        self.rows: dict[str, list[list[str]]] = {}  # for each figure, the row headings of its tables
        self.choices: dict[str, list[str]] = {}  # for each control
        self.labels: list[str] = []  # of the choices, for those who hear them
        self.posters: dict[str, list[str]] = {}  # for each figure, the texts of its graphics
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        if tag == "table":
            self.rows.setdefault(self.figure, []).append([])
        elif tag == "th" and given.get("scope") == "row" and self.inside("tbody"):
            self.rows[self.figure][-1].append("")
        elif tag == "text" and self.inside("svg"):
            self.posters.setdefault(self.figure, []).append("")
        elif tag == "label":
            self.choices.setdefault(self.control, []).append("")
        elif tag == "input" and "aria-label" in given:
            self.labels.append(given["aria-label"])
        elif tag == "a":
            self.links.append(given.get("href", ""))
        elif tag == "meta":
            self.meta[given.get("name") or given.get("property", "")] = given.get("content", "")
        elif tag == "title":
            self.titles.append("")
        if tag not in VOID:
            self.stack.append((tag, given))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack, f"</{tag}> ends nothing"
        assert self.stack[-1][0] == tag, f"</{tag}> ends <{self.stack[-1][0]}>"
        self.stack.pop()

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_data(self, data: str) -> None:
        tag, given = self.stack[-1] if self.stack else ("", {})
        if tag == "script":
            self.blocks[given["id"]] = data
            return
        self.texts.append(data)
        if tag == "title":
            self.titles[-1] += data
        if self.inside("text"):
            self.posters[self.figure][-1] += data
        elif self.inside("th") and self.inside("tbody") and self.rows[self.figure][-1]:
            self.rows[self.figure][-1][-1] += data
        elif self.inside("label") and self.inside("bdi"):
            self.choices[self.control][-1] += data

    def inside(self, tag: str) -> bool:
        return any(name == tag for name, _ in self.stack)

    def given(self, name: str) -> str:
        return next((given[name] for _, given in reversed(self.stack) if name in given), "")

    @property
    def figure(self) -> str:
        return self.given("data-figure")

    @property
    def control(self) -> str:
        return f"{self.figure} {self.given('data-control')}"

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


def copy_hostile(folder: Path, sentence: str) -> Path:
    """The hostile article, opening with a sentence of choice."""
    content = folder / "content"
    shutil.copytree(HOSTILE, content)
    add_rest(content)
    settings = content / "site.toml"
    head, _, _ = settings.read_text("utf-8").partition("[state]")
    settings.write_text(f"{head}[state]\nsentence = {json.dumps(sentence, ensure_ascii=False)}\ntoken = 0\n", "utf-8")
    return content


def build(content: Path) -> Path:
    """The site of a content folder."""
    out = content.parent / "site"
    assert run("--content", str(content), "--out", str(out)) == (0, "")
    return out


@pytest.fixture(scope="module", params=range(3), ids=["signs", "scripts", "the same word"])
def sites(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, dict[str, Reading]]:
    """A sentence, and all pages of the article that opens with it."""
    sentence = FIRST[request.param]
    out = build(copy_hostile(tmp_path_factory.mktemp("hostile"), sentence.id))
    pages = {p.relative_to(out).as_posix(): Reading(p.read_text("utf-8")) for p in sorted(out.rglob("*.html"))}
    assert {"index.html", "sections/one.html", "sections/two.html"} <= set(pages)
    return sentence, pages


def test_all_hostile_tokens_are_there() -> None:
    tokens = [token for sentence in TOY.sentences for token in sentence.tokens]
    assert {"<s>", "</s>", "<b>", "</script>", "&", '"', "*", "_", "$x$", "{{ }}", "New York"} <= set(tokens)
    assert {"😀", "שלום", "注意力", "1e5", "2024-01-01", "▁the"} <= set(tokens)
    assert any(len(token) == 30 for token in tokens)
    assert FIRST[2].tokens.count("the") == 3


def test_no_text_became_an_element(sites: Any, tmp_path: Path) -> None:
    plain = build(copy_small(tmp_path))
    known = {tag for path in plain.rglob("*.html") for tag in Reading(path.read_text("utf-8")).tags}
    for path, page in sites[1].items():
        assert page.tags <= known, path
        assert page.stack == [], path


def test_tables(sites: Any) -> None:
    sentence, pages = sites
    shown = pages["index.html"].rows
    for kind in ("lines", "vectors", "match", "softmax", "mix", "table", "heads"):
        assert list(sentence.tokens) in shown[kind], kind
    assert list(TOY.features) in shown["vectors"]
    slots = [slot for head in TOY.heads for slot in head.value]
    assert any(all(slot in " ".join(rows) for slot in slots) for rows in shown["glue"])


def test_controls(sites: Any) -> None:
    sentence, pages = sites
    page = pages["index.html"]
    mates = [s.choice for s in TOY.sentences if s.entry == sentence.entry]
    tokens = [t for i, token in enumerate(sentence.tokens) for t in (mates if i == sentence.switch else [token])]
    assert page.choices["lines token"] == tokens
    assert page.choices["lines sentence"] == [" ".join(first.tokens) for first in FIRST]
    assert page.choices["table head"] == [head.name for head in TOY.heads]
    for token in tokens:
        assert any(label.startswith(token + ",") for label in page.labels), token


def shown(kind: str, token: str) -> str:
    """A token as the poster of a figure has it: a long one is shortened, in dense rows to one line."""
    return unescape(short(token) if kind in ("table", "heads") else label(token).replace("<br>", ""))


def test_posters(sites: Any) -> None:
    sentence, pages = sites
    posters = {
        kind: [text.replace("\u25b8", "").strip("\u00a0 ") for text in texts]
        for kind, texts in pages["index.html"].posters.items()
    }
    wanted = Counter(sentence.tokens)
    for kind in ("lines", "match", "softmax", "table", "heads"):
        found = Counter(posters[kind])
        assert all(found[shown(kind, token)] >= count for token, count in wanted.items()), kind
    slots = [slot for slot in TOY.heads[0].value if slot != "-"]
    assert set(slots) <= set(posters["mix"])
    assert set(slots) <= set(posters["glue"])


def test_json(sites: Any) -> None:
    for path, page in sites[1].items():
        for name, block in page.blocks.items():
            assert not re.search("[<>&]", block), (path, name)
            json.loads(block)
        if "traces" in page.blocks:
            traces, figures = json.loads(page.blocks["traces"]), json.loads(page.blocks["figures"])
            assert traces["tokens"] == [list(sentence.tokens) for sentence in TOY.sentences]
            assert traces["head_names"] == figures["heads"] == [head.name for head in TOY.heads]
            assert traces["head_jobs"] == [head.job for head in TOY.heads]
            assert traces["value_slots"] == [list(head.value) for head in TOY.heads]
            assert traces["features"] == list(TOY.features)
            assert [s["id"] for s in figures["sentences"]] == [sentence.id for sentence in TOY.sentences]


def test_titles(sites: Any) -> None:
    pages = sites[1]
    content = load_content(HOSTILE)
    title, description = content.site["title"], content.site["description"]
    assert pages["index.html"].titles == [title]
    for section in content.sections:
        assert pages[f"sections/{section.slug}.html"].titles == [f"{section.title} \u00b7 {title}"]
        assert section.title in pages["index.html"].text
    for page in pages.values():
        assert description in page.meta.get("description", description)
    assert pages["index.html"].meta["description"] == description
    for part in content.site["breadcrumb"]:
        assert part in pages["index.html"].text


def test_texts(sites: Any) -> None:
    text = sites[1]["index.html"].text
    for written in (
        'The tokens <s>, </s>, <b> and </script> show as written, as do & and "quotes", $x$, {{ }} and 1e5. '
        "So do <s> & *x* and a comment <!-- of HTML -->.",
        "Try <b>it</b> & more",
        "A note with <s>, </script>, & and <i>.",
        '<b>Term</b> & "co" A fact with </script>, <s>, *stars*, $x$ and {{ braces }}, and ',
        " tokens; <i> too",
        "<img src=x onerror=alert(1)>",
        "<b>Source</b> & co",
        "What is <s> & </script>?",
        "<b>A</b> & $x$",
        '<i>Because</i> of "it"',
        "No</em> 2 * 3, *no*, **no** and *<em>*",
        f"{TOY.heads[0].name}: {TOY.heads[0].job}",
    ):
        assert written in text, written


def test_links(sites: Any) -> None:
    for path, page in sites[1].items():
        states = [link for link in page.links if "sentence=" in link]
        for link in states:
            hash_ = "#" + link.partition("#")[2]
            assert STATE_LINK.fullmatch(hash_), (path, link)
            parts = dict(parse_qsl(hash_[1:]))
            names = {sentence.id: sentence for sentence in TOY.sentences}
            assert int(parts["token"]) < len(names[parts["sentence"]].tokens)
            assert parts["head"] in [head.name for head in TOY.heads]
        if path == "sections/one.html":
            asked = {dict(parse_qsl(link.partition("#")[2]))["sentence"] for link in states}
            assert {"a&b=c#d", "<i>50%+1</i>", FIRST[1].id, "s3"} <= asked
            assert "https://example.org/?a=1&b=2" in page.links
    assert "https://example.org/?a=1&b=<s>\"'" in sites[1]["index.html"].links


def test_what_is_beside_the_pages(tmp_path: Path) -> None:
    out = build(copy_hostile(tmp_path, "s3"))
    for path in out.rglob("*.xml"):
        assert "https://example.org/a&b/" in {element.text for element in ET.fromstring(path.read_text("utf-8")).iter()}
    answers = [json.loads(path.read_text("utf-8")) for path in (out / "embed").rglob("*.json")]
    assert len(answers) >= len(KINDS)
    for answer in answers:
        frame = Reading(answer["html"])
        assert frame.tags == {"iframe"}


def plots() -> tuple[Pages, list[Any]]:
    """Every plot of the hostile article, filled for some states of every sentence."""
    content = load_content(HOSTILE)
    pages = Pages(content, load_words(ROOT / "content"), trace(TOY), ROOT / "templates", ROOT / ".cache")
    states = [
        State(sentence, mask, head, token)
        for sentence in range(len(TOY.sentences))
        for mask in range(len(MASKS))
        for head in range(len(TOY.heads))
        for token in (0, len(TOY.sentences[sentence].tokens) - 1)
    ]
    views = [View(pages.traces, state, pages.words.flat, pages.shades) for state in states]
    return pages, [view.fill(p.figure()) for view in views for chart in pages.charts.values() for p in chart.plots]


def texts_of(node: Any, inside: str = "") -> Any:
    """The texts that plotly.js writes: as labels, on ticks, when something is pointed at."""
    if isinstance(node, dict):
        for name, inner in node.items():
            yield from texts_of(inner, name)
    elif isinstance(node, list):
        for inner in node:
            yield from texts_of(inner, inside)
    elif isinstance(node, str) and inside in ("text", "hovertext", "ticktext"):
        yield node


def test_plots_and_what_they_say_when_pointed_at() -> None:
    """plotly.js reads <...> and &...; in any text as markup: only line breaks may be left of it."""
    _, filled = plots()
    shown = set()
    for text in set(texts_of(filled)):
        assert set(re.findall("<[^<>]*>", text)) <= {"<br>"}, text  # "<0.001" has no end, and stays
        assert not re.search(r"&(?!(?:lt|gt|amp);)", text), text
        shown.add(unescape(text.replace("<br>", "")).replace("\u25b8", "").strip("\u00a0 "))
    for sentence in TOY.sentences:
        for asker in (sentence.tokens[0], sentence.tokens[-1]):
            assert asker in shown
            assert any(text.startswith(f"{asker} \u2192 {sentence.tokens[0]}: ") for text in shown), asker


def test_plotly_takes_the_plots(tmp_path: Path) -> None:
    pages, _ = plots()
    validate(pages.charts.values(), pages.view, tmp_path)
