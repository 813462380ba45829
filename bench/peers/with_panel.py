"""Panel with all states embedded in the page: four menus, three Bokeh figures."""

# The tools are in an environment of their own, and so is this file when it runs.
# mypy: disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

import panel as pn
from bokeh.plotting import figure
from bokeh.resources import INLINE
from bokeh.transform import linear_cmap
from exhibit import read, versions

SIZE = {"width": 360, "height": 400}


def main() -> None:
    exhibit, folder = read()
    pn.extension()
    count = exhibit.count
    places = [str(i) for i in range(count)]
    pairs = [(i, j) for i in range(count) for j in range(count)]

    def menu(name: str, options: list[str]) -> pn.widgets.Select:
        return pn.widgets.Select(name=name, options={text: i for i, text in enumerate(options)}, value=0)

    def flat(s: int, m: int, h: int) -> list[float]:
        return [weight for row in exhibit.weights[s][m][h] for weight in row]

    def lines(s: int, m: int, h: int) -> pn.pane.Bokeh:
        made = figure(**SIZE)
        y0, y1 = [-i for i, _ in pairs], [-j for _, j in pairs]
        widths = [8 * weight for weight in flat(s, m, h)]
        made.segment([0] * len(pairs), y0, [1] * len(pairs), y1, line_width=widths, line_alpha=0.7)
        return pn.pane.Bokeh(made)

    def table(s: int, m: int, h: int) -> pn.pane.Bokeh:
        made = figure(x_range=places, y_range=places[::-1], **SIZE)
        source = {"x": [str(j) for _, j in pairs], "y": [str(i) for i, _ in pairs], "w": flat(s, m, h)}
        color = linear_cmap("w", "Blues256", 1, 0)
        made.rect(x="x", y="y", width=1, height=1, source=source, fill_color=color, line_color=None)
        return pn.pane.Bokeh(made)

    def bars(s: int, m: int, h: int, asking: int) -> pn.pane.Bokeh:
        made = figure(x_range=places, y_range=(0, 1), **SIZE)
        made.vbar(x=places, top=exhibit.weights[s][m][h][asking], width=0.8)
        return pn.pane.Bokeh(made)

    view = [menu("sentence", exhibit.sentences), menu("mask", exhibit.masks), menu("head", exhibit.heads)]
    asking = menu("asking", places)
    page = pn.Column(
        pn.Row(*view, asking),
        pn.Row(pn.bind(lines, *view), pn.bind(table, *view), pn.bind(bars, *view, asking)),
    )
    page.save(folder / "index.html", embed=True, max_states=1000, max_opts=count, progress=False, resources=INLINE)
    versions("panel", "bokeh")


main()
