"""Finds the browser that the browser tests and the benchmark run, or gets one.

Most tests take the headless shell where there is one: the same engine without windows, which opens a page in a third
of the time. What a tap leaves behind differs in it, so those tests, and all that measure, take Chromium itself.

A missing browser is never a reason to skip: most of what the pages promise shows only in a browser.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

# No sandbox: as root, and in most containers, Chromium does not start with one; it only opens our own pages.
# The others keep it from calling out by itself, which would show in tests that watch the network.
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
PLACES = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
COMMAND = f"{Path(sys.executable).name} -m playwright install chromium"
TIMEOUT = 900  # seconds, for one way of installing

# Asked in a process of its own: in this one playwright may be running already.
WHERE = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


def find_or_install() -> str:
    """The path of a Chromium or Chrome; downloads or installs one if there is none, raises if that fails too."""
    found = _installed() or _downloaded()
    if found:
        return found
    tried = [_try([sys.executable, "-m", "playwright", "install", "chromium"])]
    found = _downloaded()
    if not found and shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        tried.append(_try(["apt-get", "update"]))
        tried.append(_try(["apt-get", "install", "-y", "--no-install-recommends", "chromium"]))
        found = _installed()
        if found:  # not every Debian has it, and all goes on without
            _try(["apt-get", "install", "-y", "--no-install-recommends", SHELLS[0]])
    if not found:
        raise RuntimeError(
            f"No Chromium or Chrome on PATH, and none could be installed. Run `{COMMAND}`, or install your "
            "system's package (Debian: `apt-get install chromium`), then run the tests again. What was tried:\n"
            + "\n".join(tried)
        )
    return found


def quickest() -> str:
    """The path of the headless shell, or of Chromium where there is none."""
    return _first(SHELLS) or find_or_install()


def _installed() -> str | None:
    return _first((*NAMES, *PLACES))


def _first(names: Iterable[str]) -> str | None:
    return next((path for path in map(shutil.which, names) if path), None)


def _downloaded() -> str | None:
    """The browser that playwright downloads, if it has."""
    done = subprocess.run([sys.executable, "-c", WHERE], capture_output=True, text=True, check=False)
    path = done.stdout.strip()
    return path if path and Path(path).is_file() else None


def _try(command: list[str]) -> str:
    """Run a command that may fail; returns what it said last, for the message if all ways fail."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env=env,
            timeout=TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"  {' '.join(command)}: {error}"
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return f"  {' '.join(command)}: exit code {done.returncode}: {lines[-1] if lines else 'no output'}"
