"""HoloViews: a map from states to figures, saved as a page with menus."""

# The tools are in an environment of their own, and so is this file when it runs.
# mypy: disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

import holoviews as hv
from bokeh.resources import INLINE
from exhibit import read, versions

SIZE = {"width": 360, "height": 400}


def main() -> None:
    exhibit, folder = read()
    hv.extension("bokeh")
    count = exhibit.count
    places = [str(i) for i in range(count)]
    lines, tables, bars = {}, {}, {}
    for s, m, h in exhibit.views():
        key, weights = (exhibit.sentences[s], exhibit.masks[m], exhibit.heads[h]), exhibit.weights[s][m][h]
        cells = [(i, j, weights[i][j]) for i in range(count) for j in range(count)]
        segments = hv.Segments([(0, -i, 1, -j, weight) for i, j, weight in cells], vdims="weight")
        lines[key] = segments.opts(line_width=hv.dim("weight") * 8, alpha=0.7, **SIZE)
        heat = hv.HeatMap([(str(j), str(i), weight) for i, j, weight in cells])
        tables[key] = heat.opts(cmap="Blues", clim=(0, 1), invert_yaxis=True, **SIZE)
        for asking in range(count):
            made = hv.Bars(list(zip(places, weights[asking], strict=True)), "token", "weight")
            bars[(*key, asking)] = made.opts(ylim=(0, 1), **SIZE)
    names = ["sentence", "mask", "head"]
    page = hv.HoloMap(lines, names) + hv.HoloMap(tables, names) + hv.HoloMap(bars, [*names, "asking"])
    hv.save(page, folder / "index.html", fmt="widgets", resources=INLINE)
    versions("holoviews", "bokeh")


main()
