"""What a page shows, as indexes."""

from __future__ import annotations

from dataclasses import dataclass

MASKS = ("on", "off")


@dataclass(frozen=True)
class State:
    """What a page shows: indexes of sentence, mask, head and asking token."""

    sentence: int = 0
    mask: int = 0
    head: int = 0
    token: int = 0
