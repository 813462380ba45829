"""How templates are read, and kept compiled for the next build."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
from importlib import metadata
from pathlib import Path

from jinja2 import BytecodeCache, FunctionLoader
from jinja2.bccache import Bucket

from qkv import cache
from qkv.errors import read_text


def loader(folder: Path, shown: str) -> FunctionLoader:
    """Reads templates as all texts are read: the same from every checkout. `shown` is the folder's name in messages."""
    return FunctionLoader(lambda name: (read_text(folder / name, f"{shown}/{name}"), str(folder / name), None))


def asset(templates: Path, name: str) -> str:
    """The text of a script, style or picture that pages load."""
    return read_text(templates / "assets" / name, f"templates/assets/{name}")


class Compiled(BytecodeCache):
    """Compiled templates in a folder of the cache, where that can be written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # What a template becomes hangs on these too: options of an environment are code.
        made_by = [importlib.util.MAGIC_NUMBER.hex(), metadata.version("jinja2"), *package_code()]
        self.made_by = hashlib.sha256("\0".join(made_by).encode()).hexdigest()

    def get_source_checksum(self, source: str) -> str:
        return hashlib.sha256(f"{self.made_by}\0{source}".encode("utf-8", "surrogatepass")).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        data = cache.load(self.folder / bucket.key)
        if data is not None:
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):  # it will be compiled again
            cache.save(self.folder / bucket.key, bucket.bytecode_to_string())


def package_code(folder: Path = Path(__file__).parent) -> list[str]:
    """All the code of this package, as texts."""
    return [path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))]
