#!/usr/bin/env python3
"""Measures how high each embedded page is at each width, in Chromium, and writes content/heights.toml.

usage: .venv/bin/python tools/heights.py     (needs the packages of requirements-dev.lock)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from build import build  # noqa: E402 - after the path is set
from qkv.content.heights import CLASSES  # noqa: E402 - after the path is set
from tests.chromium import ARGS, find_or_install  # noqa: E402

ABOUT = """\
# Heights in pixels of each embedded page by the width of its frame, as it is and with ?size=large.
# Measured by `python tools/heights.py`.
"""
SPARE = 1.04  # of the height: letters differ from machine to machine


def main() -> None:
    lines = [ABOUT]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        build(ROOT / "content", Path(folder, "site"), quiet=True)  # what is in site/ may be old
        browser = playwright.chromium.launch(executable_path=find_or_install(), args=ARGS)
        page = browser.new_page()
        for path in sorted(Path(folder, "site", "embed").glob("*.html")):
            lines.append(f'\n["{path.stem}"]\n')
            for name in CLASSES:
                width, _, size = name.partition("-")
                page.set_viewport_size({"width": int(width), "height": 900})
                page.goto(path.as_uri() + (f"?size={size}" if size else ""))
                page.wait_for_selector("html[data-ready]", state="attached")
                height = page.evaluate("Math.ceil(document.body.getBoundingClientRect().height)")
                lines.append(f"{name} = {round(height * SPARE)}\n")
        browser.close()
    (ROOT / "content" / "heights.toml").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
