"""All that is printed. Whether the site is written never depends on it: what cannot be printed is left out."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import TextIO


def say(text: str, error: bool = False) -> None:
    """Prints lines on stdout, or on stderr. A letter that the terminal does not have becomes its code (\\xe9).

    A reader that has gone (`| head`) is no news; that the disk is full is said on stderr.
    """
    stream = sys.stderr if error else sys.stdout
    if stream is None:  # closed before Python began
        return
    try:
        try:
            stream.write(f"{text}\n")
        except UnicodeEncodeError:
            encoding = stream.encoding
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()
    except ValueError:  # closed since
        return
    except OSError as problem:
        _drop(stream)
        if not error and problem.errno not in (errno.EPIPE, errno.EINVAL):  # which is what Windows says of a pipe
            say(f"build.py: the output cannot be printed ({problem.strerror}); nothing else is wrong", error=True)


def _drop(stream: TextIO) -> None:
    """Leads a stream nowhere, so that what it still holds does not fail again when Python ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
