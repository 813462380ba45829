"""Builds and writes that get a signal at a chosen moment, each in a process of its own.

What they need is loaded once: `Dying` talks to a process that forks for each of them. A moment is a number of events
that Python tells of itself (`sys.addaudithook`: files opened, moved and removed, modules loaded, ...), so that it is
the same however busy the machine is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qkv.output.bundle import ROOT


@dataclass(frozen=True)
class Death:
    """How one ended: the exit code (below 0: the signal), what it said, how many events there were if it lived."""

    code: int
    said: str
    events: int


class Dying:
    def __enter__(self) -> Dying:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.dying"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            assert self._process.stdin
            self._process.stdin.close()

    def build(self, *arguments: str, number: int = 0, moment: int = 0, about: str = "") -> Death:
        """Runs build.py. At the event with the number `moment` it gets the signal `number`; only events count that
        name the path `about`."""
        return self._ask({"arguments": arguments, "number": number, "moment": moment, "about": about})

    def write(self, files: dict[str, str], out: Path, number: int = 0, moment: int = 0) -> Death:
        """Writes a site, and counts only what concerns its folder."""
        return self._ask({"files": files, "out": str(out), "number": number, "moment": moment, "about": str(out)})

    def _ask(self, request: dict[str, Any]) -> Death:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return Death(**json.loads(self._process.stdout.readline()))


def _child(request: dict[str, Any]) -> int:
    """What is asked for, with a signal in the middle; the number of events goes to the last line of stdout."""
    from qkv.output import writer
    from qkv.output.stopping import Stopped, stopping
    from tests import contents

    events = 0

    def count(_: str, given: tuple[Any, ...]) -> None:
        nonlocal events
        about = request["about"]
        if about and not any(isinstance(one, str | os.PathLike) and os.fspath(one).startswith(about) for one in given):
            return
        events += 1
        if events == request["moment"]:
            os.kill(os.getpid(), request["number"])

    sys.addaudithook(count)
    if "arguments" in request:
        code, said = contents.run(*request["arguments"])
        sys.stderr.write(said)
    else:
        code = 0
        try:
            with stopping():
                writer.write({path: text.encode() for path, text in request["files"].items()}, Path(request["out"]))
        except Stopped as stop:
            sys.stderr.write(f"{stop}\n")
            code = stop.exit_code
    sys.stdout.write(f"{events}\n")
    return code


def _serve() -> None:
    import tests.contents  # noqa: F401 - before the first fork, with all that it loads

    for line in sys.stdin:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if not child:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                code = 1
                try:
                    code = _child(json.loads(line))
                finally:
                    sys.stdout.flush()
                    sys.stderr.flush()
                    os._exit(code)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            out.seek(0)
            err.seek(0)
            said, counted = err.read().decode(), out.read().split()
        print(json.dumps({"code": code, "said": said, "events": int(counted[-1]) if counted else 0}), flush=True)


if __name__ == "__main__":
    _serve()
