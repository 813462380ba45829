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
