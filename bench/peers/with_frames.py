"""Plotly with a frame for each of 120 states, and a slider over them; a trace for each line, since widths change."""

# The tools are in an environment of their own, and so is this file when it runs.
# mypy: disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

import plotly.graph_objects as go
from exhibit import Exhibit, read, versions
from plotly.subplots import make_subplots

JUMP = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}


def traces(exhibit: Exhibit, view: tuple[int, int, int], asking: int) -> list[go.Scatter | go.Heatmap | go.Bar]:
    s, m, h = view
    weights, labels = exhibit.weights[s][m][h], exhibit.labels(s)
    found: list[go.Scatter | go.Heatmap | go.Bar] = [
        go.Scatter(
            x=[0, 1],
            y=[-i, -j],
            mode="lines",
            line={"width": 8 * weight, "color": "steelblue"},
            opacity=0.7,
            hoverinfo="skip",
        )
        for i, row in enumerate(weights)
        for j, weight in enumerate(row)
    ]
    found.append(go.Heatmap(z=weights, x=labels, y=labels, zmin=0, zmax=1, colorscale="Blues", showscale=False))
    found.append(go.Bar(x=labels, y=weights[asking], marker_color="steelblue"))
    return found


def main() -> None:
    exhibit, folder = read()
    fig = make_subplots(rows=1, cols=3)
    frames = [
        go.Frame(name=exhibit.name(*view, asking), data=traces(exhibit, view, asking))
        for view in exhibit.views()
        for asking in range(exhibit.count)
    ]
    for place, trace in enumerate(frames[0].data):
        fig.add_trace(trace, row=1, col=max(1, place - exhibit.count**2 + 2))
    fig.frames = frames
    steps = [{"method": "animate", "label": frame.name, "args": [[frame.name], JUMP]} for frame in frames]
    fig.update_layout(
        width=1100,
        height=420,
        showlegend=False,
        yaxis2={"autorange": "reversed"},
        yaxis3={"range": [0, 1]},
        sliders=[{"steps": steps}],
    )
    fig.write_html(folder / "index.html", include_plotlyjs=True, auto_play=False)
    versions("plotly")


main()
