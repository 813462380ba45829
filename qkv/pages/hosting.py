"""What a published site has besides its pages: a map for search engines, a page for lost visitors, a host's headers."""

from __future__ import annotations

from html import escape

from qkv.pages.page import CSP, Page
from qkv.pages.render import Pages

FOREVER = "public, max-age=31536000, immutable"  # a file named by its content never changes
SQUEEZED = (".html", ".css", ".js", ".svg", ".xml", ".txt")  # what is worth a .gz beside it

SITEMAP = """\
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{urls}</urlset>
"""
ROBOTS = """\
User-agent: *
Allow: /
Sitemap: {base}sitemap.xml
"""
HEADERS = f"""\
/*
  Content-Security-Policy: {CSP}
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
/assets/*
  Cache-Control: {FOREVER}
/downloads/*
  Content-Disposition: attachment
"""


def extras(pages: Pages, made: list[Page], with_headers: bool) -> dict[str, str]:
    """Path -> text. A sitemap and a 404 page speak of full addresses, so they need the site's base URL.

    `.nojekyll` lets GitHub Pages serve the files as they are; `_headers` is read by Netlify and Cloudflare Pages.
    """
    found = {".nojekyll": ""}
    base = pages.address("index.html")
    if base:
        addresses = [pages.address(page.path) for page in made if page.listed]
        found["sitemap.xml"] = SITEMAP.format(urls="".join(f"<url><loc>{escape(a)}</loc></url>\n" for a in addresses))
        found["robots.txt"] = ROBOTS.format(base=base)
        found["404.html"] = pages.lost()
    if with_headers:
        found["_headers"] = HEADERS
    return found
