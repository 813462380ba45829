"""One folder for each mistake that an author can make, in tests/cases/: what is wrong, and the exact message.

`edit.toml` changes the small article of tests/content_small: each [[edit]] names a file and either what to find in
it (just once) and to replace, or `delete = true`. What stands in `in/` is laid over it, for what TOML cannot hold.
`out` is what the build says. To write all of them anew, then look at the difference:

    python -m tests.test_cases
"""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from pathlib import Path

import pytest

from qkv.errors import EXIT_CODE
from tests.contents import MESSAGE, copy_small, run, snapshot

CASES = Path(__file__).resolve().parent / "cases"
NAMES = sorted(path.name for path in CASES.iterdir() if path.is_dir())


def lay_out(name: str, folder: Path) -> Path:
    """The content of a case as folder/content."""
    content = copy_small(folder)
    case = CASES / name
    if (case / "in").exists():
        shutil.copytree(case / "in", content, dirs_exist_ok=True)
    edits = case / "edit.toml"
    for edit in tomllib.loads(edits.read_text("utf-8"))["edit"] if edits.exists() else ():
        path = content / edit["file"]
        if edit.get("delete"):
            path.unlink()
            continue
        text = path.read_text("utf-8") if path.exists() else ""
        assert "find" not in edit or text.count(edit["find"]) == 1, f"{name}: {edit['find']!r} stands not just once"
        path.write_text(text.replace(edit["find"], edit["replace"]) if "find" in edit else edit["replace"], "utf-8")
    return content


def said(name: str, folder: Path) -> tuple[int, str]:
    content = lay_out(name, folder)
    return run("--content", str(content), "--out", str(folder / "site"))


def old_site(folder: Path) -> None:
    """What an earlier build may have left."""
    (folder / "site" / "sections").mkdir(parents=True)
    for path in ("index.html", ".nojekyll", ".gitignore", "sections/looking.html"):
        (folder / "site" / path).write_bytes(b"old " + path.encode())


def test_the_small_article_builds(tmp_path: Path) -> None:
    assert run("--content", str(copy_small(tmp_path)), "--out", str(tmp_path / "site")) == (0, "")


@pytest.mark.parametrize("name", NAMES)
def test_case(name: str, tmp_path: Path) -> None:
    old_site(tmp_path)
    before = snapshot(tmp_path)
    code, message = said(name, tmp_path)
    assert message == (CASES / name / "out").read_text("utf-8")
    assert code == EXIT_CODE
    assert "Traceback" not in message
    shutil.rmtree(tmp_path / "content")
    assert snapshot(tmp_path) == before, "the old site was touched, or something was left beside it"


def test_messages_have_their_form() -> None:
    for name in NAMES:
        for line in (CASES / name / "out").read_text("utf-8").splitlines():
            assert MESSAGE.fullmatch(line), f"{name}: {line}"


# what no folder can hold: where the site goes


def test_no_such_content(tmp_path: Path) -> None:
    missing = tmp_path / "contents"
    assert run("--content", str(missing), "--out", str(tmp_path / "site")) == (
        EXIT_CODE,
        f"{missing}: there is no such folder; name the folder of the article with --content\n",
    )


def regenerate() -> None:
    """Writes what the build says now into each case."""
    for name in NAMES:
        with tempfile.TemporaryDirectory() as folder:
            code, message = said(name, Path(folder))
        print(f"== {name}\n{message}", end="")
        assert code == EXIT_CODE, f"{name}: nothing is wrong with it"
        (CASES / name / "out").write_text(message, "utf-8")


if __name__ == "__main__":
    regenerate()
