"""The rule of the house: imports go only downwards, and pages and output never import each other."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from qkv.output.bundle import ROOT

# From the roof to the cellar. Rooms on one floor do not import each other.
FLOORS = (
    ("build",),
    ("exports",),
    ("output", "pages"),
    ("article",),
    ("figures",),
    ("content",),
    ("model",),
    ("templates",),
    ("cache",),
    ("errors",),
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
LONG = 330  # lines: a module beyond that has two nouns


def room_of(module: str) -> str:
    """qkv.pages.data -> pages"""
    parts = module.split(".")
    return parts[1] if parts[0] == "qkv" else parts[0]


def modules() -> dict[str, Path]:
    found = {"build": ROOT / "build.py"}
    for path in sorted((ROOT / "qkv").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if name != "qkv":
            found[name] = path
    return found


def imports(path: Path) -> set[str]:
    """The modules of this project that a module imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            raise AssertionError(f"{path.name} imports from {'.' * node.level}: name the module in full")
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.startswith(("qkv.", "build"))}


def arrows() -> Counter[tuple[str, str]]:
    """How many modules of one room import from another."""
    found: Counter[tuple[str, str]] = Counter()
    for name, path in modules().items():
        found.update({(room_of(name), room_of(to)) for to in imports(path) if room_of(to) in FLOOR})
    return found


def drawing() -> str:
    """The floors, and how many modules of a room import from each room below."""
    lines = []
    for floor in FLOORS:
        for room in floor:
            below = sorted(((FLOOR[to], to, n) for (of, to), n in arrows().items() if of == room and to != room))
            lines.append(f"{room:9}" + "  ".join(f"{to} {n}" for _, to, n in below))
    return "\n".join(lines)


def test_imports_go_only_downwards() -> None:
    print(drawing())
    upwards = [
        f"{name} imports {to}"
        for name, path in modules().items()
        for to in sorted(imports(path) & modules().keys())
        if room_of(name) != room_of(to) and FLOOR[room_of(to)] <= FLOOR[room_of(name)]
    ]
    assert upwards == []


def test_every_room_says_what_comes_in_and_goes_out() -> None:
    for room in FLOOR.keys() - {"build", "templates", "cache", "errors"}:
        said = ast.get_docstring(ast.parse((ROOT / "qkv" / room / "__init__.py").read_text("utf-8")))
        assert "->" in (said or ""), f"qkv/{room}/__init__.py does not say what comes in and what goes out"


def test_no_module_has_two_nouns() -> None:
    lengths = {name: path.read_text("utf-8").count("\n") for name, path in modules().items()}
    assert {name: length for name, length in lengths.items() if length > LONG} == {}
