"""Serves a folder on this machine, compressed as a web host would, and can hold an answer back."""

from __future__ import annotations

import gzip
import http.server
import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE = 300  # seconds that a held answer waits at most
BLANK = "/blank"  # a page with nothing on it


class Server(http.server.ThreadingHTTPServer):
    """A folder under http://127.0.0.1; every file is compressed once and kept."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder.resolve()
        self.packed: dict[Path, bytes] = {}
        self.held: dict[str, threading.Event] = {}

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def hold(self, path: str) -> threading.Event:
        """Answers for this path wait from now on until the event is set."""
        event = self.held[path] = threading.Event()
        return event

    def body(self, path: str) -> bytes | None:
        """The compressed file under a path, None if there is none."""
        if path == BLANK:
            return gzip.compress(b"<!doctype html><title>blank</title>")
        file = (self.folder / path.lstrip("/")).resolve()
        if not file.is_relative_to(self.folder) or not file.is_file():
            return None
        if file not in self.packed:
            self.packed[file] = gzip.compress(file.read_bytes(), 9, mtime=0)
        return self.packed[file]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body leave together
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        held = self.server.held.get(path)
        if held:
            held.wait(PATIENCE)
        body = self.server.body(path)
        with suppress(ConnectionError):
            self.send_response(404 if body is None else 200)
            if body is not None:
                kind = "text/html" if path == BLANK else mimetypes.guess_type(path)[0] or "application/octet-stream"
                text = kind.startswith("text/") or kind.endswith(("javascript", "json", "xml"))
                self.send_header("Content-Type", f"{kind}; charset=utf-8" if text else kind)
                self.send_header("Content-Encoding", "gzip")
                # As a host would for files whose names change with what is in them.
                self.send_header("Cache-Control", "max-age=31536000" if "/assets/" in path else "max-age=600")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")
            self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server for the length of a block."""
    with Server(folder) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            for event in server.held.values():
                event.set()
            server.shutdown()
            thread.join()
