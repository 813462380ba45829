"""What the address of a site may be."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

EXAMPLE_HOST = "example.org/attention/"
_HOST = re.compile(r"\w([\w-]*\w)?(\.\w([\w-]*\w)?)*\.?|[0-9a-f:.]*:[0-9a-f:.]*", re.A | re.I)
_PAGE = re.compile(r"/[^/]+\.(html?|php|aspx?)/*$", re.I)


def unfit_address(address: str) -> tuple[str, str] | None:
    """Why an address cannot be that of the folder in which a site is published, and what to do."""
    if re.search(r"\s", address):
        return "holds a blank", "take it out; inside a name write %20"
    scheme, sign, rest = address.partition("://")
    if not sign or scheme not in ("http", "https"):
        meant = re.search(r"(?:^|/)((?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:/.*)?)$", address, re.I)
        fix = f'write e.g. "https://{meant.group(1) if meant else EXAMPLE_HOST}"'
        return "does not begin with https:// or http://", fix
    extra = re.search("[?#]", rest)
    if extra:
        before = _PAGE.sub("/", rest[: extra.start()])
        return f"holds a {extra.group()}, but the site is a folder", f'end it before that: "{scheme}://{before}"'
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", f":{parts.port}" if parts.port else ""
    except ValueError:
        return "names a host or port that cannot be", f'write e.g. "https://{EXAMPLE_HOST}"'
    if "@" in parts.netloc:
        return "holds a name or password, which everybody could read", "take out the @ and what stands before it"
    odd = re.search(r"[^A-Za-z0-9._~:/\[\]@!$&'()*+,;=%-]|%(?![0-9A-Fa-f]{2})", rest)
    if odd:
        path = quote(parts.path, safe="/:@!$&'()*+,;=~" + "%" * (odd.group() != "%"))
        plain = f"{scheme}://{_ascii(host)}{port}{path}" if _ascii(host) else ""
        fix = f'write "{plain}"' if plain else "copy it from a browser's address bar"
        return f"holds {odd.group()!r}, which no address may", fix
    if not _HOST.fullmatch(host):
        return "names no host", f'write e.g. "https://{EXAMPLE_HOST}"'
    folder = _PAGE.sub("/", parts.path)
    if folder != parts.path:
        return "names a page, but the site is its folder", f'write "{scheme}://{parts.netloc}{folder}"'
    return None


def _ascii(host: str) -> str:
    """The name of a host as browsers ask for it; nothing where the standards for such names differ."""
    try:
        name = host.encode("idna")
        return name.decode() if name.decode("idna") == host and _HOST.fullmatch(name.decode()) else ""
    except UnicodeError:
        return ""
