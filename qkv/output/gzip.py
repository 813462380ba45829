"""Sizes after gzip."""

from __future__ import annotations

import functools
import gzip


@functools.cache  # asked for by budgets, by the table of sizes and by --compress
def squeezed(data: bytes) -> bytes:
    """The bytes after gzip, the same on every machine and day."""
    return gzip.compress(data, 9, mtime=0)
