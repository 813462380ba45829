"""A finished page as one HTML file with everything inside: for platforms that take only an upload, and for a USB stick.

Scripts and styles stand in the page, so its policy names each by its hash instead of by where it comes from.
plotly.js is carried as base64 of its gzip, half as large as its text, and becomes a script when the first figure wants
it: poster first here too. Browsers without DecompressionStream keep the posters.
"""

from __future__ import annotations

import base64
import hashlib
import re

from qkv.errors import Place, fail
from qkv.exports.made import FOLDER, Download, Made
from qkv.output.budgets import Budget
from qkv.output.check import resolve
from qkv.output.gzip import squeezed
from qkv.pages.page import Page

LIMIT = 920_000  # bytes; some platforms refuse larger files
_LINK = re.compile(r' (href|data-home)="(?!#|https?:|data:)([^"]*)"')
NOWHERE = re.compile(
    r'<p><a (?![^>]*href=)[^>]*class="state"[^>]*>[^<]*</a></p>\n'
)  # only to a figure that is not here
_POLICY = re.compile(r'(<meta http-equiv="Content-Security-Policy" content=")[^"]*(">)')


def singles(made: Made) -> list[Download]:
    """Every page for readers as a single file."""
    texts = {asset: made.text(asset) for asset in made.assets}
    base_url = made.pages.address("index.html")
    pages = [single(page, texts, made.assets, base_url) for page in (*made.article, *made.guests)]
    largest = max(pages, key=lambda page: len(page.html.encode()))
    fix = "some platforms refuse larger ones: give those single sections, or make the article or its model smaller"
    made.budgets.append(
        Budget("the largest single file", LIMIT, len(largest.html.encode()), Place(f"site/{largest.path}"), fix)
    )
    return [Download(page.path.removeprefix(f"{FOLDER}/"), page.html.encode(), page.name) for page in pages]


def name_of(path: str) -> str:
    """Where the single file of a page stands: sections/softmax.html -> downloads/page-softmax.html."""
    stem = path.removeprefix("embed/").replace("sections/", "page-").replace("index.html", "article.html")
    return f"{FOLDER}/{stem}"


def single(page: Page, texts: dict[str, str], assets: dict[str, str], base_url: str) -> Page:
    """downloads/<page>.html. `assets`: the shared files' paths by name, `texts`: what they hold."""
    html, scripts, styles = page.html, [texts["plotly"]], []
    root = "../" * page.path.count("/")

    def style(attributes: str, name: str) -> str:
        styles.append(texts[name])
        return f"<style{attributes}>{_inside(texts[name], 'style', assets[name])}</style>"

    def script(name: str) -> str:
        scripts.append(texts[name])
        return f"<script>{_inside(texts[name], 'script', assets[name])}</script>"

    icon = "data:image/svg+xml;base64," + base64.b64encode(texts["icon"].encode()).decode()
    sheet = f'<link rel="stylesheet" href="{root}{{}}"{{}}>'
    plotly_mark = ' id="plotly.js-style-global" class="no-inline-styles"'
    early = f'<script src="{root}{assets["early"]}"></script>\n'
    app = f'<script src="{root}{assets["app"]}" defer></script>\n'
    changes = [
        (f'href="{root}{assets["icon"]}"', f'href="{icon}"'),
        (early, ""),
        (sheet.format(assets["plotly_css"], plotly_mark) + "\n", ""),
        (sheet.format(assets["style"], ""), script("early") + style("", "style") + style(plotly_mark, "plotly_css")),
        (sheet.format(assets["noscript"], ""), style("", "noscript")),
        (app, ""),
        (f' data-plotly="{root}{assets["plotly"]}"', ""),
    ]
    for old, new in changes:
        html = html.replace(old, new, 1)
    packed = base64.b64encode(squeezed(texts["plotly"].encode())).decode()
    carried = f'<script type="text/plain" id="plotly">{packed}</script>\n'
    html = html.replace("</body>", f"{carried}{script('app')}\n</body>", 1)
    html = _POLICY.sub(lambda hit: hit.group(1) + policy(scripts, styles) + hit.group(2), html, count=1)
    html = NOWHERE.sub("", leading(html, page.path, base_url))
    return Page(name_of(page.path), html, listed=False, name=page.name)


def leading(html: str, path: str, base_url: str) -> str:
    """HTML of a page whose links to other pages of the site lead to the published ones, or nowhere."""
    return _LINK.sub(lambda hit: _lead(hit, path, base_url), html)


def policy(scripts: list[str], styles: list[str]) -> str:
    """The policy of a page that holds just these scripts and styles."""

    def hashes(texts: list[str]) -> str:
        digests = [hashlib.sha256(text.encode()).digest() for text in dict.fromkeys(texts)]
        return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests) or "'none'"

    return (
        f"default-src 'none'; script-src {hashes(scripts)}; style-src {hashes(styles)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _inside(text: str, tag: str, path: str) -> str:
    """A text that may stand in an element as it is, since its hash is taken of it as it is."""
    if re.search(rf"</{tag}|<!--", text, re.I):
        raise fail(Place(path), f"holds </{tag} or <!--, which cannot stand inside a page", "write it in two parts")
    return text


def _lead(hit: re.Match[str], path: str, base_url: str) -> str:
    """A link to another page of the site leads to the published one; where there is none it leads nowhere."""
    name, target = hit.group(1), hit.group(2)
    if not base_url:
        return ""
    return f' {name}="{base_url}{resolve(path, target)}"'
