"""What a rendered page is, and the policy that all pages have."""

from __future__ import annotations

from dataclasses import dataclass

# One for all pages, since a host sends one; the page for teachers shows the embedded pages in a frame. Pages connect
# only to ask whether plotly.js is still there when it did not load; what judges them for searches (Lighthouse) reads
# robots.txt from inside.
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True)
class Page:
    """A rendered page: its path below site/ and its HTML."""

    path: str
    html: str
    listed: bool = True  # in the sitemap
    name: str = ""  # what it is called in a list

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2].removesuffix(".html")
