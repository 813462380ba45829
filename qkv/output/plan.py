"""What a build is to change in a folder, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from qkv.errors import Mistakes, Place
from qkv.output.folder import (
    Manifest,
    digest,
    folded_name,
    in_the_way,
    is_one_of,
    is_same,
)

ASSETS = "assets/"


@dataclass(frozen=True)
class Plan:
    """What is to be done: files to put and paths to drop, both in order, and the manifest meanwhile and after."""

    put: dict[str, bytes]
    drop: list[str]
    meanwhile: Manifest
    after: Manifest


def make_plan(files: Mapping[str, bytes], known: Manifest, folder: Path, out: Path) -> Plan:
    """What turns the folder into one with these files. Raises a BuildError that names all that is in the way."""
    wrong = Mistakes()
    before = known.all
    folded = {folded_name(path): path for path in before}
    same: set[str] = set()  # listed under a name that this file system takes for a new one
    put: dict[str, bytes] = {}
    digests: dict[str, str] = {}

    def check(path: str, data: bytes, listed: str) -> None:
        if not is_one_of(data, before[listed]):
            fix = "move your change to content/ or templates/, or delete this file to have it written anew"
            wrong.add(Place(str(out / path)), "was changed after a build wrote it", fix)

    for path in sorted(files, key=order):
        digests[path] = digest(files[path])
        if hurdle := in_the_way(folder, path):
            wrong.add(Place(str(out / hurdle[0])), hurdle[1], "move it away, or name another folder with --out")
            continue
        old = (folder / path).read_bytes() if (folder / path).exists() else None
        listed = path if path in before else folded.get(folded_name(path))
        if old is not None and listed != path and not is_same(folder, path, listed):
            fix = "move it away, or name another folder with --out"
            wrong.add(Place(str(out / path)), "is not from a build, but one of its files has this name", fix)
            continue
        if listed != path and listed is not None and old is not None:
            same.add(listed)
        if old != files[path]:
            put[path] = files[path]
            if old is not None and listed is not None:
                check(path, old, listed)
    there = {}
    for path in before.keys() - files.keys() - same:
        if not in_the_way(folder, path) and (folder / path).exists():
            there[path] = before[path]
            check(path, (folder / path).read_bytes(), path)
    wrong.stop()
    left = {path: there[path] for path in there if path.startswith(ASSETS) and path in known.files}
    # A build with the same assets is no new generation: pages that are open may still be those before it.
    earlier = left or {path: there[path] for path in there if path in known.earlier}
    drop = sorted(there.keys() - earlier.keys(), key=order, reverse=True)
    files_meanwhile = {
        path: " ".join(dict.fromkeys([*before.get(path, "").split(), *digests.get(path, "").split()]))
        for path in (*digests, *known.files)
    }
    meanwhile = Manifest(files_meanwhile, {path: known.earlier[path] for path in known.earlier if path not in digests})
    return Plan(put, drop, meanwhile, Manifest(digests, earlier))


def order(path: str) -> tuple[int, str]:
    """Where a path stands in the order of writing: nothing comes before what it loads or leads to."""
    if path.startswith(ASSETS):
        return 0, path
    if path.startswith("downloads/"):
        return 1, path
    if "/" in path:
        return 2, path
    return 4 if path.startswith("index.html") else 3, path
