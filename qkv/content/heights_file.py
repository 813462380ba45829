"""content/heights.toml, measured by tools/heights.py -> how high embeds are."""

from __future__ import annotations

from pathlib import Path

from qkv.content.heights import Heights
from qkv.content.schema import FILES
from qkv.content.settings import Validator
from qkv.content.toml import load_toml
from qkv.errors import Mistakes


def load_heights(content: Path) -> Heights:
    """Reads content/heights.toml: the heights that it lists. Raises a BuildError with every mistake found."""
    file = load_toml(content, "heights.toml")
    wrong = Mistakes()
    Validator(file, FILES["heights.toml"], wrong).read()
    wrong.stop()
    return file.data
