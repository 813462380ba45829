"""The real article with all its downloads, for tests that need no browser: built once for each set of site settings."""

from __future__ import annotations

import io
import re
import shutil
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from qkv.output.bundle import ROOT
from tests import contents

ADDRESS = "https://example.org/course/attention/"


def article(folder: Path, settings: dict[str, str]) -> Path:
    """The article's content as folder/content, with other site settings: {"score": "true"}."""
    content = folder / "content"
    shutil.copytree(ROOT / "content", content)
    path = content / "site.toml"
    text = path.read_text("utf-8")
    for name, value in settings.items():
        old = re.findall(rf"(?m)^{name} = .*$", text)
        assert len(old) == 1, name
        text = text.replace(old[0], f"{name} = {value}")
    path.write_text(text, "utf-8")
    return content


def files(content: Path) -> dict[str, bytes]:
    """Every file of a site with packages."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        code, said = contents.run("packages", "--content", str(content), "--out", str(site))
        assert (code, said) == (0, ""), said
        return {name: data for name, data in contents.snapshot(site).items() if data is not None}


@cache
def built(*settings: tuple[str, str]) -> dict[str, bytes]:
    """The files of the article's site with these settings, by path."""
    with tempfile.TemporaryDirectory() as folder:
        return files(article(Path(folder), dict(settings)))


def unzipped(data: bytes) -> dict[str, bytes]:
    """What is in a zip, in its order."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}
