"""The only module that writes the site. It touches nothing that is not from a build, and no reader meets half a page.

A manifest in the folder lists what builds wrote, by path and SHA-256; only that is replaced or removed. A build is
staged inside the folder, then moved into place file by file: assets, pages, and removals last. While files move, the
manifest lists the old and the new digests, so that the next build knows its files wherever this one was killed.

`python -m qkv.output.writer DIR` removes what builds wrote. It needs nothing but Python.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from qkv.errors import BuildError, Mistakes, Source, fail
from qkv.output.former import recognised
from qkv.output.stopping import DONE, REPLACING, stands

MANIFEST = ".qkv-manifest.json"
VERSION = 1
ABOUT = "What builds wrote into this folder, by SHA-256. Without this file they refuse to touch anything here."
STAGING = ".qkv-staging"  # what is not in place yet; no build takes over what another one left in it
UNNAMED = {".gitignore", MANIFEST, STAGING, "lost+found"}  # what an empty folder may hold, and no message names
SHOWN = 3  # names in a message
ASSETS = "assets/"
_DIGESTS = re.compile("[0-9a-f]{64}(?: [0-9a-f]{64})*")
_FIXES = {
    errno.ENOSPC: "make room on the disk and build again",
    errno.EDQUOT: "make room on the disk and build again",
    errno.EFBIG: "allow larger files (ulimit -f) and build again",
}


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


@dataclass(frozen=True)
class _Plan:
    """What is to be done: files to put and paths to drop, both in order, and the manifest meanwhile and after."""

    put: dict[str, bytes]
    drop: list[str]
    meanwhile: Manifest
    after: Manifest


def write(files: Mapping[str, bytes], out: Path) -> list[str]:
    """Makes a folder hold these files, by path, in place of those that builds wrote there before.

    Returns what else there is to say, a line each. Raises a BuildError, with nothing changed, if that would touch what
    is not from a build; if the disk fails while files are moved into place, every page is whole, the old or the new.
    """
    folder = Path(os.path.realpath(out))  # a link to a folder stays
    with _reported(out, folder):
        if folder.exists() and not folder.is_dir():
            raise fail(Source(str(out)), "is a file", "name a folder with --out")
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder, out):
            listed = _manifest(folder, out)
            known = _known(folder, out, listed)
            plan = _plan(files, known, folder, out)
            kept = _others(folder, {*plan.after.all, *plan.drop})
            _clear(folder, known.all)
            if plan.put or plan.drop or listed is None or listed.data() != plan.after.data():
                _carry_out(plan, known, folder)
            gone = [path for path in plan.drop if not path.startswith(ASSETS)]
    said = []
    if listed is None and known.all:
        said.append(f"{out}: known as a site of an earlier version by its {len(known.all)} files")
    if gone:
        said.append(f"{out}: removed what this build does not make: {_some(gone)}")
    if kept:
        said.append(f"{out}: kept what is not from a build: {_some(kept)}")
    return said


def holds(out: Path, below: str) -> bool:
    """Whether an earlier build left files in a folder of the site. Not so in a site that `write` would refuse."""
    folder = Path(os.path.realpath(out))
    if not folder.is_dir():
        return False
    try:
        known = _known(folder, out, _manifest(folder, out))
        return any(path.startswith(f"{below}/") and (folder / path).is_file() for path in known.files)
    except (BuildError, OSError):
        return False


def keep_apart(out: Path, sources: Iterable[Path]) -> None:
    """Raises a BuildError if the site would be written into one of the folders that it is made from."""
    folder = Path(os.path.realpath(out))
    for source in map(Path, map(os.path.realpath, sources)):
        if source in (folder, *folder.parents):
            raise fail(Source(str(out)), f"is inside {source.name}/, which is read", "name another folder with --out")


def clean(out: Path) -> list[str]:
    """Removes what builds wrote into a folder, and what they left when they were killed. Returns what there is to say.

    What somebody changed since stays, and stays listed.
    """
    folder = Path(os.path.realpath(out))
    if not folder.is_dir():
        return []
    with _reported(out, folder), _alone(folder, out):
        known = _manifest(folder, out) or Manifest(recognised(folder))
        changed = {}
        for path in sorted(known.all, key=_order, reverse=True):
            if _in_the_way(folder, path) or not (folder / path).exists():
                continue
            if _is_one_of((folder / path).read_bytes(), known.all[path]):
                (folder / path).unlink()
            else:
                changed[path] = known.all[path]
        _clear(folder, known.all)
        _remove_empty(folder, _folders(known.all))
        kept = _others(folder, {})
        if not kept:
            (folder / MANIFEST).unlink(missing_ok=True)
        elif known.all or (folder / MANIFEST).exists():  # the folder stays one that builds may write into
            with _staged(folder, [Manifest(changed).data()]) as (manifest,):
                manifest.replace(folder / MANIFEST)
    return [f"{out}: kept what is not from a build, or was changed since: {_some(kept)}"] if kept else []


# what is there --------------------------------------------------------------------------------------------------------


def _known(folder: Path, out: Path, listed: Manifest | None) -> Manifest:
    """What builds wrote into a folder; raises a BuildError if others wrote there and builds did not."""
    if listed is not None:
        return listed
    names = {path.name + "/" * path.is_dir() for path in folder.iterdir() if path.name not in UNNAMED}
    found = recognised(folder) if names else {}
    if names and not found:
        problem = f"is not empty and not from a build: it holds {_some(names)}"
        raise fail(Source(str(out)), problem, "name another folder with --out, or an empty one")
    return Manifest(found)


def _manifest(folder: Path, out: Path) -> Manifest | None:
    """The manifest of a folder, if it has one. It may come from anywhere: no path in it leads out of the folder."""
    source = Source(str(out / MANIFEST))
    path = folder / MANIFEST
    if _in_the_way(folder, MANIFEST):
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


def _in_the_way(folder: Path, path: str) -> tuple[str, str] | None:
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


def _is_folder(folder: Path, name: str) -> bool:
    """Whether a folder stands at a path, with no link on the way."""
    above = [folder / "/".join(name.split("/")[: place + 1]) for place in range(name.count("/") + 1)] if name else []
    return all(path.is_dir() and not path.is_symlink() for path in above)


def _is_one_of(data: bytes, digests: str) -> bool:
    """Whether a file is as a build wrote it. Git may have given it other line ends, with nothing of anybody's lost."""
    return _digest(data) in digests or (b"\r\n" in data and _digest(data.replace(b"\r\n", b"\n")) in digests)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _others(folder: Path, listed: Collection[str]) -> list[str]:
    """What is in a folder besides the files that are listed; a folder without any of these counts as one."""
    folders = _folders(listed)
    folded = {_folded(path): path for path in listed}

    def look(below: str) -> Iterator[str]:
        for entry in sorted(os.scandir(folder / below), key=lambda entry: entry.name):
            path = f"{below}{entry.name}"
            if path in folders and entry.is_dir(follow_symlinks=False):
                yield from look(f"{path}/")
            elif path not in listed and path not in UNNAMED and not _is_same(folder, path, folded.get(_folded(path))):
                yield path + "/" * entry.is_dir()

    return list(look(""))


def _folded(path: str) -> str:
    """The same for names that some file systems take for one."""
    return unicodedata.normalize("NFC", path).casefold()


def _is_same(folder: Path, path: str, other: str | None) -> bool:
    """Whether two names are one file, on a file system that takes them for one."""
    try:
        return other is not None and os.path.samestat((folder / path).lstat(), (folder / other).lstat())
    except FileNotFoundError:
        return False


def _folders(paths: Iterable[str]) -> set[str]:
    """All folders above these paths."""
    return {path[:place] for path in paths for place, letter in enumerate(path) if letter == "/"}


def _some(names: Collection[str]) -> str:
    """The first names of a list, as a message shows them."""
    first = [re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", name) for name in sorted(names)[:SHOWN]]
    more = len(names) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")


# what is to be done ---------------------------------------------------------------------------------------------------


def _plan(files: Mapping[str, bytes], known: Manifest, folder: Path, out: Path) -> _Plan:
    """What turns the folder into one with these files. Raises a BuildError that names all that is in the way."""
    wrong = Mistakes()
    before = known.all
    folded = {_folded(path): path for path in before}
    same: set[str] = set()  # listed under a name that this file system takes for a new one
    put: dict[str, bytes] = {}
    digests: dict[str, str] = {}

    def check(path: str, data: bytes, listed: str) -> None:
        if not _is_one_of(data, before[listed]):
            fix = "move your change to content/ or templates/, or delete this file to have it written anew"
            wrong.add(Source(str(out / path)), "was changed after a build wrote it", fix)

    for path in sorted(files, key=_order):
        digests[path] = _digest(files[path])
        if hurdle := _in_the_way(folder, path):
            wrong.add(Source(str(out / hurdle[0])), hurdle[1], "move it away, or name another folder with --out")
            continue
        old = (folder / path).read_bytes() if (folder / path).exists() else None
        listed = path if path in before else folded.get(_folded(path))
        if old is not None and listed != path and not _is_same(folder, path, listed):
            fix = "move it away, or name another folder with --out"
            wrong.add(Source(str(out / path)), "is not from a build, but one of its files has this name", fix)
            continue
        if listed != path and listed is not None and old is not None:
            same.add(listed)
        if old != files[path]:
            put[path] = files[path]
            if old is not None and listed is not None:
                check(path, old, listed)
    there = {}
    for path in before.keys() - files.keys() - same:
        if not _in_the_way(folder, path) and (folder / path).exists():
            there[path] = before[path]
            check(path, (folder / path).read_bytes(), path)
    wrong.stop()
    left = {path: there[path] for path in there if path.startswith(ASSETS) and path in known.files}
    # A build with the same assets is no new generation: pages that are open may still be those before it.
    earlier = left or {path: there[path] for path in there if path in known.earlier}
    drop = sorted(there.keys() - earlier.keys(), key=_order, reverse=True)
    files_meanwhile = {
        path: " ".join(dict.fromkeys([*before.get(path, "").split(), *digests.get(path, "").split()]))
        for path in (*digests, *known.files)
    }
    meanwhile = Manifest(files_meanwhile, {path: known.earlier[path] for path in known.earlier if path not in digests})
    return _Plan(put, drop, meanwhile, Manifest(digests, earlier))


def _order(path: str) -> tuple[int, str]:
    """Where a path stands in the order of writing: nothing comes before what it loads or leads to."""
    if path.startswith(ASSETS):
        return 0, path
    if path.startswith("downloads/"):
        return 1, path
    if "/" in path:
        return 2, path
    return 4 if path.startswith("index.html") else 3, path


# doing it -------------------------------------------------------------------------------------------------------------


def _carry_out(plan: _Plan, known: Manifest, folder: Path) -> None:
    """All that can fail for want of room is done before the first file is moved. Without fsync: it guards against a
    loss of power, which is not worth what it takes."""
    manifest = folder / MANIFEST
    old = manifest.read_bytes() if manifest.exists() else None
    made: list[Path] = []
    begun = False
    _check_access(folder, [*plan.put, *plan.drop])
    try:
        texts = [plan.meanwhile.data(), plan.after.data(), old or b""]
        with _staged(folder, [*plan.put.values(), *texts]) as staged:
            *new, meanwhile, after, before = staged
            try:
                meanwhile.replace(manifest)
                for name in sorted(_folders(plan.put)):
                    if not (folder / name).is_dir():
                        (folder / name).mkdir()
                        made.append(folder / name)
                begun = True
                stands(REPLACING)
                for path, one in zip(plan.put, new, strict=True):
                    _move(one, folder / path)
                for path in plan.drop:
                    (folder / path).unlink(missing_ok=True)
                _remove_empty(folder, _folders(known.all) - _folders(plan.after.all))
                after.replace(manifest)
                stands(DONE)
            except BaseException:
                if not begun:
                    for place in reversed(made):
                        place.rmdir()
                    if old is None:
                        manifest.unlink(missing_ok=True)
                    else:
                        before.replace(manifest)
                raise
    except OSError as error:
        if not begun:
            raise
        said = f"{error.strerror}; some pages are new, some old, all whole"
        raise OSError(error.errno, said, error.filename) from error


@contextmanager
def _staged(folder: Path, files: Iterable[bytes]) -> Iterator[list[Path]]:
    """Files in a folder of their own inside of another one, ready to be moved into it."""
    staging = folder / STAGING
    try:
        staging.mkdir()
        (staging / ".gitignore").write_bytes(b"*\n")
        paths = []
        for number, data in enumerate(files):
            paths.append(staging / str(number))
            paths[-1].write_bytes(data)
        yield paths
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _move(staged: Path, path: Path) -> None:
    """Puts a file into its place in one step, also where that is on another disk."""
    try:
        staged.replace(path)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with _staged(path.parent, [staged.read_bytes()]) as (near,):
            near.replace(path)


def _check_access(folder: Path, paths: Iterable[str]) -> None:
    """Raises a PermissionError for the first folder that may not be written, before anything is."""
    for name in sorted(_folders(paths)):
        if (folder / name).is_dir() and not os.access(folder / name, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder / name))


def _clear(folder: Path, listed: Iterable[str]) -> None:
    """Removes what a build that was killed has not moved into place."""
    for name in ("", *_folders(listed)):
        staging = folder / name / STAGING
        if _is_folder(folder, name) and staging.is_dir():
            shutil.rmtree(staging)  # which refuses a link


def _remove_empty(folder: Path, names: Iterable[str]) -> None:
    for name in sorted(names, reverse=True):
        if _is_folder(folder, name):
            with suppress(OSError):  # somebody's file is in it
                (folder / name).rmdir()


@contextmanager
def _alone(folder: Path, out: Path) -> Iterator[None]:
    """No other build writes into the folder meanwhile. The lock ends with the program, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    lock = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise fail(Source(str(out)), "another build is writing here", "wait until it has ended") from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(lock)


@contextmanager
def _reported(out: Path, folder: Path) -> Iterator[None]:
    """What the disk refuses becomes a BuildError that names the place."""
    try:
        yield
    except OSError as error:
        place = Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else folder
        if place.is_relative_to(folder) and STAGING not in place.parts:
            place = out / place.relative_to(folder)
        else:
            place = out
        said = error.strerror or type(error).__name__
        fix = _FIXES.get(error.errno or 0, "make it a folder that you may write into, or name another with --out")
        raise fail(Source(str(place)), f"cannot be written ({said})", fix) from None


def main(arguments: list[str], say: Callable[[str], object] = print) -> int:
    """Cleans the folders that are named."""
    for name in arguments:
        try:
            for line in clean(Path(name)):
                say(line)
        except BuildError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
