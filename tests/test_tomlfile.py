"""Where a table or key stands: every one of content/ is found, and those of odd but valid TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qkv.content.toml import TomlFile, load_toml, parse_toml
from qkv.errors import BuildError
from tests.contents import ROOT, SMALL

HOSTILE = ROOT / "tests" / "content_hostile"
Keys = tuple[str | int, ...]


def texts() -> Iterator[Any]:
    """Every TOML text that authors have written here: files, and front matter with the line it begins at."""
    for folder in (ROOT / "content", SMALL, HOSTILE):
        for path in sorted(folder.rglob("*.toml")):
            yield pytest.param(path.read_text("utf-8"), 1, id=str(path.relative_to(ROOT)))
        for path in sorted(folder.rglob("*.md")):
            front = path.read_text("utf-8").split("+++\n")[1]
            yield pytest.param(front, 2, id=str(path.relative_to(ROOT)))


def paths(node: Any, path: Keys = ()) -> Iterator[Keys]:
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inner:
        yield (*path, key)
        yield from paths(value, (*path, key))


def check(file: TomlFile) -> int:
    """For every path: the text before the line that is named does not hold it, and with a few lines more it does."""
    lines = file.text.split("\n")
    cut = [parsed("\n".join(lines[:end])) for end in range(len(lines) + 1)]  # None where a value is cut in two
    count = 0
    for path in paths(file.data):
        line = file.where(*path).line - file.first  # from 0
        assert 0 <= line < len(lines), path
        assert not has(cut[line], path), path
        assert has(next(data for data in cut[line + 1 :] if data is not None), path), path
        count += 1
    return count


def parsed(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def has(node: Any, path: Keys) -> bool:
    for part in path:
        try:
            node = node[part]
        except (KeyError, IndexError, TypeError):
            return False
    return True


@pytest.mark.parametrize(("text", "first"), list(texts()))
def test_every_key_is_found(text: str, first: int) -> None:
    assert check(parse_toml(text, "file", first)) > 0


ODD = r'''
# [not.a.table]
a = """
b = 1
[c]
""" # still a
"quoted \u0041 = key" = "it's"
dotted . key."x.y" = 1.5
time = 1979-05-27 07:32:00
list = [
  [1, 2], # [in.a.comment]
  [
    3.5, "]", { x = [1, 2], "y" = "}" },
  ],
  [],
]
[ table ]
key = 1 # = 2
[[many]]
[[many]]
[many.sub]
k = 1
[[many.deep]]
[[many.deep]]
k = { a.b = 1, c = [{ d = 2 }] }
[[many]]
[[many.deep]]
k = "\"[x]"
literal = SSS
[d]
e = 1
SSS
'''.replace("SSS", "'" * 3)


def test_odd_text() -> None:
    text = ODD
    file = parse_toml(text, "file")
    check(file)
    assert file.where("many", 1, "deep", 1, "k", "c", 0, "d").line == line_of(text, "k = { a.b")
    assert file.where("many", 2, "deep", 0, "k").line == line_of(text, 'k = "')
    assert file.where("list", 1, 2, "x", 1).line == line_of(text, "    3.5")
    assert file.where("dotted", "key", "x.y").line == line_of(text, "dotted")


def line_of(text: str, start: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if line.startswith(start))


def test_what_is_missing_is_near_its_table() -> None:
    file = parse_toml("a = 1\n[b]\nc = 1\n[[d]]\ne = 1\n", "file", first=10)
    assert str(file.where("b", "missing")) == "file:11"
    assert str(file.where("d", 0, "missing", "too")) == "file:13"
    assert str(file.where("d", 5)) == "file:13"
    assert str(file.where("missing")) == "file"


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 5000 + "]" * 5000,
        "a = " + "{ a = " * 5000,
        "a = " + "9" * 5000,
        "a = 1\na = 2",
        'a = "\\u0007"',
        'a = "\\ue000"',
        '"\\u0001" = 1',
        "a = 2024-13-45",
        "=",
        "[",
        "a.b = 1\na = 2",
    ],
)
def test_what_cannot_be_read_is_a_build_error(text: str) -> None:
    with pytest.raises(BuildError):
        parse_toml(text, "file")


def test_files_begin_with_a_mark_of_byte_order_or_not(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n")
    file = load_toml(tmp_path, "x.toml")
    assert file.data == {"a": 1, "b": 2}
    assert file.where("b").line == 2
