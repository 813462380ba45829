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


# Every figure is meant; gives the graphics that have room.
MEANT = """() => {
  const figures = document.querySelectorAll("[data-figure]");
  for (const figure of figures) figure.dispatchEvent(new PointerEvent("pointerenter"));
  return Array.from(document.querySelectorAll("[data-plot]")).filter((box) => box.clientWidth)
    .map((box) => [box.closest("[data-figure]").dataset.figure, box.dataset.plot]);
}"""


def draw_all(reader: Reader, painted: bool = True) -> None:
    """Plotly in the place of every poster that the window has room for, in a window as high as the page.

    Nothing is painted meanwhile, and later only if `painted`: to paint so high a window takes longer than to draw.
    """
    page = reader.page
    size = page.viewport_size
    assert size
    reader.paint(False)
    page.wait_for_selector("html[data-ready]", state="attached")  # laid out whole
    height = page.evaluate("() => document.documentElement.scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": height})
    for kind, name in page.evaluate(MEANT):
        page.wait_for_selector(f'#figure-{kind} [data-plot="{name}"][data-drawn]', state="attached")
    page.wait_for_selector("html[data-ready]", state="attached")
    if painted:
        reader.paint(True)


def channels(color: str) -> str:
    """ "#0102ff" as measure.js writes colours."""
    return ",".join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))
