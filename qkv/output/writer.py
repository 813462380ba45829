"""The only module that writes the site. It touches nothing that is not from a build, and no reader meets half a page.

A manifest in the folder lists what builds wrote, by path and SHA-256; only that is replaced or removed. A build is
staged inside the folder, then moved into place file by file: assets, pages, and removals last. While files move, the
manifest lists the old and the new digests, so that the next build knows its files wherever this one was killed.

`python -m qkv.output.writer DIR` removes what builds wrote. It needs nothing but Python.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from qkv.errors import BuildError, Place, fail
from qkv.output.folder import (
    MANIFEST,
    STAGING,
    Manifest,
    folders_above,
    in_the_way,
    is_folder,
    is_one_of,
    known_files,
    others,
    read_manifest,
    some,
)
from qkv.output.former import recognised
from qkv.output.plan import ASSETS, Plan, make_plan, order
from qkv.output.stopping import DONE, REPLACING, stands

_FIXES = {
    errno.ENOSPC: "make room on the disk and build again",
    errno.EDQUOT: "make room on the disk and build again",
    errno.EFBIG: "allow larger files (ulimit -f) and build again",
}


def write(files: Mapping[str, bytes], out: Path) -> list[str]:
    """Makes a folder hold these files, by path, in place of those that builds wrote there before.

    Returns what else there is to say, a line each. Raises a BuildError, with nothing changed, if that would touch what
    is not from a build; if the disk fails while files are moved into place, every page is whole, the old or the new.
    """
    folder = Path(os.path.realpath(out))  # a link to a folder stays
    with _reported(out, folder):
        if folder.exists() and not folder.is_dir():
            raise fail(Place(str(out)), "is a file", "name a folder with --out")
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder, out):
            listed = read_manifest(folder, out)
            known = known_files(folder, out, listed)
            plan = make_plan(files, known, folder, out)
            kept = others(folder, {*plan.after.all, *plan.drop})
            _clear(folder, known.all)
            if plan.put or plan.drop or listed is None or listed.data() != plan.after.data():
                _carry_out(plan, known, folder)
            gone = [path for path in plan.drop if not path.startswith(ASSETS)]
    said = []
    if listed is None and known.all:
        said.append(f"{out}: known as a site of an earlier version by its {len(known.all)} files")
    if gone:
        said.append(f"{out}: removed what this build does not make: {some(gone)}")
    if kept:
        said.append(f"{out}: kept what is not from a build: {some(kept)}")
    return said


def holds(out: Path, below: str) -> bool:
    """Whether an earlier build left files in a folder of the site. Not so in a site that `write` would refuse."""
    folder = Path(os.path.realpath(out))
    if not folder.is_dir():
        return False
    try:
        known = known_files(folder, out, read_manifest(folder, out))
        return any(path.startswith(f"{below}/") and (folder / path).is_file() for path in known.files)
    except (BuildError, OSError):
        return False


def keep_apart(out: Path, sources: Iterable[Path]) -> None:
    """Raises a BuildError if the site would be written into one of the folders that it is made from."""
    folder = Path(os.path.realpath(out))
    for source in map(Path, map(os.path.realpath, sources)):
        if source in (folder, *folder.parents):
            raise fail(Place(str(out)), f"is inside {source.name}/, which is read", "name another folder with --out")


def clean(out: Path) -> list[str]:
    """Removes what builds wrote into a folder, and what they left when they were killed. Returns what there is to say.

    What somebody changed since stays, and stays listed.
    """
    folder = Path(os.path.realpath(out))
    if not folder.is_dir():
        return []
    with _reported(out, folder), _alone(folder, out):
        known = read_manifest(folder, out) or Manifest(recognised(folder))
        changed = {}
        for path in sorted(known.all, key=order, reverse=True):
            if in_the_way(folder, path) or not (folder / path).exists():
                continue
            if is_one_of((folder / path).read_bytes(), known.all[path]):
                (folder / path).unlink()
            else:
                changed[path] = known.all[path]
        _clear(folder, known.all)
        _remove_empty(folder, folders_above(known.all))
        kept = others(folder, {})
        if not kept:
            (folder / MANIFEST).unlink(missing_ok=True)
        elif known.all or (folder / MANIFEST).exists():  # the folder stays one that builds may write into
            with _staged(folder, [Manifest(changed).data()]) as (manifest,):
                manifest.replace(folder / MANIFEST)
    return [f"{out}: kept what is not from a build, or was changed since: {some(kept)}"] if kept else []


# doing it -------------------------------------------------------------------------------------------------------------


def _carry_out(plan: Plan, known: Manifest, folder: Path) -> None:
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
                for name in sorted(folders_above(plan.put)):
                    if not (folder / name).is_dir():
                        (folder / name).mkdir()
                        made.append(folder / name)
                begun = True
                stands(REPLACING)
                for path, one in zip(plan.put, new, strict=True):
                    _move(one, folder / path)
                for path in plan.drop:
                    (folder / path).unlink(missing_ok=True)
                _remove_empty(folder, folders_above(known.all) - folders_above(plan.after.all))
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
    for name in sorted(folders_above(paths)):
        if (folder / name).is_dir() and not os.access(folder / name, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder / name))


def _clear(folder: Path, listed: Iterable[str]) -> None:
    """Removes what a build that was killed has not moved into place."""
    for name in ("", *folders_above(listed)):
        staging = folder / name / STAGING
        if is_folder(folder, name) and staging.is_dir():
            shutil.rmtree(staging)  # which refuses a link


def _remove_empty(folder: Path, names: Iterable[str]) -> None:
    for name in sorted(names, reverse=True):
        if is_folder(folder, name):
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
            raise fail(Place(str(out)), "another build is writing here", "wait until it has ended") from None
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
        raise fail(Place(str(place)), f"cannot be written ({said})", fix) from None


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
