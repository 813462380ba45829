"""The packages of tests/npm/, installed from its lock file: kept apart from what the site is built from.

After a change to tests/npm/package.json: `.venv/bin/python -m tests.npm` writes the lock file anew.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from qkv.bundle import ROOT, digest, npm, whole

FOLDER = ROOT / "tests" / "npm"
FILES = ("package.json", "package-lock.json", ".npmrc")


def module(name: str) -> Path:
    """The folder of an installed package; the first call installs them all."""
    folder = ROOT / ".cache" / "test-npm" / digest(*(f"tests/npm/{file}" for file in FILES))
    if not folder.is_dir():
        with whole(folder) as part:
            for file in FILES:
                shutil.copyfile(FOLDER / file, part / file)
            npm(["ci", "--ignore-scripts"], part)
    return folder / "node_modules" / name


if __name__ == "__main__":
    (FOLDER / "package-lock.json").unlink(missing_ok=True)
    npm(["install", "--package-lock-only", "--ignore-scripts"], FOLDER)
