"""A filled Plotly figure -> a static SVG, for the few features that the charts use. Anything else is an error.

The SVG is as wide as its box: x is in percent of the plot area (the box's padding makes the margins), y in
pixels, so that one poster serves every width with letters of one size. Filled outlines and lines, which cannot
be in percent, stand in an inner SVG that is stretched.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from qkv.figures.svg import LINE, box, escaped, hoisted, ink, text_element, text_lines, two
from qkv.figures.template import CLEAR

_ANCHOR = {"left": "end", "right": "start", "center": "middle"}
_TRACE_KEYS = {
    "bar": {
        "type",
        "orientation",
        "x",
        "y",
        "base",
        "width",
        "offset",
        "marker",
        "text",
        "textposition",
        "insidetextanchor",
        "textangle",
        "constraintext",
        "insidetextfont",
        "hovertext",
        "hoverinfo",
    },
    "scatter": {
        "type",
        "mode",
        "x",
        "y",
        "fill",
        "fillcolor",
        "fillpattern",
        "line",
        "text",
        "textposition",
        "textfont",
        "cliponaxis",
        "hovertext",
        "hoverinfo",
        "hoveron",
    },
}
_LAYOUT_KEYS = {
    "height",
    "margin",
    "paper_bgcolor",
    "plot_bgcolor",
    "showlegend",
    "dragmode",
    "hovermode",
    "hoverlabel",
    "barmode",
    "bargap",
    "font",
    "xaxis",
    "yaxis",
}
_AXIS_KEYS = {
    "visible",
    "fixedrange",
    "range",
    "side",
    "tickmode",
    "tickvals",
    "ticktext",
    "tickangle",
    "ticklabeloverflow",
    "tickfont",
    "showgrid",
    "zeroline",
    "ticks",
    "showline",
    "automargin",
}
_MODES = {"text", "none", "lines"}
_BARMODES = {"overlay", "relative"}
STRETCH = 1000  # units across the inner SVG
FINE = 10  # units for a pixel down it


class Unsupported(Exception):
    """The poster cannot draw this part of a Plotly figure."""


def poster(figure: dict[str, Any], name: str) -> str:
    """The SVG of a filled figure; `name` makes its ids unique on the page."""
    return _Poster(figure, name).svg()


class _Poster:
    def __init__(self, figure: dict[str, Any], name: str) -> None:
        self.data, layout = figure["data"], figure["layout"]
        _known("layout", layout, _LAYOUT_KEYS)
        _known("layout.barmode", [layout["barmode"]], _BARMODES)
        for axis in ("xaxis", "yaxis"):
            _known(axis, layout[axis], _AXIS_KEYS)
        self.name, self.height = name, layout["height"]
        self.top, bottom = layout["margin"]["t"], layout["margin"]["b"]
        self.inner = self.height - self.top - bottom
        self.x0, self.x1 = layout["xaxis"]["range"]
        self.y0, self.y1 = layout["yaxis"]["range"]
        self.barmode = layout["barmode"]
        self.gap = 1 - layout["bargap"]
        self.xaxis, self.yaxis = layout["xaxis"], layout["yaxis"]
        self.hatches: dict[str, str] = {}

    def svg(self) -> str:
        bars: list[str] = []
        shapes: list[str] = []
        texts: list[str] = []
        stacked: dict[tuple[float, bool], float] = {}
        for index, trace in enumerate(self.data):
            _known("type", [trace["type"]], _TRACE_KEYS)
            _known(trace["type"], trace, _TRACE_KEYS[trace["type"]])
            _known("mode", [trace.get("mode", "none")], _MODES)
            _known("fill", [trace.get("fill", "toself")], {"toself"})
            drawn: list[str] = []
            written: list[str] = []
            if trace["type"] == "bar":
                self.bar(trace, stacked, drawn, written)
            elif trace["mode"] == "text":
                self.text(trace, written)
            elif "fillpattern" in trace:
                bars.insert(0, self.hatching(trace, self.data[index - 1]))
            elif "hoveron" not in trace:  # else points for the pointer alone
                shapes.append(self.shape(trace))
            bars.append(hoisted(drawn))
            texts.append(hoisted(written))
        if self.yaxis.get("visible"):
            raise Unsupported("a visible y axis")
        if self.xaxis.get("visible"):
            ticks: list[str] = []
            self.ticks(ticks)
            texts.append(hoisted(ticks))
        stretched = (
            f'<svg width="100%" height="{self.height}" viewBox="0 0 {STRETCH} {self.height * FINE}" '
            'preserveAspectRatio="none">'
            f"{''.join(shapes)}</svg>"
        )
        hatches = "".join(
            f'<pattern id="{key}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            f'<path d="M3 0V6" stroke-width="1.5"{ink(stroke=color)}/></pattern>'
            for color, key in self.hatches.items()
        )
        defs = f"<defs>{hatches}</defs>" if hatches else ""
        return (
            f'<svg class="poster" width="100%" height="{self.height}" aria-hidden="true">{defs}'
            f"{''.join(bars)}{stretched if any(shapes) else ''}{''.join(texts)}</svg>"
        )

    def bar(
        self, trace: dict[str, Any], stacked: dict[tuple[float, bool], float], bars: list[str], texts: list[str]
    ) -> None:
        if trace["orientation"] != "h":
            raise Unsupported("vertical bars")
        marker = trace["marker"]
        for i, (length, row) in enumerate(zip(trace["x"], trace["y"], strict=True)):
            thick = _at(trace.get("width", self.gap), i)
            place = row + _at(trace.get("offset", -thick / 2), i)
            start = _at(trace.get("base", 0), i)
            if self.barmode == "relative" and "base" not in trace:  # plotly stacks by row, whatever the offset
                key = (row, length < 0)
                start = stacked.get(key, 0.0)
                stacked[key] = start + length
            left, right = sorted((self.x(start), self.x(start + length)))
            upper, lower = sorted((self.y(place), self.y(place + thick)))
            line = marker["line"]
            color, edge = _at(marker["color"], i), line["color"] if line["width"] else CLEAR
            hatched = _at(marker.get("pattern", {}).get("shape", ""), i)
            fill = f' fill="url(#{self.hatch(color)})"' if hatched else ""
            if length and (edge != CLEAR or color != CLEAR):
                width = f' stroke-width="{line["width"]}"' if line["width"] else ""
                paint = ink("" if hatched else color, stroke=edge)
                bars.append(f"<rect {box(left, right, upper, lower)}{width}{fill}{paint}/>")
            text = _at(trace.get("text", ""), i)
            if text:
                font = trace["insidetextfont"]
                middle = (left + right) / 2, (upper + lower) / 2
                texts.append(text_element(text, *middle, "middle", font["size"], _at(font["color"], i)))

    def hatch(self, color: str) -> str:
        return self.hatches.setdefault(color, f"{self.name}-hatch{len(self.hatches) or ''}")

    def shape(self, trace: dict[str, Any]) -> str:
        """An outline filled, or a line; None lifts the pen."""
        path, pen = [], "M"
        last = (0, 0)
        for x, y in zip(trace["x"], trace["y"], strict=True):
            if x is None:
                path.append("z" if trace["mode"] == "none" else "")
                pen = "M"
                continue
            at = (round(self.x(x) * STRETCH / 100), round(self.y(y) * FINE))
            path.append(f"M{at[0]} {at[1]}" if pen == "M" else f"l{at[0] - last[0]} {at[1] - last[1]}")
            pen, last = "l", at
        if not path:
            return ""
        if trace["mode"] == "none":
            return f'<path d="{"".join(path)}"{ink(trace["fillcolor"])}/>'
        line = trace["line"]
        if line["color"] == CLEAR:
            return ""
        paint = ink(CLEAR, line["color"])
        return f'<path d="{"".join(path)}" stroke-width="{line["width"]}" vector-effect="non-scaling-stroke"{paint}/>'

    def hatching(self, trace: dict[str, Any], bars: dict[str, Any]) -> str:
        """The hatching over clear bars, put under them: their borders part what is hatched in one piece.

        Rectangles, since the inner SVG would stretch the hatching.
        """
        marker = bars.get("marker", {})
        if trace["mode"] != "lines" or trace["fillpattern"]["shape"] != "/" or trace["line"] != marker.get("line"):
            raise Unsupported("a pattern other than a hatching with the border of the bars before it")
        colors = marker["color"] if isinstance(marker["color"], list) else []
        clear = {(start, row) for start, row, c in zip(bars["base"], bars["y"], colors, strict=True) if c == CLEAR}
        spans: list[tuple[float, float, float, float]] = []
        for at in range(0, len(trace["x"]), 6):
            corners = list(zip(trace["x"][at : at + 5], trace["y"][at : at + 5], strict=True))
            (x0, y0), (x1, y1) = corners[0], corners[2]
            if corners != [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]:
                raise Unsupported("a hatching of anything but rectangles")
            if (x0, (y0 + y1) / 2) not in clear:
                raise Unsupported("a hatching over anything but clear bars")
            if spans and spans[-1][1:] == (x0, y0, y1):
                x0 = spans.pop()[0]
            spans.append((x0, x1, y0, y1))
        rects = ""
        for x0, x1, y0, y1 in spans:
            left, right = sorted((self.x(x0), self.x(x1)))
            upper, lower = sorted((self.y(y0), self.y(y1)))
            rects += f"<rect {box(left, right, upper, lower)}/>"
        fill = self.hatch(trace["fillpattern"]["fgcolor"])
        return f'<g class="hatching" fill="url(#{fill})">{rects}</g>' if rects else ""

    def text(self, trace: dict[str, Any], texts: list[str]) -> None:
        font = trace["textfont"]
        for i, (x, y, text) in enumerate(zip(trace["x"], trace["y"], trace["text"], strict=True)):
            vertical, horizontal = _at(trace["textposition"], i).split()
            if vertical != "middle":
                raise Unsupported(f"textposition {vertical}")
            if text:
                texts.append(
                    text_element(text, self.x(x), self.y(y), _ANCHOR[horizontal], font["size"], _at(font["color"], i))
                )

    def ticks(self, texts: list[str]) -> None:
        axis = self.xaxis
        if axis["side"] != "top" or axis["tickangle"] != -90:
            raise Unsupported("ticks other than turned ones on top")
        size = axis["tickfont"]["size"]
        for value, text in zip(axis["tickvals"], axis["ticktext"], strict=True):
            lines = text_lines(text)
            for k, line in enumerate(lines):  # turned about a point of its own, which an inner SVG puts in place
                shift = (k - (len(lines) - 1) / 2) * size * LINE
                place = f'x="{two(self.x(value))}%" y="{two(self.top - 1)}"'
                font = f' font-size="{size}"{ink(axis["tickfont"]["color"])}'  # of the frame, which a group may have
                turned = f'transform="rotate(-90)" dy="{two(size * 0.35 + shift)}"'
                texts.append(f"<svg {place}{font}><text {turned}>{escaped(line)}</text></svg>")

    def x(self, value: float) -> float:
        """Percent of the plot area."""
        return float((value - self.x0) / (self.x1 - self.x0) * 100)

    def y(self, value: float) -> float:
        """Pixels from the top of the box."""
        return float(self.top + (1 - (value - self.y0) / (self.y1 - self.y0)) * self.inner)


def _known(what: str, given: Iterable[str], known: Container[str]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise Unsupported(f"{what}: {', '.join(unknown)}")


def _at(value: Any, index: int) -> Any:
    return value[index] if isinstance(value, list) else value
