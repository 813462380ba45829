"""What a reader has set in the browser counts: larger letters, more room between them, a translator, the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright

import build
from tests import chromium
from tests.browser.expected import DEFAULT, KINDS, NAMES, State
from tests.browser.hosts import packaged
from tests.browser.measuring import draw_all, measure, open_all
from tests.browser.reading import Reader
from tests.contents import copy_small
from tests.packages import unzipped
from tests.reference import SENTENCES

Visit = Callable[..., Reader]

SECTIONS = tuple(f"sections/{path.stem.partition('-')[2]}.html" for path in build.ROOT.glob("content/sections/*.md"))
FIGURES = tuple(f"embed/figure-{kind}.html" for kind in KINDS)
PLAIN = ("teachers.html", "downloads/worksheet.html")  # pages without figures
PAGES = (
    "index.html",
    *SECTIONS,
    "embed/section-softmax.html",
    *FIGURES,
    *PLAIN,
    "downloads/article.html",
    "scorm/index.html",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the site with its downloads, and of a package for course platforms beside it."""
    site = packaged(tmp_path_factory)
    folder = tmp_path_factory.mktemp("whole") / "site"
    folder.mkdir()
    for path in site.iterdir():
        (folder / path.name).symlink_to(path)
    for name, data in unzipped((site / "downloads" / "scorm12-article.zip").read_bytes()).items():
        path = folder / "scorm" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder.as_uri() + "/"


def laid_out(page: Page, path: str) -> None:
    if path not in PLAIN:
        page.wait_for_selector("html[data-ready]", state="attached")


# larger letters --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["defaultFontSize=32", "defaultFontSize=24", "minimumFontSize=24"])
def enlarging(request: pytest.FixtureRequest, playwright: Playwright) -> Iterator[tuple[Browser, str]]:
    """A browser in which a reader has set the size of letters."""
    arguments = [*chromium.ARGS, f"--blink-settings={request.param}"]
    with playwright.chromium.launch(executable_path=chromium.quickest(), args=arguments) as browser:
        yield browser, request.param.partition("=")[2]


def test_the_page_is_as_wide_as_the_window(enlarging: tuple[Browser, str], whole: str) -> None:
    """On phones, with everything opened; only what scrolls by itself is wider."""
    browser, size = enlarging
    context = browser.new_context(bypass_csp=True)
    page, wrong = context.new_page(), []
    for path in PAGES:
        page.goto(whole + path)
        laid_out(page, path)
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("() => getComputedStyle(document.body).fontSize") == f"{size}px"
            over = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
            wrong += [f"{path} at {width}: {over} pixels too wide"] if over else []
    context.close()
    assert wrong == []


def test_the_formula_is_whole(enlarging: tuple[Browser, str], whole: str) -> None:
    """It becomes smaller where there is no room, and need not be scrolled."""
    context = enlarging[0].new_context(viewport={"width": 390, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.goto(whole + "index.html")
    laid_out(page, "index.html")
    hidden, letters = page.locator(".formula").evaluate(
        "(one) => [one.scrollWidth - one.clientWidth, parseFloat(getComputedStyle(one).fontSize)]"
    )
    context.close()
    assert hidden <= 0
    assert letters >= 20


SPACED = """
* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }
p { margin-bottom: 2em !important; }
"""


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("path", [path for path in PAGES if path != "index.html"])
def test_text_spacing(visit: Visit, whole: str, path: str, width: int) -> None:
    """WCAG 2.2, success criterion 1.4.12, on every page; test_access.py has the article in all its states."""
    reader = visit(path, home=whole, bypass_csp=True, viewport={"width": width, "height": 900})
    laid_out(reader.page, path)
    reader.page.add_style_tag(content=SPACED)
    open_all(reader)
    assert measure(reader, "cut()") == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_more_contrast(visit: Visit, theme: str) -> None:
    reader = visit("sections/softmax.html", contrast="more", color_scheme=theme)
    muted, ink = reader.page.evaluate(
        "() => ['--muted', '--ink'].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name))"
    )
    assert muted == ink


# translators -----------------------------------------------------------------------------------------------------

# What a browser's translator does: it wraps each text that it may touch, and changes it.
TRANSLATE = r"""() => {
  const kept = (node) => node.closest("[translate]")?.getAttribute("translate") === "no" ||
    node.closest(".notranslate, script, style, noscript, textarea, #js-plotly-tester");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const within = text.parentElement;
    if (/\p{L}/u.test(text.data) && !kept(within) && within.localName !== "font") texts.push(text);
  }
  for (const text of texts) {
    const outer = document.createElement("font"), inner = document.createElement("font");
    inner.textContent = text.data.replace(/\p{L}/gu, "ø");
    outer.append(inner);
    text.replaceWith(outer);
  }
  return texts.map((text) => text.data.trim()).filter(Boolean);
}"""

# Every text that names something of the model, and where it stands
NAMED = """() => {
  const found = {};
  const put = (place, list) => {
    found[place] = Array.from(list, (one) => one.textContent.replace(/[\\u00a0▸\\s]+/g, " ").trim());
  };
  for (const figure of document.querySelectorAll("[data-figure]")) {
    for (const control of ["token", "word", "sentence", "head"]) {
      put(`${figure.id} ${control}`, figure.querySelectorAll(`[data-control=${control}] label`));
    }
    put(`${figure.id} rows`, figure.querySelectorAll("tbody tr:not(.head) th bdi"));
    put(`${figure.id} cells`, figure.querySelectorAll("tbody:not(:has(th[translate], th .token)) td"));
    put(`${figure.id} columns`, figure.querySelectorAll("thead th bdi"));
    put(`${figure.id} graphics`, figure.querySelectorAll(".plot text"));
    put(`${figure.id} says`, figure.querySelectorAll(":is(.says, .notes, caption, .heading, .describes) .token"));
  }
  return found;
}"""


def names() -> set[str]:
    """Everything of the model that a page names."""
    tokens = {token for sentence in SENTENCES.values() for token in sentence}
    return tokens | {" ".join(sentence) for sentence in SENTENCES.values()} | set(NAMES)


@pytest.mark.parametrize("path", ["index.html", "sections/softmax.html", "embed/figure-compare.html"])
def test_translators_leave_data_alone(visit: Visit, whole: str, path: str) -> None:
    """Tokens, names and numbers stay as they are wherever they stand, also after a change; words do not."""
    reader = visit(path, home=whole)
    draw_all(reader)
    before = reader.page.evaluate(NAMED)
    assert sum(map(len, before.values())) > 20
    translated = reader.page.evaluate(TRANSLATE)
    assert reader.page.evaluate(NAMED) == before
    assert names() & set(translated) <= {"it"}  # an English word between two others
    for words in ("Show the numbers", "Picture (SVG)"):
        assert words in translated


def test_a_translated_page_still_changes(visit: Visit) -> None:
    """Every choice is answered as on a page that nobody touched, in figures, tables and controls."""
    untouched, reader = visit("index.html"), visit("index.html")
    for one in (untouched, reader):
        draw_all(one, painted=False)
    for state in (State("soft", "off", "sink", 3), State(token=2), State("soft", "on", "previous", 9), DEFAULT):
        assert len(reader.page.evaluate(TRANSLATE)) > 20
        for one in (untouched, reader):
            one.show(state)
        assert reader.page.evaluate(NAMED) == untouched.page.evaluate(NAMED), state
        for kind in KINDS:
            ours, theirs = reader.figure(kind), untouched.figure(kind)
            assert ours["says"] == theirs["says"], (state, kind)
            assert {name: one["body"] for name, one in ours["tables"].items() if kind != "compare"} == {
                name: one["body"] for name, one in theirs["tables"].items() if kind != "compare"
            }
            assert [one["checked"] for one in ours["controls"].values()] == [
                one["checked"] for one in theirs["controls"].values()
            ]


def test_a_translated_choice_by_hand(visit: Visit) -> None:
    reader = visit("index.html")
    reader.wait(DEFAULT)
    reader.page.evaluate(TRANSLATE)
    reader.page.locator("#figure-lines .control-token label").filter(has_text="mat").click()
    reader.wait(State(token=5))
    reader.page.locator("#figure-table .control-mask input").nth(1).check()
    reader.wait(State(mask="off", token=5))
    reader.page.locator(".question button").first.click()
    assert reader.page.locator(".question .verdict").first.text_content()


# What extensions do: put elements of their own beside and around ours.
EXTENSION = """() => {
  for (const box of document.querySelectorAll(".choices, .scroll, .describes, .question fieldset, .tools, tbody tr")) {
    const guest = document.createElement(box.matches("tr") ? "template" : "span");
    guest.className = "guest";
    box.prepend(guest.cloneNode());
    box.append(guest);
  }
  for (const table of document.querySelectorAll("table")) {
    const around = document.createElement("div");
    table.replaceWith(around);
    around.append(table);
  }
}"""


def test_elements_of_extensions_disturb_nothing(visit: Visit, tmp_path: Path) -> None:
    """Also where sentences differ in length, so that there are more tokens or fewer."""
    content = copy_small(tmp_path)
    add_sentence(content, 'text = "cat was soft"')
    build.build(content, tmp_path / "site", quiet=True)
    untouched, reader = (visit(home=(tmp_path / "site").as_uri() + "/") for _ in range(2))
    for one in (untouched, reader):
        one.page.wait_for_selector("html[data-ready]", state="attached")
    reader.page.evaluate(EXTENSION)
    for state in (State("other", "off", "meaning", 2), State("soft", "on", "previous", 4)):
        for one in (untouched, reader):
            one.show(state)
        for kind, figure in untouched.figures().items():
            assert differing(figure, reader.figure(kind)) == [], (state, kind)


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The parts of a figure that differ, but for its graphics and the regions around tables."""
    found = [key for key in one if key not in ("plots", "tables") and one[key] != other[key]]
    for name, table in one["tables"].items():
        found += [f"{name} {part}" for part in table if part != "label" and table[part] != other["tables"][name][part]]
    return found


# the way back ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forgetful(playwright: Playwright) -> Iterator[Browser]:
    """A browser that keeps no page: on the way back it is loaded anew, and its controls are set as they were."""
    arguments = [*chromium.ARGS, "--disable-features=BackForwardCache"]
    with playwright.chromium.launch(executable_path=chromium.quickest(), args=arguments) as browser:
        yield browser


@pytest.fixture
def leave(forgetful: Browser, whole: str) -> Iterator[Callable[..., Page]]:
    """Opens a page, does something to it, goes elsewhere and comes back."""
    readers: list[Reader] = []

    def leave(path: str, change: Callable[[Page], object], state: object = "") -> Page:
        reader = Reader(forgetful, whole)
        readers.append(reader)
        page = reader.open(path, state).page
        laid_out(page, path)
        change(page)
        page.goto(whole + ("index.html" if path == "teachers.html" else "teachers.html"))
        page.go_back()
        laid_out(page, path)
        assert page.evaluate("() => performance.getEntriesByType('navigation')[0].type") == "back_forward"
        return page

    yield leave
    complaints = [complaint for reader in readers for complaint in reader.close()]
    assert complaints[:20] == []


ARTICLES = ("index.html", "sections/softmax.html", "downloads/article.html", "downloads/page-softmax.html")


@pytest.mark.parametrize("path", ARTICLES)
def test_the_theme_is_the_chosen_one_after_back(leave: Callable[..., Page], path: str) -> None:
    page = leave(path, lambda page: page.locator("#theme input[value=dark]").check())
    assert page.locator("#theme input:checked").get_attribute("value") == "dark"
    assert page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor") == "rgb(20, 23, 28)"


# what all controls of the page say, and what it shows
AGREE = """() => Array.from(document.querySelectorAll("[data-figure]"), (figure) => {
  const state = new URLSearchParams(figure.dataset.state);
  return Array.from(figure.querySelectorAll("[data-control] input:checked"), (input) => {
    const given = new URLSearchParams(input.value), control = input.closest("[data-control]").dataset.control;
    return [control, control === "token" ? given.get("token") === state.get("token") : input.value];
  });
})"""


@pytest.mark.parametrize("path", [*ARTICLES, "embed/figure-softmax.html", "embed/section-softmax.html"])
def test_controls_and_figures_agree_after_back(leave: Callable[..., Page], path: str) -> None:
    state = State("soft", "off", "previous", 4)

    def choose(page: Page) -> None:
        for control, place in (("token", 4), ("token", 10)):
            page.locator(f"#figure-softmax [data-control={control}] input").nth(place).check()
        page.evaluate("state => reader.show(state)", str(state))

    page = leave(path, choose)
    assert page.evaluate("() => document.documentElement.dataset.state") == str(state)
    for figure in page.evaluate(AGREE):
        for control, says in figure:
            assert says in (True, "mask=1", "head=1", "sentence=1"), (control, says)
    page.locator("#figure-softmax [data-control=token] input").nth(1).check()
    page.wait_for_selector(f'html[data-ready="{State("soft", "off", "previous", 1)}"]', state="attached")


def test_the_form_for_teachers_after_back(leave: Callable[..., Page]) -> None:
    """What is chosen, what is shown and the snippet are of one mind."""

    def choose(page: Page) -> None:
        page.locator("#what").select_option("embed/figure-mix.html")
        page.locator("#theme").select_option("dark")
        page.locator("#locked").check()

    page = leave("teachers.html", choose)
    assert page.locator("#what").input_value() == "embed/figure-mix.html"
    assert (page.locator("#open").get_attribute("href") or "").startswith("embed/figure-mix.html?theme=dark&controls=0")
    page.frame_locator("#live").locator("#figure-mix").wait_for()


# long tokens -----------------------------------------------------------------------------------------------------

WORDS = {
    "letters": "x" * 30,
    "a word": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk",
    "capitals": "W" * 40,
    "wide": "注意力机制" * 8,
    "pictures": "👩‍👩‍👧👍🏽🇩🇪" * 10,
    "marks": "\u1eb9\u0301" * 35,  # as they are read, whatever an editor wrote
}


@pytest.fixture(scope="module", params=WORDS)
def long(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """An article that shows every kind of figure, with a token that is long, twice beside itself; and the token."""
    folder, token = tmp_path_factory.mktemp("long"), WORDS[request.param]
    content = copy_small(folder)
    add_sentence(content, f'tokens = ["it", "{token}", "{token}", "was", "{token}"]', f'"{token}" = {{ alive = 0.1 }}')
    build.build(content, folder / "site", quiet=True)
    return (folder / "site").as_uri() + "/", token


def add_sentence(content: Path, sentence: str, word: str = "") -> None:
    """One more sentence for the model of an article, of the id "other", with a new word."""
    model = content / "model.toml"
    text = model.read_text("utf-8").replace("[words]", f"[words]\n{word}", 1)
    model.write_text(text.replace("[[heads]]", f'[[sentences]]\nname = "other"\n{sentence}\n\n[[heads]]', 1), "utf-8")


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("drawn", [False, True], ids=["poster", "plotly"])
def test_rows_do_not_lie_on_each_other(visit: Visit, long: tuple[str, str], drawn: bool, width: int) -> None:
    """In every kind of figure; the whole token stands in the table."""
    home, token = long
    reader = visit(home=home, viewport={"width": width, "height": 800})
    if drawn:
        draw_all(reader)
    reader.show(State("other", token=1))
    lying = [one for one in measure(reader, "labels()") if " lies on " in one]
    assert lying == []
    rows = [row[1] for row in reader.figure("lines")["tables"]["weights"]["body"]]
    assert rows.count(token) == 3


# labels ----------------------------------------------------------------------------------------------------------


def test_masked_is_said_once_and_sums_are_sums(visit: Visit) -> None:
    reader = visit("sections/softmax.html")
    reader.draw("softmax")
    reader.show(State(token=2))
    labels = reader.figure("softmax")["plots"]["scores"]["texts"]
    assert not [text for text in labels if "eˢ = masked" in text]
    assert len([text for text in labels if text.endswith(", masked")]) == 7
    assert len([text for text in labels if ", eˢ = " in text]) == 3
    tables = reader.page.evaluate("() => JSON.parse(document.getElementById('figures').textContent).figures")
    assert '"1.000"' not in str(tables["softmax"]["tables"]).replace("'", '"')
