"""The article once through in Firefox: another engine than the one that the other tests look through.

`.ci/run` names this file to pytest. By its own name pytest does not find it, so that `make test` needs no Firefox.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from qkv.output.bundle import node
from tests import npm

SCRIPT = Path(__file__).with_name("firefox.mjs")
LIMIT = 900  # seconds, for a browser that hangs


def firefox() -> str:
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    if not found:
        raise RuntimeError("No Firefox on PATH. Install it (Debian: `apt-get install firefox-esr`), or run .ci/run.")
    return found


@pytest.mark.parametrize("at", ["home", "served"], ids=["disk", "server"])
def test_read_in_firefox(request: pytest.FixtureRequest, tmp_path: Path, at: str) -> None:
    command = [node(), SCRIPT, npm.module("puppeteer-core"), firefox(), request.getfixturevalue(at)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert found["problems"] == []
    counts = found["counts"]
    assert (counts["figures"], counts["hovers"], counts["downloads"], counts["pages"]) == (9, 2, 3, 5)
    assert counts["drawn"] > 15
    assert counts["tries"] > 5
