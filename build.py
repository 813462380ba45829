#!/usr/bin/env python3
"""Builds the site: content/ -> article + toy model -> traces -> charts -> pages -> site/"""

from __future__ import annotations

import argparse
import functools
import gc
import sys
from pathlib import Path

from qkv import site
from qkv.bundle import plotly_bundle, squeezed
from qkv.content import load_content
from qkv.embeds import embeds, load_heights, oembeds, rough_heights
from qkv.errors import EXIT_CODE, BuildError, Mistakes, Source, fail
from qkv.exports.made import Download, Made
from qkv.hosting import SQUEEZED, extras
from qkv.pages import Pages
from qkv.strings import load_words
from qkv.teachers import load_teachers, teachers
from qkv.templates import asset
from qkv.toy import load_toy
from qkv.traces import trace
from qkv.validate import validate

ROOT = Path(__file__).resolve().parent
CACHE = ROOT / ".cache"

ABOUT = """\
Builds the page on attention from content/ into site/. Every claim of the text is
checked against the toy model. A mistake is told as file:line: problem; what to do,
and leaves the old site as it is."""

EXAMPLES = """\
examples:
  python build.py                    build into site/
  python build.py --out ../public    build somewhere else
  python build.py packages           build, and the downloads for teachers too
  python build.py check              check everything, write nothing
  python build.py serve              build, then serve on this machine"""


def build(
    content: Path,
    out: Path | None,
    full_plotly: bool = False,
    quiet: bool = False,
    with_headers: bool = False,
    compress: bool = False,
    packages: bool = False,
) -> None:
    """The whole build in one line of steps; with out=None everything is checked and nothing written."""
    if not content.is_dir():
        raise fail(Source(str(content)), "there is no such folder", "name the folder of the article with --content")
    wrong = Mistakes()
    article = wrong.attempt(load_content, content)
    toy = wrong.attempt(load_toy, content)
    words = wrong.attempt(load_words, content)
    course = wrong.attempt(load_teachers, content)
    heights = wrong.attempt(load_heights, content)
    wrong.stop()
    traces = trace(toy)
    pages = Pages(article, words, traces, ROOT / "templates", CACHE)
    validate(pages.charts.values(), pages.view, CACHE)
    bundle = plotly_bundle(CACHE, full=full_plotly)
    high = rough_heights(pages.charts, [section.slug for section in article.sections], heights)
    charts = pages.charts.values()
    assets, outputs = site.gather_assets(ROOT / "templates", charts, high, bundle, pages.env.bytecode_cache)
    made = pages.all(assets)
    guests = embeds(pages)
    outputs += [site.Output(page.path, page.html.encode()) for page in (*made, *guests)]
    outputs.append(site.Output("embed.js", asset(ROOT / "templates", "embed.js").encode()))
    outputs += [site.Output(path, text.encode()) for path, text in oembeds(pages, guests, heights).items()]
    downloads: dict[str, list[Download]] = {}
    budgets: list[site.Budget] = []
    if packages:
        from qkv.exports.every import EXPORTS  # only now: they load much that the pages do not need

        whole = Made(pages, list(made), guests, assets, {o.path: o.data for o in outputs}, ROOT / "templates")
        for name, export in EXPORTS.items():
            downloads[name] = export(whole)
            whole.files.update({download.path: download.data for download in downloads[name]})
            outputs += [site.Output(download.path, download.data) for download in downloads[name]]
        budgets = whole.budgets
        if not quiet:
            print("\n".join(whole.left_out))
    made.append(teachers(pages, course, guests, heights, downloads))
    outputs.append(site.Output(made[-1].path, made[-1].html.encode()))
    outputs += [site.Output(path, text.encode()) for path, text in extras(pages, made, with_headers).items()]
    words.wrong.stop()  # what the pages beside the article asked for
    site.check(outputs, {"teachers.html": course})
    budgets = [*site.weigh(outputs, assets, bundle, pages.arrays, traces.cells), *budgets]
    stopping = [budget for budget in budgets if budget.stops and not full_plotly]
    if too_large := site.over(stopping):
        raise too_large
    if compress:
        outputs += [site.Output(f"{o.path}.gz", squeezed(o.data)) for o in outputs if o.path.endswith(SQUEEZED)]
    if not quiet:
        print(site.table(outputs, budgets))
    if large := site.over([budget for budget in budgets if budget not in stopping]):
        print("\n".join(f"warning: {mistake}" for mistake in large.mistakes), file=sys.stderr)
    if out is not None:
        site.write(outputs, out)


def serve(folder: Path, port: int) -> None:
    """Serves a built folder on this machine."""
    import http.server  # only now: it takes longer to load than the page to make

    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/ shows {folder}; stop with Ctrl+C", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="build.py",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument(
        "command",
        nargs="?",
        choices=("build", "packages", "serve", "check"),
        default="build",
        help="build (the default); packages: build, and the downloads too; serve: build and serve on this machine; "
        "check: build without writing",
    )
    top.add_argument(
        "--out", type=Path, default=ROOT / "site", metavar="DIR", help="the folder to write (default: site/)"
    )
    top.add_argument(
        "--content", type=Path, default=ROOT / "content", metavar="DIR", help="the folder to read (default: content/)"
    )
    top.add_argument(
        "--plotly",
        choices=("bundle", "full"),
        default="bundle",
        help="bundle: a small plotly.js made by npm and esbuild, cached (the default); full: the 4.8 MB copy inside "
        "the Python package, for machines without access to npm; size budgets then only warn",
    )
    top.add_argument(
        "--headers", action="store_true", help="also write _headers, for hosts that read it (docs/hosting.md)"
    )
    top.add_argument("--compress", action="store_true", help="also write a .gz beside each text file")
    top.add_argument("--port", type=int, default=8000, help="the port for serve (default: 8000; 0 takes a free one)")
    top.add_argument("--quiet", action="store_true", help="print nothing but mistakes")
    return top


def main(arguments: list[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    # A build takes a second and lets go of almost nothing: to look for what it might takes a seventh of its time.
    gc.disable()
    try:
        build(
            args.content,
            None if args.command == "check" else args.out,
            args.plotly == "full",
            args.quiet,
            args.headers,
            args.compress,
            args.command == "packages",
        )
    except BuildError as error:
        print(error, file=sys.stderr)
        return EXIT_CODE
    finally:
        gc.enable()
    if args.command == "serve":
        serve(args.out, args.port)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
