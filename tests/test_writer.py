"""What a build leaves of what is in a folder: all that is not its own, and at every moment a whole site."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from qkv.errors import EXIT_CODE, BuildError
from qkv.output import writer
from qkv.output.bundle import ROOT
from qkv.output.folder import MANIFEST, STAGING, Manifest
from qkv.output.former import recognised
from qkv.output.stopping import DONE, REPLACING, UNTOUCHED, Stopped, stands
from tests import contents
from tests.contents import MESSAGE, copy_small, snapshot
from tests.dying import Dying

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
LINKED = re.compile(r"assets/[\w.]+\.[0-9a-f]{10}\.\w+")


def asset(text: str, kind: str = "app.js") -> tuple[str, str]:
    """A shared file of a made-up site, and where it stands."""
    stem, _, ending = kind.partition(".")
    return f"assets/{stem}.{hashlib.sha256(text.encode()).hexdigest()[:10]}.{ending}", text


def small(mark: str, *more: str, loads: str = "") -> dict[str, str]:
    """A made-up site: pages that load an asset of their own version, and files without any."""
    path, text = asset(f"script {loads or mark}")
    pages = ("index.html", "teachers.html", "sections/one.html", "embed/figure-one.html", *more)
    return {
        path: text,
        **{name: f'{mark} {name} <script src="{"../" * name.count("/")}{path}">' for name in pages},
        ".nojekyll": "",
        "embed.js": f"{mark} embed.js",
    }


def put(files: dict[str, str], out: Path) -> list[str]:
    return writer.write({path: text.encode() for path, text in files.items()}, out)


def refused(files: dict[str, str], out: Path) -> list[str]:
    """What a build says that is refused, a line each; it changes nothing."""
    before = snapshot(out)
    with pytest.raises(BuildError) as error:
        put(files, out)
    assert snapshot(out) == before
    lines = str(error.value).splitlines()
    assert all(MESSAGE.fullmatch(line) for line in lines)
    return [line.replace(f"{out}/", "").replace(f"{out}: ", "") for line in lines]


def texts(out: Path) -> dict[str, str]:
    """The files of a folder but the manifest."""
    return {path: data.decode() for path, data in snapshot(out).items() if data is not None and path != MANIFEST}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "site"


# whose files they are -------------------------------------------------------------------------------------------------


def test_a_folder_that_only_looks_like_a_site(out: Path) -> None:
    (out / "thesis").mkdir(parents=True)
    for name in ("index.html", ".nojekyll", "CNAME", "thesis/ch1.tex"):
        (out / name).touch()
    (said,) = refused(small("new"), out)
    assert said.startswith("is not empty and not from a build: it holds .nojekyll, CNAME, index.html and 1 more; name ")


@pytest.mark.parametrize(
    "names",
    [
        [".git/HEAD"],
        [".git"],
        ["index.html", ".nojekyll", "sub/.git/HEAD"],
        ["notes.txt"],
        [".gitignore", "index.html"],
        # what Sphinx, Quarto and MkDocs leave
        [".buildinfo", ".nojekyll", "index.html", "objects.inv", "_static/basic.css", "_sources/index.rst.txt"],
        [".nojekyll", "index.html", "search.json", "site_libs/quarto-html/quarto.js", "index_files/figure.svg"],
        [".nojekyll", "index.html", "404.html", "sitemap.xml", "assets/app.0123456789.js", "search/search_index.json"],
    ],
)
def test_a_folder_of_somebody_else(names: list[str], out: Path) -> None:
    for name in names:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(name, "utf-8")
    (said,) = refused(small("new"), out)
    assert said.startswith("is not empty and not from a build")


@pytest.mark.parametrize("names", [[], [".gitignore"]])
def test_an_empty_folder(names: list[str], out: Path) -> None:
    out.mkdir()
    for name in names:
        (out / name).write_text("*", "utf-8")
    assert put(small("new"), out) == []
    assert texts(out) == {**small("new"), **dict.fromkeys(names, "*")}


def test_what_is_not_from_a_build_is_kept_and_named(out: Path) -> None:
    put(small("old", "sections/two.html"), out)
    own = {name: name for name in ("CNAME", ".well-known/security.txt", "notes/a.md", "sections/mine.html", ".git")}
    for name, text in own.items():
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text(text, "utf-8")
    said = put(small("new", loads="old"), out)
    assert said == [
        f"{out}: removed what this build does not make: sections/two.html",
        f"{out}: kept what is not from a build: .git, .well-known/, CNAME and 2 more",
    ]
    assert texts(out) == {**small("new", loads="old"), **own}


@pytest.mark.parametrize(
    ("lay", "said"),
    [
        (Path.touch, "sections/two.html: is not from a build, but one of its files has this name"),
        (Path.mkdir, "sections/two.html: is a folder where a file of the site must be"),
        (lambda at: at.symlink_to("one.html"), "sections/two.html: is a link where a file of the site must be"),
        (lambda at: at.symlink_to("nowhere"), "sections/two.html: is a link where a file of the site must be"),
        (os.mkfifo, "sections/two.html: is a device where a file of the site must be"),
    ],
)
def test_something_else_where_a_file_must_go(lay: Callable[[Path], None], said: str, out: Path) -> None:
    put(small("old"), out)
    lay(out / "sections" / "two.html")
    assert [line.partition("; ")[0] for line in refused_only_files(small("new", "sections/two.html"), out)] == [said]


def refused_only_files(files: dict[str, str], out: Path) -> list[str]:
    """As `refused`, where there is what cannot be read."""
    before = sorted(path.name for path in out.rglob("*"))
    with pytest.raises(BuildError) as error:
        put(files, out)
    assert sorted(path.name for path in out.rglob("*")) == before
    return [line.replace(f"{out}/", "") for line in str(error.value).splitlines()]


def test_something_else_where_a_folder_must_go(out: Path, tmp_path: Path) -> None:
    put({"index.html": "old"}, out)
    (tmp_path / "elsewhere").mkdir()
    (out / "sections").write_text("mine", "utf-8")
    (out / "embed").symlink_to(tmp_path / "elsewhere")
    said = refused_only_files(small("new"), out)
    assert [line.partition("; ")[0] for line in said] == [
        "embed: is a link where a folder of the site must be",
        "sections: is a file where a folder of the site must be",
    ]


def test_a_file_that_somebody_changed(out: Path) -> None:
    put(small("old", "sections/two.html"), out)
    (out / "index.html").write_text("changed", "utf-8")
    (out / "sections" / "two.html").write_text("changed, and not made any more", "utf-8")
    said = refused(small("new"), out)
    fix = "move your change to content/ or templates/, or delete this file to have it written anew"
    names = ("index.html", "sections/two.html")
    assert said == [f"{name}: was changed after a build wrote it; {fix}" for name in names]
    (out / "index.html").unlink()
    (out / "sections" / "two.html").unlink()
    assert put(small("new"), out) == []
    assert (out / "index.html").read_text("utf-8") == small("new")["index.html"]


def test_other_line_ends_are_no_change(out: Path) -> None:
    """As git writes them into a site that is committed."""
    put({**small("old"), "embed.js": "one\ntwo\n"}, out)
    (out / "embed.js").write_bytes(b"one\r\ntwo\r\n")
    (out / MANIFEST).write_bytes((out / MANIFEST).read_bytes().replace(b"\n", b"\r\n"))
    assert put({**small("old"), "embed.js": "one\ntwo\n"}, out) == []
    assert (out / "embed.js").read_bytes() == b"one\ntwo\n"


def test_what_is_right_is_not_written_again(out: Path) -> None:
    put(small("old"), out)
    os.utime(out / "embed.js", (1, 1))
    os.utime(out / MANIFEST, (1, 1))
    assert put(small("old"), out) == []
    assert (out / "embed.js").stat().st_mtime == (out / MANIFEST).stat().st_mtime == 1


def test_assets_stay_one_generation(out: Path) -> None:
    sites = [small(mark) for mark in ("one", "two", "three")]
    assets = [next(iter(site)) for site in sites]
    for site in sites[:2]:
        put(site, out)
    assert {path for path in texts(out) if path.startswith("assets/")} == set(assets[:2])
    put({**sites[1], "index.html": "another text"}, out)  # no new assets, no new generation
    assert {path for path in texts(out) if path.startswith("assets/")} == set(assets[:2])
    put(sites[2], out)
    assert {path for path in texts(out) if path.startswith("assets/")} == set(assets[1:])
    put(sites[1], out)
    assert {path for path in texts(out) if path.startswith("assets/")} == set(assets[1:])


@pytest.mark.parametrize(
    "path",
    [
        *("../victim", "/victim", "a/../../victim", "a//b", "./a", "a\\..\\victim", "C:victim", "", "a\0b"),
        *(".git/config", ".gitignore", MANIFEST, STAGING, f"{STAGING}/0"),
    ],
)
def test_a_manifest_leads_nowhere_else(path: str, out: Path) -> None:
    put(small("old"), out)
    parts = json.loads((out / MANIFEST).read_bytes())
    parts["files"][path] = hashlib.sha256(b"victim").hexdigest()
    (out / MANIFEST).write_text(json.dumps(parts), "utf-8")
    (out.parent / "victim").write_bytes(b"victim")
    (said,) = refused(small("new"), out)
    assert said.startswith(f"{MANIFEST}: is damaged; ")
    assert (out.parent / "victim").exists()


def test_a_manifest_follows_no_link(out: Path) -> None:
    """A folder that was moved elsewhere and linked is no longer the site's."""
    put(small("old", "more/two.html"), out)
    (out / "more").rename(out.parent / "more")
    (out / "more").symlink_to("../more")
    assert put(small("new"), out) == [f"{out}: kept what is not from a build: more/"]
    assert (out.parent / "more" / "two.html").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is damaged"),
        ("[]", "is damaged"),
        ('{"version": 1}', "is damaged"),
        ('{"version": 1, "files": [], "earlier": {}}', "is damaged"),
        ('{"version": 1, "files": {"index.html": "abc"}, "earlier": {}}', "is damaged"),
        ('{"version": true, "files": {}, "earlier": {}}', "is from a newer version of this tool"),
        ('{"version": 2, "files": {}, "earlier": {}}', "is from a newer version of this tool"),
        ("[" * 100_000, "is damaged"),
        ("\xff", "is damaged"),
    ],
)
def test_a_damaged_manifest(text: str, said: str, out: Path) -> None:
    put(small("old"), out)
    (out / MANIFEST).write_bytes(text.encode("latin-1"))
    (line,) = refused(small("new"), out)
    assert line.startswith(f"{MANIFEST}: {said}; ")
    assert writer.main([str(out)]) == 1


def test_names_that_a_file_system_takes_for_one(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hard links stand for the two names that such a system shows of one file."""
    put(small("old", "sections/Tea.html"), out)
    (out / "sections" / "tea.html").hardlink_to(out / "sections" / "Tea.html")
    dropped: list[str] = []
    monkeypatch.setattr(Path, "unlink", lambda path, **_: dropped.append(path.name))
    assert put(small("new", "sections/tea.html", loads="old"), out) == []
    assert dropped == []
    assert (out / "sections" / "tea.html").read_text("utf-8").startswith("new")


# a site of an earlier version -----------------------------------------------------------------------------------------

CSP = '<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; script'


def former() -> dict[str, str]:
    """A site as version 0.1.0 built it, in short."""
    assets = dict(asset(kind, kind) for kind in ("app.js", "style.css", "plotly.js"))
    plotly = next(path for path in assets if "plotly" in path)
    pages = ("index.html", "teachers.html", "404.html", "sections/one.html", "sections/gone.html", "embed/figure.html")
    return {
        **assets,
        **{
            path: f'<!doctype html>\n<html lang="en" data-plotly="{"../" * path.count("/")}{plotly}">\n<head>\n{CSP}'
            for path in pages
        },
        ".nojekyll": "",
        "embed.js": "// For a page that embeds figures: <script src=",
        "robots.txt": "User-agent: *\nAllow: /\nSitemap: https://example.org/sitemap.xml\n",
        "downloads/page-one.html": f'<!doctype html>\n<html lang="en">\n<head>\n{CSP}',
        "downloads/questions.gift.txt": "$CATEGORY: A",
    }


def lay(files: dict[str, str], out: Path) -> None:
    for path, text in files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, "utf-8", newline="")


def test_a_site_of_an_earlier_version_may_have_other_line_ends(out: Path) -> None:
    lay({path: text.replace("\n", "\r\n") for path, text in former().items()}, out)
    assert len(put(small("new"), out)) == 2


def test_a_site_of_an_earlier_version_is_taken_over(out: Path) -> None:
    own = {
        "CNAME": "example.org",
        "downloads/slides.html": "mine",
        "downloads/article.html": "<!doctype html>\n<html>",
        "sections/mine.html": "<!doctype html>\n<html>",
        "assets/mine.0123456789.js": "mine",
        "assets/notes.txt": "mine",
    }
    lay({**former(), **own}, out)
    kept = [path for path in former() if path.startswith("assets/")]
    assert writer.holds(out, "downloads")
    said = put(small("new"), out)
    assert said[0] == f"{out}: known as a site of an earlier version by its {len(former())} files"
    assert said[1].startswith(f"{out}: removed what this build does not make: 404.html, downloads/page-one.html, ")
    assert said[2].startswith(f"{out}: kept what is not from a build: CNAME, assets/mine.0123456789.js, ")
    assert texts(out) == {**small("new"), **own, **{path: former()[path] for path in kept}}


def test_a_site_without_its_manifest_is_recognised_whole(tmp_path: Path) -> None:
    content, out = copy_small(tmp_path), tmp_path / "site"
    settings = content / "site.toml"
    settings.write_text('base_url = "https://example.org/a/"\n' + settings.read_text("utf-8"), "utf-8")
    arguments = ("packages", "--headers", "--compress", "--content", str(content), "--out", str(out))
    assert contents.run(*arguments) == (0, "")
    before = snapshot(out)
    (out / MANIFEST).unlink()
    assert {*recognised(out), MANIFEST} == {path for path, data in before.items() if data is not None}
    assert contents.run(*arguments) == (0, "")
    assert snapshot(out) == before


@pytest.mark.parametrize(
    "change",
    [
        {".git/HEAD": "ref"},
        {"thesis/.git": "gitdir: .."},
        {".nojekyll": "not empty"},
        {"index.html": "<!doctype html>\n<html>"},
        {path: "another script" for path in former() if "plotly" in path},
        {path: "another style" for path in former() if "style" in path},
    ],
)
def test_what_is_not_clearly_a_site_of_an_earlier_version(change: dict[str, str], out: Path) -> None:
    lay({**former(), **change}, out)
    (said,) = refused(small("new"), out)
    assert said.startswith("is not empty and not from a build")


def test_a_page_that_is_not_from_the_earlier_version_stops_the_build(out: Path) -> None:
    lay({**former(), "teachers.html": "<!doctype html>\n<html>mine"}, out)
    (said,) = refused(small("new"), out)
    assert said.startswith("teachers.html: is not from a build, but one of its files has this name; ")


# places ---------------------------------------------------------------------------------------------------------------


def test_the_folder_itself_stays(out: Path) -> None:
    """It may be a mount point, the root of a share, or held open: nothing takes its place or stands beside it."""
    (out / "lost+found").mkdir(parents=True)  # what a new disk has at its root
    put({**small("first"), "downloads/article.html": "first"}, out)
    places = [(path.stat().st_dev, path.stat().st_ino) for path in (out, out / "downloads")]
    for mark in ("old", "new"):
        put({**small(mark), "downloads/article.html": mark}, out)
        assert [(path.stat().st_dev, path.stat().st_ino) for path in (out, out / "downloads")] == places
        assert [path.name for path in out.parent.iterdir()] == ["site"]


# Runs as somebody without rights; what it needs is loaded before.
UNPRIVILEGED = """
import os, pathlib, sys
from qkv import errors
from qkv.output import writer
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    writer.write({"index.html": b"new", "sections/one.html": b"new"}, pathlib.Path(sys.argv[1]))
except errors.BuildError as error:
    raise SystemExit(str(error))
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user reaches, and may not write into."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o555)
        yield Path(name)
        Path(name).chmod(0o755)


def own(folder: Path) -> None:
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)


def unprivileged(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, str(folder)], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode == 0) == (done.stderr == ""), done.stderr
    return done.stderr.strip()


def in_it(shared: Path, name: str) -> Path:
    shared.chmod(0o755)
    (shared / name).mkdir()
    own(shared / name)
    shared.chmod(0o555)
    return shared / name


def test_who_owns_the_folder_but_not_the_one_above_can_build(shared: Path) -> None:
    folder = in_it(shared, "site")
    for _ in range(2):
        assert unprivileged(folder) == ""
        assert texts(folder) == {"index.html": "new", "sections/one.html": "new"}
    assert {path.stat().st_mode & 0o777 for path in folder.rglob("*") if path.is_file()} == {0o666 & ~umask()}


def umask() -> int:
    now = os.umask(0o022)
    os.umask(now)
    return now


def test_a_folder_that_may_not_be_written(shared: Path) -> None:
    fix = "make it a folder that you may write into, or name another with --out"
    assert unprivileged(shared / "site") == f"{shared}/site: cannot be written (Permission denied); {fix}"
    folder = in_it(shared, "site")
    folder.chmod(0o555)
    assert unprivileged(folder) == f"{folder}: cannot be written (Permission denied); {fix}"
    folder.chmod(0o755)
    (folder / "sections").mkdir()
    own(folder / "sections")
    (folder / "sections").chmod(0o555)
    assert unprivileged(folder) == (
        f"{folder}: is not empty and not from a build: it holds sections/; name another folder with --out, "
        "or an empty one"
    )
    (folder / MANIFEST).write_bytes(Manifest().data())
    assert unprivileged(folder) == f"{folder}/sections: cannot be written (Permission denied); {fix}"
    assert texts(folder) == {}


def test_a_folder_of_the_site_on_another_disk(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing moves from one disk to the other in one step, so its files are laid out there once more."""
    put({**small("old"), "downloads/article.html": "old"}, out)
    move = os.replace

    def replace(source: Any, target: Any) -> None:
        if "downloads" in Path(target).parts and "downloads" not in Path(source).parts:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        move(source, target)

    monkeypatch.setattr(os, "replace", replace)
    put({**small("new", loads="old"), "downloads/article.html": "new"}, out)
    assert texts(out) == {**small("new", loads="old"), "downloads/article.html": "new"}


@pytest.mark.parametrize("name", ["link", "a b, é", "new/deep/folder", "hanging"])
def test_any_name_will_do(name: str, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "hanging").symlink_to("not there yet")
    put(small("new"), Path(f"{tmp_path / name}/"))
    assert texts(tmp_path / name) == small("new")
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("file", "file: is a file; name a folder with --out"),
        ("file/site", "file/site: cannot be written (Not a directory); "),
        ("loop", "loop: cannot be written ("),
    ],
)
def test_a_place_that_is_no_folder(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(BuildError, match=re.escape(f"{tmp_path}/{said}")):
        put(small("new"), tmp_path / name)
    assert (tmp_path / "file").read_text("utf-8") == "mine"


@pytest.mark.parametrize("out", [".", "site", "sections"])
def test_the_site_is_not_written_into_what_it_is_made_from(out: str, tmp_path: Path) -> None:
    content = copy_small(tmp_path)
    before = snapshot(tmp_path)
    code, said = contents.run("--content", str(content), "--out", str(content / out))
    assert (code, said) == (
        EXIT_CODE,
        f"{content / out}: is inside content/, which is read; name another folder with --out\n",
    )
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("folder", [ROOT, ROOT / "templates", Path("/")])
def test_folders_that_hold_everything(folder: Path, tmp_path: Path) -> None:
    code, said = contents.run("--content", str(copy_small(tmp_path)), "--out", str(folder))
    assert code == EXIT_CODE
    assert re.search("is not empty and not from a build|is inside templates/, which is read", said)
    assert not (folder / MANIFEST).exists()


def test_two_builds_at_once(out: Path) -> None:
    put(small("old"), out)
    with writer._alone(out, out):
        (said,) = refused(small("new"), out)
    assert said == "another build is writing here; wait until it has ended"
    put(small("new"), out)


# downloads ------------------------------------------------------------------------------------------------------------


def test_a_plain_build_makes_the_downloads_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content, out = copy_small(tmp_path), tmp_path / "site"
    place = ("--content", str(content), "--out", str(out))
    assert contents.run("packages", *place) == (0, "")
    with_downloads = {path for path in snapshot(out) if path.startswith("downloads/")}
    page = content / "site.toml"
    page.write_text(re.sub('title = ".*"', 'title = "Another"', page.read_text("utf-8"), count=1), "utf-8")
    for arguments in ([], ["check"]):
        before = (out / "downloads" / "article.html").read_bytes()
        assert contents.run(*arguments, *place, loud=True) == (0, "")
        said = capsys.readouterr().out
        assert {path for path in snapshot(out) if path.startswith("downloads/")} == with_downloads
        if not arguments:
            assert f"{out}/downloads: made anew, since an earlier build made it; delete it to build without\n" in said
            assert b"<title>Another</title>" in (out / "downloads" / "article.html").read_bytes()
        else:
            assert (out / "downloads" / "article.html").read_bytes() == before
    shutil.rmtree(out / "downloads")
    assert contents.run(*place, loud=True) == (0, "")
    assert "made anew" not in capsys.readouterr().out
    assert not (out / "downloads").exists()
    assert "downloads/" not in (out / MANIFEST).read_text("utf-8")


# stopped --------------------------------------------------------------------------------------------------------------


def check_whole(out: Path, old: dict[str, str], new: dict[str, str]) -> None:
    """Every page is the old or the new one, and all that it loads is there."""
    found = texts(out)
    for path, text in found.items():
        if STAGING not in path and path != ".gitignore":
            assert text in (old.get(path), new.get(path)), path
        if path.endswith(".html"):
            for name in LINKED.findall(text):
                assert name in found, f"{path} loads {name}"
                assert hashlib.sha256(found[name].encode()).hexdigest()[:10] in name
    assert old.keys() & new.keys() <= found.keys()


def test_a_signal_at_each_step(tmp_path: Path) -> None:
    """Before each file that is opened, moved or removed, over a site with a page that goes, one that comes, and assets
    of a generation before."""
    first, old = small("first"), small("old", "sections/goes.html")
    new = {**small("new", "more/comes.html"), "downloads/article.html": "new"}
    place = tmp_path / "start"
    for site in (first, old):
        put(site, place)
    left = {path: text for path, text in first.items() if path.startswith("assets/")}
    kept = {path: text for path, text in old.items() if path.startswith("assets/")}
    with Dying() as dying:
        whole = dying.write(new, shutil.copytree(place, tmp_path / "whole"))
        assert (whole.code, whole.said) == (0, "")
        assert whole.events > 30
        messages = set()
        for moment in range(1, whole.events + 1):
            for number in (signal.SIGKILL, SIGNALS[moment % 3]):
                out = tmp_path / f"{number}-{moment}"
                shutil.copytree(place, out)
                (out / "CNAME").write_text("mine", "utf-8")
                death = dying.write(new, out, number, moment)
                if number == signal.SIGKILL:
                    assert (death.code, death.said) == (-number, "")
                else:
                    assert death.code == 128 + number
                    messages.add(death.said)
                    if UNTOUCHED in death.said:
                        assert texts(out) == {**old, **left, "CNAME": "mine"}
                    if DONE in death.said:
                        assert new.items() <= texts(out).items()
                mine = {"CNAME": "mine"}
                check_whole(out, {**old, **left, **mine}, {**new, **kept, **mine})
                put(new, out)
                assert texts(out) == {**new, **kept, **mine}
                shutil.rmtree(out)
        assert messages == {f"stopped; {now}\n" for now in (UNTOUCHED, REPLACING, DONE)}


def test_a_killed_build_leaves_nothing_that_git_would_take(out: Path) -> None:
    put(small("old"), out)
    with Dying() as dying:
        half = dying.write(small("new"), shutil.copytree(out, out.with_name("copy"))).events // 2
        assert dying.write(small("new"), out, signal.SIGKILL, half).code == -signal.SIGKILL
    assert (out / STAGING).is_dir()

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=out, capture_output=True, encoding="utf-8", check=True).stdout

    git("init", "--quiet")
    assert STAGING not in git("status", "--porcelain", "--untracked-files=all")
    assert "index.html" in git("status", "--porcelain", "--untracked-files=all")
    assert writer.main([str(out)], lambda _: None) == 0
    assert {path.name for path in out.iterdir()} == {".git", MANIFEST}


def test_fifty_random_moments_of_a_build(tmp_path: Path) -> None:
    """One build after the other is stopped, of two articles in turn, over what the one before has left."""
    contents_of, sites = [], []
    for name in ("one", "two"):
        content = copy_small(tmp_path / name)
        if name == "two":
            (content / "sections" / "9-more.md").write_text('+++\ntitle = "More"\n+++\nMore.\n', "utf-8")
            settings = content / "site.toml"
            settings.write_text(re.sub('title = ".*"', 'title = "Two"', settings.read_text("utf-8"), count=1), "utf-8")
        assert contents.run("--content", str(content), "--out", str(tmp_path / name / "site")) == (0, "")
        contents_of.append(str(content))
        sites.append(texts(tmp_path / name / "site"))
    assert len({path for site in sites for path in site if path.startswith("assets/style.")}) == 2
    out, chance, mine = tmp_path / "site", random.Random(14), {"CNAME": "mine"}
    shutil.copytree(tmp_path / "one" / "site", out)
    (out / "CNAME").write_text("mine", "utf-8")
    seen = set()
    with Dying() as dying:
        spare = ("--out", str(tmp_path / "spare"), "--content")
        everything = dying.build(*spare, contents_of[0]).events  # with caches filled
        everything = dying.build(*spare, contents_of[1]).events
        writing = dying.build(*spare, contents_of[0], about=str(tmp_path / "spare")).events
        assert everything > writing > 50
        for turn in range(50):
            number, source = chance.choice(SIGNALS), contents_of[1 - turn % 2]
            about, count = (str(out), writing) if turn % 3 else ("", everything)
            moment = chance.randrange(count) + 1
            death = dying.build("--content", source, "--out", str(out), number=number, moment=moment, about=about)
            assert death.code in (-signal.SIGKILL, 0, *(128 + number for number in SIGNALS))
            assert death.said.count("\n") == (death.code > 0), death.said
            seen.add((death.code, death.said))
            check_whole(out, {**sites[0], **mine}, {**sites[1], **mine})
            if turn % 5 == 4:
                assert contents.run("--content", source, "--out", str(out)) == (0, "")
                found = texts(out)
                wanted = {**sites[1 - turn % 2], **mine}
                assert {path: text for path, text in found.items() if path in wanted} == wanted
                assert [path for path in found.keys() - wanted if not path.startswith("assets/")] == []
    assert len(seen) > 6  # by every signal, before and while the site is replaced


@pytest.mark.parametrize(
    "error", [lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), lambda: Stopped(signal.SIGINT)]
)
def test_each_step_fails(error: Callable[[], BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was begun is said; what was not leaves the folder as it was."""
    old, new = small("old", "sections/goes.html"), small("new", "more/comes.html")
    kept = {path: text for path, text in old.items() if path.startswith("assets/")}
    step = 0
    messages = set()
    while True:
        step += 1
        out = tmp_path / str(step)
        put(old, out)
        stands(UNTOUCHED)
        before = snapshot(out)
        left = step

        def failing(method: Any) -> Any:
            def call(*args: Any, **kwargs: Any) -> Any:
                nonlocal left
                left -= 1
                if left == 0:
                    raise error()
                return method(*args, **kwargs)

            return call

        with monkeypatch.context() as patched:
            for name in ("write_bytes", "mkdir", "replace", "unlink"):
                patched.setattr(Path, name, failing(getattr(Path, name)))
            try:
                put(new, out)
            except (BuildError, Stopped) as failed:
                messages.add(re.sub(r"^\S+: ", "", str(failed)))
                if "some pages" not in str(failed) and REPLACING not in str(failed):
                    assert snapshot(out) == before
            else:
                break
        check_whole(out, old, {**new, **kept})
        put(new, out)
        assert texts(out) == {**new, **kept}
        assert not (out / STAGING).exists()
    assert step > 20
    assert messages == (
        {f"stopped; {UNTOUCHED}", f"stopped; {REPLACING}"}
        if isinstance(error(), Stopped)
        else {
            "cannot be written (No space left on device); make room on the disk and build again",
            "cannot be written (No space left on device; some pages are new, some old, all whole); "
            "make room on the disk and build again",
        }
    )


# The largest file is limited, which is as far as a full disk can be had without rights.
TIGHT = """
import pathlib, resource, sys
from qkv import errors
from qkv.output import writer
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    writer.write({"index.html": b"new", "sections/one.html": b"n" * 1001}, pathlib.Path(sys.argv[1]))
except errors.BuildError as error:
    raise SystemExit(str(error))
"""


def test_a_disk_that_takes_no_more(out: Path) -> None:
    put({"index.html": "old", "sections/one.html": "old"}, out)
    before = snapshot(out)
    done = subprocess.run(
        [sys.executable, "-c", TIGHT, str(out)], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    assert done.stderr == f"{out}: cannot be written (File too large); allow larger files (ulimit -f) and build again\n"
    assert snapshot(out) == before


# Runs build.py as a command, and gets a signal at an event that names a module or a file.
SIGNALLED = """
import os, runpy, sys
number, at = int(sys.argv[1]), sys.argv[2]
sys.argv = ["build.py", *sys.argv[3:]]
sent = []
def watch(event, given):
    if not sent and any(at in str(one) for one in given if isinstance(one, (str, os.PathLike))):
        sent.append(True)
        os.kill(os.getpid(), number)
sys.addaudithook(watch)
runpy.run_path("build.py", run_name="__main__")
"""


@pytest.mark.parametrize("number", SIGNALS[:3])
@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("numpy", "stopped; nothing was begun\n"),
        ("model.toml", f"stopped; {UNTOUCHED}\n"),
        (STAGING, f"stopped; {UNTOUCHED}\n"),
    ],
)
def test_a_signal_ends_a_build_with_one_line(at: str, said: str, number: int, tmp_path: Path) -> None:
    content, out = copy_small(tmp_path), tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED, str(number), at, "--content", str(content), "--out", str(out)],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (128 + number, said)
    assert not out.exists() or list(out.iterdir()) == []


# make clean -----------------------------------------------------------------------------------------------------------


def test_clean_removes_what_builds_wrote(out: Path) -> None:
    out.mkdir()
    (out / ".gitignore").write_text("*", "utf-8")
    for mark in ("old", "new"):
        put(small(mark), out)
    assert writer.clean(out) == []
    assert snapshot(out) == {".gitignore": b"*"}
    assert writer.clean(out) == writer.clean(out / "not there") == []


def test_clean_keeps_what_is_not_from_a_build(out: Path) -> None:
    put(small("old"), out)
    (out / "CNAME").write_text("mine", "utf-8")
    (out / "sections" / "mine.html").write_text("mine", "utf-8")
    (out / "index.html").write_text("changed", "utf-8")
    assert writer.clean(out) == [
        f"{out}: kept what is not from a build, or was changed since: CNAME, index.html, sections/"
    ]
    assert texts(out) == {"CNAME": "mine", "sections/mine.html": "mine", "index.html": "changed"}
    assert refused(small("new"), out)[0].startswith("index.html: was changed after a build wrote it; ")
    (out / "index.html").unlink()
    assert put(small("new"), out) == [f"{out}: kept what is not from a build: CNAME, sections/mine.html"]


def test_clean_knows_a_site_of_an_earlier_version_and_leaves_all_others(out: Path) -> None:
    lay({**former(), "CNAME": "mine"}, out)
    assert len(writer.clean(out)) == 1
    assert texts(out) == {"CNAME": "mine"}
    (out / MANIFEST).unlink()
    assert writer.clean(out) == [f"{out}: kept what is not from a build, or was changed since: CNAME"]
    assert snapshot(out) == {"CNAME": b"mine"}


def test_make_clean_asks_the_writer(tmp_path: Path) -> None:
    """With the Python of the machine, since the environment is gone; what it does is tested above."""
    shown = subprocess.run(
        ["make", "--dry-run", "clean", "PYTHON=python3"], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    ).stdout.splitlines()
    assert shown[-1] == "python3 -B -m qkv.output.writer site"
    assert not [line for line in shown[:-1] if " site" in line]
    put(small("new"), tmp_path / "site")
    subprocess.run(  # -I -S: nothing but the standard library
        [sys.executable, "-I", "-S", "-B", "-c", CLEAN, str(ROOT), str(tmp_path / "site")], check=True
    )
    assert list((tmp_path / "site").iterdir()) == []


CLEAN = "import sys; sys.path.insert(0, sys.argv[1]); from qkv.output.writer import main; sys.exit(main(sys.argv[2:]))"
