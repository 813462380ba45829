"""Texts, groups and inks of a poster, as SVG."""

from __future__ import annotations

import html
import re

from qkv.figures.template import CLEAR

_ATTRIBUTE = re.compile(r' ([\w-]+)="([^"]*)"')
INHERITED = {"text-anchor", "font-size", "fill", "class", "stroke-width"}
LINE = 1.15  # of the font size, from line to line


def text_element(text: str, x: float, y: float, anchor: str, size: float, color: str) -> str:
    lines = text_lines(text)
    first = y + size * 0.35 - (len(lines) - 1) * size * LINE / 2
    where = f'x="{two(x)}%"'
    shown = escaped(lines[0]) + "".join(
        f'<tspan {where} dy="{two(size * LINE)}">{escaped(line)}</tspan>' for line in lines[1:]
    )
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text {where} y="{two(first)}"{at} font-size="{size}"{ink(color)}>{shown}</text>'


def hoisted(elements: list[str]) -> str:
    """What all elements of a trace have in common is said once, in a group around them."""
    if len(elements) < 3:
        return "".join(elements)
    given = [dict(_ATTRIBUTE.findall(element[: element.index(">")])) for element in elements]
    common = {name: value for name, value in given[0].items() if all(one.get(name) == value for one in given)}
    shared = "".join(f' {name}="{value}"' for name, value in common.items() if name in INHERITED)
    for name, value in common.items():
        if name in INHERITED:
            elements = [element.replace(f' {name}="{value}"', "", 1) for element in elements]
    return f"<g{shared}>{''.join(elements)}</g>" if shared else "".join(elements)


def text_lines(text: str) -> list[str]:
    """Plotly's own markup, of which the charts use line breaks and entities alone."""
    return [html.unescape(line) for line in str(text).split("<br>")]


def escaped(text: str) -> str:
    return html.escape(text, quote=False)


def ink(fill: str = "", stroke: str = CLEAR) -> str:
    """Attributes for fill and stroke: a colour of the page (@ink) as a class, so that it follows the theme."""
    classes, rest = [], ""
    for kind, color in (("fill", fill), ("stroke", stroke)):
        if color.startswith("@"):
            classes.append(f"{kind[0]}-{color[1:]}")
        elif color == CLEAR:
            rest += ' fill="none"' if kind == "fill" else ""
        elif color:
            rest += f' {kind}="{color}"'
    return (f' class="{" ".join(classes)}"' if classes else "") + rest


def box(left: float, right: float, upper: float, lower: float) -> str:
    """The place of a rectangle: percent across, pixels down."""
    return f'x="{two(left)}%" width="{two(right - left)}%" y="{two(upper)}" height="{two(lower - upper)}"'


def two(value: float) -> str:
    """A number to two decimals, without what says nothing."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
