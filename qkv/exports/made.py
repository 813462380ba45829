"""What every export is made from, and what it makes."""

from __future__ import annotations

import html
import io
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from qkv.output.budgets import Budget
from qkv.pages.page import Page
from qkv.pages.render import Pages

FOLDER = "downloads"
_UNFIT = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DATE = (2000, 1, 1, 0, 0, 0)  # of every file in a zip: the same sources give the same bytes


@dataclass(frozen=True)
class Made:
    """The finished site: its pages, the guests for other people's pages, the shared files' paths by name, and what is
    in every file. `left_out` takes what could not be made, and why; `budgets` what should not be too large."""

    pages: Pages
    article: list[Page]  # index.html and one page a section
    guests: list[Page]
    assets: dict[str, str]
    files: dict[str, bytes]
    templates: Path
    left_out: list[str] = field(default_factory=list)
    budgets: list[Budget] = field(default_factory=list)

    def text(self, asset: str) -> str:
        return self.files[self.assets[asset]].decode()


@dataclass(frozen=True)
class Download:
    """A file to take along: its name below downloads/, what it holds, and what it is called in a list."""

    name: str
    data: bytes
    title: str = ""

    @property
    def path(self) -> str:
        return f"{FOLDER}/{self.name}"

    @property
    def kilobytes(self) -> str:
        """How large it is, in whole kilobytes."""
        return str(max(1, round(len(self.data) / 1000)))


def xml(text: str) -> str:
    """A text as it may stand in XML, without the few letters that XML does not have."""
    return html.escape(_UNFIT.sub("", text), quote=False)


def zipped(first: str, files: dict[str, bytes]) -> bytes:
    """A zip of files, the one that readers look for in front, the others sorted."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in (first, *sorted(files.keys() - {first})):
            entry = zipfile.ZipInfo(name, DATE)
            entry.create_system = 3  # the same on every machine
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=9)
    return stream.getvalue()
