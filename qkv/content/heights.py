"""How high embeds are, and the frames for which that is known."""

from __future__ import annotations

from collections.abc import Iterable

HEIGHT = 640  # pixels, for an embed that content/heights.toml does not have; the page then says its own height
WIDTHS = (320, 700, 1200)  # of a frame, in pixels: a telephone, the column of a course, a whole window
CLASSES = tuple(f"{width}{size}" for size in ("", "-large") for width in WIDTHS)
COLUMN = 700  # the width that an answer by oEmbed speaks of
Heights = dict[str, dict[str, int]]  # by an embed's stem, then by class of width and size


def height_of(stem: str, width: int | str, heights: Heights) -> int:
    """How high an embed is in pixels, in a frame of a width of WIDTHS or by a name in CLASSES."""
    return heights.get(stem, {}).get(str(width), HEIGHT)


def rough_heights(kinds: Iterable[str], slugs: Iterable[str], heights: Heights) -> dict[str, list[int]]:
    """By their CSS selectors in the article, how high the embed of each figure and section is at each of WIDTHS."""
    stems = {f".figure-{kind}": f"figure-{kind}" for kind in kinds}
    stems |= {f'[id="{slug}"]': f"section-{slug}" for slug in slugs}
    return {selector: [height_of(stem, width, heights) for width in WIDTHS] for selector, stem in stems.items()}
