"""What the repository's files must not hold: addresses that packages came from, and paths of one machine."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qkv.output.bundle import ROOT

# In pieces, since this file is searched too.
HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("debian", "org"),
        ("ubuntu", "com"),
        ("nodejs", "org/dist"),
        ("unpkg", "com"),
        ("jsdelivr", "net"),
        ("cdnjs", "cloudflare"),
        ("cdn", "plot", "ly"),
        ("cdn", "playwright", "dev"),
        ("playwright", "azureedge", "net"),
        ("objects", "githubusercontent", "com"),
        ("codeload", "github", "com"),
    )
]
HOST = re.compile("|".join(map(re.escape, HOSTS)).encode(), re.IGNORECASE)
# The first folder of an absolute path; a longer path or an address may well have such a name inside.
FOLDERS = ("root", "home", "tmp", "work", "Users")
MACHINE_PATH = re.compile(rb"(?<![\w./~*-])/(?:" + "|".join(FOLDERS).encode() + rb")/\w")


def files() -> list[str]:
    """Every file of the checkout that git has or would take."""
    command = ["git", "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return sorted(name for name in set(listed) if name and (ROOT / name).is_file())


def found(pattern: re.Pattern[bytes]) -> list[str]:
    """Where a pattern occurs, as file:line: match."""
    return [
        f"{name}:{number}: {match[0].decode()}"
        for name in files()
        for number, line in enumerate((ROOT / name).read_bytes().splitlines(), 1)
        for match in pattern.finditer(line)
    ]


def strings(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string in a JSON value, with the nearest key above it; leaves out where packages ask for money."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name != "funding":
                yield name, name
                yield from strings(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner, key)
    elif isinstance(value, str):
        yield key, value


def test_patterns_find_what_they_are_for() -> None:
    for host in HOSTS:
        assert HOST.search(f"https://files.{host}/x".encode())
    for folder in FOLDERS:
        assert MACHINE_PATH.search(f"see '/{folder}/x'".encode())
        assert not MACHINE_PATH.search(f"https://example.com/{folder}/x site/{folder}/x".encode())


def test_files_are_listed() -> None:
    assert {"Makefile", "pyproject.toml", "qkv/output/bundle.py", "tests/test_repo.py"} <= set(files())


def test_no_registry_or_download_address() -> None:
    assert found(HOST) == []


def test_no_path_of_one_machine() -> None:
    assert found(MACHINE_PATH) == []


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_python_lock(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^\s*-", re.sub(r"^ +--hash=sha256:[0-9a-f]{64}( \\)?$", "", text, flags=re.M), re.M)
    blocks = re.split(r"^(?=[a-z0-9])", re.sub(r"^ *#.*\n", "", text, flags=re.M), flags=re.M)
    pins = [block for block in blocks if block.strip()]
    assert pins
    for pin in pins:
        assert re.match(r"[a-z0-9-]+==[\w.]+ \\\n", pin), pin
        assert "--hash=sha256:" in pin


def test_dev_lock_holds_the_build_lock() -> None:
    build, dev = (
        set(re.findall(r"^[a-z0-9-]+==\S+", (ROOT / name).read_text(), re.M))
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert build < dev


def test_npm_lock() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    assert [text for _, text in strings(lock) if "://" in text] == []
    assert [key for key, _ in strings(lock) if key == "resolved"] == []
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert [name for name, package in packages.items() if "integrity" not in package] == []


def test_npm_packages_are_pinned_exactly() -> None:
    wanted = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert set(wanted) == {"plotly.js", "esbuild", "stream-browserify", "buffer", "events"}
    for version in wanted.values():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    settings = (ROOT / ".npmrc").read_text(encoding="utf-8").splitlines()
    assert "omit-lockfile-registry-resolved=true" in settings


@pytest.mark.parametrize("name", [".ci/run"])
def test_scripts_can_be_run(name: str) -> None:
    script: Path = ROOT / name
    assert script.read_bytes().startswith(b"#!")
    assert script.stat().st_mode & 0o111 == 0o111
