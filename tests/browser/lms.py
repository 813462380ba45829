"""A course platform for tests: takes a package, runs its lesson in a frame or a popup, and is strict about every call.

The window is `lms.js`; what it lets through, scorm-again being lenient, is checked here.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Frame, Page

from tests import npm
from tests.browser.reading import SCRIPT, UNPAINTED

KINDS = ("scorm12", "scorm2004")
CALLS = 60  # values that a visit may set
HERE = Path(__file__).resolve().parent
HEAD = '<!doctype html><title>course</title><link rel="icon" href="data:,">'
HOST = HEAD + '<body><script src="{}"></script><script src="lms.js"></script>'

PRINTABLE = r"[ -~]"
# What may be set, and in which form; of both versions what the standards say, not what our script happens to send.
SETS = {
    "scorm12": {
        "cmi.core.lesson_status": "passed|completed|failed|incomplete|browsed|not attempted",
        "cmi.core.lesson_location": PRINTABLE + "{0,255}",
        "cmi.core.exit": "suspend",
        "cmi.core.session_time": r"\d{2,4}:[0-5]\d:[0-5]\d(\.\d{1,2})?",
        "cmi.core.score.raw": "100|[1-9]?[0-9]",
        "cmi.core.score.min": "0",
        "cmi.core.score.max": "100",
        "cmi.suspend_data": PRINTABLE + "{0,4096}",
    },
    "scorm2004": {
        "cmi.completion_status": "completed|incomplete|not attempted|unknown",
        "cmi.location": PRINTABLE + "{0,255}",
        "cmi.exit": "suspend",
        "cmi.session_time": r"PT(\d+H)?(\d+M)?(\d+(\.\d{1,2})?S)?",
        "cmi.score.raw": "100|[1-9]?[0-9]",
        "cmi.score.min": "0",
        "cmi.score.max": "100",
        "cmi.score.scaled": r"0|1|0\.\d{1,7}",
        "cmi.suspend_data": PRINTABLE + "{0,64000}",
    },
}
GETS = {
    "scorm12": {"lesson_mode", "lesson_status", "lesson_location", "entry"},
    "scorm2004": {"mode", "completion_status", "location", "entry"},
}
NAMES = {
    "scorm12": {
        "status": "cmi.core.lesson_status",
        "score": "cmi.core.score.raw",
        "location": "cmi.core.lesson_location",
    },
    "scorm2004": {"status": "cmi.completion_status", "score": "cmi.score.raw", "location": "cmi.location"},
}


def problems(kind: str, calls: list[dict[str, Any]], left: bool, failing: bool = False) -> list[str]:
    """What a strict platform would have to say of the calls of one visit; `failing`: commits may go wrong."""
    found = []
    names = [call["name"] for call in calls]
    end = "Finish" if kind == "scorm12" else "Terminate"
    if names[:1] != ["Initialize"] or names.count("Initialize") != 1:
        found.append(f"begins with {names[:2]}")
    if names.count(end) != left or (left and names[-1] != end):
        found.append(f"ends with {names[-3:]}")
    if names.count("SetValue") > CALLS:
        found.append(f"sets {names.count('SetValue')} values")
    prefix = "cmi.core." if kind == "scorm12" else "cmi."
    asked = {prefix + name for name in GETS[kind]} | {"cmi.suspend_data"}
    for call in calls:
        name, given, answer = call["name"], call["given"], call["answer"]
        if not all(isinstance(text, str) for text in given):
            found.append(f"gives {given}")
        if failing and name in ("Commit", end):
            continue
        if call["error"] != "0" or (name != "GetValue" and answer != "true"):
            found.append(f"{name}{given} -> {answer!r}, error {call['error']}")
        if name in ("Initialize", "Commit", end) and given != [""]:
            found.append(f"{name}{given}")
        if name == "GetValue" and (len(given) != 1 or given[0] not in asked):
            found.append(f"asks for {given}")
        if name == "SetValue":
            form = SETS[kind].get(str(given[0]))
            if len(given) != 2 or form is None or not re.fullmatch(form, str(given[1])):
                found.append(f"sets {given}")
    return found


def lesson(page: Page) -> Frame:
    """The document in the platform's frame."""
    element = page.wait_for_selector("#lesson")
    frame = element.content_frame() if element else None
    assert frame
    return frame


class Visit:
    """One launch of a lesson. `sco` is its document; `calls()` is what it said to the platform."""

    def __init__(self, platform: Platform, kind: str, place: str, page: Page, sco: Frame) -> None:
        self.platform, self.kind, self.place, self.page, self.sco = platform, kind, place, page, sco

    def opened(self) -> Visit:
        """Waits until the platform has been heard."""
        self.sco.wait_for_selector("#course", state="visible")
        return self

    def calls(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate("lms.calls")
        return found

    def sets(self, name: str) -> list[str]:
        """The values that one name was set to, in order."""
        name = NAMES[self.kind].get(name, name)
        return [call["given"][1] for call in self.calls() if call["name"] == "SetValue" and call["given"][0] == name]

    def offline(self, on: bool) -> None:
        self.page.evaluate("on => { lms.state.offline = on; }", on)

    def choose(self, figure: str, control: str, index: int, mouse: bool = False) -> None:
        """A click on a radio button of a figure, whether it is chosen already or not. A mouse goes there first, so
        that its figure is drawn, which takes most of the time."""
        radio = self.sco.locator(f"#figure-{figure} [data-control={control}] input").nth(index)
        if mouse:
            radio.click()
        else:
            radio.evaluate("radio => radio.click()")

    def count(self) -> str:
        return self.sco.locator("#course summary").inner_text()

    def done(self) -> list[str]:
        """The sections that are marked as done."""
        marked = self.sco.locator("#course li.done[data-section]")
        sections: list[str] = marked.evaluate_all("all => all.map((item) => item.dataset.section)")
        return sections

    def leave(self, failing: bool = False) -> list[dict[str, Any]]:
        """The platform closes the lesson; returns all calls, of which none may be wrong."""
        violations = self.sco.evaluate("window.reader.violations")
        if self.place == "popup":
            self.sco.page.close()
        else:
            self.page.evaluate("lms.leave()")
        calls = self.calls()
        assert problems(self.kind, calls, True, failing) == []
        assert violations == []
        self.page.close()
        return calls


class Platform:
    """The platform in a browser context of its own, so that it begins with nothing."""

    def __init__(self, browser: Browser, home: str, **options: Any) -> None:
        self.home = home
        self.context: BrowserContext = browser.new_context(viewport={"width": 1200, "height": 900}, **options)
        self.context.add_init_script(path=SCRIPT)
        self.context.add_init_script(UNPAINTED)
        self.wrong: list[str] = []
        self.context.on("console", self._console)
        self.context.on("weberror", lambda error: self.wrong.append(f"error: {error.error}"))
        self.context.on("request", lambda request: self._request(request.url))

    def _console(self, message: ConsoleMessage) -> None:
        self.wrong.append(f"console {message.type}: {message.text}")

    def _request(self, address: str) -> None:
        if not address.startswith((self.home, "data:", "about:")):
            self.wrong.append(f"asked for {address}")

    def launch(
        self, package: str, place: str = "frame", runtime: str = "again", mode: str = "", kind: str = ""
    ) -> Visit:
        kind = kind or package.partition("-")[0]
        page = self.context.new_page()
        given = quote(json.dumps({"kind": kind, "runtime": runtime, "mode": mode}))
        page.goto(f"{self.home}{kind}.html#{given}")
        address = f"{package}/index.html"
        if place == "popup":
            with page.expect_popup() as opening:
                page.evaluate("address => lms.popup(address)", address)
            sco = opening.value.main_frame
        else:
            page.evaluate("address => lms.frame(address)", address)
            sco = lesson(page)
        sco.wait_for_load_state("domcontentloaded")
        return Visit(self, kind, place, page, sco)

    def kept(self) -> dict[str, Any]:
        """What the platform has been told and has kept, by the names of the standard."""
        page = self.context.new_page()
        page.goto(f"{self.home}empty.html")
        data: Any = json.loads(page.evaluate("localStorage.getItem('kept')") or "{}")
        page.close()
        if "cmi" not in data:
            return dict(data)
        return dict(_flat(data["cmi"], "cmi"))

    def close(self) -> None:
        self.context.close()
        assert self.wrong == []


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _flat(part, f"{path}.{key}")
    else:
        yield path, value


@contextmanager
def serving(packages: Path, folder: Path) -> Iterator[str]:
    """Serves a platform with all packages unpacked; the address of its folder."""
    for path in packages.glob("scorm*.zip"):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder / path.stem)
    shutil.copyfile(HERE / "lms.js", folder / "lms.js")
    for kind in KINDS:
        shutil.copyfile(npm.module("scorm-again") / "dist" / f"{kind}.min.js", folder / f"{kind}.js")
        (folder / f"{kind}.html").write_text(HOST.format(f"{kind}.js"), "utf-8")
    (folder / "empty.html").write_text(HEAD, "utf-8")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Nothing to read here."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()
