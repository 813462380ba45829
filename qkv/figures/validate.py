"""Every plot goes once through plotly's own Python package, which knows each attribute and what it may hold.

That takes half a second for each dozen, so what has passed is remembered in the cache folder by its content.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from qkv.errors import Mistakes, Place
from qkv.figures.charts import Chart
from qkv.figures.template import View
from qkv.templates import package_code

_PAINT = "#000000"  # stands in for the colours of the page (@ink), which plotly does not know


def validate(charts: Iterable[Chart], view: View, cache: Path) -> None:
    """Raises a BuildError for each plot that plotly refuses."""
    plots = [(chart.kind, plot.name, plot.figure()) for chart in charts for plot in chart.plots]
    stamp = cache / f"valid-{_digest(plots, view)}"
    if os.path.lexists(stamp):  # its name is all it says, so no digest is kept beside it
        return
    # only now: it takes longer to load than all else to run
    import plotly.graph_objects as go

    wrong = Mistakes()
    for kind, name, nodes in plots:
        figure = _painted(view.fill(nodes))
        try:
            go.Figure(data=figure["data"], layout=figure["layout"])
        except ValueError as error:
            problem = " ".join(str(error).split())[:300]
            wrong.add(Place("qkv/figures/kinds"), f"plotly refuses {name!r} of {kind!r} ({problem})", "mend the chart")
    wrong.stop()
    try:
        cache.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    except OSError:
        pass  # it will be checked again


def _digest(plots: list[tuple[str, str, Any]], view: View) -> str:
    """Of all that the filled plots are made from, since to fill them takes longer than to read it."""
    made_from = [plots, view.source.arrays, asdict(view.state), view.words, view.shades, metadata.version("plotly")]
    # all of the code, since any list of what fills a plot would miss something one day
    code = package_code(Path(__file__).parents[1])
    return hashlib.sha256(json.dumps([made_from, code], sort_keys=True).encode()).hexdigest()[:20]


def _painted(node: Any) -> Any:
    if isinstance(node, list):
        return [_painted(part) for part in node]
    if isinstance(node, dict):
        return {key: _painted(part) for key, part in node.items()}
    return _PAINT if isinstance(node, str) and node.startswith("@") else node
