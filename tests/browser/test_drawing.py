"""When Plotly draws, and what: for whom, one at a time, only what changed; and that nothing is lost when it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, ViewportSize

from tests.browser.expected import DEFAULT, KINDS, STATES, State, shown
from tests.browser.measuring import draw_all
from tests.browser.reading import Reader

Prepare = Callable[..., Reader]

LINGER = 2000  # milliseconds in view that count as interest
SMALL: ViewportSize = {"width": 1200, "height": 300}  # a window with room for one figure
OTHER = State("soft", "off", "previous", 4)

# Notes each call of Plotly.react: of which graphic, how wide, and whether another one was still at work. The graphic
# that is named by `failing.throws` fails at once, the one named by `failing.rejects` by its promise.
WATCH = """
window.calls = [];
window.failing = {throws: "", rejects: ""};
let plotly, running = 0;
const watched = (react) => (stage, data, layout, config) => {
  const plot = stage.closest("[data-figure]").dataset.figure + " " + stage.closest("[data-plot]").dataset.plot;
  window.calls.push({plot, width: layout.width, alone: running === 0});
  for (const how of ["throws", "rejects"]) {
    if (window.failing[how] !== plot) continue;
    const error = new Error(plot + " " + how);
    if (how === "throws") throw error;
    return Promise.reject(error);
  }
  running += 1;
  const drawing = react(stage, data, layout, config), end = () => { running -= 1; };
  drawing.then(end, end);
  return drawing;
};
Object.defineProperty(window, "Plotly", {
  get: () => plotly,
  set: (library) => { plotly = {...library, react: watched(library.react)}; },
});
"""

# A reader who does not linger.
RESTLESS = f"""
const wait = window.setTimeout;
window.setTimeout = (call, time, ...given) => (time === {LINGER} ? 0 : wait(call, time, ...given));
"""

# Resolves when the page's own observer has been told what is in view: it is older, and is told first.
OBSERVED = "() => new Promise((done) => new IntersectionObserver(() => done()).observe(document.body))"


class Held:
    """What the page asks for at an address, kept back until it is let go."""

    def __init__(self, reader: Reader, pattern: str) -> None:
        self.routes: list[Route] = []
        self.open = False
        reader.page.route(pattern, self._take)

    def _take(self, route: Route) -> None:
        if self.open:
            route.continue_()
        else:
            self.routes.append(route)

    def release(self) -> None:
        self.open = True
        for route in self.routes:
            route.continue_()


@pytest.fixture
def prepare(browser: Browser, served: str) -> Iterator[Prepare]:
    """A reader that has not opened anything yet, whose calls of Plotly are watched. In the end nothing went wrong."""
    readers: list[Reader] = []

    def prepare(restless: bool = True, **options: Any) -> Reader:
        readers.append(Reader(browser, served, **options))
        readers[-1].context.add_init_script(WATCH + RESTLESS * restless)
        return readers[-1]

    yield prepare
    assert [complaint for reader in readers for complaint in reader.close()][:20] == []


def calls(reader: Reader) -> list[dict[str, Any]]:
    """The calls of Plotly since this was asked the last time."""
    found: list[dict[str, Any]] = reader.page.evaluate("() => window.calls.splice(0)")
    return found


def drawn(reader: Reader) -> list[str]:
    return [call["plot"] for call in calls(reader)]


def plots(reader: Reader, *kinds: str) -> list[str]:
    """The graphics that are shown of some figures, as the calls name them."""
    return [f"{kind} {name}" for kind in kinds for name in reader.plots(kind)]


@pytest.fixture(scope="module")
def whole(browser: Browser, served: str) -> Iterator[Reader]:
    """The whole article in a window as high as the page, everything drawn. It is in whatever state it was left."""
    reader = Reader(browser, served)
    reader.context.add_init_script(WATCH + RESTLESS)
    reader.open()
    reader.wait(DEFAULT)
    draw_all(reader, painted=False)
    yield reader
    assert reader.close()[:20] == []


def idle(reader: Reader) -> None:
    """Until whatever is in view has been seen, and what is wanted of it drawn."""
    reader.page.evaluate(OBSERVED)
    reader.page.evaluate("() => new Promise((done) => setTimeout(done))")
    reader.page.wait_for_selector("html[data-ready]", state="attached")


# when --------------------------------------------------------------------------------------------------------------


def test_drawn_when_it_has_been_in_view_for_a_while(prepare: Prepare) -> None:
    """Seen for a moment is not enough, and comes to nothing later."""
    reader = prepare(restless=False, viewport=SMALL)
    clock = reader.page.clock
    clock.install(time=0)
    clock.pause_at(1000)
    reader.open()
    clock.run_for(500)  # the script begins in a task of its own
    reader.wait(DEFAULT)
    for kind in ("softmax", "lines"):
        reader.view(kind)
        reader.page.evaluate(OBSERVED)
        clock.run_for(LINGER - 1)
    assert reader.page.locator("script[src*=plotly]").count() == 0
    clock.run_for(1)
    clock.resume()
    reader.page.wait_for_selector("#figure-lines [data-drawn]", state="attached")
    reader.wait(DEFAULT)
    assert drawn(reader) == ["lines lines"]


def pointer(reader: Reader) -> None:
    reader.page.locator("#figure-mix .title").hover()


def focus(reader: Reader) -> None:
    reader.tab_to(reader.page.locator("#figure-mix input:checked"))


def touch(reader: Reader) -> None:
    reader.page.locator("#figure-mix .title").tap()


@pytest.mark.parametrize("intent", [pointer, focus, touch])
def test_drawn_at_the_first_intent(prepare: Prepare, intent: Callable[[Reader], None]) -> None:
    """Only the figure that is meant, although others are in view as well."""
    reader = prepare(has_touch=intent is touch, viewport={"width": 1200, "height": 2000})
    reader.open("sections/values.html")
    state = State(token=7)
    reader.wait(state)
    reader.page.evaluate("document.querySelector('details:has(.figure)')?.setAttribute('open', '')")
    idle(reader)
    assert plots(reader, "compare")
    assert calls(reader) == []
    intent(reader)
    reader.drawn("mix")
    reader.wait(state)
    assert drawn(reader) == plots(reader, "mix")


def test_one_at_a_time(whole: Reader) -> None:
    whole.show(DEFAULT)
    whole.page.evaluate("state => { location.hash = state; }", str(State(token=4)))  # and on without a pause
    whole.show(OTHER)
    made = calls(whole)
    assert len(made) > len(KINDS)
    assert all(call["alone"] for call in made)


# what --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "fixed"),
    [
        (State(token=4), ("compare", "table")),
        # those with no control for mask or head, and of the last token, which sees all anyway, glue
        (State(mask="off"), ("compare", "lines", "vectors", "match", "softmax", "mix", "glue")),
        (State(head="previous"), ("compare", "lines", "vectors", "match", "softmax", "mix", "heads", "glue")),
        (State("soft"), ("compare",)),
    ],
    ids=str,
)
def test_only_what_changed(whole: Reader, state: State, fixed: tuple[str, ...]) -> None:
    whole.show(DEFAULT)
    calls(whole)
    whole.show(state)
    made = drawn(whole)
    assert len(made) == len(set(made))
    assert not set(made) & set(plots(whole, *fixed))
    assert {name.split()[0] for name in made} == set(KINDS) - set(fixed)


def test_only_what_is_in_view(prepare: Prepare) -> None:
    """The others when they come into view."""
    reader = prepare(viewport=SMALL).open()
    reader.draw("softmax")
    reader.draw("glue")
    calls(reader)
    reader.show(OTHER)
    here = drawn(reader)
    assert set(here) & set(plots(reader, "glue"))
    assert not set(here) & set(plots(reader, "softmax", "lines"))
    reader.view("softmax")
    seen = shown(OTHER, "softmax")
    reader.page.wait_for_selector(f'[data-plot=scores][data-drawn="{seen}"]', state="attached")
    reader.wait(OTHER)
    there = drawn(reader)
    assert "softmax scores" in there
    assert not set(there) & {*here, *plots(reader, "lines")}


def test_texts_are_written_only_where_they_change(prepare: Prepare) -> None:
    """Counted from how the page comes: what stands there is not written a second time."""
    reader = prepare(viewport=SMALL)
    reader.page.add_init_script(
        """window.written = new Set();
        new MutationObserver((records) => {
          if (document.readyState === "loading") return;
          for (const {target} of records) {
            const element = target.nodeType === 1 ? target : target.parentElement;
            if (!element || element.closest(".plot")) continue;
            const part = element.closest(".says, .notes, .choices, caption, th, td");
            const figure = part && part.closest("[data-figure]").dataset.figure;
            if (part) written.add(figure + " " + (part.className || part.tagName));
          }
        }).observe(document, {childList: true, characterData: true, subtree: true});"""
    )
    reader.open()
    reader.wait(DEFAULT)
    written = "() => Array.from(written.values()).sort()"
    assert reader.page.evaluate(written) == []
    reader.show(replace(DEFAULT, mask="off"))
    found = reader.page.evaluate(written)
    assert "table says" in found
    assert [part for part in found if part.startswith(("compare", "vectors")) or "CAPTION" in part] == []


CLICK = """value => {
  document.querySelector(`#figure-lines input[value="${value}"]`).click();
  const of = (kind) => document.getElementById("figure-" + kind).dataset.state;
  return [of("lines"), of("glue"), "ready" in document.documentElement.dataset];
}"""


def test_what_is_in_sight_is_written_at_once(prepare: Prepare) -> None:
    """And all the rest soon after, whether plotly.js comes or not."""
    reader = prepare()
    gate = Held(reader, "**/plotly.*.js")
    reader.open()
    reader.wait(DEFAULT)
    for token in (3, 7):
        state = State(token=token)
        near, far, ready = reader.page.evaluate(CLICK, f"token={token}")
        assert near == str(state)
        assert far != near
        assert not ready
        for kind in KINDS:
            reader.page.wait_for_selector(f'#figure-{kind}[data-state="{state}"]', state="attached")
        assert reader.page.locator("html[data-ready]").count() == 0  # the graphics in view are still to come
    gate.release()
    reader.wait(state)


def test_graphics_are_told_before_the_rest_is_written(prepare: Prepare) -> None:
    """Where none has to be drawn, as soon as the change is painted."""
    reader = prepare(viewport={"width": 1200, "height": 200})
    reader.open()
    reader.wait(DEFAULT)
    state = State(token=3)
    reader.page.evaluate(
        """state => {
          const {dataset} = document.documentElement, glue = document.getElementById("figure-glue").dataset;
          window.told = null;
          new MutationObserver(() => {
            if (dataset.graphics === state && !told) told = [glue.state, "ready" in dataset];
          }).observe(document.documentElement, {attributes: true});
        }""",
        str(state),
    )
    reader.show(state)
    assert reader.page.evaluate("() => told") == [str(DEFAULT), False]


def test_a_long_page_is_laid_out_whole_in_the_end(prepare: Prepare) -> None:
    """Without a jump; until then it says that it is not ready, since what is not laid out has no names."""
    reader = prepare(painted=True)
    ready_while_long = """new MutationObserver(() => {
      const root = document.documentElement;
      if (root.classList.contains("long") && "ready" in root.dataset) window.early = true;
    }).observe(document, {attributes: true, subtree: true});"""
    reader.context.add_init_script(ready_while_long)
    reader.open()
    reader.wait(DEFAULT)
    assert reader.page.locator("html.long").count() == 0
    skipped = """() => Array.from(document.querySelectorAll("main > section, .figure, .plot"),
      (one) => getComputedStyle(one).contentVisibility)"""
    assert set(reader.page.evaluate(skipped)) == {"visible"}
    assert reader.page.evaluate("() => window.early") is None
    assert reader.page.evaluate("() => reader.shifts()") == []


def test_not_in_a_box_without_width(prepare: Prepare) -> None:
    """Hidden, or with no room: drawn when it is shown, as wide as it is then."""
    reader = prepare()
    reader.page.add_init_script(
        """document.addEventListener("readystatechange", () => {
          document.getElementById("figure-lines").style.display = "none";
          Object.assign(document.getElementById("figure-vectors").style, {width: "0", overflow: "hidden"});
        }, {once: true});"""
    )
    reader.open("index.html", OTHER)
    reader.wait(OTHER)
    reader.view("vectors")
    idle(reader)
    hidden = {"lines lines", "vectors q", "vectors k", "vectors v"}
    assert not hidden & set(drawn(reader))
    reader.page.evaluate("for (const figure of document.querySelectorAll('.figure')) figure.removeAttribute('style')")
    reader.view("vectors")
    reader.drawn("vectors")
    reader.view("lines")
    reader.drawn("lines")
    reader.wait(OTHER)
    made = {call["plot"]: call["width"] for call in calls(reader) if call["plot"] in hidden}
    widths = {
        name: reader.page.locator(f"[data-plot={name.split()[1]}]").evaluate("box => box.clientWidth")
        for name in hidden
    }
    assert made == widths
    assert min(widths.values()) > 0
    assert 700 not in widths.values()  # which is what Plotly takes where it does not know


# early and late ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["index.html", "sections/queries-keys.html"])
def test_an_early_choice_is_a_choice(prepare: Prepare, path: str) -> None:
    """Made while the script is still on its way: of a token, and of the colours."""
    reader = prepare()
    held = Held(reader, "**/app.*.js")
    reader.page.add_init_script(
        """window.visits = [];
        document.addEventListener("attention:visit", ({detail}) => visits.push([detail.at, ...detail.chose]));"""
    )
    reader.page.goto(reader.home + path, wait_until="commit")
    reader.page.locator("#figure-match [data-control=token] label").nth(3).click()
    reader.page.locator("#theme label").last.click()
    held.release()
    state = State(token=3)
    reader.wait(state)
    assert reader.page.url.endswith(f"#{state}")
    assert reader.state() == str(state)
    assert reader.figure("vectors")["controls"]["token"]["checked"] == [3]
    assert reader.page.evaluate("visits") == [["match", "token"]]
    assert reader.page.locator("html").get_attribute("data-theme") == "dark"
    assert reader.page.locator("#theme input:checked").get_attribute("value") == "dark"


def test_an_address_counts_for_more_than_an_early_choice(prepare: Prepare) -> None:
    reader = prepare()
    held = Held(reader, "**/app.*.js")
    reader.page.goto(f"{reader.home}index.html#{OTHER}", wait_until="commit")
    reader.page.locator("#figure-match [data-control=token] label").nth(3).click()
    held.release()
    reader.wait(OTHER)
    assert reader.figure("match")["controls"]["token"]["checked"] == [OTHER.token]


@pytest.mark.parametrize("width", [320, 1200])
def test_a_jump_lands_where_it_leads(prepare: Prepare, width: int) -> None:
    """Although it was made while the page was not laid out whole, before its script was there."""
    reader = prepare(viewport={"width": width, "height": 700})
    held = Held(reader, "**/app.*.js")
    reader.page.goto(reader.home + "index.html", wait_until="commit")
    reader.page.locator(".contents a").last.click()
    held.release()
    reader.wait(DEFAULT)
    assert -5 < reader.page.locator("#many-heads").evaluate("one => one.getBoundingClientRect().top") < 100


def test_a_link_to_another_state_starts_plotly_at_once(prepare: Prepare) -> None:
    """And the graphic is marked until it is drawn."""
    reader = prepare()
    held = Held(reader, "**/plotly.*.js")
    with reader.page.expect_request("**/plotly.*.js"):
        reader.open("sections/neighbours.html", OTHER)
    plot = reader.page.locator("#figure-lines [data-plot]")
    reader.page.wait_for_selector("#figure-lines .plot.stale", state="attached")
    words = plot.evaluate("box => getComputedStyle(box, '::after').content")
    assert words == f'"{plot.get_attribute("data-updating")}"'
    assert reader.state() == str(OTHER)
    assert reader.page.locator("html[data-ready]").count() == 0
    held.release()
    reader.wait(OTHER)
    assert drawn(reader) == ["lines lines"]
    assert not reader.figure("lines")["plots"]["lines"]["stale"]


# failing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["throws", "rejects"])
def test_one_that_fails_keeps_its_poster(prepare: Prepare, how: str) -> None:
    """The others are drawn, the page says that it is ready, and the next time it is drawn after all."""
    reader = prepare()
    reader.page.add_init_script(f"window.failing.{how} = 'vectors q'")
    reader.open()
    reader.wait(DEFAULT)
    reader.view("vectors")
    reader.page.locator("#figure-vectors .title").hover()
    reader.page.wait_for_selector("[data-plot=k][data-drawn]", state="attached")
    reader.wait(DEFAULT)

    def shown() -> tuple[bool, bool, bool]:
        plot = reader.figure("vectors")["plots"]["q"]
        return plot["drawn"], plot["stale"], reader.page.locator("[data-plot=q] .poster").is_visible()

    assert shown() == (False, False, True)
    assert drawn(reader)[:2] == ["vectors q", "vectors k"]
    assert reader.page.locator("[data-plot=q] .stage").count() == 0

    def fail(name: str) -> None:
        reader.page.evaluate("([how, name]) => { failing[how] = name; }", [how, name])

    # in a state that the poster does not show; and when there is no poster any more
    reader.show(OTHER)
    assert shown() == (False, True, True)
    fail("")
    reader.show(replace(OTHER, token=5))
    assert shown() == (True, False, False)
    fail("vectors q")
    reader.show(OTHER)
    assert shown() == (True, True, False)
    fail("")
    reader.show(replace(OTHER, token=5))
    assert shown() == (True, False, False)
    assert all(problem.startswith(f"console error: Error: vectors q {how}") for problem in reader.problems)
    assert len(reader.problems) >= 3
    reader.problems.clear()


# forth and back ----------------------------------------------------------------------------------------------------


def test_forth_and_back_is_the_same_page(whole: Reader) -> None:
    """To the letter, with Plotly's drawings; and nothing piles up in sixty changes.

    But for the state each was drawn in: what looks the same is not drawn again.
    """
    html = """() => Array.from(document.querySelectorAll('[data-figure]'),
        (figure) => figure.outerHTML.replace(/data-drawn="[^"]*"/g, ""))"""
    count = "() => document.querySelectorAll('*').length"
    states = STATES[::16]
    assert len(states) == 8
    first: dict[State, list[str]] = {}
    for state in states:
        whole.show(state)
        first[state] = whole.page.evaluate(html)
    for state in reversed(states):
        whole.show(state)
        for one, other in zip(first[state], whole.page.evaluate(html), strict=True):
            assert one == other
    before = whole.page.evaluate(count)
    # the rest of the sixty with fewer graphics in view, which saves most of the time
    whole.page.set_viewport_size(SMALL)
    whole.view("softmax")
    for i in range(43):
        whole.show(STATES[(i * 7 + 1) % len(STATES)])
    whole.show(states[0])
    assert whole.page.evaluate(count) == before
