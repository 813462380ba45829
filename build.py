#!/usr/bin/env python3
"""Builds the site: content/ -> article + toy model -> traces -> charts -> pages -> site/"""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path
from typing import NoReturn

if __name__ == "__main__":  # first, since what follows takes half a second to load
    from qkv.output.stopping import stop_at_once

    stop_at_once()

ROOT = Path(__file__).resolve().parent
CACHE = ROOT / ".cache"
PYTHON = Path(".venv", *(("Scripts", "python") if sys.platform == "win32" else ("bin", "python")))
INSTALL = f"run `make site`, or `{PYTHON} build.py` once that has been done"


def not_installed(error: ImportError) -> str:
    """What to do about a package that is missing, or is made for another Python; raises what is wrong in this code."""
    if (error.name or "").partition(".")[0] == "qkv":
        raise error
    said = (str(error).strip() or type(error).__name__).splitlines()[0]
    return f"build.py: this Python lacks a package of the build ({said}); {INSTALL}"


if sys.hexversion < 0x030B0000:  # an older one can read this file, but not those that it imports
    sys.exit(f"build.py: Python 3.11 or newer is needed, and this is {sys.version.split()[0]}; {INSTALL}")
try:
    from qkv.content.article import load_content
    from qkv.content.heights import rough_heights
    from qkv.content.heights_file import load_heights
    from qkv.content.sources import load_source
    from qkv.content.strings import load_words
    from qkv.errors import EXIT_CODE, BuildError, Mistakes, Place, fail
    from qkv.exports.made import FOLDER, Download, Made
    from qkv.exports.teachers import load_teachers, teachers
    from qkv.figures.validate import validate
    from qkv.output import writer
    from qkv.output.assets import gather_assets
    from qkv.output.budgets import Budget, table, warnings, weigh
    from qkv.output.bundle import plotly_bundle
    from qkv.output.check import check
    from qkv.output.console import say
    from qkv.output.files import Output
    from qkv.output.gzip import squeezed
    from qkv.output.stopping import Stopped, stopping
    from qkv.pages.embeds import embeds, oembeds
    from qkv.pages.hosting import SQUEEZED, extras
    from qkv.pages.render import Pages
    from qkv.templates import asset
except ImportError as error:
    sys.exit(not_installed(error))

ABOUT = """\
Builds the page on attention from content/ into site/. Every claim of the text is
checked against the toy model. A mistake is reported as file:line: problem; what to do,
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
        raise fail(Place(str(content)), "there is no such folder", "name the folder of the article with --content")
    if out is not None:
        writer.keep_apart(out, (content, ROOT / "templates"))
    wrong = Mistakes()
    article = wrong.attempt(load_content, content)
    source = wrong.attempt(load_source, content)
    words = wrong.attempt(load_words, content)
    course = wrong.attempt(load_teachers, content)
    heights = wrong.attempt(load_heights, content)
    wrong.stop()
    pages = Pages(article, words, source, ROOT / "templates", CACHE)
    validate(pages.charts.values(), pages.view, CACHE)
    bundle = plotly_bundle(CACHE, full=full_plotly)
    high = rough_heights(pages.charts, [section.slug for section in article.sections], heights)
    charts = pages.charts.values()
    assets, outputs = gather_assets(ROOT / "templates", charts, high, bundle, pages.env.bytecode_cache)
    made = pages.all(assets)
    guests = embeds(pages)
    outputs += [Output(page.path, page.html.encode()) for page in (*made, *guests)]
    outputs.append(Output("embed.js", asset(ROOT / "templates", "embed.js").encode()))
    outputs += [Output(path, text.encode()) for path, text in oembeds(pages, guests, heights).items()]
    downloads: dict[str, list[Download]] = {}
    budgets: list[Budget] = []
    notes: list[str] = []  # what the build has to say besides sizes
    again = not packages and out is not None and writer.holds(out, FOLDER)
    if packages or again:
        from qkv.exports.every import EXPORTS  # only now: they load much that the pages do not need

        whole = Made(pages, list(made), guests, assets, {o.path: o.data for o in outputs}, ROOT / "templates")
        for name, export in EXPORTS.items():
            downloads[name] = export(whole)
            whole.files.update({download.path: download.data for download in downloads[name]})
            outputs += [Output(download.path, download.data) for download in downloads[name]]
        budgets, notes = whole.budgets, whole.left_out
    made.append(teachers(pages, course, guests, heights, downloads))
    outputs.append(Output(made[-1].path, made[-1].html.encode()))
    outputs += [Output(path, text.encode()) for path, text in extras(pages, made, with_headers).items()]
    words.wrong.stop()  # what the pages beside the article asked for
    check(outputs, {"teachers.html": course})
    budgets = [weigh(outputs, assets, bundle, article, source, pages.arrays), *budgets]
    if compress:
        outputs += [Output(f"{o.path}.gz", squeezed(o.data)) for o in outputs if o.path.endswith(SQUEEZED)]
    if out is not None:
        said = writer.write({output.path: output.data for output in outputs}, out)
        if again:
            said.append(f"{out / FOLDER}: made anew, since an earlier build made it; delete it to build without")
        notes += said
    # Only now is anything printed: whatever becomes of the output, the site is written.
    if not quiet:
        say("\n".join([*notes, table(outputs, budgets)]))
    for warning in warnings(budgets):
        say(warning, error=True)


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the arguments."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if message:
            say(message, error=True)
        sys.exit(status)

    def _print_message(self, message: str, file: object = None) -> None:
        say(message.rstrip("\n"), error=file is sys.stderr)


def port(text: str) -> int:
    """A port of this machine; 0 stands for any that is free."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: use a number up to 65535, or 0 for a free one")
    return int(text)


def parser() -> argparse.ArgumentParser:
    top = Parser(
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
        "the Python package, for machines without access to npm",
    )
    top.add_argument(
        "--headers", action="store_true", help="also write _headers, for hosts that read it (docs/hosting.md)"
    )
    top.add_argument("--compress", action="store_true", help="also write a .gz beside each text file")
    top.add_argument("--port", type=port, default=8000, help="the port for serve (default: 8000; 0 takes a free one)")
    top.add_argument("--quiet", action="store_true", help="print nothing but mistakes and warnings")
    return top


def main(arguments: list[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    try:
        if args.command == "serve":
            from qkv.output.serve import listen, serve  # only now: it takes longer to load than the page to make

            listen(args.out, args.port).server_close()  # so that a port that is taken is reported before the build
        # A build takes a second and lets go of almost nothing: to look for what it might takes a seventh of its time.
        gc.disable()
        with stopping():
            build(
                args.content,
                None if args.command == "check" else args.out,
                args.plotly == "full",
                args.quiet,
                args.headers,
                args.compress,
                args.command == "packages",
            )
        gc.enable()
        if args.command == "serve":
            serve(args.out, args.port)
    except Stopped as stop:
        say(str(stop), error=True)
        return stop.exit_code
    except BuildError as error:
        say(str(error), error=True)
        return EXIT_CODE
    except ImportError as error:  # of what is loaded late
        say(not_installed(error), error=True)
        return EXIT_CODE
    except MemoryError:
        say("build.py: the memory of this machine is not enough; end other programs and build again", error=True)
        return EXIT_CODE
    except OSError as error:  # what reads and writes has its own messages: this is for the rest
        place, said = error.filename or "build.py", error.strerror or str(error)
        say(f"{place}: cannot be used ({said}); check that it is there and that you may read it", error=True)
        return EXIT_CODE
    finally:
        gc.enable()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
