"""What make does about .venv: made once, never twice at once, and made anew when it is stale.

The Makefile runs as it is, in a folder of its own. Modules of the same name stand in for venv and pip, and for what
make runs afterwards; they write down that they were called.
"""

from __future__ import annotations

import ast
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from qkv.output.bundle import ROOT

CALLED = """\
import os, sys
def called(*what):
    with open(os.environ["CALLS"], "a") as calls:
        print(*what, file=calls)
"""
FAKES = {
    "called.py": CALLED,
    "venv.py": """\
import pathlib, shutil, sys
from called import called
called("venv", *sys.argv[1:-1])
folder = pathlib.Path(sys.argv[-1])
shutil.rmtree(folder, ignore_errors=True)
(folder / "bin").mkdir(parents=True)
(folder / "bin" / "python").symlink_to(sys.executable)
""",
    # Opening a pipe waits for its other end, which is how a test holds an installation up.
    "pip.py": """\
import os, sys
from called import called
called("pip", sys.argv[-1])
os.makedirs(".venv/lib/python3/site-packages/jinja2", exist_ok=True)
if "HOLD" in os.environ:
    open(os.environ["HOLD"]).close()
sys.exit(os.environ.get("PIP_FAILS"))
""",
    "ruff.py": "from called import called; called('ruff')",
    "mypy.py": "from called import called; called('mypy')",
}
SITE = ["venv --clear", "pip requirements.lock", "build.py"]
LINT = ["venv --clear", "pip requirements-dev.lock", "ruff", "mypy"]
ADDED = LINT[1:]


class Checkout:
    """As much of a checkout as make needs."""

    def __init__(self, folder: Path) -> None:
        self.root, self.fakes, self.calls = folder / "checkout", folder / "fakes", folder / "calls"
        for name in ("Makefile", "tools/environment.py", "requirements.lock", "requirements-dev.lock"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).exists():
                shutil.copyfile(ROOT / name, self.root / name)
        (self.root / "build.py").write_text("from called import called; called('build.py')")
        self.fakes.mkdir()
        for name, text in FAKES.items():
            (self.fakes / name).write_text(text)

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        return subprocess.Popen(
            ["make", "--no-print-directory", f"PYTHON={sys.executable}", *arguments],
            cwd=self.root,
            env={**kept, "PYTHONPATH": str(self.fakes), "CALLS": str(self.calls), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,
        )

    def make(self, *arguments: str, **env: str) -> tuple[int, list[str], list[str]]:
        """The exit code, the lines that were printed, and the calls."""
        self.calls.write_text("")
        running = self.start(*arguments, **env)
        said = running.communicate()[0]
        return running.returncode, said.splitlines(), self.calls.read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.parametrize("jobs", ["-j1", "-j4"])
def test_site_and_lint_at_once(checkout: Checkout, jobs: str) -> None:
    code, _, calls = checkout.make(jobs, "site", "lint")
    assert (code, calls) == (0, [*SITE, *ADDED])
    code, _, calls = checkout.make(jobs, "lint", "site")
    assert (code, calls) == (0, ["ruff", "mypy", "build.py"])


def test_what_checks_the_site_can_build_it(checkout: Checkout) -> None:
    assert checkout.make("lint")[::2] == (0, LINT)
    code, said, calls = checkout.make("site")
    assert (code, calls) == (0, ["build.py"])
    assert said == [".venv/bin/python build.py packages"]


def test_two_makes_at_once(checkout: Checkout) -> None:
    hold = checkout.root / "hold"
    os.mkfifo(hold)
    first = checkout.start("site", HOLD=str(hold))
    started = [first]
    try:
        assert first.stdout
        assert first.stdout.readline() == "making .venv from requirements.lock\n"
        second = checkout.start("site", HOLD=str(hold))
        started.append(second)
        assert second.stdout
        assert second.stdout.readline() == "waiting for another make, which is at work on .venv\n"
        hold.open("w").close()  # waits until pip has come that far
        assert (first.wait(), second.wait()) == (0, 0)
    finally:
        for running in started:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
            running.communicate()
    assert checkout.calls.read_text().splitlines() == [*SITE, "build.py"]


def test_killed_while_it_installs(checkout: Checkout) -> None:
    hold = checkout.root / "hold"
    os.mkfifo(hold)
    assert checkout.make("site")[0] == 0
    running = checkout.start("lint", HOLD=str(hold))
    with hold.open("w"):
        os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    code, said, calls = checkout.make("site")
    assert (code, calls) == (0, SITE)
    assert said[0] == "making .venv anew from requirements.lock"


def another_lock(checkout: Checkout) -> None:
    with (checkout.root / "requirements.lock").open("a") as lock:
        lock.write("# another\n")


def moved(checkout: Checkout) -> None:
    checkout.root = checkout.root.rename(checkout.root.with_name("moved"))


def python_gone(checkout: Checkout) -> None:
    python = checkout.root / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("python-that-was-removed")


def python_does_not_start(checkout: Checkout) -> None:
    python = checkout.root / ".venv" / "bin" / "python"
    python.unlink()
    python.write_text("#!/bin/sh\necho 'no such library' >&2\nexit 127\n")
    python.chmod(0o755)


def another_python(checkout: Checkout) -> None:
    python = checkout.root / ".venv" / "bin" / "python"
    python.unlink()
    python.write_text("#!/bin/sh\necho '(3, 99) cpython'\n")
    python.chmod(0o755)


def no_stamp(checkout: Checkout) -> None:
    for stamp in (checkout.root / ".venv").glob("*.stamp"):
        stamp.unlink()


def empty_stamp(checkout: Checkout) -> None:
    for stamp in (checkout.root / ".venv").glob("*.stamp"):
        stamp.write_text("")


def half_deleted(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / ".venv" / "lib")


def empty(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / ".venv")
    (checkout.root / ".venv").mkdir()


PYTHONS = [python_gone, python_does_not_start, another_python]


@pytest.mark.parametrize("spoil", [another_lock, moved, *PYTHONS, no_stamp, empty_stamp, half_deleted, empty])
def test_a_stale_one_is_made_anew(checkout: Checkout, spoil: Callable[[Checkout], None]) -> None:
    assert checkout.make("site")[0] == 0
    spoil(checkout)
    code, said, calls = checkout.make("site")
    assert (code, calls) == (0, SITE)
    assert said[0] == "making .venv anew from requirements.lock"
    assert checkout.make("site")[2] == ["build.py"], "it is made anew each time"


def test_what_another_dev_lock_names_is_not_added(checkout: Checkout) -> None:
    """The environment would keep what the lock no longer names."""
    assert checkout.make("lint")[0] == 0
    with (checkout.root / "requirements-dev.lock").open("a") as lock:
        lock.write("# another\n")
    assert checkout.make("lint")[2] == LINT


@pytest.mark.parametrize("before", ["", "site"])
def test_an_installation_that_fails(checkout: Checkout, before: str) -> None:
    if before:
        assert checkout.make(before)[0] == 0
    code, said, _ = checkout.make("lint", PIP_FAILS="no such host")
    assert code != 0
    message = "requirements-dev.lock cannot be installed, see above; check the network and run make again"
    assert said[1:3] == ["no such host", message]
    assert checkout.make("lint")[2] == LINT, "what was left half installed is built upon"


def test_a_python_that_is_too_old(checkout: Checkout) -> None:
    (checkout.fakes / "sitecustomize.py").write_text("import sys; sys.version_info = (3, 9, 2)")
    code, said, calls = checkout.make("site")
    assert code != 0
    assert calls == []
    assert said[0] == "Python 3.11 or newer is needed, and this is 3.9: make PYTHON=..."


def test_one_that_old_can_read_what_says_so() -> None:
    ast.parse((ROOT / "tools" / "environment.py").read_text("utf-8"), feature_version=(3, 6))


def test_no_python_of_that_name(checkout: Checkout) -> None:
    code, said, calls = checkout.make("site", "PYTHON=python-of-tomorrow")
    assert code != 0
    assert calls == []
    assert said[0] == "there is no python-of-tomorrow: install Python 3.11 or newer, or make PYTHON=..."
