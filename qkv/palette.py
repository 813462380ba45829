"""The one hue of attention, light to dark, in a hundred steps; the same on every figure and in both themes."""

from __future__ import annotations

from itertools import pairwise

STEPS = 100
# weight, red green blue; a small step at a half, where texts turn from dark to white, keeps both readable
STOPS = ((0.0, (238, 243, 250)), (0.49, (73, 127, 192)), (0.5, (65, 120, 188)), (1.0, (8, 36, 84)))


def shades() -> tuple[str, ...]:
    """The colour of a weight w is shades()[int(w * STEPS)]: only a weight of 1 has the darkest."""
    found = []
    for step in range(STEPS + 1):
        at = step / STEPS
        (low, a), (high, b) = next((p, q) for p, q in pairwise(STOPS) if at <= q[0])
        share = (at - low) / (high - low)
        found.append("#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in zip(a, b, strict=True)))
    return tuple(found)


def luminance(color: str) -> float:
    """Relative luminance of "#rrggbb" (WCAG 2.2, definition of relative luminance)."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2), 1 to 21."""
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
