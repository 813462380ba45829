"""What a published site has besides its pages, with an address and without, and what docs/hosting.md says of it."""

from __future__ import annotations

import gzip
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from qkv.errors import EXIT_CODE
from qkv.output.bundle import ROOT
from qkv.pages.hosting import HEADERS, SQUEEZED
from qkv.pages.page import CSP
from tests.contents import copy_small, run

ADDRESS = "https://example.org/course/attention/"
GUIDE = (ROOT / "docs" / "hosting.md").read_text("utf-8")
Built = Callable[..., dict[str, bytes]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Builds the small article: built(base_url, options…) -> every file by its path."""

    def built(base_url: str, *options: str) -> dict[str, bytes]:
        folder = tmp_path_factory.mktemp("hosted")
        content = copy_small(folder)
        settings = content / "site.toml"
        settings.write_text(f'base_url = "{base_url}"\n' + settings.read_text("utf-8"), "utf-8")
        assert run(*options, "--content", str(content), "--out", str(folder / "site")) == (0, "")
        files = [path for path in (folder / "site").rglob("*") if path.is_file()]
        return {path.relative_to(folder / "site").as_posix(): path.read_bytes() for path in files}

    return built


@pytest.fixture(scope="module")
def plain(built: Built) -> dict[str, bytes]:
    return built("")


@pytest.fixture(scope="module")
def published(built: Built) -> dict[str, bytes]:
    return built(ADDRESS, "packages", "--headers", "--compress")


def pages(site: dict[str, bytes]) -> dict[str, str]:
    return {path: data.decode() for path, data in site.items() if path.endswith(".html")}


def attribute(page: str, pattern: str) -> str | None:
    found = re.findall(pattern, page)
    assert len(found) <= 1, found
    return found[0] if found else None


def canonical(page: str) -> str | None:
    return attribute(page, r'<link rel="canonical" href="([^"]*)">')


def og(page: str, name: str) -> str | None:
    return attribute(page, rf'<meta property="og:{name}" content="([^"]*)">')


def address_of(path: str) -> str:
    return ADDRESS + path.removesuffix("index.html")


# Without an address


def test_without_an_address_nothing_needs_one(plain: dict[str, bytes]) -> None:
    assert not {"sitemap.xml", "robots.txt", "404.html"} & set(plain)
    assert not [path for path in plain if path.startswith("embed/") and not path.endswith(".html")]
    for path, page in pages(plain).items():
        assert canonical(page) is None, path
        assert og(page, "url") is None, path
        assert "oembed" not in page, path


def test_no_path_begins_with_an_underscore_unless_asked(plain: dict[str, bytes], published: dict[str, bytes]) -> None:
    """GitHub Pages drops such files, were it not for .nojekyll."""

    def odd(site: dict[str, bytes]) -> list[str]:
        return [path for path in site if any(part.startswith("_") for part in PurePosixPath(path).parts)]

    assert odd(plain) == []
    assert odd(published) == ["_headers"]


def test_github_pages_leaves_the_files_alone(plain: dict[str, bytes]) -> None:
    assert plain[".nojekyll"] == b""


def test_links_work_below_any_address(plain: dict[str, bytes], published: dict[str, bytes]) -> None:
    """The same pages in both: an address only adds what needs one. All other links are relative."""
    for path in ("index.html", "sections/looking.html", "embed/figure-lines.html"):
        lines = pages(plain)[path].splitlines()
        more = [line for line in pages(published)[path].splitlines() if line not in lines]
        assert [
            line for line in more if not re.match(r'<(meta property="og:url"|link rel="(canonical|alternate)")', line)
        ] == []
        links = re.findall(r'(?:href|src|data-plotly|data-home)="([^"]*)"', pages(plain)[path])
        assert len(links) > 5
        assert [link for link in links if link.startswith("/")] == []


# With an address


def test_pages_name_their_address(published: dict[str, bytes]) -> None:
    for path in ("index.html", "sections/looking.html", "sections/mixing.html", "teachers.html"):
        page = pages(published)[path]
        assert canonical(page) == og(page, "url") == address_of(path)
        assert og(page, "type") == "article"
        assert og(page, "title") == attribute(page, "<title>([^<]*)</title>")
        assert og(page, "description") == attribute(page, r'<meta name="description" content="([^"]*)">')


def test_embedded_pages_name_the_article(published: dict[str, bytes]) -> None:
    assert canonical(pages(published)["embed/section-mixing.html"]) == ADDRESS + "sections/mixing.html"
    assert canonical(pages(published)["embed/figure-mix.html"]) == ADDRESS


def test_embedded_pages_can_be_asked_for(published: dict[str, bytes]) -> None:
    for path, page in pages(published).items():
        if path.startswith("embed/"):
            answer = ADDRESS + path.removesuffix(".html") + ".json"
            assert f'<link rel="alternate" type="application/json+oembed" href="{answer}"' in page
            said = json.loads(published[answer.removeprefix(ADDRESS)])
            assert said["version"] == "1.0"
            assert f'src="{ADDRESS}{path}"' in said["html"]


def test_the_sitemap_lists_the_pages(published: dict[str, bytes]) -> None:
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    root = ET.fromstring(published["sitemap.xml"])
    assert root.tag == f"{space}urlset"
    found = [entry.findtext(f"{space}loc") for entry in root.iter(f"{space}url")]
    wanted = ["index.html", "sections/looking.html", "sections/mixing.html", "teachers.html"]
    assert found == [address_of(path) for path in wanted]


def test_robots_are_told_where_the_sitemap_is(published: dict[str, bytes]) -> None:
    lines = published["robots.txt"].decode().splitlines()
    assert lines == ["User-agent: *", "Allow: /", f"Sitemap: {ADDRESS}sitemap.xml"]


def test_the_page_for_lost_visitors_works_at_any_depth(published: dict[str, bytes]) -> None:
    page = pages(published)["404.html"]
    links = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert ADDRESS in links
    assert [link for link in links if not link.startswith((ADDRESS, "#"))] == []
    assert [
        link for link in links if link.startswith(ADDRESS + "assets/") and link[len(ADDRESS) :] not in published
    ] == []
    assert '<meta name="robots" content="noindex">' in page
    assert canonical(page) is None
    assert "<script" not in page


@pytest.mark.parametrize("given", [ADDRESS, ADDRESS.rstrip("/")])
def test_the_last_slash_does_not_matter(built: Built, given: str) -> None:
    assert canonical(pages(built(given))["index.html"]) == ADDRESS


# Headers, compressed files


def header(text: str, name: str) -> list[str]:
    return re.findall(rf"(?m)^\s*{name}: (.*)$", text)


def test_the_policy_is_strict() -> None:
    policy = {name: rest for name, *rest in map(str.split, CSP.split(";"))}
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == ["'self'"]
    assert [word for word in ("unsafe", "http", "blob", "*") if word in CSP] == []


def test_headers_carry_the_policy(plain: dict[str, bytes], published: dict[str, bytes]) -> None:
    assert "_headers" not in plain
    text = published["_headers"].decode()
    assert text == HEADERS
    assert header(text, "Content-Security-Policy") == [CSP]
    assert header(text.partition("/assets/*\n")[2], "Cache-Control") == ["public, max-age=31536000, immutable"]
    assert header(text.partition("/downloads/*\n")[2], "Content-Disposition") == ["attachment"]


def test_what_is_kept_forever_is_named_by_its_content(published: dict[str, bytes]) -> None:
    names = [path for path in published if path.startswith("assets/")]
    assert len(names) > 10
    assert [name for name in names if not re.fullmatch(r"assets/\w+\.[0-9a-f]{10}\.(css|js|svg)(\.gz)?", name)] == []


def test_compressed_files_hold_the_same(plain: dict[str, bytes], published: dict[str, bytes]) -> None:
    assert [path for path in plain if path.endswith(".gz")] == []
    texts = {path for path in published if path.endswith(SQUEEZED)}
    assert {path.removesuffix(".gz") for path in published if path.endswith(".gz")} == texts
    for path in texts:
        assert gzip.decompress(published[f"{path}.gz"]) == published[path]


# The guide


def fenced(language: str) -> list[str]:
    blocks = re.findall(r"(?ms)^```(\w*)\n(.*?)^```$", GUIDE)
    return [text for name, text in blocks if name == language]


def test_the_guide_shows_the_policy_as_it_is() -> None:
    assert f"{CSP}\n" in fenced("")
    assert GUIDE.count(CSP) == 3


def test_the_guide_shows_the_headers_as_they_are() -> None:
    assert HEADERS in fenced("")


def test_nginx_sends_what_the_others_send() -> None:
    (snippet,) = fenced("nginx")
    sent = dict(re.findall(r'(?m)^\s*add_header (\S+) "?([^"\n]*?)"?(?: always)?;$', snippet))
    assert sent.pop("Content-Security-Policy") == CSP
    assert sent.pop("X-Content-Type-Options") == header(HEADERS, "X-Content-Type-Options")[0]
    assert sent.pop("Referrer-Policy") == header(HEADERS, "Referrer-Policy")[0]
    assert sent == {"Cache-Control": "$attention_cache", "Content-Disposition": "$attention_save"}
    assert f'~^/assets/    "{header(HEADERS, "Cache-Control")[0]}";' in snippet
    assert f'~^/downloads/ "{header(HEADERS, "Content-Disposition")[0]}";' in snippet
    # a location with a header of its own would lose all the others
    assert "location" not in re.sub("#.*", "", snippet)
    assert "gzip_static on;" in snippet


def test_the_guide_names_what_there_is(published: dict[str, bytes]) -> None:
    for path in ("sitemap.xml", "robots.txt", "404.html", ".nojekyll", "_headers", "teachers.html"):
        assert f"`{path}`" in GUIDE
        assert path in published
    help_text = Path(ROOT, "build.py").read_text("utf-8")
    for option in re.findall(r"--[a-z]+", GUIDE):
        assert f'"{option}"' in help_text, option


# The address itself


@pytest.mark.parametrize(
    "address",
    [
        *("https://example.org/attention/", "https://example.org", "http://localhost:8000/x", "https://[::1]:8000/"),
        *("https://a_b.example.org/~me/x%20y/", "https://example.org./", "https://xn--mller-kva.example/(2)/a,b;c=d/"),
    ],
)
def test_such_is_an_address(address: str, built: Built) -> None:
    assert canonical(built(address)["index.html"].decode()) == address.rstrip("/").replace("&", "&amp;") + "/"


FOLDER = 'write e.g. "https://example.org/attention/"'


@pytest.mark.parametrize(
    ("address", "problem", "fix"),
    [
        ("https://example.org/?a=b", "holds a ?, but the site is a folder", 'end it before that: "https://example.org/"'),
        ("https://example.org/x#y", "holds a #, but the site is a folder", 'end it before that: "https://example.org/x"'),
        (
            "https://example.org/x/index.html?a#b",
            "holds a ?, but the site is a folder",
            'end it before that: "https://example.org/x/"',
        ),
        (
            "https://example.org/x/index.html",
            "names a page, but the site is its folder",
            'write "https://example.org/x/"',
        ),
        ("https://example.org/Index.HTM/", "names a page, but the site is its folder", 'write "https://example.org/"'),
        ("example.org/x", "does not begin with https:// or http://", 'write e.g. "https://example.org/x"'),
        ("//example.org/x", "does not begin with https:// or http://", 'write e.g. "https://example.org/x"'),
        ("https:/example.org", "does not begin with https:// or http://", 'write e.g. "https://example.org"'),
        ("ftp://example.org/", "does not begin with https:// or http://", 'write e.g. "https://example.org/"'),
        ("file:///srv/x", "does not begin with https:// or http://", FOLDER),
        ("/attention/", "does not begin with https:// or http://", FOLDER),
        ("https://", "names no host", FOLDER),
        ("https:///x", "names no host", FOLDER),
        ("https://example..org/", "names no host", FOLDER),
        ("https://example.org:99999/", "names a host or port that cannot be", FOLDER),
        ("https://example.org:port/", "names a host or port that cannot be", FOLDER),
        ("https://[::1/", "names a host or port that cannot be", FOLDER),
        (" https://example.org/", "holds a blank", "take it out; inside a name write %20"),
        ("https://example.org/a b/", "holds a blank", "take it out; inside a name write %20"),
        (
            "https://me:secret@example.org/",
            "holds a name or password, which everybody could read",
            "take out the @ and what stands before it",
        ),
        (
            "https://m\u00fcller.example:80/sch\u00f6n/",
            "holds '\u00fc', which no address may",
            'write "https://xn--mller-kva.example:80/sch%C3%B6n/"',
        ),
        (
            "https://stra\u00dfe.example/",  # its two standards differ
            "holds '\u00df', which no address may",
            "copy it from a browser's address bar",
        ),
        ("https://example.org/100%/", "holds '%', which no address may", 'write "https://example.org/100%25/"'),
        ("https://example.org/<x>/", "holds '<', which no address may", 'write "https://example.org/%3Cx%3E/"'),
    ],
)
def test_what_is_no_address_of_a_site(address: str, problem: str, fix: str, tmp_path: Path) -> None:
    content = copy_small(tmp_path)
    settings = content / "site.toml"
    settings.write_text(f"base_url = '{address}'\n" + settings.read_text("utf-8"), "utf-8")
    said = f"content/site.toml:1: the address {address!r} {problem}; {fix}\n"
    assert run("check", "--content", str(content)) == (EXIT_CODE, said)
