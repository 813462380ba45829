"""The doubles that are shipped and shown."""

from __future__ import annotations


def shown(value: float) -> float:
    """The double that is shipped and shown: ten significant digits of a computed one."""
    return float(f"{value:.10g}")
