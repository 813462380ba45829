"""What `build.py packages` writes into downloads/ as well."""

from __future__ import annotations

from collections.abc import Callable

from qkv.exports.cartridge import cartridge
from qkv.exports.gift import gift
from qkv.exports.made import Download, Made
from qkv.exports.scorm import scorm
from qkv.exports.single import singles
from qkv.exports.worksheet import worksheet

# Each is one function, which may look at what came before it.
EXPORTS: dict[str, Callable[[Made], list[Download]]] = {
    "single": singles,
    "gift": gift,
    "worksheet": worksheet,
    "scorm": scorm,
    "cartridge": cartridge,
}
