"""A file of the site."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Output:
    """One file of the site: its path below the folder, and its bytes."""

    path: str
    data: bytes
