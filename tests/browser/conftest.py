"""What the browser tests share: the built site, a server for it, and readers that note whatever goes wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import build
from tests.browser.reading import Reader

COURSE = "/course/x/"  # a site must work below any address


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once for all."""
    folder = tmp_path_factory.mktemp("built") / "site"
    build.build(build.ROOT / "content", folder, quiet=True)
    return folder


@pytest.fixture(scope="session")
def home(site: Path) -> str:
    """The address of the built folder on disk."""
    return site.as_uri() + "/"


@pytest.fixture(scope="session")
def served(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site on a server, below a path."""
    root = tmp_path_factory.mktemp("served")
    folder = root / COURSE.strip("/")
    folder.parent.mkdir(parents=True)
    folder.symlink_to(site, target_is_directory=True)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Nothing to read here."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}{COURSE}"
        server.shutdown()
        thread.join()


@pytest.fixture
def visit(browser: Browser, home: str) -> Iterator[Callable[..., Reader]]:
    """Opens a page of the site: visit(path, state, home=..., and options of the browser context).

    In the end nothing may have gone wrong: no error, no word on the console, no request elsewhere.
    """
    yield from visiting(browser, home)


@pytest.fixture
def visit_windowed(windowed: Browser, home: str) -> Iterator[Callable[..., Reader]]:
    """The same in Chromium itself: in its headless shell no mouse follows a finger, so that a tap shows no label."""
    yield from visiting(windowed, home)


def visiting(browser: Browser, home: str) -> Iterator[Callable[..., Reader]]:
    readers: list[Reader] = []

    def visit(path: str = "index.html", state: object = "", home: str = home, **options: Any) -> Reader:
        readers.append(Reader(browser, home, **options))
        return readers[-1].open(path, state)

    yield visit
    complaints = [complaint for reader in readers for complaint in reader.close()]
    assert complaints[:20] == []
