"""build.py as people run it: closed pipes, full disks, odd terminals, taken ports, the wrong Python. No tracebacks."""

from __future__ import annotations

import ast
import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

import build
from qkv.errors import EXIT_CODE, read_text
from qkv.output.bundle import ROOT, plotly_bundle
from tests.contents import MESSAGE, copy_small, run

SCRIPT = str(ROOT / "build.py")
BAD = ("Traceback", "Exception ignored", "Error:")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    plotly_bundle(ROOT / ".cache")  # so that there is one
    return copy_small(tmp_path_factory.mktemp("small"))


def shell(line: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A line of sh in which "$@" is build.py with these arguments."""
    return subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, SCRIPT, *arguments],
        env={**os.environ, **env},
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
    )


# what becomes of the output

OUTPUTS = {
    "a pipe that closes": ('{ "$@"; echo $? >&2; } | true', ""),
    "a full disk": ('"$@" >/dev/full; echo $? >&2', "build.py: the output cannot be printed (No space left on device)"),
    "no stdout": ('"$@" >&-; echo $? >&2', ""),
    "no stderr": ('("$@" 2>&-) >/dev/null; echo $? >&2', ""),
    "a full disk for both": ('("$@" 2>&1) >/dev/full; echo $? >&2', ""),
    "no output at all": ('("$@" >&- 2>&-); echo $? >&2', ""),
    "nothing open": ('("$@" <&- >&- 2>&-); echo $? >&2', ""),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_site_is_written_whatever_becomes_of_the_output(name: str, content: Path, tmp_path: Path) -> None:
    line, said = OUTPUTS[name]
    done = shell(line, "--content", str(content), "--out", str(tmp_path / "site"))
    *lines, code = done.stderr.splitlines()
    assert code == "0"
    assert "".join(lines).startswith(said)
    assert len(lines) == bool(said)
    assert {"index.html", "sections", "assets", ".nojekyll"} <= {path.name for path in (tmp_path / "site").iterdir()}


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_mistake_is_one_whatever_becomes_of_the_output(name: str, tmp_path: Path) -> None:
    line, _ = OUTPUTS[name]
    done = shell(line, "check", "--content", str(tmp_path / "none"))
    assert done.stderr.splitlines()[-1] == str(EXIT_CODE)
    assert not [word for word in BAD if word in done.stderr]


@pytest.mark.parametrize("name", OUTPUTS)
def test_help_is_printed_or_not(name: str) -> None:
    line, said = OUTPUTS[name]
    *lines, code = shell(line, "--help").stderr.splitlines()
    assert code == "0"
    assert "".join(lines).startswith(said)


PLAIN = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
TERMINALS = (
    {"LC_ALL": "C", **PLAIN},
    {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", **PLAIN},
    {"PYTHONIOENCODING": "ascii:strict"},
    {"PYTHONIOENCODING": "latin-1"},
)
NAMES = pytest.mark.parametrize("name", ["né", "日本", "caf\udce9"], ids=["accent", "other script", "not UTF-8"])


@NAMES
@pytest.mark.parametrize("env", TERMINALS)
def test_a_message_about_any_path_on_any_terminal(name: str, env: dict[str, str], tmp_path: Path) -> None:
    done = shell('"$@"', "--content", str(tmp_path / f"{name} that is not there"), **env)
    assert done.returncode == EXIT_CODE
    said = " that is not there: there is no such folder; name the folder of the article with --content\n"
    assert done.stderr.endswith(said)
    assert done.stderr.count("\n") == 1


@NAMES
def test_a_folder_of_any_name(name: str, tmp_path: Path) -> None:
    content = copy_small(tmp_path / name)
    done = shell('"$@"', "--content", str(content), "--out", str(content.parent / "site"), **TERMINALS[1])
    assert (done.returncode, done.stderr) == (0, "")
    assert (content.parent / "site" / "index.html").exists()


# arguments


@pytest.mark.parametrize("port", ["99999", "-1", "65536", "http", "1.5", "", "8000/"])
@pytest.mark.parametrize("command", ["serve", "build"])
def test_what_is_no_port(command: str, port: str, tmp_path: Path) -> None:
    done = shell('"$@"', command, f"--port={port}", "--out", str(tmp_path / "site"))
    assert done.stderr == (
        f"build.py: argument --port: {port!r} is not a port: use a number up to 65535, or 0 for a free one; "
        "see `build.py --help`\n"
    )
    assert done.returncode == 2
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("arguments", [["srve"], ["--pot", "1"], ["--plotly", "none"], ["--out"]])
def test_wrong_arguments_are_one_line(arguments: list[str]) -> None:
    done = shell('"$@"', *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("build.py: ")
    assert done.stderr.endswith("; see `build.py --help`\n")
    assert done.stderr.count("\n") == 1


def test_a_taken_port_is_reported_before_the_build(content: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = shell('"$@"', "serve", "--port", str(port), "--content", str(content), "--out", str(tmp_path / "site"))
    assert done.stderr == (
        f"--port {port}: is taken by another program; stop that one, or name another port (0 takes a free one)\n"
    )
    assert (done.returncode, done.stdout) == (EXIT_CODE, "")
    assert not (tmp_path / "site").exists()


@contextlib.contextmanager
def serving(content: Path, out: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`serve` on a free port, and its address; stopped in the end if it still runs."""
    command = [sys.executable, SCRIPT, "serve", "--port", "0", "--quiet", "--content", str(content), "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as running:
        assert running.stdout
        try:
            yield running, running.stdout.readline().split(" ")[0]
        finally:
            running.kill()


def test_serve_ends_with_one_line(content: Path, tmp_path: Path) -> None:
    with serving(content, tmp_path / "site") as (running, address):
        with urllib.request.urlopen(address) as answer:
            assert answer.read() == (tmp_path / "site" / "index.html").read_bytes()
        running.send_signal(signal.SIGINT)
        said, errors = running.communicate()
    assert running.returncode == 0
    assert said.split() == ["stopped"]
    assert not [word for word in BAD if word in errors]


def test_a_browser_that_leaves_early_is_no_error(content: Path, tmp_path: Path) -> None:
    with serving(content, tmp_path / "site") as (running, address):
        large = tmp_path / "site" / "large"
        large.write_bytes(bytes(20_000_000))  # more than any buffer takes
        host, port = address.removeprefix("http://").rstrip("/").split(":")
        with socket.create_connection((host, int(port))) as client:
            client.sendall(b"GET /large HTTP/1.0\r\n\r\n")
            client.recv(1)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close hangs up
        with urllib.request.urlopen(address) as answer:
            assert answer.status == 200
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate()
    assert not [word for word in BAD if word in errors]


# the wrong Python

WITHOUT = f"""
import sys, runpy
class Finder:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == gone:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
gone = sys.argv.pop(1)
sys.meta_path.insert(0, Finder())
runpy.run_path({SCRIPT!r}, run_name="__main__")
"""
INSTALL = "; run `make site`, or `.venv/bin/python build.py` once that has been done\n"


@pytest.mark.parametrize("package", ["jinja2", "markupsafe", "markdown", "numpy", "plotly"])
def test_a_package_that_is_missing(package: str, content: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT, package, "--content", str(content), "--out", str(tmp_path / "site")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == f"build.py: this Python lacks a package of the build (No module named {package!r}){INSTALL}"
    assert done.returncode == EXIT_CODE


def test_outside_its_environment() -> None:
    done = subprocess.run([sys.executable, "-S", SCRIPT], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == EXIT_CODE
    assert done.stderr.startswith("build.py: this Python lacks a package of the build (No module named ")
    assert done.stderr.endswith(INSTALL)
    assert done.stderr.count("\n") == 1


def test_a_package_made_for_another_python() -> None:
    said = build.not_installed(ImportError("\n\nIMPORTANT: it does not load.\n\nMore.\n"))
    assert said == f"build.py: this Python lacks a package of the build (IMPORTANT: it does not load.){INSTALL[:-1]}"


def test_a_fault_of_this_code_is_not_hidden() -> None:
    with pytest.raises(ImportError):
        build.not_installed(ImportError("cannot import name 'x'", name="qkv.output.site"))


def test_an_old_python_is_told_so() -> None:
    ast.parse(Path(SCRIPT).read_text("utf-8"), feature_version=(3, 8))
    old = f"import sys, runpy; sys.hexversion = 0x03090000; sys.version = '3.9.0 (main)'; runpy.run_path({SCRIPT!r})"
    done = subprocess.run([sys.executable, "-c", old], capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == f"build.py: Python 3.11 or newer is needed, and this is 3.9.0{INSTALL}"
    assert done.returncode == EXIT_CODE


# files that cannot be read


def test_what_is_no_file(tmp_path: Path) -> None:
    content = copy_small(tmp_path)
    os.mkfifo(content / "sections" / "3-pipe.md")
    (content / "sections" / "4-gone.md").symlink_to("nowhere.md")
    (content / "sections" / "5-folder.md").mkdir()
    code, said = run("check", "--content", str(content))
    assert code == EXIT_CODE
    assert said.splitlines() == [
        "content/sections/3-pipe.md: is not a file; put a file with text in its place",
        "content/sections/4-gone.md: this file is missing; create it, or check its name",
        "content/sections/5-folder.md: cannot be read (Is a directory); make it a file that you may read",
    ]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(13, "Permission denied", "content/x"), "content/x: cannot be used (Permission denied); "),
        (OSError(5, "Input/output error"), "build.py: cannot be used (Input/output error); "),
        (MemoryError(), "build.py: the memory of this machine is not enough; "),
    ],
)
def test_what_nobody_has_thought_of_is_one_line(error: Exception, said: str, content: Path) -> None:
    with patch.object(build, "load_content", side_effect=error):
        code, message = run("check", "--content", str(content))
    assert code == EXIT_CODE
    assert message.startswith(said)
    assert MESSAGE.fullmatch(message[:-1])


def test_sections_that_may_not_be_read(tmp_path: Path) -> None:
    content = copy_small(tmp_path)

    def refuse(self: Path) -> Iterator[Path]:
        raise PermissionError(13, os.strerror(13), str(self))

    with patch.object(Path, "iterdir", refuse):  # rights do not hold back root, as whom tests may run
        assert run("check", "--content", str(content)) == (
            EXIT_CODE,
            "content/sections: cannot be read (Permission denied); make it a folder that you may read\n",
        )


# sizes


def test_what_is_too_large_is_a_warning(tmp_path: Path) -> None:
    content = copy_small(tmp_path)
    with patch("qkv.output.budgets.FRAME", -100_000):
        code, said = run("--content", str(content), "--out", str(tmp_path / "site"))
    assert code == 0
    assert said.startswith("warning: content/model.toml: the article with all it loads, gzip: ")
    assert said.endswith(" the numbers of the model: take shorter or fewer sentences, fewer heads, or fewer slots\n")
    assert said.count("\n") == 1
    assert (tmp_path / "site" / "index.html").exists()


def test_letters_are_whole(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes("\ufeffu\u0308ber\r\nA\u030a\r".encode())
    assert read_text(tmp_path / "x", "x") == "\u00fcber\n\u00c5\n"
