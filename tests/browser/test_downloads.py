"""What a reader saves from a figure: a picture as SVG or PNG, the numbers as CSV; in the state and colours shown."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser

import build
from qkv.figures.kinds import KINDS
from qkv.figures.labels import WORD
from qkv.figures.numbers import FORMATS
from qkv.figures.template import View
from qkv.model.states import State as Indexes
from tests import test_lookup
from tests.browser.expected import DEFAULT, NAMES, State, shown
from tests.browser.reading import Reader
from tests.contents import add_rest
from tests.reference import MASKS, SENTENCES
from tests.toy_states import toy_state

Visit = Callable[..., Reader]

STATES = [DEFAULT, State(token=2), State("soft", "off", "previous", 4)]
SVG = "{http://www.w3.org/2000/svg}"
WRITTEN = ("percent", "weight3", "cell", "number", "three", "exp4")  # formats that write a number for the eye
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?")
FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def save(reader: Reader, kind: str, ending: str) -> tuple[str, bytes]:
    """Presses a figure's button; the name of the file that is saved, and what it holds."""
    with reader.page.expect_download() as waiting:
        reader.page.click(f"#figure-{kind} [data-download={ending}]")
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def colour(reader: Reader, name: str) -> tuple[int, ...]:
    """A colour of the theme on screen."""
    script = "name => getComputedStyle(document.documentElement).getPropertyValue(name)"
    text = reader.page.evaluate(script, f"--{name}").strip()
    if found := re.fullmatch(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", text):
        return tuple(int(part, 16) for part in found.groups())
    found = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", text)
    assert found, text
    return tuple(map(int, found.groups()))


# pictures


def texts(root: ET.Element) -> list[str]:
    """All texts of a picture; lines of one label are joined by spaces."""
    found = []
    for text in root.iter(f"{SVG}text"):
        lines = [part.text or "" for part in text.iter(f"{SVG}tspan")]
        found.append(re.sub(r"\s+", " ", " ".join(lines) if lines else "".join(text.itertext())).strip())
    return [text for text in found if text]


def holds_nothing_of_others(root: ET.Element) -> None:
    for element in root.iter():
        name = element.tag.removeprefix(SVG)
        assert name not in ("script", "foreignObject", "image", "a", "style", "iframe"), name
        for key, value in element.attrib.items():
            assert not key.rpartition("}")[2].startswith("on"), key
            if key.rpartition("}")[2] == "href":
                assert value.startswith("#"), value
            assert not re.search("url\\([\"' ]*[^\"' #]", value), value


@pytest.mark.parametrize("state", STATES, ids=str)
def test_picture_as_svg(visit: Visit, state: State) -> None:
    reader = visit(state=state)
    reader.wait(state)
    for kind in KINDS:
        reader.draw(kind)
        reader.wait(state)
        figure = reader.figure(kind)
        name, data = save(reader, kind, "svg")
        assert name == f"attention-{kind}-{str(shown(state, kind)).replace('&', '-')}.svg"
        root = ET.fromstring(data)
        assert root.tag == f"{SVG}svg"
        holds_nothing_of_others(root)
        own = [" ".join(text.itertext()) for text in root.findall(f"{SVG}text")]  # not of the plots
        assert own[0] == figure["title"]
        assert " ".join(own).endswith(figure["says"])
        # every label that the page shows
        labels = Counter(text for plot in figure["plots"].values() for text in plot["texts"])
        assert not labels - Counter(texts(root)), kind
        # nothing is cut off
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        assert root.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
        for part in root.findall(f"{SVG}svg"):
            x, y, w, h = (float(part.attrib[key]) for key in ("x", "y", "width", "height"))
            assert min(x, y) >= 0, kind
            assert x + w <= width, kind
            assert y + h <= height, kind
        paper = root.find(f"{SVG}rect")
        assert paper is not None
        assert (paper.attrib["width"], paper.attrib["height"]) == ("100%", "100%")


def test_picture_of_a_poster_has_all_tokens(visit: Visit) -> None:
    """Saved before the figure is drawn."""
    reader = visit()
    reader.wait(DEFAULT)
    for kind in reversed(KINDS):
        found = set(" ".join(texts(ET.fromstring(save(reader, kind, "svg")[1]))).split())
        every = kind in ("lines", "match", "softmax", "table")
        assert set(DEFAULT.tokens if every else [DEFAULT.asker]) <= found, kind


def near(image: Image.Image, wanted: tuple[int, ...], distance: int = 12) -> int:
    """How many pixels have a colour, or one hardly different."""
    colours = image.getcolors(1 << 24)
    assert colours is not None
    return sum(
        count
        for count, found in colours
        if isinstance(found, tuple) and max(abs(a - b) for a, b in zip(found, wanted, strict=False)) <= distance
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_picture_as_png(visit: Visit, theme: str) -> None:
    state = DEFAULT if theme == "light" else STATES[2]
    reader = visit(state=state, color_scheme=theme)
    reader.wait(state)
    paper, ink = colour(reader, "page"), colour(reader, "ink")
    assert (sum(paper) > 600) == (theme == "light")
    for kind in KINDS:
        root = ET.fromstring(save(reader, kind, "svg")[1])
        name, data = save(reader, kind, "png")
        assert name == f"attention-{kind}-{str(shown(state, kind)).replace('&', '-')}.png"
        with Image.open(io.BytesIO(data)) as image:
            assert image.format == "PNG"
            assert image.size == (2 * int(root.attrib["width"]), 2 * int(root.attrib["height"]))
            picture = image.convert("RGB")
        width, height = picture.size
        corners = [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)]
        assert {picture.getpixel(corner) for corner in corners} == {paper}, kind
        blank = near(picture, paper)
        assert width * height / 4 < blank < width * height * 0.99, kind
        # letters: a title at the top, the sentence at the bottom
        for low, high in [(0, 80), (height - 90, height)]:
            assert near(picture.crop((0, low, width, high)), ink) > 50, kind


def test_picture_follows_the_choice_of_colours(visit: Visit) -> None:
    reader = visit(color_scheme="light")
    reader.wait(DEFAULT)
    found = []
    for theme in ("dark", "light", ""):
        reader.page.check(f"#theme input[value='{theme}']", force=True)
        reader.wait(DEFAULT)
        paper = ET.fromstring(save(reader, "lines", "svg")[1]).find(f"{SVG}rect")
        assert paper is not None
        found.append(paper.attrib["fill"])
        with Image.open(io.BytesIO(save(reader, "lines", "png")[1])) as image:
            assert image.convert("RGB").getpixel((0, 0)) == colour(reader, "page")
    assert found[1] == found[2] != found[0]


def test_picture_on_a_narrow_screen(visit: Visit) -> None:
    """Nothing is wider than the picture: titles and sentences go over several lines."""
    reader = visit(viewport={"width": 320, "height": 700})
    reader.wait(DEFAULT)
    for kind in KINDS:
        root = ET.fromstring(save(reader, kind, "svg")[1])
        assert float(root.attrib["width"]) <= 320
        size = reader.page.evaluate(
            """text => {
              const holder = document.createElement("div");
              holder.innerHTML = text;
              document.body.append(holder);
              const svg = holder.firstChild, box = svg.getBoundingClientRect();
              const lines = Array.from(svg.querySelectorAll(":scope > text"));
              const ends = lines.map((one) => one.getBoundingClientRect().right);
              holder.remove();
              return Math.max(...ends) - box.left - box.width;
            }""",
            re.sub(r' (style|class)="[^"]*"', "", ET.tostring(root, "unicode").replace("ns0:", "")),
        )
        assert size <= 0, kind


# numbers


def bare(node: Any) -> Any:
    """A template whose numbers are not rounded."""
    if isinstance(node, list):
        return [bare(part) for part in node]
    if not isinstance(node, dict):
        return node
    return {key: "unrounded" if key == "as" and part in WRITTEN else bare(part) for key, part in node.items()}


def unrounded(value: float | None) -> str:
    """A number as JavaScript writes it, with all its digits."""
    if value is None:
        return "masked"
    if value == int(value):
        return str(int(value))
    text = repr(value)
    if "e" not in text:
        return text
    return f"{Decimal(text):f}" if abs(value) >= 1e-6 else text.replace("e-0", "e-")


def read(data: bytes) -> list[list[list[str]]]:
    """The tables of a CSV file."""
    assert data.startswith(b"\xef\xbb\xbf")  # without it, a spreadsheet takes the text for another encoding
    text = data.decode("utf-8-sig")
    assert "\n" not in text.replace("\r\n", "")
    tables: list[list[list[str]]] = [[]]
    for row in csv.reader(io.StringIO(text, newline=""), strict=True):
        if row:
            tables[-1].append(row)
        else:
            tables.append([])
    return [table for table in tables if table]


def wanted(view: View, kind: str, built: test_lookup.Built) -> list[list[list[Any]]]:
    """The tables of a figure with the numbers of the traces, in the order of the page."""
    chart = built.pages.charts[kind]
    found = []
    for table in chart.tables:
        fill = view.fill
        rows: list[list[Any]] = [[fill(table.caption)], [table.corner, *fill(table.columns)]]
        if table.head:
            rows.append([fill(table.head[0]), *fill(bare(table.head[1]))])
        rows += [[name, *cells] for name, cells in zip(fill(table.rows), fill(bare(table.cells)), strict=True)]
        if table.foot:
            rows.append([fill(table.foot[0]), *fill(bare(table.foot[1]))])
        found.append(rows)
    return found


def same(cell: str, value: Any) -> bool:
    text = str(value).replace(WORD[0], "").replace(WORD[1], "")
    formula = FORMULA.match(text) and len(text.strip()) > 1 and not NUMBER.fullmatch(text)
    return cell == (f"'{text}" if formula else text)


def differences(tables: list[list[list[str]]], against: list[list[list[Any]]]) -> list[str]:
    if [[len(row) for row in table] for table in tables] != [[len(row) for row in table] for table in against]:
        return ["tables of other sizes"]
    return [
        f"{cell!r} is not {value!r}"
        for table, other in zip(tables, against, strict=True)
        for row, wants in zip(table, other, strict=True)
        for cell, value in zip(row, wants, strict=True)
        if not same(cell, value)
    ]


@pytest.fixture(autouse=True)
def format_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "unrounded", unrounded)


@pytest.fixture(scope="module")
def own() -> test_lookup.Built:
    return test_lookup.build(build.ROOT / "content")


def test_these_are_all_formats_of_numbers() -> None:
    script = (build.ROOT / "templates" / "assets" / "10-numbers.js").read_text("utf-8")
    names = re.findall(r"(?m)^  (\w+): ", script.partition("const NUMBERS = {")[2])
    assert sorted(names) == sorted(WRITTEN)
    assert set(WRITTEN) <= set(FORMATS)


def indexes(state: State) -> Indexes:
    """A state in the indexes of the model."""
    sentence, mask = list(SENTENCES).index(state.sentence), MASKS.index(state.mask)
    return toy_state(sentence, mask, NAMES.index(state.head), state.token)


@pytest.mark.parametrize("state", STATES, ids=str)
def test_numbers_are_those_of_the_traces(visit: Visit, own: test_lookup.Built, state: State) -> None:
    masks = dict.fromkeys(MASKS, 0)  # the masked cells of figures under it
    reader = visit(state=state)
    reader.wait(state)
    for kind in KINDS:
        name, data = save(reader, kind, "csv")
        seen = shown(state, kind)
        assert name == f"attention-{kind}-{str(seen).replace('&', '-')}.csv"
        tables = read(data)
        assert differences(tables, wanted(own.view(indexes(seen)), kind, own)) == []
        masks[seen.mask] += sum(cell == "masked" for table in tables for row in table for cell in row)
        # and those who read the page find the same tables there
        there = list(reader.figure(kind)["tables"].values())
        assert [table[0][0] for table in tables] == [table["caption"] for table in there]
        assert [len(table) for table in tables] == [2 + len(t["body"]) + bool(t["foot"]) for t in there]
    assert masks["on"] > 0
    assert masks["off"] == 0


def test_numbers_are_not_rounded(visit: Visit) -> None:
    """Against the reference, which knows nothing of templates."""
    state = State(token=7)
    reader = visit(state=state)
    reader.wait(state)
    (table,) = read(save(reader, "lines", "csv")[1])
    weights = [row[-1] for row in table[2:]]
    assert weights[8:] == ["masked", "masked"]
    row = [state.row.weights[place] for place in range(10)]
    for cell, weight in zip(weights[:8], row, strict=False):
        assert weight is not None
        assert abs(float(cell) - weight) < 1e-9
    assert max(len(cell) for cell in weights) > 8
    assert abs(sum(map(float, weights[:8])) - 1) < 1e-9


# what could go wrong

TOKENS = ("=1+1", '"a",b;c', "+x", "\uff1d2", "<i>&amp;", "-2", "@SUM(1)")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, test_lookup.Built]:
    """A site whose tokens and names are formulas, quotes and markup."""
    folder = tmp_path_factory.mktemp("formulas")
    content = folder / "content"
    shutil.copytree(build.ROOT / "tests" / "content_small", content)
    shutil.rmtree(content / "sections")
    add_rest(content)
    words = "\n".join(f"{json.dumps(word)} = {{ one = {i % 3 - 1}, two = {i / 10} }}" for i, word in enumerate(TOKENS))
    words += '\n"&" = { one = 1 }\n"<s>" = { two = 1 }'
    tokens = json.dumps([*TOKENS[:-2], list(TOKENS[-2:])])
    model = test_lookup.MODEL.format(words=words, tokens=tokens)
    for old, new in [
        ('"<one>"', "'=HYPERLINK(\"x\")'"),
        ('"a&b"', '"-one"'),
        ('"<q>"', '"+q"'),
        ("all alike", "=head"),
    ]:
        model = model.replace(old, new)
    (content / "model.toml").write_text(model, "utf-8")
    (content / "site.toml").write_text('title = "T"\ndescription = "D"\n', "utf-8")
    (content / "facts.toml").write_text("", "utf-8")
    (content / "claims.toml").write_text("", "utf-8")
    figures = "\n\n".join(f'{{{{ figure("{kind}") }}}}' for kind in KINDS)
    (content / "sections").mkdir()
    section = f"+++\ntitle = \"All\"\n[figures.compare]\ntoken = '=1+1'\n+++\n{figures}\n"
    (content / "sections" / "1-all.md").write_text(section, "utf-8")
    build.build(content, folder / "site", quiet=True)
    return (folder / "site").as_uri() + "/", test_lookup.build(content)


def test_formulas_are_harmless(visit: Visit, hostile: tuple[str, test_lookup.Built]) -> None:
    home, built = hostile
    reader = visit(home=home)
    reader.page.wait_for_selector("html[data-ready]", state="attached")
    for kind in KINDS:
        tables = read(save(reader, kind, "csv")[1])
        assert differences(tables, wanted(built.pages.view, kind, built)) == []
        cells = [cell for table in tables for row in table for cell in row]
        started = [cell for cell in cells if FORMULA.match(cell) and not NUMBER.fullmatch(cell) and cell != "-"]
        assert started == [], kind
        assert any(cell.startswith("'=") for cell in cells), kind


def test_hostile_tokens_in_a_picture(visit: Visit, hostile: tuple[str, test_lookup.Built]) -> None:
    reader = visit(home=hostile[0])
    reader.page.wait_for_selector("html[data-ready]", state="attached")
    for kind in KINDS:
        reader.draw(kind)
        shown = reader.figure(kind)
        root = ET.fromstring(save(reader, kind, "svg")[1])
        holds_nothing_of_others(root)
        found = texts(root)
        labels = Counter(text for plot in shown["plots"].values() for text in plot["texts"])
        assert not labels - Counter(found), kind
        assert shown["says"] in " ".join(found), kind
        with Image.open(io.BytesIO(save(reader, kind, "png")[1])) as image:
            image.load()


def test_name_of_a_file_is_plain(visit: Visit, hostile: tuple[str, test_lookup.Built]) -> None:
    """Whatever the tokens and heads are called."""
    for state in ("sentence=-2&mask=on&head=%3Dhead&token=1", "sentence=%40SUM%281%29&mask=off&head=%3Dhead&token=0"):
        reader = visit(home=hostile[0], state=state)
        reader.page.wait_for_selector(f'html[data-ready="{state}"]', state="attached")
        name, _ = save(reader, "lines", "csv")
        assert re.fullmatch(r"attention-lines-[\w=-]+\.csv", name, re.ASCII), name


def test_saved_is_what_was_shown(visit: Visit) -> None:
    """Also if the reader goes on while the picture is made."""
    reader = visit()
    reader.wait(DEFAULT)
    says = reader.figure("mix")["says"]
    with reader.page.expect_download() as waiting:
        reader.page.evaluate(
            """state => {
              document.querySelector("#figure-mix [data-download=svg]").click();
              location.hash = state;
            }""",
            str(STATES[2]),
        )
    reader.wait(STATES[2])
    assert waiting.value.suggested_filename == f"attention-mix-{str(DEFAULT).replace('&', '-')}.svg"
    own = ET.fromstring(Path(waiting.value.path()).read_bytes()).findall(f"{SVG}text")
    assert " ".join(text.text or "" for text in own).endswith(says)
    assert reader.figure("mix")["says"] != says


def test_without_plotly_there_are_numbers(browser: Browser, served: str) -> None:
    """The buttons for pictures stay, since plotly.js may come yet, and say what is wrong."""
    reader = Reader(browser, served)
    reader.context.route("**/plotly.*.js", lambda route: route.abort())
    reader.open()
    reader.wait(DEFAULT)
    reader.page.click("#figure-lines [data-download=svg]")
    reader.page.wait_for_selector("html[data-plots=failed]", state="attached")
    assert reader.page.locator("#figure-lines .failed + .tools [data-download]:visible").count() == 3
    (table,) = read(save(reader, "lines", "csv")[1])
    assert len(table) == 12
    assert [problem for problem in reader.close() if "plotly" not in problem and "ERR_FAILED" not in problem] == []
