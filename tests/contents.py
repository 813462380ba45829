"""Whole builds for tests: of a small article that shows every kind of figure, and without plotly.js."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from pathlib import Path
from unittest.mock import patch

import build
from qkv.output.bundle import Bundle

ROOT = Path(__file__).resolve().parent.parent
SMALL = ROOT / "tests" / "content_small"
NO_PLOTLY = Bundle(b"/* plotly.js */", b"/* its styles */", "0", 20, full=False)
MESSAGE = re.compile(r"[^:]+(?::\d+)?: .+; .+")  # file:line: problem; what to do


def copy_small(folder: Path) -> Path:
    """The small article as folder/content."""
    content = folder / "content"
    shutil.copytree(SMALL, content)
    add_rest(content)
    return content


def add_rest(content: Path) -> None:
    """Takes from the real article what is not about its text: the interface words, the pages beside it."""
    for path in (ROOT / "content").iterdir():
        if path.is_file() and not (content / path.name).exists():
            shutil.copy(path, content)


def run(*arguments: str, loud: bool = False) -> tuple[int, str]:
    """Runs build.py; its exit code, and what it says on stderr. What has a test of its own is left out: plotly.js
    itself, and its Python package's opinion of the figures."""
    said = io.StringIO()
    with (
        patch.object(build, "plotly_bundle", lambda *_, **__: NO_PLOTLY),
        patch.object(build, "validate", lambda *_: None),
        contextlib.redirect_stderr(said),
    ):
        code = build.main([*arguments, *([] if loud else ["--quiet"])])
    return code, said.getvalue()


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder, with the bytes of its files."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }
