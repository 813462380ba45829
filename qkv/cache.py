"""What is slow to make, kept for the next build.

A build may be killed while it writes here, two may write at once, and what a folder holds may have been cut, restored
in part, or left by another version. So nothing here is believed: each file has a digest beside it, both are written
under another name and renamed, and whatever does not agree counts as not there, to be made anew. Rights are those that
the umask gives, so that other users of the machine can read it.

All paths lie two levels below the cache folder or deeper: what stands in the way there is ours, and is removed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

SUM = ".sha256"  # what the name of a digest ends with
PART = "part-"  # what the name of a thing begins with while it is made
ABANDONED = 3600  # seconds after which nobody is at work on it any more; the longest step takes a quarter of that
MODULES = "node_modules"


def load(path: Path) -> bytes | None:
    """What was kept as `path`; None unless it is there and as it was written."""
    try:
        data, told = path.read_bytes(), _beside(path).read_bytes()
    except OSError:
        return None
    return data if told == _sum(data) else None


def save(path: Path, data: bytes) -> None:
    """Keeps data as `path`; raises OSError where that cannot be."""
    _make_folder(path.parent)
    for target, content in ((path, data), (_beside(path), _sum(data))):
        part = _part(target.parent)
        try:
            part.write_bytes(content)
            _put(part, target)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


@contextlib.contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """An empty folder below `parent`, for the time of the block."""
    _make_folder(parent)
    part = _part(parent)
    part.mkdir()
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextlib.contextmanager
def kept_folder(folder: Path) -> Iterator[Path]:
    """An empty folder that becomes `folder`, with the digest of its node_modules, once the block has filled it."""
    with scratch(folder.parent) as part:
        yield part
        _beside(part / MODULES).write_bytes(_tree_sum(part / MODULES))
        if not is_whole(folder):  # another build may have been quicker: its result is the same
            _put(part, folder)


def is_whole(folder: Path) -> bool:
    """Whether a kept folder has its node_modules, just as they were installed."""
    try:
        return _beside(folder / MODULES).read_bytes() == _tree_sum(folder / MODULES)
    except OSError:
        return False


def _beside(path: Path) -> Path:
    return path.with_name(path.name + SUM)


def _sum(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode() + b"\n"


def _tree_sum(folder: Path) -> bytes:
    """The digest of all files below a folder: their names, what they hold, and whether they can be run."""
    lines = []
    for inside, folders, names in os.walk(folder, onerror=_raise):
        for path in (Path(inside, name) for name in (*folders, *names)):
            if path.is_symlink():
                held = path.readlink().as_posix()
            elif path.is_dir():
                continue
            else:
                held = f"{path.stat().st_mode & stat.S_IXUSR} {_sum(path.read_bytes()).decode()}"
            lines.append(f"{path.relative_to(folder).as_posix()}\0{held}\n")
    return _sum("".join(sorted(lines)).encode("utf-8", "surrogateescape"))


def _raise(error: OSError) -> None:
    raise error


def _part(parent: Path) -> Path:
    """A name that nothing has yet, beside what it will become: only there is renaming one step."""
    return parent / f"{PART}{secrets.token_hex(8)}"


def _make_folder(folder: Path) -> None:
    """Makes a folder of the cache, in place of a file if one is in the way."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        folder.unlink()
        folder.mkdir()
    _sweep(folder)


@functools.cache  # once a build is enough
def _sweep(folder: Path) -> None:
    """Removes what builds have left that were killed."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f"{PART}*"):
            if time.time() - path.lstat().st_mtime > ABANDONED:
                _remove(path)


def _put(part: Path, target: Path) -> None:
    """Renames in one step, in place of whatever is there."""
    try:
        part.replace(target)
    except OSError:
        if not os.path.lexists(target):
            raise
        # A folder is replaced by nothing but a folder, and only when it is empty.
        old = _part(target.parent)
        with contextlib.suppress(FileNotFoundError):  # another build did the same
            target.rename(old)
        _remove(old)
        part.replace(target)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
