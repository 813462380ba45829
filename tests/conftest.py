"""What all tests share: how hypothesis searches, and one browser for each worker of a run."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, Playwright, sync_playwright

from qkv.output.bundle import ROOT, plotly_bundle
from tests import chromium, npm

# The same examples in every run, so that a failure can be repeated and none comes by chance; and no time
# limit for one example, since a busy machine is not a bug.
settings.register_profile("qkv", derandomize=True, deadline=None)
settings.load_profile("qkv")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before the workers start, what they share: a browser on this machine, plotly.js, the packages of the tests.

    Where only files are asked for that need no browser, each gets for itself what it needs.
    """
    asked = [Path(argument.partition("::")[0]) for argument in session.config.args]
    if not hasattr(session.config, "workerinput") and any(
        path.suffix != ".py" or "browser" in path.parts for path in asked
    ):
        chromium.find_or_install()
        plotly_bundle(ROOT / ".cache")
        npm.module("axe-core")


@pytest.fixture(scope="session", autouse=True)
def signals_as_in_a_terminal() -> None:
    """Whatever started the tests: a job in the background ignores Ctrl+C, and so would all that it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The quickest browser there is, started at the first test of a worker that asks for it."""
    with playwright.chromium.launch(executable_path=chromium.quickest(), args=chromium.ARGS) as running:
        yield running


@pytest.fixture(scope="session")
def windowed(playwright: Playwright) -> Iterator[Browser]:
    """Chromium itself, for what its headless shell does otherwise."""
    with playwright.chromium.launch(executable_path=chromium.find_or_install(), args=chromium.ARGS) as running:
        yield running
