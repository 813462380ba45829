"""How high embeds are: content/heights.toml, measured by tools/heights.py."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from qkv.content.toml import load_toml
from qkv.errors import Mistakes, did_you_mean, quoted

HEIGHT = 640  # pixels, for an embed that content/heights.toml does not have; the page then says its own height
WIDTHS = (320, 700, 1200)  # of a frame, in pixels: a telephone, the column of a course, a whole window
CLASSES = tuple(f"{width}{size}" for size in ("", "-large") for width in WIDTHS)
COLUMN = 700  # the width that an answer by oEmbed speaks of
Heights = dict[str, dict[str, int]]  # by an embed's stem, then by class of width and size


def load_heights(content: Path) -> Heights:
    """Reads content/heights.toml; an embed that it does not list is HEIGHT pixels high."""
    file = load_toml(content, "heights.toml")
    wrong = Mistakes()
    for stem, by_class in file.data.items():
        if not isinstance(by_class, dict):
            fix = f'write ["{stem}"], with e.g. 700 = {HEIGHT} below, or measure anew: python tools/heights.py'
            wrong.add(file.where(stem), f"{stem} must be a table of heights", fix)
            continue
        for name, height in by_class.items():
            place = file.where(stem, name)
            if name not in CLASSES:
                wrong.add(place, f"unknown width {name!r}", did_you_mean(name, CLASSES))
            elif type(height) is not int or height < 1:
                problem = f"{name} is {quoted(height)}, which is no height in whole pixels"
                wrong.add(place, problem, f"write e.g. {name} = {HEIGHT}")
    wrong.stop()
    return file.data


def height_of(stem: str, width: int | str, heights: Heights) -> int:
    """How high an embed is in pixels, in a frame of a width of WIDTHS or by a name in CLASSES."""
    return heights.get(stem, {}).get(str(width), HEIGHT)


def rough_heights(kinds: Iterable[str], slugs: Iterable[str], heights: Heights) -> dict[str, list[int]]:
    """By their CSS selectors in the article, how high the embed of each figure and section is at each of WIDTHS."""
    stems = {f".figure-{kind}": f"figure-{kind}" for kind in kinds}
    stems |= {f'[id="{slug}"]': f"section-{slug}" for slug in slugs}
    return {selector: [height_of(stem, width, heights) for width in WIDTHS] for selector, stem in stems.items()}
