"""Plotly as its users combine it: the traces of every view are in the figure, and a menu of 120 entries shows some."""

# The tools are in an environment of their own, and so is this file when it runs.
# mypy: disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

import plotly.graph_objects as go
from exhibit import Exhibit, read, versions
from plotly.subplots import make_subplots

CLASSES = 8  # widths of lines: all lines of one width are one trace, since a trace has one width


def lines(exhibit: Exhibit, view: tuple[int, int, int]) -> list[go.Scatter]:
    s, m, h = view
    found = []
    for part in range(CLASSES):
        x: list[float | None] = []
        y: list[float | None] = []
        for i, row in enumerate(exhibit.weights[s][m][h]):
            for j, weight in enumerate(row):
                if part / CLASSES < weight <= (part + 1) / CLASSES:
                    x += [0, 1, None]
                    y += [-i, -j, None]
        line = {"width": part + 0.5, "color": "steelblue"}
        found.append(go.Scatter(x=x, y=y, mode="lines", line=line, opacity=0.7, hoverinfo="skip", visible=False))
    return found


def main() -> None:
    exhibit, folder = read()
    fig = make_subplots(rows=1, cols=3)
    for view in exhibit.views():
        s, m, h = view
        weights, labels = exhibit.weights[s][m][h], exhibit.labels(s)
        for trace in lines(exhibit, view):
            fig.add_trace(trace, row=1, col=1)
        heat = go.Heatmap(z=weights, x=labels, y=labels, zmin=0, zmax=1, colorscale="Blues", showscale=False)
        fig.add_trace(heat.update(visible=False), row=1, col=2)
        for row in weights:
            fig.add_trace(go.Bar(x=labels, y=row, marker_color="steelblue", visible=False), row=1, col=3)
    views, each = list(exhibit.views()), CLASSES + 1 + exhibit.count
    buttons = []
    for k, view in enumerate(views):
        for asking in range(exhibit.count):
            shown = [False] * (each * len(views))
            shown[k * each : k * each + CLASSES + 1] = [True] * (CLASSES + 1)
            shown[k * each + CLASSES + 1 + asking] = True
            name = exhibit.name(*view, asking)
            buttons.append({"method": "restyle", "label": name, "args": [{"visible": shown}]})
    for trace, visible in zip(fig.data, buttons[0]["args"][0]["visible"], strict=True):
        trace.visible = visible
    fig.update_layout(
        width=1100,
        height=420,
        showlegend=False,
        yaxis2={"autorange": "reversed"},
        yaxis3={"range": [0, 1]},
        updatemenus=[{"buttons": buttons}],
    )
    fig.write_html(folder / "index.html", include_plotlyjs=True)
    versions("plotly")


main()
