"""What assistive technology is told: axe finds nothing, and what axe cannot see is looked at here (WCAG 2.2, AA)."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise, product, starmap
from typing import Any

import pytest

from tests import npm
from tests.browser.expected import KINDS, NAMES, WORDS, State
from tests.browser.measuring import draw_all, measure, open_all, tidy
from tests.browser.reading import Reader

Visit = Callable[..., Reader]

DEFAULT = State()
# each kind of state: mask off, each head, another word and token, with a note
STATES = (
    State(mask="off"),
    State(head="previous", token=3),
    State("soft", "off", "sink", 0),
    State("soft", "on", "meaning", 7),
)
PAGES = ("index.html", "sections/neighbours.html", "sections/every-token.html", "sections/many-heads.html")


@pytest.fixture(scope="session")
def axe() -> str:
    return (npm.module("axe-core") / "axe.min.js").read_text("utf-8")


def violations(reader: Reader, axe: str) -> list[str]:
    """What axe finds wrong by all its rules, those of the guidelines and those of good practice."""
    found: list[dict[str, Any]] = reader.page.evaluate(
        f"async () => {{ if (!window.axe) {{ {axe} }} "
        "return (await axe.run({preload: false, iframes: false, resultTypes: ['violations']})).violations; }"
    )
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]


# axe -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "theme"),
    [
        ("index.html", "light"),
        ("index.html", "dark"),
        ("sections/many-heads.html", "light"),
        ("embed/section-softmax.html", "dark"),
        ("teachers.html", "light"),
    ],
)
def test_axe(visit: Visit, axe: str, path: str, theme: str) -> None:
    """With everything opened that folds."""
    reader = visit(path, color_scheme=theme, bypass_csp=True, painted=True)
    open_all(reader)
    assert violations(reader, axe) == []


@pytest.mark.parametrize(("path", "theme"), [("index.html", "light"), ("sections/every-token.html", "dark")])
def test_axe_in_every_kind_of_state(visit: Visit, axe: str, path: str, theme: str) -> None:
    reader = visit(path, color_scheme=theme, bypass_csp=True, painted=True)
    draw_all(reader)
    told = set()
    for state in STATES:
        reader.paint(False)
        reader.show(state)
        reader.paint(True)
        told |= set(reader.page.locator(".describes:visible").all_text_contents())
        assert violations(reader, axe) == [], state
    assert told  # the line that says what the text speaks of was there


def test_axe_by_the_visible_choice_on_a_phone(visit: Visit, axe: str) -> None:
    reader = visit("sections/neighbours.html", viewport={"width": 320, "height": 800}, bypass_csp=True, painted=True)
    draw_all(reader)
    reader.page.locator("#theme input[value=dark]").check()
    reader.wait(DEFAULT)
    assert violations(reader, axe) == []


# names and descriptions ------------------------------------------------------------------------------------------


def tree(reader: Reader) -> list[dict[str, Any]]:
    """The page as assistive technology gets it, without what it does not get. What is not laid out has no names."""
    reader.page.wait_for_selector("html[data-ready]", state="attached")
    session = reader.context.new_cdp_session(reader.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return [node for node in nodes if not node.get("ignored")]


def named(nodes: list[dict[str, Any]], role: str) -> list[dict[str, Any]]:
    return [
        {
            "id": node["nodeId"],
            "name": node.get("name", {}).get("value", ""),
            "description": node.get("description", {}).get("value", ""),
            "inside": node.get("childIds", []),
        }
        for node in nodes
        if node.get("role", {}).get("value") == role
    ]


@pytest.mark.parametrize("drawn", [False, True], ids=["poster", "plotly"])
def test_graphics_have_a_name_and_a_description_that_follows(visit: Visit, drawn: bool) -> None:
    reader = visit()
    if drawn:
        draw_all(reader)
    for state in (DEFAULT, State("soft", "off", "sink", 4)):
        reader.show(state)
        says = reader.page.evaluate(
            "() => Array.from(document.querySelectorAll('.plot'), (plot) => [plot.getAttribute('aria-label'), "
            "plot.closest('.figure').querySelector('.says').textContent])"
        )
        graphics = named(tree(reader), "image")
        assert [(one["name"], tidy(one["description"])) for one in graphics] == [
            (label, tidy(said)) for label, said in says
        ]
        assert all(one["name"] and one["description"] for one in graphics)
        assert len(graphics) > 10


def test_graphics_are_one_thing_to_assistive_technology(visit: Visit) -> None:
    """Nothing inside is read a second time or can be reached."""
    reader = visit()
    draw_all(reader)
    nodes = tree(reader)
    ids = {node["nodeId"] for node in nodes}
    for graphic in named(nodes, "image"):
        assert not set(graphic["inside"]) & ids, graphic["name"]
    focusable = reader.page.evaluate(
        "() => Array.from(document.querySelectorAll('.plot, .plot *')).filter((one) => one.tabIndex >= 0 && "
        "(one.hasAttribute('tabindex') || one.matches('a[href], button, input'))).length"
    )
    assert focusable == 0


def test_every_number_of_a_graphic_stands_in_text_or_a_table(visit: Visit) -> None:
    """Also what only a pointer would show. Short forms in cells (.94, ~0) have their long form in the table."""
    reader = visit()
    draw_all(reader, painted=False)
    for state in (DEFAULT, *STATES):
        reader.show(state)
        for kind, figure in reader.figures().items():
            tables = figure["tables"].values()
            cells = {cell for table in tables for row in [*table["body"], table["foot"]] for cell in row}
            text = " ".join([figure["says"], figure["notes"], *cells])
            for name, plot in figure["plots"].items():
                hover = [part for trace in plot["hover"] for part in trace]
                for shown in [*(part.rpartition(": ")[2] for part in hover), *plot["texts"]]:
                    for number in re.findall(r"[<>]?−?\d[\d.]*(?:×10[⁻⁰¹²³⁴-⁹]+)?", shown):
                        if kind == "lines" and number + "%" in shown:  # the table has three decimals
                            number = f"{float(number.strip('<>')) / 100:.3f}"
                            assert any(number in cell for cell in cells), (state, name, shown)
                        elif not re.fullmatch(r"\.\d\d|~[01]", shown):
                            assert number in text, (state, kind, name, shown)


def test_figures_headings_and_landmarks_have_names(visit: Visit) -> None:
    reader = visit()
    nodes = tree(reader)
    assert [one["name"] for one in named(nodes, "figure")] == [WORDS[f"{kind}.title"] for kind in KINDS]
    regions = [one["name"] for one in named(nodes, "region")]
    assert all(regions)
    assert len(set(regions)) == len(regions)
    for path in PAGES:
        levels = visit(path).page.evaluate(
            "() => Array.from(document.querySelectorAll('h1, h2, h3, h4, h5, h6'), (one) => Number(one.tagName[1]))"
        )
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels)), path


def test_radio_groups_read_well(visit: Visit) -> None:
    reader = visit()
    nodes = tree(reader)
    radios = [one["name"] for one in named(nodes, "radio")]
    assert "the, position 5 of 10" in radios
    assert "soft, position 10 of 10" in radios
    groups = {one["name"] for one in named(nodes, "group")}
    assert {WORDS[f"control.{name}"] for name in ("token", "word", "mask", "head")} <= groups
    # what is seen is part of what is heard
    pairs = reader.page.evaluate(
        "() => Array.from(document.querySelectorAll('.control input'), (input) => "
        "[input.labels[0].textContent.trim(), input.getAttribute('aria-label') || input.labels[0].textContent.trim()])"
    )
    assert all(heard.startswith(seen) for seen, heard in pairs)


# announcements ---------------------------------------------------------------------------------------------------

WATCH = """() => {
  window.said = [];
  new MutationObserver(() => window.said.push(document.getElementById("aloud").textContent))
    .observe(document.getElementById("aloud"), {childList: true, characterData: true, subtree: true});
}"""
# resolves with all that was said, once something is, and then nothing for longer than it waits to speak
SETTLED = """() => new Promise((resolve) => {
  let late = 0;
  const again = () => {
    clearTimeout(late);
    late = setTimeout(() => { watch.disconnect(); resolve(window.said); }, 1000);
  };
  const watch = new MutationObserver(again);
  watch.observe(document.getElementById("aloud"), {childList: true, characterData: true, subtree: true});
  if (window.said.length) again();
})"""


def said_by(reader: Reader, kind: str) -> str:
    figure = reader.figure(kind)
    return tidy(f"{figure['says']} {figure['notes']}")


def test_a_change_is_announced_once(visit: Visit) -> None:
    reader = visit()
    reader.wait(DEFAULT)
    status = reader.page.locator("#aloud")
    assert status.get_attribute("role") == "status"
    assert status.text_content() == ""
    reader.page.evaluate(WATCH)
    reader.page.locator("#figure-match .control-token input").nth(1).check()
    said = reader.page.evaluate(SETTLED)
    assert [tidy(text) for text in said] == [said_by(reader, "match")]


def test_a_burst_is_announced_once(visit: Visit) -> None:
    """Twenty steps through the tokens, as a held arrow key makes them: the sentence of the last one alone."""
    reader = visit("sections/neighbours.html")
    reader.wait(DEFAULT)
    reader.page.evaluate(WATCH)
    reader.page.evaluate(
        "() => { const radios = document.querySelectorAll('#figure-lines .control-token input'); "
        "for (let i = 0; i < 20; i += 1) radios[i % radios.length].click(); }"
    )
    said = reader.page.evaluate(SETTLED)
    assert reader.state() != str(DEFAULT)
    assert [tidy(text) for text in said] == [said_by(reader, "lines")]


@pytest.mark.parametrize("selector", [".try a.state >> nth=1", "#figure-lines .reset"])
def test_links_and_reset_are_announced(visit: Visit, selector: str) -> None:
    reader = visit("sections/neighbours.html", State(token=3))
    reader.wait(State(token=3))
    reader.page.evaluate(WATCH)
    reader.page.locator(selector).first.press("Enter")
    said = reader.page.evaluate(SETTLED)
    assert [tidy(text) for text in said] == [said_by(reader, "lines")]


# sizes and spacing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1200, 640, 320])
@pytest.mark.parametrize(
    "path", ["index.html", "sections/every-token.html", "teachers.html", "embed/figure-heads.html"]
)
def test_targets(visit: Visit, path: str, width: int) -> None:
    reader = visit(path, viewport={"width": width, "height": 900})
    for _ in range(2):
        targets = measure(reader, "smallTargets()")
        assert targets["found"] == []
        assert targets["count"] > 8
        open_all(reader)


@pytest.mark.parametrize(("width", "scale"), [(640, 2), (320, 4)])
@pytest.mark.parametrize("path", [*PAGES, "teachers.html", "embed/section-many-heads.html"])
def test_zoom(visit: Visit, path: str, width: int, scale: int) -> None:
    """A window of 1280 pixels at 200% and at 400% loses nothing and scrolls one way only."""
    reader = visit(path, viewport={"width": width, "height": 256}, device_scale_factor=scale)
    assert measure(reader, "cut()") == []
    open_all(reader)
    assert measure(reader, "cut()") == []


SPACED = """
* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }
p { margin-bottom: 2em !important; }
"""


@pytest.mark.parametrize("width", [1200, 640, 320])
def test_text_spacing(visit: Visit, width: int) -> None:
    """The values of success criterion 1.4.12, as a reader's own stylesheet sets them."""
    reader = visit(bypass_csp=True, viewport={"width": width, "height": 900})
    reader.page.add_style_tag(content=SPACED)
    assert measure(reader, "cut()") == []
    draw_all(reader, painted=False)
    for state in (DEFAULT, *STATES):
        reader.show(state)
        assert measure(reader, "cut()") == [], state


@pytest.mark.parametrize("width", [1200, 320])
def test_labels_have_room(visit: Visit, width: int) -> None:
    """In the graphics of every state, also for the longest numbers: nothing is cut off, nothing lies on another."""
    reader = visit(viewport={"width": width, "height": 900})
    draw_all(reader, painted=False)
    wrong = []
    for state in starmap(State, product(("tired", "soft"), ("on", "off"), NAMES, (3, 9))):
        reader.show(state)
        wrong += [f"{state} {one}" for one in measure(reader, "labels()")]
    assert wrong[:20] == []


# what the reader has set -----------------------------------------------------------------------------------------


def test_motion_is_reduced(visit: Visit) -> None:
    reader = visit(reduced_motion="reduce")
    draw_all(reader)
    reader.page.evaluate(
        "() => { window.moved = []; for (const kind of ['transitionrun', 'animationstart']) "
        "addEventListener(kind, (event) => moved.push(event.propertyName), true); }"
    )
    reader.show(State("soft", "off", "previous", 3))
    assert reader.page.evaluate("() => [moved, document.getAnimations().length]") == [[], 0]


def test_motion_is_short(visit: Visit) -> None:
    reader = visit(reduced_motion="no-preference")
    slowest = reader.page.evaluate(
        "() => { document.querySelectorAll('.plot').forEach((one) => one.classList.add('stale')); "
        "return Math.max(...Array.from(document.querySelectorAll('*'), (one) => "
        "Math.max(...getComputedStyle(one).transitionDuration.split(',').map(parseFloat)))); }"
    )
    assert 0 < slowest <= 0.2


@pytest.mark.parametrize(("theme", "chosen"), [("light", ""), ("light", "dark"), ("dark", "light")])
def test_forced_colours(visit: Visit, theme: str, chosen: str) -> None:
    """The system's colours win over both themes; figures, choices and hatchings can still be told."""
    reader = visit(forced_colors="active", color_scheme=theme)
    if chosen:
        reader.page.locator(f"#theme input[value={chosen}]").check()
    reader.show(State("soft", "on", "previous", 6))
    for kind in ("lines", "table", "heads"):
        reader.draw(kind)
    canvas = reader.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    assert canvas == ("rgb(255, 255, 255)" if theme == "light" else "rgb(0, 0, 0)")
    labels = measure(reader, "faintLabels()")
    assert labels["found"] == []
    assert labels["inside"] > 50
    texts = measure(reader, "faintTexts()")
    assert [text for text in texts["found"] if "input" not in text] == []
    # a choice has a ground of its own, and a chosen head a bar
    grounds = reader.page.evaluate(
        "() => Array.from(document.querySelectorAll('.control-token input, .control-head input'), (input) => "
        "[input.checked, getComputedStyle(input.nextElementSibling).backgroundColor])"
    )
    on = {ground for checked, ground in grounds if checked}
    off = {ground for checked, ground in grounds if not checked}
    assert len(on) == 1
    assert not on & off
    bars = reader.page.evaluate(
        "() => Array.from(document.querySelectorAll('#figure-heads .block'), (one) => "
        "getComputedStyle(one).borderTopColor)"
    )
    assert [bar != canvas for bar in bars] == [False, True, False]
    # hatched, filled and empty cells differ
    cells = reader.shapes("table", "weights")["bars"][0]
    hatched = [cell for cell in cells if cell["hatch"]]
    assert len(hatched) == 45
    assert all(cell["hatch"]["stroke"] != canvas and cell["hatch"]["opacity"] for cell in hatched)
    assert len({cell["fill"] for cell in cells if not cell["hatch"]}) > 5
    ribbons = reader.shapes("lines", "lines")["ribbons"]
    assert ribbons[-1]["fill"] not in {canvas, ribbons[0]["fill"]}


GUARD = """() => {
  window.touched = [];
  for (const method of ["getItem", "setItem", "removeItem", "clear", "key"]) {
    const own = Storage.prototype[method];
    Storage.prototype[method] = function (...given) { window.touched.push(method); return own.apply(this, given); };
  }
  for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches", "cookieStore"]) {
    const given = Object.getOwnPropertyDescriptor(window, name);
    if (!given) continue;
    const get = () => { window.touched.push(name); return given.get.call(window); };
    Object.defineProperty(window, name, {...given, get});
  }
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
  Object.defineProperty(Document.prototype, "cookie", {
    get() { window.touched.push("cookie"); return cookie.get.call(this); },
    set(value) { window.touched.push("cookie"); cookie.set.call(this, value); },
  });
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_theme_follows_the_system_or_the_choice_and_is_never_stored(visit: Visit, theme: str) -> None:
    reader = visit(color_scheme=theme)
    reader.context.add_init_script(f"({GUARD})()")
    reader.page.reload()
    reader.wait(DEFAULT)
    reader.draw("lines")
    other = "dark" if theme == "light" else "light"
    grounds = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}

    def seen() -> tuple[str, str, bool]:
        ground = reader.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
        scheme = reader.page.evaluate("() => getComputedStyle(document.documentElement).colorScheme")
        reader.page.wait_for_selector(f'html[data-ready="{DEFAULT}"]', state="attached")
        label = reader.page.locator("#figure-lines .stage .textpoint text").nth(1)
        return (
            ground,
            scheme,
            label.evaluate("text => getComputedStyle(text).fill")
            == reader.page.evaluate("() => getComputedStyle(document.body).color"),
        )

    assert seen() == (grounds[theme], theme, True)
    for choice, shown in ((other, other), (theme, theme), ("", theme), (other, other)):
        reader.page.locator(f'#theme input[value="{choice}"]').check()
        reader.wait(DEFAULT)
        reader.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert seen() == (grounds[shown], shown, True), choice
    reader.page.emulate_media(color_scheme="dark" if other == "light" else "light")
    assert seen()[0] == grounds[other]  # what the reader chose stays
    assert reader.page.evaluate("() => [[...touched], localStorage.length + sessionStorage.length]") == [[], 0]
    assert reader.context.cookies() == []
    reader.page.reload()
    assert reader.page.locator('#theme input[value=""]').is_checked()


# other scripts ---------------------------------------------------------------------------------------------------


def test_language_is_named(visit: Visit) -> None:
    for path in ("index.html", "sections/softmax.html", "teachers.html"):
        assert visit(path).page.evaluate("() => document.documentElement.lang") == "en"
