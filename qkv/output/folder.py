"""What stands in the folder of a site: whose files are whose, by the manifest that builds leave there."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from qkv.errors import Place, fail
from qkv.output.former import recognised

MANIFEST = ".qkv-manifest.json"
VERSION = 1
ABOUT = "What builds wrote into this folder, by SHA-256. Without this file they refuse to touch anything here."
STAGING = ".qkv-staging"  # what is not in place yet; no build takes over what another one left in it
UNNAMED = {".gitignore", MANIFEST, STAGING, "lost+found"}  # what an empty folder may hold, and no message names
SHOWN = 3  # names in a message
_DIGESTS = re.compile("[0-9a-f]{64}(?: [0-9a-f]{64})*")


@dataclass(frozen=True)
class Manifest:
    """What builds wrote: path -> SHA-256, or several with blanks between while a build is writing.

    `earlier` are assets of the build before, for readers whose page is still open.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    earlier: Mapping[str, str] = field(default_factory=dict)

    @property
    def all(self) -> dict[str, str]:
        return {**self.earlier, **self.files}

    def data(self) -> bytes:
        parts = {"about": ABOUT, "earlier": self.earlier, "files": self.files, "version": VERSION}
        return (json.dumps(parts, indent=1, sort_keys=True) + "\n").encode()


def known_files(folder: Path, out: Path, listed: Manifest | None) -> Manifest:
    """What builds wrote into a folder; raises a BuildError if others wrote there and builds did not."""
    if listed is not None:
        return listed
    names = {path.name + "/" * path.is_dir() for path in folder.iterdir() if path.name not in UNNAMED}
    found = recognised(folder) if names else {}
    if names and not found:
        problem = f"is not empty and not from a build: it holds {some(names)}"
        raise fail(Place(str(out)), problem, "name another folder with --out, or an empty one")
    return Manifest(found)


def read_manifest(folder: Path, out: Path) -> Manifest | None:
    """The manifest of a folder, if it has one. It may come from anywhere: no path in it leads out of the folder."""
    source = Place(str(out / MANIFEST))
    path = folder / MANIFEST
    if in_the_way(folder, MANIFEST):
        raise fail(source, "is not a file", "move it away")
    if not path.exists():
        return None
    restore = "bring back the one that was there; or delete it, and builds look at each file whether they made it"
    try:
        parts = json.loads(path.read_bytes())
        version, files, earlier = parts["version"], parts["files"], parts["earlier"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise fail(source, "is damaged", restore) from None
    if type(version) is not int or version > VERSION:
        raise fail(source, "is from a newer version of this tool", "use that one, or name another folder with --out")
    for group in (files, earlier):
        if not isinstance(group, dict) or not all(
            _is_inside(path) and isinstance(digests, str) and _DIGESTS.fullmatch(digests)
            for path, digests in group.items()
        ):
            raise fail(source, "is damaged", restore)
    return Manifest(files, earlier)


def _is_inside(path: str) -> bool:
    """Whether a path of a manifest names a file of a site, written as builds write it."""
    parts = path.split("/")
    return (
        not {"", ".", "..", ".git"}.intersection(parts)
        and not re.search(r"[\\:\x00-\x1f]", path)
        and not path.startswith((MANIFEST, STAGING))
        and parts[-1] != ".gitignore"
    )


def in_the_way(folder: Path, path: str) -> tuple[str, str] | None:
    """What keeps a file from standing at a path, and where; no link is followed."""
    at = folder
    *above, _ = parts = path.split("/")
    for number, part in enumerate(parts):
        at /= part
        try:
            mode = at.lstat().st_mode
        except FileNotFoundError:
            return None
        fits, wanted = (stat.S_ISDIR, "folder") if number < len(above) else (stat.S_ISREG, "file")
        if not fits(mode):
            kinds = ((stat.S_ISLNK, "link"), (stat.S_ISDIR, "folder"), (stat.S_ISREG, "file"))
            found = next((name for is_kind, name in kinds if is_kind(mode)), "device")
            return "/".join(parts[: number + 1]), f"is a {found} where a {wanted} of the site must be"
    return None


def is_folder(folder: Path, name: str) -> bool:
    """Whether a folder stands at a path, with no link on the way."""
    above = [folder / "/".join(name.split("/")[: place + 1]) for place in range(name.count("/") + 1)] if name else []
    return all(path.is_dir() and not path.is_symlink() for path in above)


def is_one_of(data: bytes, digests: str) -> bool:
    """Whether a file is as a build wrote it. Git may have given it other line ends, with nothing of anybody's lost."""
    return digest(data) in digests or (b"\r\n" in data and digest(data.replace(b"\r\n", b"\n")) in digests)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def others(folder: Path, listed: Collection[str]) -> list[str]:
    """What is in a folder besides the files that are listed; a folder without any of these counts as one."""
    folders = folders_above(listed)
    folded = {folded_name(path): path for path in listed}

    def look(below: str) -> Iterator[str]:
        for entry in sorted(os.scandir(folder / below), key=lambda entry: entry.name):
            path = f"{below}{entry.name}"
            if path in folders and entry.is_dir(follow_symlinks=False):
                yield from look(f"{path}/")
            elif path in listed or path in UNNAMED:
                continue
            elif not is_same(folder, path, folded.get(folded_name(path))):
                yield path + "/" * entry.is_dir()

    return list(look(""))


def folded_name(path: str) -> str:
    """The same for names that some file systems take for one."""
    return unicodedata.normalize("NFC", path).casefold()


def is_same(folder: Path, path: str, other: str | None) -> bool:
    """Whether two names are one file, on a file system that takes them for one."""
    try:
        return other is not None and os.path.samestat((folder / path).lstat(), (folder / other).lstat())
    except FileNotFoundError:
        return False


def folders_above(paths: Iterable[str]) -> set[str]:
    """All folders above these paths."""
    return {path[:place] for path in paths for place, letter in enumerate(path) if letter == "/"}


def some(names: Collection[str]) -> str:
    """The first names of a list, as a message shows them."""
    first = [re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", name) for name in sorted(names)[:SHOWN]]
    more = len(names) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")
