"""The static SVG that stands in for a plot until plotly.js draws it: the same places, the same texts."""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from qkv.figures.kinds import KINDS
from qkv.figures.poster import STRETCH, Unsupported, poster
from qkv.figures.svg import LINE
from qkv.model.states import State
from qkv.output.bundle import ROOT
from tests.test_lookup import HOSTILE, Built, build, hostile_content  # noqa: F401 - a fixture
from tests.toy_states import toy_state

SVG = "{http://www.w3.org/2000/svg}"
HEIGHT, TOP, BOTTOM = 100, 12, 8
X, Y = (-1.0, 4.0), (1.5, -0.5)  # two rows from top to bottom
NONE = "rgba(0,0,0,0)"


def figure(*data: dict[str, Any], **layout: Any) -> dict[str, Any]:
    """A plot with two rows; `layout` adds to it, and to its axes by name."""
    axes = {name: {"visible": False, "range": list(reach)} for name, reach in (("xaxis", X), ("yaxis", Y))}
    for name in axes:
        axes[name].update(layout.pop(name, {}))
    margin = {"l": 5, "r": 5, "t": TOP, "b": BOTTOM, "pad": 0}
    base = {"height": HEIGHT, "margin": margin, "barmode": "overlay", "bargap": 0.2}
    return {"data": list(data), "layout": {**base, **axes, **layout}}


def bar(**more: Any) -> dict[str, Any]:
    marker = {"color": "@attention", "line": {"width": 0}, **more.pop("marker", {})}
    return {"type": "bar", "orientation": "h", "x": [1, 2], "y": [0, 1], "width": 0.5, "marker": marker, **more}


def text(**more: Any) -> dict[str, Any]:
    font = {"size": 10, "color": "@ink"}
    base = {"type": "scatter", "mode": "text", "x": [0, 1], "y": [0, 1], "text": ["a", "b"]}
    return {**base, "textposition": "middle right", "textfont": font, **more}


def drawn(plot: dict[str, Any]) -> ElementTree.Element:
    """The SVG as a tree; HTML needs no namespace, XML does."""
    return ElementTree.fromstring(poster(plot, "p").replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def all_of(svg: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return list(svg.iter(SVG + name))


def rects(svg: ElementTree.Element) -> list[ElementTree.Element]:
    return all_of(svg, "rect")


def box(element: ElementTree.Element) -> tuple[float, ...]:
    """left and width in percent, top and height in pixels"""
    assert element.attrib["x"][-1] == element.attrib["width"][-1] == "%"
    left, width = (float(element.attrib[name][:-1]) for name in ("x", "width"))
    return left, width, float(element.attrib["y"]), float(element.attrib["height"])


def percent(x: float, reach: tuple[float, float] = X) -> float:
    return (x - reach[0]) / (reach[1] - reach[0]) * 100


def pixel(y: float) -> float:
    """The rows go down from -0.5 at the top margin to 1.5 at the bottom margin."""
    return TOP + (y + 0.5) / 2 * (HEIGHT - TOP - BOTTOM)


def spans(*places: tuple[float, float, float, float]) -> list[Any]:
    """Boxes from left to right and from top to bottom, in the plot's numbers."""
    return [
        pytest.approx(
            (percent(left), percent(right) - percent(left), pixel(top), pixel(bottom) - pixel(top)), abs=0.006
        )
        for left, right, top, bottom in places
    ]


def boxes(plot: dict[str, Any]) -> list[tuple[float, ...]]:
    return [box(rect) for rect in rects(drawn(plot))]


# bars


def test_bars_lie_on_their_rows() -> None:
    assert boxes(figure(bar())) == spans((0, 1, -0.25, 0.25), (0, 2, 0.75, 1.25))


def test_bars_have_their_own_base_offset_and_width() -> None:
    plot = figure(bar(base=[-1, 0.5], offset=-0.5, width=1))
    assert boxes(plot) == spans((-1, 0, -0.5, 0.5), (0.5, 2.5, 0.5, 1.5))


def test_bars_without_a_width_leave_the_gap() -> None:
    trace = bar()
    del trace["width"]
    assert boxes(figure(trace, bargap=0.4)) == spans((0, 1, -0.3, 0.3), (0, 2, 0.7, 1.3))


def test_negative_bars_go_to_the_left() -> None:
    assert boxes(figure(bar(x=[-0.5, 2]))) == spans((-0.5, 0, -0.25, 0.25), (0, 2, 0.75, 1.25))


def test_bars_of_no_length_are_not_drawn() -> None:
    assert boxes(figure(bar(x=[0, 0]))) == []


def test_stacked_bars_follow_one_another_each_sign_on_its_side() -> None:
    plot = figure(bar(x=[1, 0.5, -0.25, -0.5, 2], y=[0, 0, 0, 0, 1]), barmode="relative")
    wanted = [(0, 1), (1, 1.5), (-0.25, 0), (-0.75, -0.25)]
    assert boxes(plot) == spans(*((*reach, -0.25, 0.25) for reach in wanted), (0, 2, 0.75, 1.25))


def test_bars_of_one_row_stack_whatever_their_offset_unless_they_have_a_base() -> None:
    # As plotly.js does it: only a base takes a trace out of the stack.
    plot = figure(bar(offset=-0.3), bar(offset=0.1), bar(offset=0.2, base=0), barmode="relative")
    left = [(0, 1), (0, 2), (1, 2), (2, 4), (0, 1), (0, 2)]
    found = boxes(plot)
    assert [place[:2] for place in found] == [
        pytest.approx((percent(a), percent(b) - percent(a)), abs=0.006) for a, b in left
    ]
    assert [place[2] for place in found] == pytest.approx(
        [pixel(y) for y in (-0.3, 0.7, 0.1, 1.1, 0.2, 1.2)], abs=0.006
    )


def test_overlaid_bars_all_start_at_zero() -> None:
    plot = figure(bar(x=[1, 2], y=[0, 0]))
    assert [place[0] for place in boxes(plot)] == [percent(0)] * 2


def test_bars_have_the_colours_of_the_figure() -> None:
    marker = {"color": ["@attention", "#123456"], "line": {"width": 1.5, "color": "@accent"}}
    first, second = rects(drawn(figure(bar(marker=marker))))
    assert first.attrib["class"].split() == ["f-attention", "s-accent"]
    assert (second.attrib["class"], second.attrib["fill"]) == ("s-accent", "#123456")
    assert first.attrib["stroke-width"] == second.attrib["stroke-width"] == "1.5"


def test_outlines_are_not_filled() -> None:
    (rect, _) = rects(drawn(figure(bar(marker={"color": NONE, "line": {"width": 1, "color": "@accent"}}))))
    assert (rect.attrib["fill"], rect.attrib["class"]) == ("none", "s-accent")


def test_clear_bars_are_not_drawn() -> None:
    assert boxes(figure(bar(marker={"color": NONE}))) == []


def hatching(svg: ElementTree.Element) -> list[ElementTree.Element]:
    """The rectangles of a hatching, which lie under clear bars."""
    groups = [group for group in all_of(svg, "g") if group.get("class") == "hatching"]
    for group in groups:
        assert group.attrib["fill"].startswith("url(#p-hatch")
    return [rect for group in groups for rect in group]


def test_hatched_bars_have_a_pattern_of_their_colour() -> None:
    pattern = {"shape": ["", "/"], "size": 6, "solidity": 0.25}
    svg = drawn(figure(bar(marker={"color": ["@attention", "@hatch"], "pattern": pattern})))
    plain, hatched = rects(svg)
    assert plain.attrib["class"] == "f-attention"
    assert "fill" not in plain.attrib
    (defined,) = all_of(svg, "pattern")
    assert hatched.attrib["fill"] == f"url(#{defined.attrib['id']})"
    assert defined[0].attrib["class"] == "s-hatch"
    assert [box(hatched)] == spans((0, 2, 0.75, 1.25))


def cells(*places: tuple[float, float, float, float], **more: Any) -> dict[str, Any]:
    """A hatching over cells, each from x0 to x1 and y0 to y1."""
    xs = [x for x0, x1, _, _ in places for x in (x0, x1, x1, x0, x0, None)]
    ys = [y for _, _, y0, y1 in places for y in (y0, y0, y1, y1, y0, None)]
    pattern = {"shape": "/", "fgcolor": "@hatch"}
    line = {"color": "@edge", "width": 1}
    base = {"type": "scatter", "mode": "lines", "line": line, "fill": "toself", "fillpattern": pattern}
    return {**base, "x": xs, "y": ys, **more}


def under(*colors: str, line: str = "@edge") -> dict[str, Any]:
    """The bars of three cells."""
    marker = {"color": list(colors), "line": {"color": line, "width": 1}}
    return bar(base=[0, 1, 3], x=[1, 2, 1], y=[0, 0, 1], width=1, marker=marker)


def test_hatching_lies_under_the_borders_of_the_bars() -> None:
    places = ((0, 1, -0.5, 0.5), (1, 3, -0.5, 0.5), (3, 4, 0.5, 1.5))
    svg = drawn(figure(under(NONE, NONE, NONE), cells(*places)))
    (defined,) = all_of(svg, "pattern")
    assert defined[0].attrib["class"] == "s-hatch"
    assert [box(rect) for rect in hatching(svg)] == spans((0, 3, -0.5, 0.5), (3, 4, 0.5, 1.5))
    assert rects(svg)[:2] == hatching(svg)
    assert boxes(figure(under(NONE, NONE, NONE), cells(*places)))[2:] == spans(*places)
    assert hatching(drawn(figure(under("#111111", NONE, NONE), cells()))) == []


@pytest.mark.parametrize(
    ("bars", "more", "problem"),
    [
        (under(NONE, NONE, NONE), {"mode": "none"}, "with the border"),
        (under(NONE, NONE, NONE), {"fillpattern": {"shape": "x", "fgcolor": "@hatch"}}, "with the border"),
        (under(NONE, NONE, NONE), {"y": [-0.5, -0.5, 0.5, 1, -0.5, None]}, "rectangles"),
        (under(NONE, NONE, NONE, line="@ink"), {}, "with the border"),
        (under("@hatch", NONE, NONE), {}, "clear bars"),
        (text(), {}, "with the border"),
    ],
)
def test_other_hatchings_are_refused(bars: dict[str, Any], more: dict[str, Any], problem: str) -> None:
    with pytest.raises(Unsupported, match=problem):
        poster(figure(bars, cells((0, 1, -0.5, 0.5), **more)), "p")


def test_ids_are_those_of_the_name() -> None:
    pattern = {"shape": "/"}
    plot = figure(bar(marker={"pattern": pattern}))
    ids = [re.findall(r' id="([^"]*)"', poster(plot, name)) for name in ("one", "two")]
    assert [len(found) for found in ids] == [1, 1]
    assert ids[0] != ids[1]


def test_text_stands_in_the_middle_of_its_bar() -> None:
    font = {"size": 10, "color": ["#111111", "#ffffff"]}
    svg = drawn(figure(bar(text=["one", ""], insidetextfont=font, base=[1, 0])))
    (label,) = all_of(svg, "text")
    assert label.text == "one"
    assert (label.attrib["text-anchor"], label.attrib["fill"], label.attrib["font-size"]) == ("middle", "#111111", "10")
    assert float(label.attrib["x"][:-1]) == pytest.approx(percent(1.5), abs=0.006)
    assert middle(label) == pytest.approx(pixel(0), abs=0.01)


def middle(label: ElementTree.Element) -> float:
    """The height of the middle of a line's small letters, which stand on the base line."""
    return float(label.attrib["y"]) - 0.35 * float(label.attrib["font-size"])


# fills and lines


def points(path: str) -> list[list[tuple[float, float]]]:
    """The corners of each part of a path, in percent and pixels."""
    parts = []
    for part in path.split("M")[1:]:
        corners: list[tuple[float, float]] = []
        for step in re.findall(r"-?[\d.]+ -?[\d.]+", part):
            x, y = map(float, step.split())
            corners.append((corners[-1][0] + x, corners[-1][1] + y) if corners else (x, y))
        parts.append(corners)
    return parts


def on_page(path: ElementTree.Element, svg: ElementTree.Element) -> list[list[tuple[float, float]]]:
    """The same in percent of the width and in pixels."""
    stretched = next(one for one in all_of(svg, "svg") if "viewBox" in one.attrib)
    _, _, width, height = map(float, stretched.attrib["viewBox"].split())
    assert (width, stretched.attrib["width"], stretched.attrib["preserveAspectRatio"]) == (STRETCH, "100%", "none")
    scale = float(stretched.attrib["height"]) / height
    return [[(x / width * 100, y * scale) for x, y in part] for part in points(path.attrib["d"])]


def test_fills_are_the_outlines_of_the_figure() -> None:
    fill = {"type": "scatter", "mode": "none", "fill": "toself", "fillcolor": "@faint"}
    svg = drawn(figure({**fill, "x": [0, 1, 1, None, 0, 2, 2], "y": [0, 0, 1, None, 1, 1, 0.5]}))
    (path,) = all_of(svg, "path")
    assert path.attrib["class"] == "f-faint"
    assert path.attrib["d"].count("z") >= 1
    wanted: list[list[tuple[float, float]]] = [[(0, 0), (1, 0), (1, 1)], [(0, 1), (2, 1), (2, 0.5)]]
    assert on_page(path, svg) == [
        [pytest.approx((percent(x), pixel(y)), abs=0.06) for x, y in corners] for corners in wanted
    ]


def test_lines_keep_their_width_when_stretched() -> None:
    line = {"type": "scatter", "mode": "lines", "x": [-1, 4], "y": [0, 1], "line": {"color": "@ink", "width": 2.5}}
    svg = drawn(figure(line))
    (path,) = all_of(svg, "path")
    assert (path.attrib["stroke-width"], path.attrib["vector-effect"]) == ("2.5", "non-scaling-stroke")
    assert (path.attrib["fill"], path.attrib["class"]) == ("none", "s-ink")
    assert [on_page(path, svg)[0][i] for i in (0, 1)] == [
        pytest.approx((0, pixel(0)), abs=0.06),
        pytest.approx((100, pixel(1)), abs=0.06),
    ]


def test_clear_lines_and_empty_outlines_are_not_drawn() -> None:
    line = {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [0, 1], "line": {"color": NONE, "width": 1}}
    empty = {"type": "scatter", "mode": "none", "fill": "toself", "fillcolor": "@faint", "x": [], "y": []}
    assert all_of(drawn(figure(line, empty)), "path") == []


def test_points_for_the_pointer_alone_are_not_drawn() -> None:
    points = {"type": "scatter", "mode": "none", "hoveron": "points", "x": [0], "y": [0]}
    assert len(list(drawn(figure(points)))) == 0


# texts


@pytest.mark.parametrize(("place", "anchor"), [("left", "end"), ("center", "middle"), ("right", None)])
def test_texts_stand_beside_their_points(place: str, anchor: str | None) -> None:
    labels = all_of(drawn(figure(text(textposition=f"middle {place}"))), "text")
    assert [label.text for label in labels] == ["a", "b"]
    for label, at in zip(labels, (0, 1), strict=True):
        assert label.get("text-anchor") == anchor
        assert float(label.attrib["x"][:-1]) == pytest.approx(percent(at), abs=0.006)
        assert middle(label) == pytest.approx(pixel(at), abs=0.01)
        assert label.attrib["class"] == "f-ink"


def test_each_text_may_have_its_own_place_and_colour() -> None:
    font = {"size": 10, "color": ["@accent", "@muted"]}
    first, second = all_of(drawn(figure(text(textposition=["middle left", "middle right"], textfont=font))), "text")
    assert (first.attrib["class"], first.attrib["text-anchor"]) == ("f-accent", "end")
    assert (second.attrib["class"], second.get("text-anchor")) == ("f-muted", None)


def test_empty_texts_are_left_out() -> None:
    assert [label.text for label in all_of(drawn(figure(text(text=["", "b"]))), "text")] == ["b"]


def test_lines_of_a_text_are_centred_on_the_point() -> None:
    (label, _) = all_of(drawn(figure(text(text=["one<br>two<br>three", "b"]))), "text")
    assert [label.text, *(line.text for line in label)] == ["one", "two", "three"]
    step = 10 * LINE
    assert [float(line.attrib["dy"]) for line in label] == [step, step]
    assert {line.attrib["x"] for line in label} == {label.attrib["x"]}
    assert middle(label) + step == pytest.approx(pixel(0), abs=0.01)


TICKS = {
    "visible": True, "side": "top", "tickmode": "array", "tickvals": [0, 1.5], "ticktext": ["a", "b<br>c"],
    "tickangle": -90, "tickfont": {"size": 10, "color": "@ink"},
}  # fmt: skip


def test_ticks_are_turned_and_end_above_the_plot() -> None:
    svg = drawn(figure(xaxis=TICKS))
    places = [one for one in all_of(svg, "svg") if "x" in one.attrib]
    assert [float(one.attrib["x"][:-1]) for one in places] == pytest.approx(
        [percent(0), percent(1.5), percent(1.5)], abs=0.006
    )
    assert all(0 < float(one.attrib["y"]) < TOP for one in places)
    labels = [one[0] for one in places]
    assert [label.text for label in labels] == ["a", "b", "c"]
    assert {label.attrib["transform"] for label in labels} == {"rotate(-90)"}
    shifts = [float(label.attrib["dy"]) for label in labels]
    # Turned, the letters' middle stands on the tick; two lines share it.
    assert shifts[0] == pytest.approx(3.5, abs=0.01)
    assert (shifts[1] + shifts[2]) / 2 == pytest.approx(3.5, abs=0.01)
    assert shifts[2] - shifts[1] == pytest.approx(10 * LINE, abs=0.02)


@pytest.mark.parametrize("token", HOSTILE)
def test_tokens_are_escaped_once(token: str) -> None:
    written = html.escape(token, quote=False)  # as plotly wants it
    for plot in (figure(text(text=[written, "b"])), figure(xaxis={**TICKS, "ticktext": [written, "b"]})):
        assert f">{html.escape(token, quote=False)}</text>" in poster(plot, "p")
        assert token in [label.text for label in all_of(drawn(plot), "text")]


# what it cannot draw


@pytest.mark.parametrize(
    "plot",
    [
        figure({"type": "pie", "values": [1]}),
        figure(bar(textfont={"size": 1})),
        figure(bar(orientation="v")),
        figure(text(textposition="top center")),
        figure(text(mode="lines+text")),
        figure({**text(mode="markers"), "marker": {"size": 5}}),
        figure(text(mode="markers")),
        figure({"type": "scatter", "mode": "none", "fill": "tozeroy", "fillcolor": "@ink", "x": [0], "y": [0]}),
        figure(text(yaxis="y2")),
        figure(yaxis={"visible": True}),
        figure(yaxis={"type": "log"}),
        figure(xaxis={**TICKS, "side": "bottom"}),
        figure(xaxis={**TICKS, "tickangle": 0}),
        figure(barmode="group"),
        figure(annotations=[{"text": "a"}]),
        figure(shapes=[]),
    ],
)
def test_other_features_are_refused(plot: dict[str, Any]) -> None:
    with pytest.raises(Unsupported):
        poster(plot, "p")


# the figures of the page


@pytest.fixture(scope="module")
def own() -> Built:
    return build(ROOT / "content")


@pytest.fixture(scope="module")
def hostile(hostile_content: Any) -> Built:  # noqa: F811 - the fixture above
    return build(hostile_content)


def sample(built: Built) -> list[State]:
    """One token after the other in all sentences, masks and heads."""
    return [state for i, state in enumerate(built.states) if i % 7 == 0]


def plots(built: Built, kind: str, state: State) -> dict[str, dict[str, Any]]:
    view = built.view(state)
    return {plot.name: view.fill(plot.figure()) for plot in built.pages.charts[kind].plots}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["own", "hostile"])
def test_posters_are_well_formed(request: pytest.FixtureRequest, name: str, kind: str) -> None:
    built: Built = request.getfixturevalue(name)
    for state in sample(built):
        for plot in plots(built, kind, state).values():
            svg = drawn(plot)
            assert float(svg.attrib["height"]) == plot["layout"]["height"]
            assert len(list(svg)) > 0
            ids = [one.attrib["id"] for one in svg.iter() if "id" in one.attrib]
            used = re.findall(r"url\(#([^)]*)\)", ElementTree.tostring(svg, encoding="unicode"))
            assert set(used) <= set(ids)
            assert len(ids) == len(set(ids))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_a_poster_breaks_out_of_it(own: Built, kind: str) -> None:
    for plot in plots(own, kind, toy_state()).values():
        for element in drawn(plot).iter():
            assert element.tag.removeprefix(SVG) in {"svg", "g", "defs", "pattern", "path", "rect", "text", "tspan"}
            assert not [name for name in element.attrib if name.startswith("on") or name in ("href", "style")]


def shown_texts(svg: ElementTree.Element) -> list[str]:
    return ["".join(label.itertext()).strip("\u00a0 \u25b8") for label in all_of(svg, "text")]


def test_hostile_tokens_are_shown_as_they_are(hostile: Built) -> None:
    for kind, name in (("lines", "lines"), ("softmax", "weights"), ("table", "weights"), ("heads", "head-0")):
        plot = plots(hostile, kind, toy_state())[name]
        texts = shown_texts(drawn(plot))
        assert [token for token in HOSTILE[:-1] if token not in texts and len(token) <= 12] == []
        raw = poster(plot, "p")
        assert ">&lt;s&gt;<" in raw.replace("\u00a0", "").replace("\u25b8", "")
        assert not set(re.findall(r"</?[a-z]+", raw)) & {"<s", "</s", "<br", "<q", "<b"}


def masked(built: Built, state: State) -> set[tuple[int, int]]:
    n = len(built.pages.source.sentences[state["sentence"]].tokens)
    return {(i, j) for i in range(n) for j in range(n) if state["mask"] == 0 and j > i}


@pytest.mark.parametrize("mask", [0, 1])
def test_hatched_cells_are_the_masked_ones(own: Built, mask: int) -> None:
    for state in (s for s in sample(own) if s["mask"] == mask):
        cells = [plots(own, "table", state)["weights"], *plots(own, "heads", state).values()]
        for plot in cells:
            margin, height = plot["layout"]["margin"], plot["layout"]["height"]
            row = (height - margin["t"] - margin["b"]) / 10
            found = [
                (round((top - margin["t"]) / row), column)
                for left, width, top, _ in map(box, hatching(drawn(plot)))
                for column in range(round(left / 10), round((left + width) / 10))
            ]
            assert set(found) == masked(own, state)
            assert len(found) == len(set(found))


def test_hatched_bars_are_those_of_masked_keys(own: Built) -> None:
    arrays = own.pages.source.arrays
    for state in sample(own):
        plot = plots(own, "softmax", state)["scores"]
        scores = arrays["scores"][state["sentence"]][state["head"]][state["token"]]
        hatched = [rect for rect in rects(drawn(plot)) if rect.get("fill", "").startswith("url")]
        # A masked score of 0 has no bar that could be hatched.
        wanted = [j for j, score in enumerate(scores) if state["mask"] == 0 and j > state["token"] and score]
        assert len(hatched) == len(wanted)


def test_bars_are_as_long_as_the_numbers(own: Built) -> None:
    for state in sample(own):
        plot = plots(own, "softmax", state)["weights"]
        weights = own.pages.source.arrays["weights"][state["sentence"]][state["mask"]][state["head"]][state["token"]]
        seen = [weight for weight in weights if weight]
        widths = [box(rect)[1] for rect in rects(drawn(plot)) if not rect.get("fill", "").startswith("url")]
        assert widths == pytest.approx([weight * 100 for weight in seen], abs=0.006)


def test_stacked_values_end_at_the_output_and_the_own_value_starts_at_zero(own: Built) -> None:
    arrays = own.pages.source.arrays
    for state in sample(own):
        reach = tuple(arrays["value_range"][state["head"]])
        out = arrays["out"][state["sentence"]][state["mask"]][state["head"]][state["token"]]
        value = arrays["v"][state["sentence"]][state["head"]][state["token"]]
        plot = plots(own, "mix", state)["mix"]
        drawn_boxes = [(rect, box(rect)) for rect in rects(drawn(plot))]
        outlines = [place for rect, place in drawn_boxes if rect.get("fill") == "none"]
        filled = [place for rect, place in drawn_boxes if rect.get("fill") != "none"]
        assert [place[:2] for place in outlines] == [
            pytest.approx((percent(0, reach), percent(v, reach) - percent(0, reach)), abs=0.006) for v in value if v
        ]
        ends = {round(top, 2): 0.0 for _, _, top, _ in filled}
        for left, width, top, _ in filled:
            ends[round(top, 2)] = max(ends[round(top, 2)], left + width)
        assert [ends[top] for top in sorted(ends)] == pytest.approx(
            [percent(number, reach) for number in out if number], abs=0.02
        )
