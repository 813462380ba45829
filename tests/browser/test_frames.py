"""A figure in every kind of frame that a platform may put it in: it shows, answers, and leaves its host alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.expected import DEFAULT, State
from tests.browser.hosts import PAGE, START, Guest, Host, Servers, iframe, packaged, serving

KIND = "lines"
EMBED, SINGLE = f"embed/figure-{KIND}.html", f"downloads/figure-{KIND}.html"
HEIGHT = 760  # pixels of a frame, as a snippet has it
WIDEST = 952  # pixels of a graphic, in a frame with room for more
BESIDE = 8  # pixels of a frame beside a graphic, with room for spaced-out letters
OTHER = State("soft", "off", "previous", 4)

# a browser's old and new ways to keep something, and the history, all refused
REFUSED = """
const refuse = () => { throw new DOMException("refused", "SecurityError"); };
for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches", "cookieStore"]) {
  Object.defineProperty(window, name, {get: refuse, configurable: true});
}
Object.defineProperty(document, "cookie", {get: refuse, set: refuse});
history.replaceState = refuse;
history.pushState = refuse;
"""

# what a tab in the background does: no picture is made, so nothing that waits for one comes, until it is looked at
ASLEEP = """
let asleep = true;
const waiting = [], picture = requestAnimationFrame;
window.requestAnimationFrame = (call) => (asleep ? waiting.push(() => picture(call)) : picture(call));
for (const name of ["ResizeObserver", "IntersectionObserver"]) {
  const later = (call) => (...given) => (asleep ? waiting.push(() => call(...given)) : call(...given));
  window[name] = class extends window[name] { constructor(call, more) { super(later(call), more); } };
}
for (const [name, value] of [["hidden", () => asleep], ["visibilityState", () => (asleep ? "hidden" : "visible")]]) {
  Object.defineProperty(document, name, {get: value});
}
window.wake = () => {
  asleep = false;
  document.dispatchEvent(new Event("visibilitychange"));
  waiting.forEach((call) => call());
};
"""

REQUIRE = """
window.define = () => { throw new Error("a script of the guest's went to the host's loader"); };
window.define.amd = {};
window.require = window.requirejs = () => {};
"""


@dataclass(frozen=True)
class Kind:
    """A kind of frame, and what stands in it."""

    name: str
    origin: str = "other"  # of the host: the same, another port, another site, or a file
    page: str = EMBED
    srcdoc: bool = False
    more: str = ""  # further attributes of the frame
    width: int = 1000  # pixels of the column
    count: int = 1
    lazy: bool = True
    around: str = "{}"
    show: str = ""  # what brings it to view, in the host
    wakes: bool = False
    slow: bool = False
    head: str = ""
    policy: str = ""
    inside: str = ""
    everywhere: str = ""


KINDS = [
    Kind("plain", "same"),
    Kind("plain, from another port"),
    Kind("plain, from another site", "cross"),
    Kind("sandboxed", "cross", more=' sandbox="allow-scripts"'),
    Kind("sandboxed, on the host's own server", "same", more=' sandbox="allow-scripts"'),
    Kind("sandboxed with the same origin", "same", more=' sandbox="allow-scripts allow-same-origin"'),
    Kind("sandboxed with its own origin, elsewhere", "cross", more=' sandbox="allow-scripts allow-same-origin"'),
    Kind("srcdoc", page=SINGLE, srcdoc=True),
    Kind("srcdoc, sandboxed", page=SINGLE, srcdoc=True, more=' sandbox="allow-scripts"'),
    Kind("a tab in the background", everywhere=ASLEEP, wakes=True),
    Kind(
        "details",
        around='<details id="more"><summary tabindex="-1">more</summary>{}</details>',
        show='document.getElementById("more").open = true',
    ),
    Kind(
        "details, loaded before they are opened",
        lazy=False,
        around='<details id="more"><summary tabindex="-1">more</summary>{}</details>',
        show='document.getElementById("more").open = true',
    ),
    Kind(
        "0 x 0, then shown",
        lazy=False,
        around='<div id="box" style="width: 0; height: 0; overflow: hidden">{}</div>',
        show='document.getElementById("box").removeAttribute("style")',
    ),
    Kind(
        "not displayed, then shown, as a slide is",
        "cross",
        around='<div id="slide" style="display: none">{}</div>',
        lazy=False,
        show='document.getElementById("slide").removeAttribute("style")',
    ),
    Kind("two on one page", count=2),
    Kind(
        "in a host with a strict policy",
        "cross",
        policy="default-src 'none'; frame-src {site}; style-src 'unsafe-inline'; img-src data:",
    ),
    Kind("in a host with require.js", "same", head='<script src="/require.js"></script>'),
    Kind("with a loader of modules in it", inside=REQUIRE),
    Kind("a single file, with a loader of modules in it", page=SINGLE, inside=REQUIRE),
    Kind("over a slow network", "cross", slow=True),
    Kind("where storage and history are refused", "cross", inside=REFUSED),
    Kind("a single file, where storage and history are refused", page=SINGLE, inside=REFUSED),
    Kind("320 px wide", width=320),
    Kind("1200 px wide", width=1200),
    Kind("a single file, over HTTP", page=SINGLE),
    Kind("a single file beside the host, both on a disk", "file", page=SINGLE),
]

Enter = Callable[[Kind], Host]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packaged(tmp_path_factory)


@pytest.fixture(scope="module")
def servers(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with serving(built, tmp_path_factory.mktemp("hosts")) as servers:
        servers.put("start.html", START)
        servers.put("require.js", REQUIRE, "text/javascript")
        yield servers


@pytest.fixture
def enter(browser: Browser, built: Path, servers: Servers, tmp_path: Path) -> Iterator[Enter]:
    """Puts up a host with a kind of frame in it, and goes there."""
    opened: list[Host] = []

    def enter(kind: Kind) -> Host:
        if kind.srcdoc:
            frame = f'<iframe srcdoc="{escape((built / kind.page).read_text("utf-8"))}"'
            frame += f' title="A figure" width="100%" height="{HEIGHT}" style="border:0"{kind.more}></iframe>'
        else:
            address = Path(kind.page).name if kind.origin == "file" else servers.site + kind.page
            frame = iframe(f"{address}#{DEFAULT}&at={KIND}", HEIGHT, kind.more, kind.lazy)
        frames = f'<div style="width: {kind.width}px">{kind.around.format(frame * kind.count)}</div>'
        html = PAGE.format(head=kind.head, frames=frames)
        if kind.origin == "file":
            (tmp_path / "host.html").write_text(html, "utf-8")
            (tmp_path / "start.html").write_text(START, "utf-8")
            (tmp_path / Path(kind.page).name).write_bytes((built / kind.page).read_bytes())
            home, path, site = tmp_path.as_uri() + "/", "host.html", ""
        else:
            home, path, site = servers.origins[kind.origin], "host.html", servers.site
            policy = kind.policy.format(site=servers.origins["same"])
            servers.put(path, html, **({"Content_Security_Policy": policy} if policy else {}))
        allowed = (home, site) if site else (home,)
        opened.append(Host(browser, allowed, kind.inside, kind.everywhere))
        if kind.slow:
            opened[-1].hold("**/plotly.*.js")
        return opened[-1].visit(home + "start.html", home + path)

    yield enter
    for host in opened:
        host.close()


def check_size(guest: Guest, kind: Kind) -> None:
    """Poster or Plotly's: it is there, as large as its box."""
    graphics = guest.graphics()
    assert graphics
    for graphic in graphics:
        assert graphic["seen"]
        assert graphic["box"] == pytest.approx([min(kind.width - BESIDE, WIDEST), graphic["height"]], abs=1)
        assert graphic["shown"] == pytest.approx(graphic["box"], abs=1)
    assert not guest.frame.evaluate("document.documentElement.scrollWidth > innerWidth")


def check_told(guest: Guest) -> None:
    """The height, in both forms, and nothing else."""
    assert guest.heights() == [guest.height()]
    assert len(guest.told()) <= 3


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_guest_in(enter: Enter, kind: Kind) -> None:
    host = enter(kind)
    if kind.show or kind.wakes:
        host.settle()
        assert [guest.told() for guest in host.guests()] == [[]]
        assert [url for url in host.asked if "plotly" in url and url.endswith(".js")] == []
    if kind.show:
        host.page.evaluate(kind.show)
    if kind.wakes:
        host.guest().wait()
        host.guest().send({"type": "attention.set", "state": str(OTHER)})
        for frame in host.page.frames:
            frame.evaluate("() => wake()")
        host.guest().wait(OTHER)
        host.guest().set(DEFAULT)

    assert len(host.guests()) == kind.count
    for guest in host.guests():
        guest.wait()
        host.settle()
        if kind.wakes:
            assert guest.heights()[-1:] == [guest.height()]
        else:
            check_size(guest, kind)
            check_told(guest)
        if kind.slow:
            slowly(host, guest, kind)
        guest.set(OTHER)
        host.settle()
        check_size(guest, kind)
        assert all(graphic["drawn"] for graphic in guest.graphics())
        assert guest.state() == str(OTHER)
        assert guest.heights()[-1] == guest.height()
        assert len(guest.heights()) == len(dict.fromkeys(guest.heights())) or kind.wakes
    host.unmoved()
    host.walk()
    host.back()


@pytest.mark.parametrize("key", ["", "Enter"], ids=["click", "enter"])
def test_a_question_in_a_sandbox_without_forms(enter: Enter, key: str) -> None:
    host = enter(Kind("sandboxed", "cross", page="embed/section-softmax.html", more=' sandbox="allow-scripts"'))
    guest = host.guest().wait()
    question = guest.frame.locator("[data-question]").first
    question.locator("input").first.fill("7.4")
    if key:
        question.locator("input").first.press(key)
    else:
        question.get_by_role("button").click()
    expect(question.locator(".verdict")).not_to_have_text("")


def slowly(host: Host, guest: Guest, kind: Kind) -> None:
    """Plotly does not come: the texts answer, and the poster stays and says that it is of another state."""
    guest.send({"type": "attention.set", "state": str(OTHER)})
    guest.frame.wait_for_selector(".plot.stale", state="attached")
    guest.frame.wait_for_selector('script[src*="plotly"]', state="attached")
    assert guest.state() == str(OTHER)
    check_size(guest, kind)
    assert not any(graphic["drawn"] for graphic in guest.graphics())
    host.settle()
    assert guest.states() == [str(OTHER)]
    assert guest.frame.locator("html[data-ready]").count() == 0
    host.unmoved()
    host.release()
    guest.wait(OTHER)
    assert not any(graphic["stale"] for graphic in guest.graphics())
