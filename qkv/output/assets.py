"""The shared files, named by their content."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from jinja2 import BytecodeCache, Environment, StrictUndefined

from qkv.figures.charts import Chart
from qkv.output.bundle import Bundle
from qkv.output.files import Output
from qkv.templates import asset, loader

_COMMENT = re.compile(r"^ *(?://.*\n)?", re.M)  # what readers need not load of a script: lines of comment, indentation
_BLANK = re.compile(r"^\s+", re.M)  # nor of a style: empty lines, indentation


def stylesheet(templates: Path, name: str, kept: BytecodeCache | None = None, **given: object) -> str:
    """The text of a style in templates/styles/, put together from its parts. `kept` holds compiled templates."""
    env = Environment(
        loader=loader(templates / "styles", "templates/styles"),
        undefined=StrictUndefined,
        autoescape=False,  # not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=kept,
    )
    return _BLANK.sub("", env.get_template(name).render(given))


def gather_assets(
    templates: Path,
    charts: Iterable[Chart],
    heights: Mapping[str, Sequence[int]],
    bundle: Bundle,
    kept: BytecodeCache | None,
) -> tuple[dict[str, str], list[Output]]:
    """The shared files, named by their content, and where a template finds each.

    `heights` are those of figures and sections in pixels, about: on a phone, in a column, in a window. `kept` holds
    compiled templates.
    """
    charts = list(charts)
    plots = [(chart.kind, plot) for chart in charts for plot in chart.plots]
    heads = [block.name for chart in charts if chart.kind == "heads" for block in chart.blocks]
    style = stylesheet(templates, "style.css", kept, plots=plots, heads=heads, tall=heights)
    noscript = stylesheet(templates, "noscript.css", kept)
    scripts = [asset(templates, path.name) for path in sorted((templates / "assets").glob("[0-9]*.js"))]
    app = asset(templates, "app.js").replace("/* scripts */", "\n".join(scripts))
    app = _COMMENT.sub("", app)
    sources = {
        "style": ("style", ".css", style.encode()),
        "app": ("app", ".js", app.encode()),
        "noscript": ("noscript", ".css", noscript.encode()),
        "teachers": ("teachers", ".js", asset(templates, "teachers.js").encode()),
        "early": ("early", ".js", asset(templates, "early.js").encode()),
        "icon": ("icon", ".svg", asset(templates, "icon.svg").encode()),
        "plotly": ("plotly", ".js", bundle.js),
        "plotly_css": ("plotly", ".css", bundle.css),
    }
    names: dict[str, str] = {}
    outputs: list[Output] = []
    for key, (stem, ending, data) in sources.items():
        names[key] = f"assets/{stem}.{hashlib.sha256(data).hexdigest()[:10]}{ending}"
        outputs.append(Output(names[key], data))
    return names, outputs
