"""The doubles that are shipped and shown."""

from __future__ import annotations

from typing import Any

from qkv.model.attention import Array


def shown(value: float) -> float:
    """The double that is shipped and shown: ten significant digits of a computed one."""
    return float(f"{value:.10g}")


def plain(values: Array) -> Any:
    """Nested lists of shown doubles; whole numbers as int, which is shorter to ship; NaN as None."""
    if values.ndim > 1:
        return [plain(row) for row in values]
    return [None if v != v else int(v) if v == int(v) and abs(v) < 1e6 else v for v in map(shown, values.tolist())]
