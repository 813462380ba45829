"""Recognises a site that was built before builds kept a manifest, by what each of its files holds.

Whatever it does not know, down to a byte that it can check, counts as somebody's own and is never touched.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import zipfile
import zlib
from pathlib import Path

# A page names the plotly.js that it loads, by its content, in its first tag.
_PAGE = re.compile(rb'<!doctype html>\n<html [^>\n]*data-plotly="(?:[^"\n]*/)?(assets/plotly\.[0-9a-f]{10}\.js)"')
_ASSET = re.compile(r"assets/\w+\.([0-9a-f]{10})\.(?:css|js|svg)")
_PAGES = re.compile(r"(?:index|teachers|404|(?:sections|embed)/[a-z0-9-]+)\.html")
_SINGLE = re.compile(r"downloads/(?:article|worksheet|(?:figure|section|page)-[a-z0-9-]+)\.html")
_SINGLE_HEAD = re.compile(
    rb"<!doctype html>\n<html [^>\n]*>\n<head>\n<meta charset=\"utf-8\">\n"
    rb"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src (?:'|&#39;)none"
)
_ZIP = re.compile(r"downloads/(?:scorm(?:12|2004)-[a-z0-9-]+\.zip|[\w-]+\.imscc)")
_ZIP_DATE = (2000, 1, 1, 0, 0, 0)  # of every file in our zips
_BEGINNINGS = {
    "embed.js": rb"// For a page that embeds figures: <script src=",
    "downloads/questions.gift.txt": rb"\$CATEGORY: ",
    "sitemap.xml": rb'<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset [^>\n]*>\n<url><loc>',
    "robots.txt": rb"User-agent: \*\nAllow: /\nSitemap: \S+sitemap\.xml\n\Z",
    "_headers": rb"/\*\n  Content-Security-Policy: default-src 'none'; script-src 'self'",
    ".nojekyll": rb"\Z",
}
_NEEDED = ("assets/app.", "assets/style.", "assets/plotly.", "index.html", ".nojekyll")


def recognised(folder: Path) -> dict[str, str]:
    """The files of a built site in a folder, as path -> SHA-256; none if the folder is not clearly one.

    A git repository anywhere inside speaks against it.
    """
    if not all((folder / name).is_file() for name in ("index.html", ".nojekyll")):
        return {}
    paths = []
    for at, folders, names in os.walk(folder):
        if ".git" in folders or ".git" in names:
            return {}
        paths += [Path(at, name) for name in names]
    known: dict[str, str] = {}
    # Assets prove themselves, pages by their assets, the rest by its name and how it begins, .gz by what they hold.
    files = {path.relative_to(folder).as_posix(): path for path in paths if path.is_file() and not path.is_symlink()}
    for path in sorted(files, key=lambda path: (path.endswith(".gz"), not path.startswith("assets/"), path)):
        data = files[path].read_bytes()
        if _is_ours(path, data, known) or _is_ours(path, data.replace(b"\r\n", b"\n"), known):  # git may write \r\n
            known[path] = hashlib.sha256(data).hexdigest()
    return known if all(any(path.startswith(needed) for path in known) for needed in _NEEDED) else {}


def _is_ours(path: str, data: bytes, known: dict[str, str]) -> bool:
    """Whether a build before this one wrote a file; `known` are those already recognised."""
    if path.endswith(".gz"):
        plain = path.removesuffix(".gz")
        try:
            return plain in known and hashlib.sha256(gzip.decompress(data)).hexdigest() == known[plain]
        except (OSError, EOFError, zlib.error):
            return False
    if asset := _ASSET.fullmatch(path):
        return hashlib.sha256(data).hexdigest().startswith(asset[1])
    if _PAGES.fullmatch(path):
        page = _PAGE.match(data)
        return page is not None and page[1].decode() in known
    if _SINGLE.fullmatch(path):
        return bool(_SINGLE_HEAD.match(data))
    if _ZIP.fullmatch(path):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return {entry.date_time for entry in archive.infolist()} == {_ZIP_DATE}
        except (zipfile.BadZipFile, ValueError):
            return False
    if re.fullmatch(r"embed/[a-z0-9-]+\.json", path):
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            return False
        return isinstance(answer, dict) and (answer.get("version"), answer.get("type")) == ("1.0", "rich")
    return path in _BEGINNINGS and bool(re.match(_BEGINNINGS[path], data))
