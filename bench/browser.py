"""Chromium for measuring: a slowed processor, a probe in every page, and what its main thread did, in processor time.

Two clocks, because a machine that does other things at the same time makes every wall time longer:

* wall time with the processor slowed four times, which is what a reader with a middling phone waits;
* processor time of the page's main thread, times four, which leaves out all waiting and hardly changes with what
  else the machine does. It is the least that the wall time can be.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, Route, ViewportSize, sync_playwright

from bench.server import BLANK
from tests import chromium

PROBE = (Path(__file__).parent / "probe.js").read_text("utf-8")
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
SLOW = 4  # times slower than this machine
LONG = 50.0  # milliseconds: what a task takes beyond this blocks
CLOCKS = f"wall: with the processor slowed {SLOW} times; cpu: processor time of the main thread, times {SLOW}"
TRACED = ["toplevel", "blink.user_timing"]
_TASK = "ThreadControllerImpl::RunTask"


@dataclass(frozen=True)
class Task:
    """One task of a page's main thread, in milliseconds: start and end on the trace's clock, and processor time."""

    start: float
    end: float
    cpu: float


@dataclass(frozen=True)
class Trace:
    """The tasks of a page's main thread since navigation, and the last time of each mark that the probe made."""

    tasks: tuple[Task, ...]
    marks: dict[str, float]

    def cpu(self, start: str | None, end: str) -> float:
        """Milliseconds of processor time, slowed, between two marks (None: the navigation)."""
        since = self.marks[start] if start else 0.0
        return SLOW * sum(t.cpu for t in self.tasks if t.end >= since and t.start <= self.marks[end])

    @property
    def slowed(self) -> list[float]:
        """How long each task takes on the slowed processor."""
        return [SLOW * task.cpu for task in self.tasks]


def read_trace(events: Sequence[dict[str, Any]], path: str) -> Trace:
    """The main thread of the page whose address ends with `path`, from the events of a trace."""
    starts = [
        event
        for event in events
        if event.get("name") == "navigationStart"
        and event["args"].get("data", {}).get("documentLoaderURL", "").endswith(path)
    ]
    thread, zero = (starts[-1]["pid"], starts[-1]["tid"]), starts[-1]["ts"]
    mine = [e for e in events if (e["pid"], e["tid"]) == thread and e["ts"] >= zero]
    tasks: list[Task] = []
    for event in sorted((e for e in mine if e["name"] == _TASK and e["ph"] == "X"), key=lambda e: float(e["ts"])):
        start = (event["ts"] - zero) / 1000
        if not tasks or start >= tasks[-1].end:  # else it runs inside the one before
            tasks.append(Task(start, start + event["dur"] / 1000, event.get("tdur", 0) / 1000))
    marks = {e["name"]: (e["ts"] - zero) / 1000 for e in mine if "blink.user_timing" in e.get("cat", "")}
    return Trace(tuple(tasks), marks)


def blocking(tasks: Sequence[float]) -> float:
    """The time that tasks take beyond 50 ms each."""
    return sum(max(0.0, taken - LONG) for taken in tasks)


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium for the length of a block."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium.find_or_install(), args=chromium.ARGS)
        try:
            yield running
        finally:
            running.close()


class Opened:
    """A page in a profile of its own, with empty caches. Slowed, or traced at full speed."""

    def __init__(self, running: Browser, page: Page, session: CDPSession, path: str, traced: bool) -> None:
        self.running, self.page, self.session, self.path, self.traced = running, page, session, path, traced

    def trace(self) -> Trace:
        """What the main thread has done; ends the tracing."""
        self.traced = False
        return read_trace(json.loads(self.running.stop_tracing())["traceEvents"], self.path)


@contextmanager
def opened(
    running: Browser,
    root: str,
    path: str,
    watch: str,
    *,
    slow: bool = False,
    traced: bool = False,
    size: ViewportSize = DESKTOP,
    route: Callable[[Route], None] | None = None,
) -> Iterator[Opened]:
    """Opens a page; `watch` is script for the probe, run before the page's own; `route` answers its requests."""
    context = running.new_context(viewport=size)
    try:
        if route:
            context.route("**/*", route)
        page = context.new_page()
        page.set_default_timeout(120_000)
        # The process that will show the page is there, and slowed, before the clock starts.
        page.goto(root + BLANK)
        session = context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOW if slow else 1})
        page.add_init_script(f"{PROBE}\n{watch}")
        one = Opened(running, page, session, path, traced)
        if traced:
            running.start_tracing(page=page, categories=TRACED)
        try:
            # Not until `load`, which would wait for answers that are held back.
            page.goto(f"{root}/{path}", wait_until="domcontentloaded")
            yield one
        finally:
            if one.traced:
                running.stop_tracing()
    finally:
        context.close()
