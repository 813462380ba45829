"""What the tests of access do with a page: measure it by measure.js, open all that folds, have everything drawn."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.browser.reading import Reader

SCRIPT = Path(__file__).with_name("measure.js").read_text("utf-8")


def measure(reader: Reader, what: str) -> Any:
    """The result of one of the functions of measure.js, as "cut()"."""
    return reader.page.evaluate(f"{SCRIPT}\nmeasure.{what}")


def tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def open_all(reader: Reader) -> None:
    reader.page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")


def draw_all(reader: Reader) -> None:
    """Plotly in the place of every poster that the window has room for, in a window as high as the page."""
    page = reader.page
    size = page.viewport_size
    assert size
    height = page.evaluate("() => document.documentElement.scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": height})
    for figure in page.locator("[data-figure]").all():
        figure.locator(".title").hover()
        kind = figure.get_attribute("data-figure")
        for plot in figure.locator("[data-plot]").all():
            if plot.is_visible():
                name = plot.get_attribute("data-plot")
                page.wait_for_selector(f'#figure-{kind} [data-plot="{name}"][data-drawn]', state="attached")


def channels(color: str) -> str:
    """ "#0102ff" as measure.js writes colours."""
    return ",".join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))
