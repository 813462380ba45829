"""What is kept for the next build: nothing damaged is ever taken, whatever was interrupted, and others may read it."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jinja2 import DictLoader, Environment

from qkv import cache
from qkv.templates import Compiled
from tests.damage import DAMAGE, Damage, a_folder, a_link_to_nothing, changed, cut, gone

DATA = b"what is kept\n" * 100


@pytest.fixture(autouse=True)
def usual_rights() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.name.startswith(cache.PART))


# single files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("which", ["the file", "its digest"])
def test_a_damaged_file_is_not_there(damage: Damage, which: str, tmp_path: Path) -> None:
    path = tmp_path / "one" / "file"
    assert cache.load(path) is None
    cache.save(path, DATA)
    assert cache.load(path) == DATA
    damage(path if which == "the file" else path.with_name("file.sha256"))
    assert cache.load(path) is None
    cache.save(path, DATA)
    assert cache.load(path) == DATA
    assert left(tmp_path) == []


def test_an_empty_file_may_be_meant(tmp_path: Path) -> None:
    cache.save(tmp_path / "one" / "file", b"")
    assert cache.load(tmp_path / "one" / "file") == b""


STEPS = ("write_bytes", "mkdir", "replace", "rename", "unlink")


def interrupted(monkeypatch: pytest.MonkeyPatch, at: int, error: BaseException) -> None:
    """The step of that number on the disk fails; a file may by then be half written."""
    steps = iter(range(1000))

    def failing(name: str, method: Any) -> Any:
        def call(path: Path, *args: Any, **kwargs: Any) -> Any:
            if next(steps) == at:
                if name == "write_bytes":
                    method(path, args[0][: len(args[0]) // 2])
                raise error
            return method(path, *args, **kwargs)

        return call

    for name in STEPS:
        monkeypatch.setattr(Path, name, failing(name, getattr(Path, name)))


@pytest.mark.parametrize("error", [OSError(28, os.strerror(28)), KeyboardInterrupt()])
@pytest.mark.parametrize("step", range(8))
def test_interrupted_while_it_is_kept(
    step: int, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one" / "file"
    cache.save(path, b"older")
    interrupted(monkeypatch, step, error)
    with contextlib.suppress(OSError, KeyboardInterrupt):
        cache.save(path, DATA)
    monkeypatch.undo()
    assert cache.load(path) in (b"older", DATA, None)
    cache.save(path, DATA)
    assert cache.load(path) == DATA


def test_what_killed_builds_left_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    (folder / "part-old" / "inside").mkdir(parents=True)
    (folder / "part-new").mkdir()
    (folder / "part-file").write_bytes(DATA)
    (folder / "part-link").symlink_to(tmp_path)
    long_ago = time.time() - 2 * cache.ABANDONED
    for name in ("part-old", "part-file", "part-link"):
        os.utime(folder / name, (long_ago, long_ago), follow_symlinks=False)
    cache.save(folder / "file", DATA)
    assert left(tmp_path) == ["part-new"], "what may be at work is left alone"


# folders of packages -----------------------------------------------------------------------------------------------


def fill(folder: Path) -> None:
    modules = folder / "node_modules"
    (modules / "esbuild" / "bin").mkdir(parents=True)
    (modules / ".bin").mkdir()
    (modules / "esbuild" / "index.js").write_bytes(DATA)
    (modules / "esbuild" / "bin" / "esbuild").write_bytes(DATA)
    (modules / "esbuild" / "bin" / "esbuild").chmod(0o755)
    (modules / ".bin" / "esbuild").symlink_to("../esbuild/bin/esbuild")


def not_to_be_run(path: Path) -> None:
    path.chmod(0o644)


def one_more(path: Path) -> None:
    path.with_name("more").write_bytes(b"")


def half_deleted(path: Path) -> None:
    shutil.rmtree(path.parent)


def no_modules(path: Path) -> None:
    shutil.rmtree(path.parents[2])


def no_digest(path: Path) -> None:
    """As an earlier version kept it."""
    path.parents[2].with_name("node_modules.sha256").unlink()


def a_file(path: Path) -> None:
    folder = path.parents[3]
    shutil.rmtree(folder)
    folder.write_bytes(b"")


INSIDE = [cut, changed, gone, a_folder, a_link_to_nothing, not_to_be_run, one_more]


@pytest.mark.parametrize("damage", [*INSIDE, half_deleted, no_modules, no_digest, a_file])
def test_a_damaged_folder_is_made_anew(damage: Damage, tmp_path: Path) -> None:
    folder = tmp_path / "npm" / "key"
    for _ in range(2):
        with cache.kept_folder(folder) as part:
            fill(part)
        assert cache.is_whole(folder)
        assert left(tmp_path) == []
        damage(folder / "node_modules" / "esbuild" / "bin" / "esbuild")
        assert not cache.is_whole(folder)


def test_a_folder_that_was_not_filled_is_not_kept(tmp_path: Path) -> None:
    folder = tmp_path / "npm" / "key"

    def stop() -> None:
        with cache.kept_folder(folder) as part:
            fill(part)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert list((tmp_path / "npm").iterdir()) == []


def test_two_at_once_agree(tmp_path: Path) -> None:
    folder = tmp_path / "npm" / "key"
    with cache.kept_folder(folder) as slow:
        with cache.kept_folder(folder) as quick:
            fill(quick)
        kept = folder.stat().st_ino
        fill(slow)
    assert cache.is_whole(folder)
    assert folder.stat().st_ino == kept, "what the other may be reading was replaced"
    assert left(tmp_path) == []


# who may read it ---------------------------------------------------------------------------------------------------


def test_rights_are_those_of_the_umask(tmp_path: Path) -> None:
    cache.save(tmp_path / "made" / "file", DATA)
    with cache.kept_folder(tmp_path / "npm" / "key") as part:
        fill(part)
    for path in tmp_path.rglob("*"):
        if not path.is_symlink():
            wanted = 0o755 if path.is_dir() or path.name == "esbuild" else 0o644
            assert stat.S_IMODE(path.stat().st_mode) == wanted, path


# compiled templates ------------------------------------------------------------------------------------------------


def rendered(folder: Path, source: str, autoescape: bool = False) -> str:
    env = Environment(
        loader=DictLoader({"page": source}), bytecode_cache=Compiled(folder), autoescape=autoescape
    )
    return env.get_template("page").render(x="<")


def compiled(folder: Path) -> Path:
    (path,) = (path for path in folder.iterdir() if not path.name.endswith(cache.SUM))
    return path


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_templates_are_compiled_again(damage: Damage, tmp_path: Path) -> None:
    folder = tmp_path / "templates"
    assert rendered(folder, "{{ x }}.") == "<."
    damage(compiled(folder))
    assert rendered(folder, "{{ x }}.") == "<."
    assert cache.load(compiled(folder))


def test_templates_are_kept_for_their_text_and_for_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "templates"
    assert rendered(folder, "{{ x }}.") == "<."
    first = compiled(folder).read_bytes()
    assert rendered(folder, "{{ x }}!") == "<!"
    assert rendered(folder, "{{ x }}.") == "<."
    assert compiled(folder).read_bytes() == first
    monkeypatch.setattr("qkv.templates.package_code", lambda: ["the code, changed: it asks for escapes now"])
    assert rendered(folder, "{{ x }}.", autoescape=True) == "&lt;."


def test_templates_need_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert rendered(tmp_path / "file" / "templates", "{{ x }}.") == "<."
    assert (tmp_path / "file").read_bytes() == b""
