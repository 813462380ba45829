"""How a build is stopped from outside: Ctrl+C, and the signals TERM and HUP, end it with one line and no traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


UNTOUCHED = "the site is as it was"
REPLACING = "each page of the site is whole, old or new, and the next build completes it"
DONE = "the new site is written"
_now = UNTOUCHED


class Stopped(KeyboardInterrupt):
    """Raised where the build was when a signal came; str() is what to say, `exit_code` what a shell expects."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped; {_now}")
        self.exit_code = 128 + number


def stands(now: str) -> None:
    """How the site stands from here on, if a signal comes."""
    global _now
    _now = now


def stop_at_once() -> None:
    """Until `stopping`, a signal ends the program: modules take a while to load, and nothing is begun yet."""
    _set(_end)


def _end(number: int, _: Any) -> None:
    sys.stderr.write("stopped; nothing was begun\n")
    sys.stderr.flush()
    os._exit(128 + number)


@contextmanager
def stopping() -> Iterator[None]:
    """Within, the first signal raises Stopped. The next one ends the program at once, in case that takes too long."""

    def stop(number: int, _: Any) -> None:
        for one in before:
            signal.signal(one, signal.SIG_DFL)
        raise Stopped(number)

    stands(UNTOUCHED)
    before: dict[signal.Signals, Any] = {}
    before.update(_set(stop))
    try:
        yield
    finally:
        for one, handler in before.items():
            usual = signal.default_int_handler if one is signal.SIGINT else signal.SIG_DFL
            signal.signal(one, usual if handler is _end else handler)


def _set(handler: Callable[[int, Any], None]) -> dict[signal.Signals, Any]:
    """The handlers there were. What is ignored stays so (nohup), and threads get no signals."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    signals = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    return {one: signal.signal(one, handler) for one in signals if signal.getsignal(one) is not signal.SIG_IGN}
