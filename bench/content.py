"""Content folders for measuring: the article's own model, a sentence of any length, a page of chosen figures."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

_TEXT = re.compile(r'^text = "(.*)"$', re.M)
_HOURS = re.compile(r"^hours = (\d+)", re.M)


def longer(text: str, count: int) -> str:
    """The sentence with as many tokens as wanted: its words over and over, its last one at the end."""
    *words, last = text.split()
    return " ".join([*(words * (count // len(words) + 1))[: count - 1], last])


def longer_model(toml: str, count: int) -> str:
    """model.toml with a sentence of so many tokens, and hours enough to tell them apart."""
    found, clock = _TEXT.findall(toml), _HOURS.findall(toml)
    if len(found) != 1 or len(clock) != 1:
        raise ValueError("model.toml is expected to have one sentence, given as text, and one clock")
    toml = _TEXT.sub(lambda _: f'text = "{longer(found[0], count)}"', toml)
    return _HOURS.sub(f"hours = {max(int(clock[0]), count + 2)}", toml)


def write_content(folder: Path, source: Path, kinds: Sequence[str], tokens: int | None = None) -> Path:
    """A content folder whose article is the given figures and hardly a word; returns the folder."""
    sections = folder / "sections"
    sections.mkdir(parents=True)
    for path in source.iterdir():  # what is not about the text: interface words, settings, pages beside it
        if path.is_file():
            shutil.copyfile(path, folder / path.name)
    model = (source / "model.toml").read_text("utf-8")
    (folder / "model.toml").write_text(longer_model(model, tokens) if tokens else model, "utf-8")
    for name in ("facts", "claims"):
        (folder / f"{name}.toml").write_text(f"{name} = []\n", "utf-8")
    figures = "\n\n".join(f'{{{{ figure("{kind}") }}}}' for kind in kinds)
    (sections / "1-all.md").write_text(f'+++\ntitle = "All"\n+++\n\nFigures.\n\n{figures}\n', "utf-8")
    return folder
