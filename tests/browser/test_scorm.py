"""SCORM packages in Chromium: what a course platform is told, keeps and gives back, in both versions of SCORM.

scorm-again is the platform, and three doubles that lack something; lms.py is strict about every call.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

import build
from tests.browser.lms import CALLS, KINDS, NAMES, Platform, Visit, lesson, problems, serving

# What a learner does in each section: radio buttons, as (figure, control, which). Word 9 is tired, 10 is soft.
STEPS = {
    "neighbours": [("lines", "token", 10), ("lines", "token", 9), ("lines", "token", 7)],
    "queries-keys": [("match", "token", 9)],
    "softmax": [("softmax", "token", 8)],
    "values": [("mix", "token", 9), ("mix", "token", 10)],
    "every-token": [("table", "mask", 1)],
    "many-heads": [("heads", "head", 1), ("heads", "head", 0), ("heads", "head", 2)],
}
SECTIONS = list(STEPS)
EXITS = {"scorm12": "cmi.core.exit", "scorm2004": "cmi.exit"}

Platforms = Callable[..., Platform]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("platform")


@pytest.fixture(scope="module")
def home(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A platform with all packages of the article, and for each version one of the article that sends a score."""
    site = tmp_path_factory.mktemp("packages") / "site"
    build.build(build.ROOT / "content", site, quiet=True, packages=True)
    with serving(site / "downloads", folder) as address:
        for kind in KINDS:
            scored = folder / f"{kind}-scored"
            shutil.copytree(folder / f"{kind}-article", scored)
            text = (scored / "index.html").read_text("utf-8")
            assert text.count('"score":false') == 1
            (scored / "index.html").write_text(text.replace('"score":false', '"score":true'), "utf-8")
        yield address


@pytest.fixture
def platform(browser: Browser, home: str) -> Iterator[Platforms]:
    """platform(options of the browser context): a platform that knows nothing yet. In the end nothing may be wrong."""
    opened: list[Platform] = []

    def platform(**options: object) -> Platform:
        opened.append(Platform(browser, home, **options))
        return opened[-1]

    yield platform
    for one in opened:
        one.close()


def do(visit: Visit, *sections: str, mouse: bool = False) -> None:
    for section in sections:
        assert section not in visit.done()
        for figure, control, index in STEPS[section]:
            visit.choose(figure, control, index, mouse)
        assert section in visit.done()


@pytest.mark.parametrize(("kind", "place"), [("scorm12", "frame"), ("scorm12", "popup"), ("scorm2004", "frame")])
def test_leave_half_way_come_back_and_complete(platform: Platforms, kind: str, place: str) -> None:
    course = platform()
    visit = course.launch(f"{kind}-article", place).opened()
    assert visit.count() == "Your course: 0 of 6 sections done"
    assert visit.sets("status") == ["incomplete"]
    assert course.kept()[EXITS[kind]] == "suspend"  # from the start
    do(visit, "neighbours", "softmax", "every-token", mouse=True)
    assert visit.count() == "Your course: 3 of 6 sections done"
    state = visit.sco.locator("#figure-table").get_attribute("data-state")
    visit.leave()
    kept = course.kept()
    assert kept[NAMES[kind]["status"]] == "incomplete"
    assert kept[EXITS[kind]] == "suspend"

    visit = course.launch(f"{kind}-article", place).opened()
    assert visit.done() == ["neighbours", "softmax", "every-token"]
    assert visit.sets("status") == []
    figure = visit.sco.locator("#figure-table")
    assert figure.get_attribute("data-state") == state
    box = figure.evaluate("one => one.getBoundingClientRect().top")
    assert 0 <= box <= 300, "the learner lands where they were"
    do(visit, "queries-keys", "values", "many-heads", mouse=True)
    assert visit.count() == "Your course: completed"
    assert visit.sets("status") == ["completed"]
    visit.leave()
    assert course.kept()[NAMES[kind]["status"]] == "completed"

    visit = course.launch(f"{kind}-article", place).opened()
    assert visit.count() == "Your course: completed"
    assert visit.done() == SECTIONS
    visit.choose("lines", "token", 3)
    calls = visit.leave()
    assert [call for call in calls if call["name"] == "SetValue" and call["given"][0] == NAMES[kind]["status"]] == []
    assert course.kept()[NAMES[kind]["status"]] == "completed"


@pytest.mark.parametrize(
    ("kind", "section"), [*(("scorm12", section) for section in SECTIONS), ("scorm2004", "many-heads")]
)
def test_a_package_of_one_section(platform: Platforms, kind: str, section: str) -> None:
    course = platform()
    visit = course.launch(f"{kind}-section-{section}").opened()
    assert visit.count() == "Your course: 0 of 1 sections done"
    do(visit, section, mouse=True)
    assert visit.count() == "Your course: completed"
    visit.leave()
    assert course.kept()[NAMES[kind]["status"]] == "completed"


def test_nothing_counts_but_what_the_learner_chooses(platform: Platforms) -> None:
    """Not what the page opens with, nor a choice of something else, nor what the window around it sets."""
    visit = platform().launch("scorm12-article").opened()
    sco = visit.sco
    sco.evaluate("() => window.scrollTo(0, document.documentElement.scrollHeight)")
    visit.choose("lines", "token", 9, mouse=True)  # of another section; and there was more to choose
    visit.choose("heads", "mask", 0, mouse=True)
    sco.locator("#figure-match .reset").click()
    sco.locator("#figure-match .link").click()
    visit.page.evaluate("() => lms.send({type: 'attention.set', state: 'mask=off'})")
    sco.wait_for_selector('#figure-table[data-state*="mask=off"]')
    sco.evaluate("() => { location.hash = 'sentence=soft&mask=off&head=sink&token=9'; }")
    sco.wait_for_selector('#figure-table[data-state^="sentence=soft"]')
    assert visit.done() == []
    assert visit.sets("cmi.suspend_data") == ["1"]
    visit.choose("table", "mask", 1, mouse=True)  # it is off already, and now it is chosen
    assert visit.done() == ["every-token"]
    visit.leave()


def test_what_counts_as_an_action(platform: Platforms) -> None:
    """Links in the text, clicks on rows, the keyboard."""
    visit = platform().launch("scorm12-article").opened()
    sco = visit.sco
    sco.locator("#many-heads > p a.state", has_text="Some look at the previous token").click()
    sco.locator("#many-heads > p a.state", has_text="Some link a pronoun").click()
    sco.locator("#many-heads > p a.state", has_text="Many park").click()
    assert visit.done() == ["many-heads"]
    sco.locator("#neighbours > p a.state", has_text="The cat, of course").click()
    sco.locator("#neighbours > p a.state", has_text="the answer flips").click()
    plot = sco.locator('#figure-lines [data-plot="lines"]')
    layout = sco.evaluate(
        "() => JSON.parse(document.getElementById('figures').textContent).figures.lines.plots.lines.layout"
    )
    top, bottom = layout["margin"]["t"], layout["margin"]["b"]
    row = top + (layout["height"] - top - bottom) * 7.5 / 10  # it
    plot.click(position={"x": 20, "y": row})
    assert visit.done() == ["neighbours", "many-heads"]
    visit.choose("match", "token", 8, mouse=True)
    sco.locator("#figure-match [data-control=token] input").nth(8).focus()
    sco.page.keyboard.press("ArrowRight")
    assert "queries-keys" in visit.done()
    sco.locator("#figure-table [data-control=mask] input").nth(1).focus()
    sco.page.keyboard.press("Space")
    assert "every-token" in visit.done()
    visit.leave()


def answer(visit: Visit, question: str, value: str) -> None:
    box = visit.sco.locator(f'[data-question="{question}"]')
    text = box.locator("input[type=text]")
    if text.count():
        text.fill(value)
    else:
        box.locator(f'input[value="{value}"]').check()
    box.locator("button").click()


@pytest.mark.parametrize("kind", KINDS)
def test_no_score_unless_it_is_on(platform: Platforms, kind: str) -> None:
    visit = platform().launch(f"{kind}-article").opened()
    answer(visit, "neighbours-1", "1")
    do(visit, *SECTIONS)
    answer(visit, "queries-keys-1", "1")
    assert not [call for call in visit.leave() if "score" in "".join(call["given"])]
    assert "q:" not in visit.platform.kept()["cmi.suspend_data"]


@pytest.mark.parametrize("kind", KINDS)
def test_score_from_first_attempts(platform: Platforms, kind: str) -> None:
    """Of eight questions two are right at once, one at the second attempt, one is wrong; sent only when all is done."""
    course = platform()
    visit = course.launch(f"{kind}-scored").opened()
    answer(visit, "neighbours-1", "1")
    answer(visit, "queries-keys-1", "10")  # all ten have a score; one is above 0
    do(visit, *SECTIONS[:3])
    visit.leave()
    visit = course.launch(f"{kind}-scored").opened()
    answer(visit, "queries-keys-1", "1")
    answer(visit, "softmax-1", "7,4")
    do(visit, *SECTIONS[3:5])
    assert visit.sets("score") == []
    do(visit, SECTIONS[5])
    assert visit.sets("score") == ["25"]
    if kind == "scorm2004":
        assert visit.sets("cmi.score.scaled") == ["0.25"]
    answer(visit, "every-token-1", "1")
    assert visit.sets("score") == ["25", "38"]
    calls = visit.leave()
    names = [call["given"][0] for call in calls if call["name"] == "SetValue"]
    assert names.index(NAMES[kind]["status"]) < names.index(NAMES[kind]["score"])
    kept = course.kept()
    core = "cmi.core." if kind == "scorm12" else "cmi."
    assert [str(kept[f"{core}score.{part}"]) for part in ("raw", "min", "max")] == ["38", "0", "100"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_window_that_is_closed_loses_only_the_section_under_way(platform: Platforms, kind: str) -> None:
    course = platform()
    visit = course.launch(f"{kind}-article").opened()
    do(visit, "neighbours", "every-token")
    visit.choose("heads", "head", 1)
    visit.offline(True)  # nothing that is said while the window closes is heard
    visit.page.close()
    visit = course.launch(f"{kind}-article").opened()
    assert visit.done() == ["neighbours", "every-token"]
    visit.leave()


@pytest.mark.parametrize("kind", KINDS)
def test_a_platform_that_answers_nothing(platform: Platforms, kind: str) -> None:
    course = platform()
    visit = course.launch(f"{kind}-article", runtime="silent").opened()
    assert visit.sets("status") == ["incomplete"]
    do(visit, *SECTIONS)
    assert visit.sets("status") == ["incomplete", "completed"]
    visit.leave()
    assert course.kept()[NAMES[kind]["status"]] == "completed"


@pytest.mark.parametrize("kind", KINDS)
def test_a_platform_that_tells_no_status(platform: Platforms, kind: str) -> None:
    """What we know ourselves keeps a completed lesson from being called incomplete."""
    course = platform()
    visit = course.launch(f"{kind}-article", runtime="mute").opened()
    do(visit, "neighbours")
    visit.leave()
    visit = course.launch(f"{kind}-article", runtime="mute").opened()
    assert visit.done() == ["neighbours"]
    do(visit, *SECTIONS[1:])
    visit.leave()
    visit = course.launch(f"{kind}-article", runtime="mute").opened()
    assert visit.count() == "Your course: completed"
    visit.leave()
    assert visit.kind == kind
    assert "incomplete" not in [value for value in course.kept().values() if value]
    assert course.kept()[NAMES[kind]["status"]] == "completed"


@pytest.mark.parametrize("runtime", ["again", "double"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_platform_that_cannot_be_reached_for_a_while(platform: Platforms, kind: str, runtime: str) -> None:
    """The double forgets what it was told meanwhile; it is told again as soon as a commit goes well."""
    course = platform()
    visit = course.launch(f"{kind}-article", runtime=runtime).opened()
    visit.offline(True)
    do(visit, "neighbours", "softmax")
    before = course.kept()
    assert before["cmi.suspend_data"] == "1"
    visit.offline(False)
    visit.sco.evaluate("() => dispatchEvent(new Event('online'))")
    assert course.kept()["cmi.suspend_data"] == "1;s:neighbours:d;s:softmax:d"
    visit.offline(True)
    do(visit, *[section for section in SECTIONS if section not in ("neighbours", "softmax")])
    assert course.kept()[NAMES[kind]["status"]] == "incomplete"
    visit.offline(False)
    visit.leave(failing=True)
    assert course.kept()[NAMES[kind]["status"]] == "completed"
    assert course.kept()["cmi.suspend_data"].startswith("1;c;")


def test_a_failed_commit_is_tried_again(platform: Platforms) -> None:
    course = platform()
    course.context.clock.install()
    visit = course.launch("scorm12-article", runtime="double")
    course.context.clock.run_for(2000)
    visit.opened()
    visit.offline(True)
    do(visit, "neighbours")
    course.context.clock.run_for(20000)
    assert course.kept()["cmi.suspend_data"] == "1"
    visit.offline(False)
    course.context.clock.run_for(60000)
    assert course.kept()["cmi.suspend_data"] == "1;s:neighbours:d"
    visit.leave(failing=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["review", "browse"])
def test_a_visit_to_look_back_changes_nothing(platform: Platforms, kind: str, mode: str) -> None:
    course = platform()
    visit = course.launch(f"{kind}-article").opened()
    do(visit, "neighbours")
    visit.leave()
    before = course.kept()["cmi.suspend_data"]
    visit = course.launch(f"{kind}-article", mode=mode).opened()
    assert visit.done() == ["neighbours"]
    do(visit, "softmax")
    assert [call for call in visit.leave() if call["name"] == "SetValue"] == []
    assert course.kept()["cmi.suspend_data"] == before


JUNK = [
    "null",
    "undefined",
    "2;c;s:softmax:d",
    "1;s:softmax:dd;s:neighbours:1;s:nowhere:d;s:many-heads:2;q:softmax-1:1;;:;s",
    "1\n;c\n",
    "<b>1;c</b>",
    "1;s:" + "x" * 5000,
    "\u0000\ud83d\ude00",
    "{}",
]


@pytest.mark.parametrize("junk", JUNK)
def test_what_a_platform_hands_out_is_read_with_care(platform: Platforms, junk: str) -> None:
    course = platform()
    page = course.context.new_page()
    page.goto(f"{course.home}empty.html")
    kept = json.dumps({"cmi.suspend_data": junk, "cmi.core.lesson_location": junk})
    page.evaluate("kept => localStorage.setItem('kept', kept)", kept)
    page.close()
    visit = course.launch("scorm12-article", runtime="double").opened()
    assert visit.done() == []
    assert visit.count() == "Your course: 0 of 6 sections done"
    do(visit, "softmax")
    visit.leave()
    assert course.kept()["cmi.suspend_data"] == "1;s:softmax:d"


def test_few_values_are_set(platform: Platforms) -> None:
    """However often the window is hidden and shown, and however much is done: enough is kept back for the end."""
    course = platform()
    course.context.clock.install()
    visit = course.launch("scorm2004-scored")
    course.context.clock.run_for(2000)
    visit.opened()
    hide = (
        "() => { Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true}); "
        "document.dispatchEvent(new Event('visibilitychange')); }"
    )
    for _ in range(40):
        course.context.clock.run_for(61000)
        visit.sco.evaluate(hide)
    assert len(visit.calls()) < CALLS + 45
    do(visit, *SECTIONS)
    for question in ("softmax-1", "queries-keys-1"):
        answer(visit, question, "1")
    visit.leave()
    kept = course.kept()
    assert kept["cmi.completion_status"] == "completed"
    assert kept["cmi.suspend_data"].startswith("1;c;")


@pytest.mark.parametrize("kind", KINDS)
def test_hours_and_other_languages(platform: Platforms, kind: str) -> None:
    course = platform(locale="de-DE")
    course.context.clock.install()
    visit = course.launch(f"{kind}-article")
    course.context.clock.run_for(2000)
    visit.opened()
    course.context.clock.fast_forward("30:02:03")
    do(visit, "softmax")
    time = visit.sets("cmi.core.session_time" if kind == "scorm12" else "cmi.session_time")[-1]
    assert time.startswith("0030:02:" if kind == "scorm12" else "PT30H2M")
    visit.leave()


@pytest.mark.parametrize("place", ["frame", "popup"])
def test_without_a_platform_it_is_a_page(platform: Platforms, place: str) -> None:
    visit = platform().launch("scorm12-article", place, runtime="none")
    sco = visit.sco
    visit.choose("table", "mask", 1, mouse=True)
    sco.wait_for_selector('#figure-table[data-state*="mask=off"]')
    sco.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))")
    assert sco.locator("#course").is_hidden()
    assert visit.calls() == []


def test_in_a_window_of_somebody_else(platform: Platforms, home: str) -> None:
    """A frame whose surroundings may not be looked into: silently a page."""
    course = platform()
    course.home = "http"
    page = course.context.new_page()
    page.goto(f"{home}scorm2004.html#" + quote('{"kind":"scorm2004","runtime":"none"}'))
    page.evaluate(
        "address => lms.frame(address)", home.replace("127.0.0.1", "localhost") + "scorm2004-article/index.html"
    )
    sco = lesson(page)
    sco.wait_for_selector("html[data-ready]", state="attached")
    sco.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))")
    assert sco.locator("#course").is_hidden()


@pytest.mark.parametrize("held", ["**/assets/*.js", "**/assets/plotly.*.js", "**/assets/scorm.*.js"])
def test_never_blank_on_a_slow_network(platform: Platforms, held: str) -> None:
    """While scripts are on their way the text, the figures and, as far as they depend on nothing else, the controls are
    there."""
    course = platform()
    course.context.route(held, lambda _: None)
    page = course.context.new_page()
    page.goto(f"{course.home}scorm12.html#" + quote('{"kind":"scorm12","runtime":"again"}'))
    page.evaluate("() => lms.frame('scorm12-article/index.html')")
    sco = lesson(page)
    sco.wait_for_selector("#figure-lines .poster", state="visible")
    assert "The meaning of a word depends" in sco.locator("#neighbours").inner_text()
    if "assets/*" not in held:
        sco.wait_for_selector("html[data-ready]", state="attached")
        sco.locator("#figure-table [data-control=mask] input").nth(1).click()
        assert sco.locator('#figure-table[data-state*="mask=off"]').count() == 1
    if "plotly" in held:
        sco.wait_for_selector("#course", state="visible")
        assert sco.locator("#course li.done[data-section]").count() in (0, 1)
    course.context.unroute_all(behavior="ignoreErrors")


def test_the_wrapper_is_strict() -> None:
    """That it finds nothing means something."""

    def call(name: str, *given: object, answer: str = "true", error: str = "0") -> dict[str, object]:
        return {"name": name, "given": list(given), "answer": answer, "error": error}

    good = [
        call("Initialize", ""),
        call("SetValue", "cmi.core.exit", "suspend"),
        call("Commit", ""),
        call("Finish", ""),
    ]
    assert problems("scorm12", good, True) == []
    for place, bad in [
        (1, call("SetValue", "cmi.core.session_time", "1:02:03")),
        (1, call("SetValue", "cmi.core.session_time", "0001:02:03,5")),
        (1, call("SetValue", "cmi.core.lesson_location", "x" * 256)),
        (1, call("SetValue", "cmi.suspend_data", "x" * 4097)),
        (1, call("SetValue", "cmi.suspend_data", "a\nb")),
        (1, call("SetValue", "cmi.suspend_data", "\u00e9")),
        (1, call("SetValue", "cmi.core.score.raw", "101")),
        (1, call("SetValue", "cmi.core.score.raw", 50)),
        (1, call("SetValue", "cmi.completion_status", "completed")),
        (1, call("SetValue", "cmi.core.exit", "suspend", error="201")),
        (1, call("SetValue", "cmi.core.exit", "suspend", answer="false")),
        (1, call("GetValue", "cmi.core.student_name")),
        (2, call("Commit", "", answer="false")),
        (2, call("Initialize", "")),
        (3, call("Commit", "")),
    ]:
        assert problems("scorm12", [*good[:place], bad, *good[place + 1 :]], True) != [], bad
    assert problems("scorm12", [*good, call("Commit", "")], True) != []
    assert problems("scorm12", [good[0], *good[1:2] * 61, *good[2:]], True) != []
    assert problems("scorm2004", [call("SetValue", "cmi.session_time", "PT1H2M3,5S")], False) != []


def test_plotly_is_gone_and_comes_back(platform: Platforms) -> None:
    """A lesson tries again like any page. It never reloads itself, since many platforms then keep nothing more."""
    course = platform()
    course.context.route("**/assets/plotly.*.js", lambda route: route.fulfill(status=404))
    page = course.context.new_page()
    page.goto(f"{course.home}scorm12.html#" + quote('{"kind":"scorm12","runtime":"again"}'))
    page.evaluate("() => lms.frame('scorm12-article/index.html')")
    sco = lesson(page)
    sco.wait_for_selector("#course", state="visible")
    sco.wait_for_selector("html[data-ready]", state="attached")
    sco.locator("#figure-lines .says").scroll_into_view_if_needed()
    words, tokens = sco.locator("#figure-lines .failed"), sco.locator("#figure-lines [data-control=token] input")
    tokens.nth(3).click()
    expect(words).to_have_text("The picture could not be loaded. Try again If that does not help, reload the page.")
    course.context.unroute("**/assets/plotly.*.js")
    tokens.nth(4).click()
    sco.wait_for_selector("#figure-lines [data-drawn]", state="attached")
    expect(words).to_have_count(0)
    assert sco.locator("#course").is_visible()
    assert [one for one in course.wrong if "404" not in one] == []
    course.wrong.clear()
