"""Every page from disk and from a server below a path: quiet, on its own, and posters that give way unnoticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.drawn import Box, ends, hatched, span
from tests.browser.expected import DEFAULT, KINDS, differences, expected
from tests.browser.reading import Reader

Visit = Callable[..., Reader]

FIGURES = {
    "index.html": KINDS,
    "sections/neighbours.html": ("lines",),
    "sections/queries-keys.html": ("vectors", "match"),
    "sections/softmax.html": ("softmax",),
    "sections/values.html": ("mix", "compare"),
    "sections/every-token.html": ("table",),
    "sections/many-heads.html": ("heads", "glue"),
}
NEAR = 1.5  # pixels between a poster and the drawing that takes its place
TEXT = 3.0  # the same for letters, which the two place in ways of their own

# What Plotly would add to a drawing if it were let.
ADDED = ".modebar, .modebar-btn, .stage a, .stage button, .plotlyjsicon, [class*=logo], [data-attr=sendDataToCloud]"


def test_the_pages_are_these(site: Path) -> None:
    assert {"index.html", *(path.relative_to(site).as_posix() for path in site.glob("sections/*"))} == set(FIGURES)


@pytest.mark.parametrize("path", FIGURES)
@pytest.mark.parametrize("at", ["disk", "server"])
def test_read_from_top_to_bottom(visit: Visit, home: str, served: str, path: str, at: str) -> None:
    """All graphics drawn; that nothing else is asked for and nothing complains, `visit` sees to."""
    reader = visit(path, home=home if at == "disk" else served, painted=True)
    if at == "disk":
        reader.context.set_offline(True)  # from here on, all that is needed is at hand
    page = reader.page
    assert page.locator("[data-figure]").evaluate_all("all => all.map(e => e.dataset.figure)") == list(FIGURES[path])
    for kind in FIGURES[path]:
        reader.draw(kind)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    for kind, figure in reader.figures().items():
        assert [name for name, plot in figure["plots"].items() if not plot["drawn"]] == [], kind
    assert page.locator(".stage").count() > 0
    assert page.locator(".stage *").evaluate_all("all => all.filter(e => e.tabIndex >= 0).map(e => e.outerHTML)") == []
    assert page.locator(ADDED).evaluate_all("all => all.map(e => e.outerHTML)") == []
    assert page.locator(".stage").filter(has_text="plotly").count() == 0
    # nothing that a reader would see; that a drawing takes its poster's place without any shift is asserted below
    shifts = page.evaluate("() => reader.shifts()")
    assert sum(value for value, *_ in shifts) < 0.01, shifts
    assert all(request.startswith((reader.home, "data:")) for request in reader.requests)


@pytest.mark.parametrize("width", [1200, 360])
def test_poster_and_drawing_agree(visit: Visit, width: int) -> None:
    reader = visit(viewport={"width": width, "height": 900}, painted=True)
    reader.wait(DEFAULT)
    wrong = []
    for kind in KINDS:
        plots = reader.plots(kind)
        before = {name: reader.shapes(kind, name) for name in plots}
        posters = reader.figure(kind)["plots"]
        assert plots
        assert not any(posters[name]["drawn"] for name in plots)
        reader.draw(kind)
        drawn = reader.figure(kind)["plots"]
        for name in plots:
            assert sorted(posters[name]["texts"]) == sorted(drawn[name]["texts"])
            after = reader.shapes(kind, name)
            moved = [
                *moved_texts(before[name]["texts"], after["texts"]),
                *moved_bars(before[name]["bars"], after["bars"]),
                *moved_ribbons(before[name]["ribbons"], after["ribbons"]),
            ]
            wrong += [f"{kind} {name}: {line}" for line in moved]
        wanted = expected(DEFAULT)[kind]["plots"]
        assert differences(drawn, {name: plot for name, plot in wanted.items() if name in plots}) == []
    assert not wrong, "\n".join(wrong[:10])
    assert reader.page.evaluate("() => reader.shifts()") == []


def near(a: Box, b: Box) -> bool:
    return all(abs(p - q) <= NEAR for p, q in zip(a, b, strict=True))


def moved_texts(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Iterator[str]:
    """Words that stand elsewhere afterwards."""
    rest = list(after)
    for text in before:

        def away(other: dict[str, Any], box: Box = text["box"]) -> float:
            x0, y0, x1, y1 = other["box"]
            return float(max(abs(x0 + x1 - box[0] - box[2]), abs(y0 + y1 - box[1] - box[3]))) / 2

        closest = min((other for other in rest if other["text"] == text["text"]), key=away)
        if away(closest) > TEXT:
            yield f"{text['text']!r} moves by {away(closest):.1f} pixels"
        rest.remove(closest)


def moved_bars(before: list[Any], after: list[Any]) -> Iterator[str]:
    """Bars without a fellow in the same place, hatched if it is."""
    old, new = ([bar for trace in bars for bar in trace if bar] for bars in (before, after))
    for these, those in ((old, new), (new, old)):
        for bar in these:
            fellows = [other for other in those if near(bar["box"], other["box"])]
            if not fellows and bar["box"][2] - bar["box"][0] > NEAR:
                yield f"no other bar at {bar['box']}"
            elif hatched(bar) and not any(map(hatched, fellows)):
                yield f"no other hatches at {bar['box']}"


def moved_ribbons(before: list[Any], after: list[Any]) -> Iterator[str]:
    """Outlines that run elsewhere; they come in the same order."""
    if [len(one["parts"]) for one in before] != [len(one["parts"]) for one in after]:
        yield "other ribbons"
        return
    for old, new in zip(before, after, strict=True):
        for i, (part, other) in enumerate(zip(old["parts"], new["parts"], strict=True)):
            left, right = ends(part)
            across = [abs(left - ends(other)[0]), abs(right - ends(other)[1])]
            down = [
                abs(p - q)
                for x in (left + (right - left) * share for share in (0.01, 0.25, 0.5, 0.75, 0.99))
                for p, q in zip(span(part, x), span(other, x), strict=True)
            ]
            if max(across + down) > NEAR:
                yield f"ribbon {i} is away by {max(across + down):.1f} pixels"
