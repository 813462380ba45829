"""Somebody's course pages with our pages in their frames, on servers of two origins; notes what the guests do."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, ElementHandle, Frame, Request, Route

import build
from tests.browser.expected import DEFAULT, State
from tests.browser.reading import STATE, UNPAINTED

COURSE = "course/x/"  # where the site lies on both servers
SCRIPT = Path(__file__).with_name("hosts.js")
OWN = ("data:", "blob:", "about:")
ICON = '<link rel="icon" href="data:,">'
START = f"<!doctype html><title>before</title>{ICON}<p>The page before the course"
PAGE = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>a course</title><link rel="icon" href="data:,">{head}
<style>body {{ margin: 0 }} iframe {{ display: block }}</style>
<div style="height: 300px">what stands above</div>
<button id="before">before</button>
{frames}
<button id="after">after</button>
<div style="height: 3000px">what stands below</div>
</html>
"""


def packaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with its downloads, built once for all modules."""
    folder = tmp_path_factory.getbasetemp() / "packaged"
    if not folder.exists():
        build.build(build.ROOT / "content", folder, quiet=True, packages=True)
    return folder


class Servers:
    """The same on two ports: the site, and the pages that a test puts up."""

    def __init__(self, root: Path) -> None:
        self.put_up: dict[str, tuple[str, str, dict[str, str]]] = {}
        handler = partial(_Handler, self.put_up, directory=str(root))
        self.servers = [ThreadingHTTPServer(("127.0.0.1", 0), handler) for _ in range(2)]
        self.threads = [threading.Thread(target=server.serve_forever) for server in self.servers]
        for thread in self.threads:
            thread.start()
        own, other = (server.server_address[1] for server in self.servers)
        self.origins = {
            "same": f"http://127.0.0.1:{own}/",
            "other": f"http://127.0.0.1:{other}/",
            "cross": f"http://localhost:{other}/",
        }
        self.site = self.origins["same"] + COURSE

    def put(self, path: str, text: str, kind: str = "text/html; charset=utf-8", **headers: str) -> None:
        """Puts up a page at a path; an underscore in a header's name is a hyphen."""
        self.put_up["/" + path] = (text, kind, {name.replace("_", "-"): value for name, value in headers.items()})

    def close(self) -> None:
        for server, thread in zip(self.servers, self.threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, put_up: dict[str, tuple[str, str, dict[str, str]]], *args: Any, **kwargs: Any) -> None:
        self.put_up = put_up
        super().__init__(*args, **kwargs)

    def do_GET(self) -> None:
        if self.path not in self.put_up:
            super().do_GET()
            return
        text, kind, headers = self.put_up[self.path]
        data = text.encode()
        self.send_response(200)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # a browser may hang up
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing to read here."""


@contextlib.contextmanager
def serving(site: Path, root: Path) -> Iterator[Servers]:
    """Serves a built site; `root` is an empty folder to do it from."""
    folder = root / COURSE.strip("/")
    folder.parent.mkdir(parents=True)
    folder.symlink_to(site, target_is_directory=True)
    servers = Servers(root)
    try:
        yield servers
    finally:
        servers.close()


def iframe(address: str, height: int, more: str = "", lazy: bool = True) -> str:
    """The snippet of the page for teachers, with the attributes that a platform adds."""
    loading = 'loading="lazy" ' if lazy else ""
    return (
        f'<iframe src="{escape(address)}" title="A figure" width="100%" height="{height}" style="border:0" '
        f'{loading}allow="fullscreen"{more}></iframe>'
    )


class Host:
    """A page of a course in a window of its own, and its guests.

    `inside` is a script that runs first in every frame but the host's own, `everywhere` in that one too.
    """

    def __init__(self, browser: Browser, allowed: tuple[str, ...], inside: str = "", everywhere: str = "") -> None:
        self.context = browser.new_context(viewport={"width": 1300, "height": 1900}, reduced_motion="reduce")
        self.context.add_init_script(path=SCRIPT)
        self.context.add_init_script(UNPAINTED)
        if everywhere:
            self.context.add_init_script(everywhere)
        if inside:
            self.context.add_init_script(f"if (window !== window.top) {{ {inside} }}")
        self.allowed = allowed
        self.problems: list[str] = []
        self.asked: list[str] = []
        self.marks = 0
        self.page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        # of the host's own attributes: that a sandbox with scripts and the same origin is none
        if "escape its sandboxing" not in message.text:
            self.problems.append(f"console {message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        self.asked.append(request.url)
        if not request.url.startswith((*self.allowed, *OWN)):
            self.problems.append(f"asked for {request.url}")

    def visit(self, start: str, address: str, scrolled: int = 120) -> Host:
        """The course page, come to from another, scrolled a little. Its frames load."""
        self.page.goto(start)
        self.page.goto(address)
        self.page.evaluate("y => scrollTo(0, y)", scrolled)
        self.length = self.page.evaluate("history.length")
        self.scrolled = self.page.evaluate("scrollY")
        self.start = start
        return self

    def hold(self, pattern: str) -> None:
        """What is asked for by such addresses comes only when it is let go."""
        self.held: list[Route] | None = []

        def take(route: Route) -> None:
            if self.held is None:
                route.continue_()
            else:
                self.held.append(route)

        self.page.route(pattern, take)

    def release(self) -> None:
        held, self.held = self.held or [], None
        for route in held:
            route.continue_()

    def guests(self) -> list[Guest]:
        elements = self.page.query_selector_all("iframe")
        return [Guest(self, place, element) for place, element in enumerate(elements)]

    def guest(self) -> Guest:
        return self.guests()[0]

    def settle(self) -> None:
        """Until whatever the guests have sent has come and been answered: pictures have been made, here and there.

        There are none in a frame that is not displayed.
        """
        for guest in self.guests():
            if guest.element.is_visible():
                guest.frame.evaluate("() => hosts.turn()")
                self.marks += 1
                guest.frame.evaluate("number => hosts.mark(number)", self.marks)
                self.page.evaluate("number => hosts.marked(number)", self.marks)
        self.page.evaluate("() => hosts.turn()")

    def unmoved(self) -> None:
        """The host has not been scrolled, nor its history made longer."""
        now = self.page.evaluate("[scrollY, history.length]")
        assert now == [self.scrolled, self.length], now

    def walk(self) -> None:
        """By keyboard through the page: into every frame and out of it, and back again."""
        frames = self.page.query_selector_all("iframe")
        self.page.locator("#before").focus()
        there = self._path("Tab", "after")
        back = self._path("Shift+Tab", "before")
        inside = [str(place) for place in range(len(frames))]
        assert list(dict.fromkeys(there)) == ["before", *inside, "after"], there
        assert list(dict.fromkeys(back)) == ["after", *reversed(inside), "before"], back

    def _path(self, key: str, end: str) -> list[str]:
        """What has the focus after every third press: the id of a button, or the number of a frame."""
        path = [str(self.page.evaluate("hosts.focused()"))]
        while path[-1] != end:
            assert len(path) < 40, f"{key} does not lead out: {path}"
            for _ in range(3):
                self.page.keyboard.press(key)
            path.append(str(self.page.evaluate("hosts.focused()")))
        return [place for place in path if place]  # none while it is on its way between processes

    def back(self) -> None:
        """One step leads out of the course page."""
        self.page.go_back()
        assert self.page.url == self.start, self.page.url

    def close(self) -> None:
        self.context.close()
        assert not self.problems, self.problems[:20]


class Guest:
    """One of our pages in a frame."""

    def __init__(self, host: Host, place: int, element: ElementHandle) -> None:
        self.host, self.place, self.element = host, place, element

    @property
    def frame(self) -> Frame:
        frame = self.element.content_frame()
        assert frame
        return frame

    def wait(self, state: State = DEFAULT) -> Guest:
        self.frame.wait_for_selector(f'html[data-ready="{state}"]', state="attached")
        return self

    def told(self) -> list[Any]:
        """All messages that came from this guest, as they were."""
        said: list[dict[str, Any]] = self.host.page.evaluate("hosts.said")
        found = [message["data"] for message in said if message["from"] == self.place]
        return [data for data in found if not (isinstance(data, dict) and data.get("type") == "hosts.mark")]

    def heights(self) -> list[int]:
        """The heights told; each has been told in both forms."""
        told = self.told()
        ours = [said["height"] for said in told if isinstance(said, dict) and said["type"] == "attention.height"]
        strings = [f'{{"subject":"lti.frameResize","height":{height}}}' for height in ours]
        assert [said for said in told if isinstance(said, str)] == strings, told
        assert all(isinstance(height, int) for height in ours), ours
        return ours

    def states(self) -> list[str]:
        """The changes of state told."""
        return [said["state"] for said in self.told() if isinstance(said, dict) and said["type"] == "attention.state"]

    def send(self, message: object) -> None:
        """From the host's page."""
        self.host.page.evaluate("([place, message]) => frames[place].postMessage(message, '*')", [self.place, message])

    def set(self, state: State) -> Guest:
        self.send({"type": "attention.set", "state": str(state)})
        return self.wait(state)

    def state(self) -> str:
        return str(self.frame.evaluate(STATE)).partition("&at=")[0]

    def height(self) -> int:
        """Of all that stands in the page."""
        return int(self.frame.evaluate("Math.ceil(document.body.getBoundingClientRect().height)"))

    def scrolls(self) -> bool:
        """Whether there is more than the frame shows."""
        root = "document.documentElement"
        return bool(self.frame.evaluate(f"{root}.scrollHeight > innerHeight || {root}.scrollWidth > innerWidth"))

    def graphics(self) -> list[dict[str, Any]]:
        """What is shown of each graphic, poster or Plotly's, and how large."""
        found: list[dict[str, Any]] = self.frame.evaluate("hosts.graphics()")
        return found

    def fits(self) -> None:
        """The frame is as high as its page, so that nothing is cut off and nothing blank."""
        self.frame.evaluate("height => hosts.high(height)", self.height())
        assert not self.scrolls(), self.height()

    def click(self, selector: str) -> None:
        """As a finger does, but without bringing it into view first."""
        self.frame.evaluate("selector => document.querySelector(selector).click()", selector)


Open = Callable[..., Host]
