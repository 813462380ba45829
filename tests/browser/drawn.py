"""Whether what is drawn is in proportion to the numbers: ribbons, bars and cells, measured in pixels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tests.browser.expected import FAINT, NAMES, REFERENCE, State
from tests.browser.reading import Reader
from tests.reference import HEADS

Box = list[float]
PIXEL = 1.0  # what Plotly may round a bar by
LABEL = 4.0  # how far the middle of a text may lie from that of its row
EVEN = 0.1  # pixels between two cells of one column


def middle(box: Box) -> float:
    return (box[1] + box[3]) / 2


def span(part: Sequence[Sequence[float]], x: float) -> tuple[float, float]:
    """Where an upright line at x meets an outline, from top to bottom."""
    ys = []
    for (x0, y0), (x1, y1) in zip(part, [*part[1:], part[0]], strict=True):
        if min(x0, x1) - 0.01 <= x <= max(x0, x1) + 0.01:
            ys += [y0 + (y1 - y0) * (x - x0) / (x1 - x0)] if abs(x1 - x0) > 0.02 else [y0, y1]
    return min(ys), max(ys)


def ends(part: Sequence[Sequence[float]]) -> tuple[float, float]:
    xs = [x for x, _ in part]
    return min(xs), max(xs)


def luminance(color: str) -> float:
    red, green, blue = map(int, re.findall(r"\d+", color)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def hatched(shape: dict[str, Any]) -> bool:
    """Hatched so that it can be seen."""
    hatch = shape["hatch"]
    return bool(hatch) and hatch["opacity"] > 0 and hatch["stroke"] not in ("", "none", "rgba(0, 0, 0, 0)")


def check_ribbons(shapes: dict[str, Any], state: State, caption: str) -> None:
    """One ribbon for each weight that can be seen, as thick at both ends as the caption says."""
    share = float(re.findall(r"(\d+)% of the way", caption)[0]) / 100
    weights = [(j, weight) for j, weight in enumerate(state.row.weights) if weight is not None and weight >= FAINT]
    parts = shapes["ribbons"][-1]["parts"]  # the asking token's, over the faint ones of all
    assert len(shapes["ribbons"]) == len(state.tokens) + 1
    assert len(parts) == len(weights)
    rows = [middle(text["box"]) for text in shapes["texts"][: len(state.tokens)]]
    scale = share * (rows[-1] - rows[0]) / (len(rows) - 1)
    previous = None
    for part, (j, weight) in zip(parts, weights, strict=True):
        left, right = ends(part)
        (top, bottom), (high, low) = span(part, left), span(part, right)
        assert abs(bottom - top - weight * scale) < 0.5, (state, j, bottom - top)
        assert abs(low - high - weight * scale) < 0.5, (state, j, low - high)
        assert abs((high + low) / 2 - rows[j]) < LABEL, (state, j)
        assert abs((top + bottom) / 2 - rows[state.token]) < scale / 2 + LABEL, (state, j)
        # side by side where they start, in the order of the tokens; between them only what is too thin
        assert previous is None or -0.1 < top - previous < len(rows) * FAINT * scale + 0.1, (state, j)
        previous = bottom


def aligned(bars: list[dict[str, Any] | None], values: Sequence[float]) -> list[dict[str, Any] | None]:
    """A bar for each value; a poster has none for what has no length."""
    if len(bars) == len(values):
        return bars
    rest = iter(bars)
    found = [next(rest) if value else None for value in values]
    assert next(rest, None) is None
    return found


def check_bars(bars: list[dict[str, Any] | None], values: Sequence[float], labels: Sequence[Box] | None = None) -> None:
    """Bars from one line on, as long as their values on one scale, each in the row of its label if there is one."""
    bars = aligned(bars, values)
    longest = max(range(len(values)), key=lambda i: abs(values[i]))
    if values[longest] == 0:
        assert all(bar is None or bar["box"][2] - bar["box"][0] < 0.01 for bar in bars)
        return
    first = bars[longest]
    assert first is not None
    scale = (first["box"][2] - first["box"][0]) / abs(values[longest])
    zero = first["box"][0 if values[longest] > 0 else 2]
    for i, (bar, value) in enumerate(zip(bars, values, strict=True)):
        if bar is None:
            assert abs(value) * scale < PIXEL, value
            continue
        left, _, right, _ = bar["box"]
        assert abs(right - left - abs(value) * scale) <= PIXEL, (value, left, right)
        assert value == 0 or abs((left if value > 0 else right) - zero) <= PIXEL, value
        assert labels is None or abs(middle(bar["box"]) - middle(labels[i])) < LABEL, value


def check_cells(shapes: dict[str, Any], weights: Sequence[Sequence[float | None]], shades: Sequence[str]) -> None:
    """A square of cells: the larger the weight the darker, 1 the darkest, and masked ones hatched instead."""
    (cells,) = shapes["bars"]
    n = len(weights)
    assert len(cells) == n * n
    flat = [weight for row in weights for weight in row]
    columns = [cell["box"][::2] for cell in cells[:n]]
    rows = [cell["box"][1::2] for cell in cells[::n]]
    for i, (cell, weight) in enumerate(zip(cells, flat, strict=True)):
        assert all(abs(a - b) < EVEN for a, b in zip(cell["box"][::2], columns[i % n], strict=True)), i
        assert all(abs(a - b) < EVEN for a, b in zip(cell["box"][1::2], rows[i // n], strict=True)), i
        assert hatched(cell) == (weight is None), (divmod(i, n), cell)
        seen_through = cell["fill"] == "none" or cell["opacity"] == 0
        assert seen_through if weight is None else cell["opacity"] == 1, (divmod(i, n), cell)
    assert all(left[1] <= right[0] + EVEN for left, right in pairwise(columns))
    assert all(upper[1] <= lower[0] + EVEN for upper, lower in pairwise(rows))
    pairs = zip(cells, flat, strict=True)
    seen = sorted((weight, luminance(cell["fill"])) for cell, weight in pairs if weight is not None)
    for (less, light), (more, dark) in pairwise(seen):
        assert dark <= light, (less, more)
        assert more - less < 0.05 or dark < light, (less, more)
    darkest = min(map(luminance, shades))
    assert [weight == 1 for weight, _ in seen] == [ink == darkest for _, ink in seen]


def boxes(shapes: dict[str, Any], texts: Sequence[str]) -> list[Box]:
    """Where these texts stand, which follow each other."""
    said = [text["text"] for text in shapes["texts"]]
    start = next(i for i in range(len(said)) if said[i : i + len(texts)] == list(texts))
    return [text["box"] for text in shapes["texts"][start : start + len(texts)]]


def check_drawn(reader: Reader, kind: str, state: State) -> None:
    """Everything that is drawn in a figure, against the numbers of a state."""
    row, head = state.row, HEADS[NAMES.index(state.head)]
    if kind == "lines":
        check_ribbons(reader.shapes("lines", "lines"), state, reader.figure("lines")["caption"])
    elif kind == "vectors":
        for name, numbers, slots in (
            ("q", row.query, head.match),
            ("k", row.keys[state.token], head.match),
            ("v", row.values[state.token], head.value),
        ):
            shapes = reader.shapes(kind, name)
            check_bars(shapes["bars"][0], numbers, boxes(shapes, slots))
    elif kind in ("match", "softmax"):
        shapes = reader.shapes(kind, "match" if kind == "match" else "scores")
        labels = boxes(shapes, state.tokens)
        check_bars(shapes["bars"][0], row.scores, labels)
        for bar, weight in zip(aligned(shapes["bars"][0], row.scores), row.weights, strict=True):
            assert bar is None or hatched(bar) == (weight is None), (kind, state, bar)
        if kind == "softmax":
            check_bars(reader.shapes(kind, "weights")["bars"][0], [weight or 0 for weight in row.weights], labels)
    elif kind == "mix":
        check_stack(reader.shapes("mix", "mix"), state)
    elif kind == "table":
        check_cells(reader.shapes(kind, "weights"), REFERENCE.attention(*named(state)).weights, shades(reader))
    elif kind == "heads":
        for index, name in enumerate(NAMES):
            weights = REFERENCE.attention(state.sentence, state.mask, name).weights
            check_cells(reader.shapes(kind, f"head-{index}"), weights, shades(reader))
    elif kind == "glue":
        for name, numbers in (("glued", row.glued), ("final", row.final)):
            shapes = reader.shapes(kind, name)
            check_bars(shapes["bars"][0], numbers, [text["box"] for text in shapes["texts"][: len(numbers)]])
    else:
        check_pairs(reader)


def check_stack(shapes: dict[str, Any], state: State) -> None:
    """What each token hands over, stacked slot by slot; under it the token's own value."""
    row = state.row
    labels = boxes(shapes, HEADS[NAMES.index(state.head)].value)
    before, size = row.values[state.token], len(labels)
    values = [value for part in row.weighted for value in (part or [0.0] * size)]
    bars = aligned([bar for trace in shapes["bars"] for bar in trace], [*values, *before])
    stacked, own = bars[: len(values)], bars[len(values) :]
    largest, widest = max(
        ((value, bar) for value, bar in zip([*values, *before], [*stacked, *own], strict=True) if bar),
        key=lambda item: item[0],
        default=(0.0, None),
    )
    if widest is None or largest == 0:
        assert max(*values, *before) == 0
        return
    scale, zero = (widest["box"][2] - widest["box"][0]) / largest, min(bar["box"][0] for bar in stacked + own if bar)
    reached = [0.0] * size
    for i, (bar, value) in enumerate(zip(stacked, values, strict=True)):
        slot = i % size
        left, _, right, _ = bar["box"] if bar else [zero + reached[slot] * scale] * 4
        assert abs(left - zero - reached[slot] * scale) <= PIXEL, (state, i)
        assert abs(right - left - value * scale) <= PIXEL, (state, i)
        assert bar is None or abs(middle(bar["box"]) - middle(labels[slot])) < 3 * LABEL, (state, i)
        reached[slot] += value
    for bar, value in zip(own, before, strict=True):
        width = bar["box"][2] - bar["box"][0] if bar else 0.0
        assert abs(width - value * scale) <= PIXEL, (state, value)


def check_pairs(reader: Reader) -> None:
    tired, soft, it = State("tired").row, State("soft").row, State(token=7).row
    for name, vectors in (("compare-1", (tired.out, soft.out)), ("compare-2", (it.values[7], it.out))):
        shapes = reader.shapes("compare", name)
        check_bars([bar for trace in shapes["bars"] for bar in trace], [v for vector in vectors for v in vector])


def named(state: State) -> tuple[str, str, str]:
    return state.sentence, state.mask, state.head


def shades(reader: Reader) -> list[str]:
    """The colours of weights from light to dark."""
    found: list[str] = reader.page.evaluate("() => JSON.parse(document.getElementById('figures').textContent).shades")
    return [f"rgb({', '.join(str(int(shade[i : i + 2], 16)) for i in (1, 3, 5))})" for shade in found]
