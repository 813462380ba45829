"""What becomes of a kept file: a build that was killed, a full disk, a cache that was restored in part."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def changed(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])


def gone(path: Path) -> None:
    path.unlink()


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_bytes(b"")


def a_link_to_nothing(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def all_of_it(path: Path) -> None:
    """The folder is a file."""
    shutil.rmtree(path.parent)
    path.parent.write_bytes(b"")


DAMAGE = [cut, emptied, changed, gone, a_folder, a_link_to_nothing, all_of_it]
Damage = Callable[[Path], None]
