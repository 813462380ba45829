"""Sources of attention by name. A new one is a function from the content folder to a Source, and one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qkv.content.model_file import load_toy
from qkv.content.schema import SITE
from qkv.content.toml import load_toml
from qkv.errors import BuildError, did_you_mean, fail, quoted
from qkv.model.source import Source
from qkv.model.traces import trace

SOURCES: dict[str, Callable[[Path], Source]] = {"toy": lambda content: trace(load_toy(content))}


def load_source(content: Path) -> Source:
    """The source that `source` in site.toml names; raises a BuildError with every mistake in its files.

    What else is wrong with site.toml is reported by load_content.
    """
    name = default = str(SITE.keys["source"].default)
    try:
        file = load_toml(content, "site.toml")
    except BuildError:
        return SOURCES[default](content)
    if isinstance(file.data.get("source"), str):
        name = file.data["source"]
    if name not in SOURCES:
        problem = f"there is no source of attention {quoted(name)}"
        raise fail(file.where("source"), problem, did_you_mean(name, SOURCES))
    return SOURCES[name](content)
