"""Embedded pages: their options, their heights, and what they and their host say to each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from qkv.content.heights import CLASSES
from qkv.content.toml import load_toml
from tests.browser.expected import DEFAULT, KINDS, N, State, expected
from tests.browser.hosts import PAGE, START, Host, Servers, iframe, packaged, serving
from tests.browser.reading import Reader
from tests.contents import ROOT

SECTIONS = ("neighbours", "queries-keys", "softmax", "values", "every-token", "many-heads")
EMBEDS = [*(f"figure-{kind}" for kind in KINDS), *(f"section-{slug}" for slug in SECTIONS)]
HEIGHTS = load_toml(ROOT / "content", "heights.toml").data
SLACK = 1.2
OTHER = State("soft", "off", "previous", 4)
THIRD = State("soft", "on", "sink", 0)

Visit = Callable[..., Reader]
Enter = Callable[..., Host]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with serving(packaged(tmp_path_factory), tmp_path_factory.mktemp("hosts")) as servers:
        servers.put("start.html", START)
        yield servers


@pytest.fixture
def enter(browser: Browser, servers: Servers) -> Iterator[Enter]:
    """Goes to a host that embeds pages of the site, each at a height, from one of the origins."""
    opened: list[Host] = []

    def enter(*pages: str, height: int = 500, origin: str = "cross", script: str = "", head: str = "") -> Host:
        frames = "".join(iframe(servers.site + page, height, lazy=False) for page in pages)
        servers.put("host.js", script, "text/javascript")
        head += '<script src="host.js"></script>' if script else ""
        home = servers.origins[origin]
        servers.put("host.html", PAGE.format(head=head, frames=f'<div id="column">{frames}</div>'))
        opened.append(Host(browser, (home, servers.site)))
        return opened[-1].visit(home + "start.html", home + "host.html")

    yield enter
    for host in opened:
        host.close()


def classes(page: Page) -> list[str]:
    found: list[str] = page.evaluate("Array.from(document.documentElement.classList)")
    return found


# options


@pytest.mark.parametrize(
    ("query", "theme", "wanted"),
    [
        ("", None, []),
        ("theme=light", "light", []),
        ("theme=dark", "dark", []),
        ("controls=0&title=0&size=large&theme=dark", "dark", ["locked", "untitled", "large"]),
        ("controls=0", None, ["locked"]),
        ("title=0", None, ["untitled"]),
        ("size=large", None, ["large"]),
        ("embed=1", None, []),
        # anything else is the default
        ("theme=", None, []),
        ("theme=Dark&controls=1&title=1&size=small", None, []),
        ("theme=dark%20&controls=00&title=false&size=LARGE", None, []),
        ("theme=constructor&controls=-0&title=0.0&size=large;", None, []),
        ("theme=%3Cscript%3Ealert(1)%3C/script%3E&__proto__=x&nonsense", None, []),
        ("THEME=dark&Controls=0", None, []),
        ("theme=blue&theme=dark", None, []),
        ("%E0%A4%A", None, []),
    ],
)
def test_options(browser: Browser, home: str, query: str, theme: str | None, wanted: list[str]) -> None:
    """They hold before the page has a body to paint."""
    reader = Reader(browser, home)
    reader.context.add_init_script(
        """new MutationObserver((changes, watch) => {
          if (!document.body) return;
          watch.disconnect();
          window.first = [document.documentElement.dataset.theme, document.documentElement.className];
        }).observe(document, {childList: true, subtree: true});"""
    )
    reader.open(f"embed/figure-lines.html?{query}").wait(DEFAULT)
    assert reader.page.locator("html").get_attribute("data-theme") == theme
    assert classes(reader.page) == ["embed", *wanted]
    assert reader.page.evaluate("first") == [theme, " ".join(["embed", *wanted])]
    assert reader.close() == []


def test_the_same_states_as_the_site(visit: Visit) -> None:
    for state in (OTHER, THIRD):
        reader = visit("embed/section-many-heads.html", f"{state}&at=glue")
        reader.wait(state)
        assert reader.state() == str(state)
        reader.show(DEFAULT)
        reader.page.reload()
        reader.wait(DEFAULT)
    reader = visit("embed/figure-mix.html", "sentence=soft&mask=nonsense&token=999&head=%3Cb%3E")
    reader.wait(State("soft", token=7))
    # a section's own state is its embed's too
    assert visit("embed/section-values.html").state() == str(State(token=7))


def test_a_fixed_state(visit: Visit) -> None:
    reader = visit("embed/section-neighbours.html?controls=0", OTHER)
    reader.wait(OTHER)
    page = reader.page
    controls = page.locator(".controls input, .reset, .describes a")
    assert controls.count() > N
    assert [control for control in controls.all() if control.is_visible()] == []
    # what leads to other states is no link any more, and does nothing
    links = page.locator("a.state:not([target])")
    assert links.count() > 3
    assert [link for link in links.all() if link.is_visible() and link.get_attribute("href")] == []
    links.evaluate_all("links => links.forEach((link) => link.click())")
    plot = page.locator('[data-plot="lines"]')
    height = plot.bounding_box()
    assert height
    for row in range(N):
        plot.click(position={"x": 10, "y": 28 + (row + 0.5) * (height["height"] - 34) / N})
    reader.draw("lines")
    plot.click(position={"x": 10, "y": 60})
    assert reader.state() == str(OTHER)
    reader.wait(OTHER)
    # its address may
    reader.show(THIRD)
    assert reader.state() == str(THIRD)


def test_a_fixed_state_is_still_the_hosts(enter: Enter) -> None:
    guest = enter("embed/figure-table.html?controls=0").guest().wait(State(token=2))
    guest.set(OTHER)
    assert guest.state() == str(OTHER)


def test_without_title(visit: Visit) -> None:
    page = visit("embed/section-softmax.html?title=0").page
    for title in page.locator(".title").all():
        box = title.bounding_box()
        assert box
        assert box["width"] <= 1
        assert box["height"] <= 1
    # it still names what stands under it
    assert page.get_by_role("figure", name="From scores to weights").count() == 1
    assert page.locator(".section > p").first.is_visible()


def bars(reader: Reader, plot: str) -> list[list[float]]:
    """The corners of the bars of a graphic, in pixels; a poster has those of no length too."""
    boxes = [bar["box"] for trace in reader.shapes("softmax", plot)["bars"] for bar in trace if bar]
    return sorted(box for box in boxes if box[2] - box[0] > 1)


def test_large(visit: Visit) -> None:
    """Everything a quarter larger: letters, rows and margins, in the poster and in Plotly's graphic alike."""
    usual, large = (visit(f"embed/figure-softmax.html{query}") for query in ("", "?size=large"))

    def both(script: str) -> list[Any]:
        return [reader.page.evaluate(script) for reader in (usual, large)]

    small, big = both("parseFloat(getComputedStyle(document.querySelector('.says')).fontSize)")
    assert big == 1.25 * small
    small, big = both("Array.from(document.querySelectorAll('.plot'), (box) => box.getBoundingClientRect().height)")
    assert big == pytest.approx([1.25 * height for height in small])
    names = large.page.locator("[data-plot]").evaluate_all("boxes => boxes.map((box) => box.dataset.plot)")
    posters = {name: (bars(usual, name), bars(large, name)) for name in names}
    for reader in (usual, large):
        reader.draw("softmax")
    for name in names:
        small, big = posters[name]
        assert big
        assert [box[1::2] for box in big] == [pytest.approx([1.25 * y for y in box[1::2]], abs=1) for box in small]
        assert bars(large, name) == [pytest.approx(box, abs=1) for box in big]
        small, big = ([text["box"] for text in reader.shapes("softmax", name)["texts"]] for reader in (usual, large))
        assert [box[3] - box[1] for box in big] == [pytest.approx(1.25 * (box[3] - box[1]), abs=2) for box in small]
    assert both("document.documentElement.scrollWidth > innerWidth") == [False, False]


@pytest.mark.parametrize("query", ["", "?size=large"])
@pytest.mark.parametrize("drawn", [False, True], ids=["poster", "plotly"])
def test_a_click_on_a_row_chooses_its_token(visit: Visit, query: str, drawn: bool) -> None:
    for token in (0, 4, 8):
        reader = visit(f"embed/figure-lines.html{query}")
        reader.wait(DEFAULT)
        if drawn:
            reader.draw("lines")
        # where a row's token is written
        texts = [text for text in reader.shapes("lines", "lines")["texts"] if text["box"][0] < 100]
        places = sorted((text["box"][1] + text["box"][3]) / 2 for text in texts if text["text"] not in ("asks", ""))
        assert len(places) == N
        reader.page.locator('[data-plot="lines"]').click(position={"x": 12, "y": places[token]})
        reader.wait(State(token=token))


# links


def test_links_that_leave_open_in_a_new_tab(enter: Enter, servers: Servers) -> None:
    host = enter("embed/section-neighbours.html", origin="same")
    guest = host.guest().wait()
    guest.set(OTHER)
    address = guest.frame.url
    for link, leads in [
        ("a.link", f"index.html#{OTHER}&at=lines"),
        ('a[href$="every-token.html"]', "sections/every-token.html"),
    ]:
        with host.context.expect_page() as opened:
            guest.frame.locator(link).first.click()
        opened.value.wait_for_url(servers.site + leads)
        opened.value.close()
    assert guest.frame.url == address
    assert guest.state() == str(OTHER)
    assert host.page.evaluate("history.length") == host.length


# heights


@pytest.fixture(scope="module")
def bare(browser: Browser, home: str) -> Iterator[Reader]:
    reader = Reader(browser, home)
    yield reader
    assert reader.close() == []


@pytest.mark.parametrize("stem", EMBEDS)
def test_the_declared_heights(bare: Reader, stem: str) -> None:
    """Nothing is cut off, and no more than a fifth of the content is left blank under it."""
    wrong = []
    for name in CLASSES:
        width, _, size = name.partition("-")
        height = HEIGHTS[stem][name]
        bare.page.set_viewport_size({"width": int(width), "height": height})
        bare.open(f"embed/{stem}.html" + (f"?size={size}" if size else ""))
        bare.page.wait_for_selector("html[data-ready]", state="attached")
        content, scrolled, wide = bare.page.evaluate(
            """[document.body.getBoundingClientRect().height, document.documentElement.scrollHeight,
                document.documentElement.scrollWidth]"""
        )
        if not content <= height <= SLACK * content or scrolled > height or wide > int(width):
            wrong.append(f"{name}: {height} declared, {content} needed, scrolls over {wide} x {scrolled}")
    assert wrong == []


def test_the_whole_article_tells_its_height_too(enter: Enter) -> None:
    guest = enter("index.html").guest().wait()
    guest.host.settle()
    (told,) = guest.heights()  # rounded up, where scrollHeight is rounded
    assert told - guest.frame.evaluate("document.documentElement.scrollHeight") in (0, 1)


EMBED_JS = '<script src="{site}embed.js"></script>'


def test_the_host_follows(enter: Enter, servers: Servers) -> None:
    """With embed.js every frame is as high as what it shows: on opening, on closing, wider and narrower."""
    pages = ("embed/figure-lines.html", "embed/figure-table.html")
    host = enter(*pages, height=150, head=EMBED_JS.format(site=servers.site))
    guests = [host.guests()[0].wait(), host.guests()[1].wait(State(token=2))]
    host.settle()
    for guest in guests:
        assert guest.heights() == [guest.height()]
        assert len(guest.told()) <= 3
        guest.fits()
    guest, other = guests
    closed = guest.height()
    others = len(other.told())

    guest.click("details.numbers summary")
    host.settle()
    (told, opened) = guest.heights()
    assert told == closed
    assert opened == guest.height() > closed
    guest.fits()

    guest.click("details.numbers summary")
    host.settle()
    assert guest.heights() == [closed, opened, closed]
    guest.fits()
    assert len(other.told()) == others

    for width in ("320px", "1000px"):
        host.page.evaluate("width => { document.getElementById('column').style.width = width; }", width)
        host.settle()
        for one in guests:
            one.fits()
    assert guest.heights()[2] == closed
    assert guest.heights()[3] > closed
    assert guest.heights()[4:] == [closed]
    host.unmoved()


def test_a_host_that_is_too_generous(enter: Enter) -> None:
    """More room makes nothing grow: there is no loop."""
    script = """addEventListener("message", (event) => {
      const said = typeof event.data === "string" ? JSON.parse(event.data) : event.data;
      if (said.height) document.querySelector("iframe").style.height = said.height + 100 + "px";
    });"""
    guest = enter("embed/figure-softmax.html", script=script).guest().wait()
    guest.host.settle()
    guest.frame.evaluate("height => hosts.high(height)", guest.height() + 100)
    for _ in range(3):
        guest.host.settle()
    assert guest.heights() == [guest.height()]


def test_the_script_for_hosts_hears_only_its_frames(enter: Enter, servers: Servers) -> None:
    host = enter("embed/figure-mix.html", height=640, head=EMBED_JS.format(site=servers.site))
    guest = host.guest().wait(State(token=7))
    host.settle()
    guest.fits()
    said = {"type": "attention.height", "height": 4000}
    # the host itself, and a window that is nobody's frame
    host.page.evaluate("said => postMessage(said, '*')", said)
    with host.context.expect_page() as opened:
        host.page.evaluate("() => { open('about:blank'); }")
    opened.value.evaluate("said => opener.postMessage(said, '*')", said)
    # the frame, but nothing that is a height
    heights: list[object] = [-1, 0, 1e9, "tall", None, {}, float("nan")]
    nonsense: list[object] = ["", 5, None, [], {**said, "type": "other"}, "{"]
    for message in (*({**said, "height": height} for height in heights), *nonsense):
        guest.frame.evaluate("said => parent.postMessage(said, '*')", message)
    host.settle()
    guest.fits()
    guest.frame.evaluate("said => parent.postMessage(said, '*')", said)
    guest.frame.evaluate("() => hosts.high(4000)")


# states


def test_a_state_from_the_host(enter: Enter) -> None:
    host = enter("embed/section-softmax.html")
    guest = host.guest().wait()
    told = len(guest.told())
    guest.set(OTHER)
    guest.set(THIRD)
    for _ in range(3):
        guest.set(THIRD)  # again is no news
    host.settle()
    assert guest.states() == [str(OTHER), str(THIRD)]
    assert len(guest.told()) <= told + 2 + 2 * 2  # the states, and the heights of their texts
    guest.send({"type": "attention.set", "state": "sentence=%3Cb%3E&mask=off&head=constructor&token=-1"})
    guest.wait(State(mask="off"))
    host.unmoved()


def test_a_host_is_told_all_of_it(enter: Enter) -> None:
    """Of a section with several figures: what a host answers with shows the same again, and is no news."""
    host = enter("embed/section-values.html")
    guest = host.guest().wait(State(token=7))
    state = State(head="sink", mask="off")
    guest.send({"type": "attention.set", "state": f"{state}&at=mix"})
    guest.wait(state)
    host.settle()
    assert guest.states() == [f"{state}&at=mix"]
    says = guest.frame.locator("#figure-mix .says").text_content()
    guest.send({"type": "attention.set", "state": guest.states()[-1]})
    host.settle()
    assert guest.states() == [f"{state}&at=mix"]
    assert guest.frame.locator("#figure-mix .says").text_content() == says
    assert says
    assert " ".join(says.split()) == expected(state, "mix")["mix"]["says"]


def test_no_state_from_anybody_else(enter: Enter) -> None:
    """From no other frame of the page, none inside, no other window, and not from the page itself."""
    host = enter("embed/figure-lines.html", "embed/figure-softmax.html", origin="same")
    guest, sibling = (one.wait() for one in host.guests())
    said = {"type": "attention.set", "state": str(OTHER)}
    sibling.frame.evaluate("said => parent.frames[0].postMessage(said, '*')", said)
    guest.frame.evaluate("said => postMessage(said, '*')", said)
    guest.frame.evaluate("() => { document.body.append(document.createElement('iframe')); }")
    guest.frame.child_frames[0].evaluate("said => parent.postMessage(said, '*')", said)
    with host.context.expect_page() as opened:
        host.page.evaluate("() => { open('about:blank'); }")
    opened.value.evaluate("said => opener.frames[0].postMessage(said, '*')", said)
    host.settle()
    assert guest.state() == str(DEFAULT)
    guest.set(THIRD)
    host.settle()
    assert guest.states() == [str(THIRD)]


def test_no_nonsense_from_the_host(enter: Enter) -> None:
    guest = enter("embed/figure-lines.html").guest().wait()
    said = {"type": "attention.set", "state": str(OTHER)}
    nonsense: list[Any] = [None, 5, "", [], {}, "attention.set", {**said, "type": "set"}, json.dumps(said)]
    states: list[object] = [None, 5, {}, [], "", "lines", f"{OTHER}&x={'x' * 400}"]
    nonsense += [{**said, "state": state} for state in states]
    for message in nonsense:
        guest.send(message)
    guest.set(THIRD)
    guest.host.settle()
    assert guest.states() == [str(THIRD)]


def test_a_host_that_sends_back_what_it_hears(enter: Enter) -> None:
    """Two frames that a host keeps alike do not chase each other."""
    script = """addEventListener("message", ({data}) => {
      if (data.type !== "attention.state") return;
      for (let i = 0; i < 2; i++) frames[i].postMessage({type: "attention.set", state: data.state}, "*");
    });"""
    host = enter("embed/figure-lines.html", "embed/figure-softmax.html", script=script)
    guest, other = (one.wait() for one in host.guests())
    guest.click('input[name="lines-token"][value="token=3"]')
    for one in (guest, other):
        one.wait(State(token=3))
    for _ in range(3):
        host.settle()
    assert guest.states() == other.states() == [str(State(token=3))]


# a good guest


@pytest.mark.parametrize("origin", ["same", "cross"])
def test_the_host_is_never_scrolled(enter: Enter, origin: str) -> None:
    """Neither by a link to a state and a figure far below, nor by the links of the text."""
    host = enter(f"embed/section-many-heads.html#{OTHER}&at=glue", height=4000, origin=origin)
    guest = host.guest().wait(OTHER)
    host.settle()
    host.unmoved()
    links = guest.frame.evaluate(
        """() => {
          const links = Array.from(document.querySelectorAll("a.state:not([target]), .reset"));
          const seen = links.filter((link) => link.checkVisibility());
          for (const link of seen) link.click();
          return seen.length;
        }"""
    )
    assert links > 5
    guest.frame.evaluate("state => { location.hash = state; }", f"{THIRD}&at=heads")
    guest.wait(THIRD)
    guest.set(DEFAULT)
    host.settle()
    assert host.page.evaluate("scrollY") == host.scrolled
    assert guest.frame.evaluate("scrollY") == 0


def test_one_step_back_leaves(enter: Enter) -> None:
    """However much has been chosen."""
    host = enter("embed/section-queries-keys.html")
    guest = host.guest().wait()
    for token, (sentence, kind) in product(range(0, N, 2), product(("tired", "soft"), ("vectors", "match"))):
        guest.set(State(sentence, token=token))
        guest.click(f'input[name="{kind}-token"][value="token=1"]')
        guest.wait(State(sentence, token=1))
    guest.click(".reset")
    guest.wait()
    host.unmoved()
    assert not guest.frame.evaluate("location.hash.includes('token=1')")
    host.back()


def test_nothing_is_stored(enter: Enter) -> None:
    host = enter("embed/section-many-heads.html", origin="same")
    guest = host.guest().wait()
    guest.set(OTHER)
    assert host.context.cookies() == []
    assert host.context.storage_state()["origins"] == []
    assert guest.frame.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    assert guest.frame.evaluate("async () => (await indexedDB.databases()).length + (await caches.keys()).length") == 0


def test_the_script_for_hosts_is_small() -> None:
    script = Path(ROOT / "templates" / "assets" / "embed.js").read_text("utf-8")
    assert len(script) < 1000
    assert "event.source" in script
