"""What every tool is given to show: builders in this folder are run as `python with_TOOL.py DATA.json FOLDER`.

Twelve views (two sentences, mask on or off, three heads) as lines and as a table of colours, and 120 as bars: in each
view, the row of each of ten asking tokens.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

Row = list[float]


@dataclass(frozen=True)
class Exhibit:
    sentences: list[str]
    masks: list[str]
    heads: list[str]
    tokens: list[list[str]]  # for each sentence
    weights: list[list[list[list[Row]]]]  # [sentence][mask][head][asking][looked at]

    @property
    def count(self) -> int:
        return len(self.tokens[0])

    def views(self) -> Iterator[tuple[int, int, int]]:
        """Every view, as indexes of sentence, mask and head."""
        for s in range(len(self.sentences)):
            for m in range(len(self.masks)):
                for h in range(len(self.heads)):
                    yield s, m, h

    def name(self, s: int, m: int, h: int, asking: int) -> str:
        return f"{self.sentences[s]}, mask {self.masks[m]}, {self.heads[h]}, {asking} {self.tokens[s][asking]}"

    def labels(self, s: int) -> list[str]:
        """The tokens, each once."""
        return [f"{i} {token}" for i, token in enumerate(self.tokens[s])]


def read() -> tuple[Exhibit, Path]:
    """The exhibit and the folder to write index.html to, from the command line."""
    data, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    return Exhibit(**json.loads(data.read_text("utf-8"))), folder


def versions(*names: str) -> None:
    """Tells what it was built with."""
    print(", ".join(f"{name} {version(name)}" for name in names))
