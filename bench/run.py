#!/usr/bin/env python3
"""Measures the build, the pages and, if asked, other tools.

Nothing here fails because something is slow: at the end it says which goals are met.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import build_cost, lighthouse, pages
from bench.report import Goal

SECTIONS = {
    "build": "The build",
    "pages": "The pages",
    "lighthouse": "Lighthouse",
    "peers": "Other tools",
}
EXAMPLES = """\
examples:
  make bench                         build, pages, and Lighthouse if npm can install it
  python bench/run.py build          one section
  python bench/run.py --peers        all, and the comparison with other tools (installs them into .cache/)"""


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="bench/run.py", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("sections", nargs="*", metavar="SECTION", help=f"what to measure: {', '.join(SECTIONS)}")
    top.add_argument("--lighthouse", action="store_true", help="measure with Lighthouse, in addition to the sections")
    top.add_argument("--peers", action="store_true", help="compare with other tools, in addition to the sections")
    top.add_argument("--rounds", type=int, default=9, help="rounds that a median is taken of (default: 9)")
    return top


def chosen(args: argparse.Namespace) -> list[str]:
    """The sections to run, in their order: all but the peers, unless some are named."""
    asked = [name for name in ("lighthouse", "peers") if getattr(args, name)]
    # A flag alone adds to everything that is measured by default.
    wanted = {*(args.sections or ("build", "pages", "lighthouse")), *asked}
    return [name for name in SECTIONS if name in wanted]


def main(arguments: list[str] | None = None) -> int:
    args = (top := parser()).parse_args(arguments)
    unknown = [name for name in args.sections if name not in SECTIONS]
    if unknown:
        top.error(f"unknown section {unknown[0]!r}; there are {', '.join(SECTIONS)}")
    if args.rounds < 1:
        top.error("--rounds must be 1 or more")
    goals: list[Goal] = []
    for name in chosen(args):
        print(f"# {SECTIONS[name]}\n\n{machine()}")
        if name == "build":
            goals += build_cost.run(args.rounds)
        elif name == "pages":
            goals += pages.run(args.rounds)
        elif name == "lighthouse":
            goals += lighthouse.run(min(args.rounds, 5))
        else:
            from bench.peers import compare  # only now: nobody else needs what it needs

            goals += compare.run(args.rounds)
    print("# Goals\n")
    for goal in goals:
        print(goal.line())
    print(SAYS)
    return 0


SAYS = """
met: held even on the clock. MISSED: the processor time alone is over the limit, or there is no other clock.
open: missed on the clock, held in processor time; measure again while the machine does nothing else."""


def machine() -> str:
    """What it runs on, and how busy that is: programs that want a core, over the last minute."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}, Python {platform.python_version()}"


if __name__ == "__main__":
    raise SystemExit(main())
