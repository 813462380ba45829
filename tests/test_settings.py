"""The schema of settings: what one line of it does, and that docs/writing.md says the same."""

from __future__ import annotations

import re

import pytest

from qkv.content.model_file import LARGEST_SCORE
from qkv.content.schema import CLAIM, FILES, SITE
from qkv.content.settings import Validator
from qkv.content.shapes import (
    EMPTY,
    FileShape,
    Flag,
    Key,
    Limits,
    List,
    Number,
    Shape,
    Table,
    Text,
    Whole,
    limits,
    tables,
)
from qkv.content.toml import parse_toml
from qkv.errors import Mistakes
from tests.contents import ROOT

DOCS = (ROOT / "docs" / "writing.md").read_text("utf-8")
TABLES = {table.name or ", ".join(table.keys): table for file in FILES.values() for table in tables(file.of)}
LIMITS = {one.what: one for file in FILES.values() for one in limits(file.of) if one.what}


def rows(before: str) -> list[list[str]]:
    """The cells of the first table of the documentation after a text, row by row."""
    assert DOCS.count(before) == 1, f"docs/writing.md holds {before!r} not just once"
    table = re.search(r"(?:^\|.*\n)+", DOCS.partition(before)[2], re.M)
    assert table
    return [re.split(r" ?(?<!\\)\| ?", line)[1:-1] for line in table.group().splitlines()[2:]]


def plain(cell: str) -> str:
    """What a cell says, without the marks of Markdown."""
    return re.sub(r"[`*\\]", "", cell).replace("\u2212", "-")


def spread(one: Limits) -> str:
    return f"{one.low:g} to {one.high:g}"


def documented_type(key: Key) -> str:
    """Type, limits and default of a setting, as the documentation writes them."""
    shape = key.shape
    said = shape.said.removeprefix("a ") if not isinstance(shape, List) or shape.said else "list of tables"
    if isinstance(shape, Whole | Number | List) and shape.limits:
        said += f", {spread(shape.limits)}"
    default = {True: "true", False: "false"}.get(key.default, f'"{key.default}"') if key.default is not None else ""
    return f"{said}, else {default}" if key.default is not EMPTY and default else said


@pytest.mark.parametrize("name", [name for name, table in TABLES.items() if table.name])
def test_settings_are_documented(name: str) -> None:
    found = rows(f"<!-- settings: {name} -->\n")
    assert [re.sub(r".*\.(?=\w)|[\[\].\u2026]", "", plain(row[0])) for row in found] == list(TABLES[name].keys)
    for (cell, kind, sentence), key in zip(found, TABLES[name].keys.values(), strict=True):
        assert cell.startswith("**") == (key.needed and key.default is EMPTY), f"{cell}: what is needed is bold"
        assert plain(kind) == documented_type(key), cell
        assert plain(sentence).startswith(key.sentence), f"{cell}: {plain(sentence)!r} and {key.sentence!r}"


def test_no_other_table_is_documented() -> None:
    assert set(re.findall("<!-- settings: (.*) -->", DOCS)) == {table.name for table in TABLES.values()} - {""}


def test_tables_without_a_name_are_documented_in_the_text() -> None:
    for table in TABLES.values():
        for key in [] if table.name else table.keys:
            assert re.search(rf"`(\[\[)?{key}(\]\])?`", DOCS), key


def test_every_settings_file_is_documented() -> None:
    assert [plain(row[0]) for row in rows("## The content folder")] == [plain(name) for name in FILES]


def test_limits_are_documented() -> None:
    found = {plain(row[0]): plain(row[1]) for row in rows("## Limits")}
    for what, one in LIMITS.items():
        assert found[what].startswith(spread(one)), what
    across = {"scores": f"{-LARGEST_SCORE:g} to {LARGEST_SCORE:g}", "switches in a sentence": "1"}
    across["sentences, with all switches set"] = "2 or more"
    assert {what: limit for what, limit in found.items() if what not in LIMITS} == across


# the validator


def read(keys: dict[str, Key], text: str, joint: str = "") -> tuple[dict[str, object], str]:
    """The values of a settings file with such keys, and what is said of it, a line for each mistake."""
    wrong = Mistakes()
    values = Validator(parse_toml(text, "x.toml"), FileShape(Table(keys), joint), wrong).read()
    return values.values, "\n".join(sorted(map(str, wrong.found)))


ROWS = Limits("rows", 1, 9, "{n} row{s}, but there are {low} to {high}, because {why}", ("few", "add"), ("many", "cut"))


@pytest.mark.parametrize(
    ("shape", "text", "value", "said"),
    [
        (Whole(ROWS), "", 5, ""),
        (Whole(ROWS), "new = 9", 9, ""),
        (Whole(ROWS), "new = 10", 5, "x.toml:1: 10 rows, but there are 1 to 9, because many; cut"),
        (Whole(ROWS), "new = 0", 5, "x.toml:1: 0 rows, but there are 1 to 9, because few; add"),
        (Whole(ROWS), "new = true", 5, "x.toml:1: new must be a whole number (what is new); write new = 1"),
        (Number(), "new = 1", 1.0, ""),
        (Number(), "new = nan", 5, "x.toml:1: nan is not a number; write a plain number, e.g. 1 or 0.5"),
        (Text(), "\nnew = []", 5, 'x.toml:2: new must be a text (what is new); write new = "\u2026"'),
        (Text(filled=True), 'new = " "', 5, 'x.toml:1: new is empty (what is new); write new = "\u2026"'),
        (Flag(), "new = 1", 5, "x.toml:1: new must be true or false (what is new); write new = true"),
        (Flag(), "nwe = true", 5, "x.toml:1: unknown setting 'nwe'; did you mean 'new'?"),
        (List(Flag(), "a list", "mend"), "new = [true]", [True], ""),
        (List(Flag(), "a list", "mend"), "new = [true, 2]", 5, "x.toml:1: new must be a list (what is new); mend"),
    ],
)
def test_one_line_declares_a_setting(shape: Shape, text: str, value: object, said: str) -> None:
    assert read({"new": Key(shape, "what is new", 5)}, text) == ({"new": value}, said)


def test_a_setting_that_must_be_there() -> None:
    key = Key(Text(), "what is new", needed=True)
    assert read({"new": key}, "")[1] == 'x.toml:1: new is missing (what is new); write new = "\u2026"'
    assert read({"new": key}, 'new = ""')[1] == 'x.toml:1: new is empty (what is new); write new = "\u2026"'


def test_a_setting_deep_inside_is_named_by_its_path() -> None:
    inner = Table({"rows": Key(List(Number(ROWS), each=True, said="a list"), "its rows")})
    keys = {"boxes": Key(List(inner, item="box"), "the boxes")}
    said = read(keys, "[[boxes]]\n[[boxes]]\nrows = [\n1,\n'2',\n0]\nrow = 1", joint=", ")[1].split("\n")
    assert said == [
        "x.toml:5: box 2, rows, number 2: '2' is not a number; write a plain number, e.g. 1 or 0.5",
        "x.toml:6: box 2, rows, number 3: 0 rows, but there are 1 to 9, because few; add",
        "x.toml:7: box 2: unknown setting 'row'; did you mean 'rows'?",
    ]


def test_what_is_left_out_is_as_declared() -> None:
    values, said = read(dict(SITE.keys), 'title = "A"\ndescription = "B"')
    assert said == ""
    assert (values["language"], values["score"], values["breadcrumb"], values["state"]) == ("en", False, [], {})
    assert read(dict(CLAIM.keys), 'name = "A"\nclaim = "B"')[0]["every"] == []
