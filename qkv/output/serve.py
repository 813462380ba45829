"""Serves a built folder on this machine, for whoever looks at what they write."""

from __future__ import annotations

import errno
import functools
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from qkv.errors import Place, fail
from qkv.output.console import say

_REASONS = {
    errno.EADDRINUSE: ("is taken by another program", "stop that one, or name another port (0 takes a free one)"),
    errno.EACCES: ("is kept for the system", "name one from 1024 to 65535 (0 takes a free one)"),
}


class Server(ThreadingHTTPServer):
    """Takes requests on one port of this machine alone."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves before it has all is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        say((format % args).encode("unicode_escape").decode(), error=True)  # one line, whatever was asked for


def listen(folder: Path, port: int) -> Server:
    """A server for the folder, whose port is taken from now on; raises a BuildError where it cannot be had."""
    try:
        return Server(("127.0.0.1", port), functools.partial(_Handler, directory=str(folder)))
    except OSError as error:
        reason = (f"cannot be had ({error.strerror})", "name another one (0 takes a free one)")
        raise fail(Place(f"--port {port}"), *_REASONS.get(error.errno or 0, reason)) from None


def serve(folder: Path, port: int) -> None:
    """Serves until Ctrl+C."""
    with listen(folder, port) as server:
        say(f"http://127.0.0.1:{server.server_address[1]}/ shows {folder}; stop with Ctrl+C")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("\nstopped")
