"""Masks: what each token may look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from qkv.model.attention import Bools


@dataclass(frozen=True)
class Mask:
    """`sees(i, n)` says of each of n tokens whether token i may look at it; at one of them it must."""

    id: str
    sees: Callable[[int, int], Sequence[bool]]

    def blind(self, n: int) -> list[int]:
        """The positions, of n, that see nothing at all; there must be none."""
        return [i for i, seen in enumerate(self.seen(n)) if not seen]

    def seen(self, n: int) -> tuple[tuple[int, ...], ...]:
        """For each of n rows the positions that it sees."""
        return _seen(self, n)

    def matrix(self, n: int) -> Bools:
        """(n, n): True where row i may look at column j."""
        return _matrix(self, n)


@lru_cache(maxsize=256)
def _matrix(mask: Mask, n: int) -> Bools:
    return np.array([list(mask.sees(i, n)) for i in range(n)], dtype=bool).reshape(n, n)


@lru_cache(maxsize=256)
def _seen(mask: Mask, n: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, np.flatnonzero(row))) for row in mask.matrix(n))


# By the names that model.toml uses. Models that write look back only, models that only read look both ways
# ("Attention Is All You Need", section 3.2.3).
MASKS = {
    "on": Mask("on", lambda i, n: [j <= i for j in range(n)]),
    "off": Mask("off", lambda _, n: [True] * n),
}
