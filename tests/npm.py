"""The packages of tests/npm/, installed from its lock file: kept apart from what the site is built from.

After a change to tests/npm/package.json: `.venv/bin/python -m tests.npm` writes the lock file anew.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from qkv.output.bundle import ROOT, installed, npm

FOLDER = ROOT / "tests" / "npm"


def module(name: str) -> Path:
    """The folder of an installed package; the first call installs them all."""
    return _installed() / "node_modules" / name


@cache  # to see that all is there takes a second
def _installed() -> Path:
    return installed(FOLDER, ROOT / ".cache" / "test-npm")


if __name__ == "__main__":
    (FOLDER / "package-lock.json").unlink(missing_ok=True)
    npm(["install", "--package-lock-only", "--ignore-scripts"], FOLDER)
