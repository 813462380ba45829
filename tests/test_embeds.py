"""Embedded pages and single files as they are written; what they do in a frame is for tests/browser."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
from html.parser import HTMLParser
from operator import itemgetter
from pathlib import Path

import pytest

from qkv.content.heights import CLASSES, HEIGHT, WIDTHS
from qkv.content.toml import load_toml
from qkv.errors import BuildError
from qkv.exports import single
from qkv.output.folder import MANIFEST
from qkv.pages.page import Page
from tests.contents import NO_PLOTLY, ROOT, copy_small, run

BASE = "https://example.org/course/attention/"
Attributes = dict[str, str | None]


class Tags(HTMLParser):
    """All tags of a page with their attributes, and the texts of its scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, Attributes]] = []
        self.texts: list[tuple[str, Attributes, str]] = []
        self.inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside in ("script", "style"):
            self.texts.append((*self.found[-1], data))

    def named(self, tag: str) -> list[Attributes]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the article, to be changed."""
    folder = tmp_path_factory.mktemp("article") / "content"
    shutil.copytree(ROOT / "content", folder)
    return folder


def build(content: Path, base_url: str, *arguments: str) -> Path:
    """The built folder, with a base URL or none."""
    folder = content.parent / f"site-{'-'.join(arguments)}-{bool(base_url)}"
    settings = content / "site.toml"
    text, found = re.subn(r'^base_url = ".*?"', f'base_url = "{base_url}"', settings.read_text("utf-8"), flags=re.M)
    assert found == 1
    settings.write_text(text, "utf-8")
    assert run(*arguments, "--content", str(content), "--out", str(folder)) == (0, "")
    return folder


@pytest.fixture(scope="module")
def plain(content: Path) -> Path:
    return build(content, "")


@pytest.fixture(scope="module")
def published(content: Path) -> Path:
    return build(content, BASE, "packages")


@pytest.fixture(scope="module")
def unpublished(content: Path) -> Path:
    return build(content, "", "packages")


def pages(folder: Path) -> dict[str, Tags]:
    return {path.name: Tags(path.read_text("utf-8")) for path in sorted(folder.glob("*.html"))}


def singles(folder: Path) -> dict[str, Tags]:
    """The single files of a built site; there may be other downloads."""
    whole = [folder / "index.html", *folder.glob("sections/*.html"), *folder.glob("embed/*.html")]
    names = {single.name_of(path.relative_to(folder).as_posix()) for path in whole}
    return {name: Tags((folder / name).read_text("utf-8")) for name in sorted(names)}


# embedded pages


def test_one_for_each_section_and_each_figure(plain: Path) -> None:
    sections = {path.stem for path in (plain / "sections").glob("*.html")}
    kinds = set(re.findall(r'data-figure="(\w+)"', (plain / "index.html").read_text("utf-8")))
    assert sections
    assert kinds
    expected = {f"section-{slug}" for slug in sections} | {f"figure-{kind}" for kind in kinds}
    assert {path.stem for path in (plain / "embed").glob("*.html")} == expected


def test_no_site_around_them(plain: Path) -> None:
    for name, page in pages(plain / "embed").items():
        tags = {tag for tag, _ in page.found}
        assert tags.isdisjoint({"header", "footer", "nav"}), name
        assert "skip" not in {attributes.get("class") for attributes in page.named("a")}, name
        assert len(page.named("h1")) == 1, name


def test_links_that_leave_open_in_a_new_tab(plain: Path, published: Path) -> None:
    for folder in (plain, published):
        for name, page in pages(folder / "embed").items():
            for link in page.named("a"):
                leaves = not (link["href"] or "").startswith("#") or link.get("class") == "link"
                assert (link.get("target") == "_blank") == leaves, (name, link)
                assert (link.get("rel") == "noopener") == leaves, (name, link)


def test_options_are_read_before_the_page_is_painted(plain: Path) -> None:
    for name, page in pages(plain / "embed").items():
        tags = [tag for tag, _ in page.found]
        (early,) = [place for place, (_, given) in enumerate(page.found) if "/early." in (given.get("src") or "")]
        assert tags[early] == "script", name
        assert early < tags.index("body"), name
        assert not {"defer", "async", "type"} & set(page.found[early][1]), name


def test_heights_are_in_no_unit_of_the_window() -> None:
    style = "".join(path.read_text("utf-8") for path in sorted((ROOT / "templates" / "styles").glob("*.css")))
    assert style
    assert re.findall(r"\b[\d.]+(?:[sld]?v(?:h|b|max|min))\b", style) == []


def test_each_has_its_heights_declared(plain: Path) -> None:
    heights = load_toml(ROOT / "content", "heights.toml").data
    assert set(heights) == {path.stem for path in (plain / "embed").glob("*.html")}
    assert all(tuple(by_class) == CLASSES for by_class in heights.values())
    assert tuple(str(width) for width in WIDTHS) == CLASSES[: len(WIDTHS)]


# oEmbed


def test_oembed(published: Path) -> None:
    embeds = pages(published / "embed")
    assert {path.stem for path in (published / "embed").glob("*.json")} == {name[:-5] for name in embeds}
    heights = load_toml(ROOT / "content", "heights.toml").data
    for name, page in embeds.items():
        stem = name.removesuffix(".html")
        (discovery,) = [link for link in page.named("link") if link.get("type") == "application/json+oembed"]
        assert discovery["rel"] == "alternate"
        assert discovery["href"] == f"{BASE}embed/{stem}.json"
        assert discovery["title"]
        answer = json.loads((published / "embed" / f"{stem}.json").read_text("utf-8"))
        ((_, frame),) = Tags(answer["html"]).found
        assert answer["version"] == "1.0"
        assert answer["type"] == "rich"
        assert answer["provider_url"] == BASE
        assert answer["provider_name"]
        assert answer["title"].startswith(discovery["title"])
        assert answer["width"] == 700
        assert answer["height"] == heights.get(stem, {}).get("700", HEIGHT)
        assert frame == {
            "src": f"{BASE}embed/{name}",
            "title": answer["title"],
            "width": "100%",
            "height": str(answer["height"]),
            "style": "border:0",
            "loading": "lazy",
            "allow": "fullscreen",
        }


def test_no_oembed_without_an_address(plain: Path) -> None:
    assert list((plain / "embed").glob("*.json")) == []
    for name, page in pages(plain / "embed").items():
        assert [link for link in page.named("link") if "oembed" in (link.get("type") or "")] == [], name


# downloads


def test_a_plain_build_has_no_downloads_and_no_word_of_them(plain: Path) -> None:
    assert not (plain / "downloads").exists()
    for path in plain.rglob("*.html"):
        assert not re.search(r'downloads/|<a [^>]*\bdownload\b|id="file"', path.read_text("utf-8")), path.name
    page = (plain / "teachers.html").read_text("utf-8")
    maker = page.partition('id="maker"')[2].partition('class="section teachers"')[0]
    assert "snippet" in maker
    assert "single file" not in maker


def test_a_download_for_each_page(unpublished: Path) -> None:
    names = {path.name for path in (unpublished / "downloads").iterdir()}
    embeds = {path.name for path in (unpublished / "embed").glob("*.html")}
    sections = {f"page-{path.name}" for path in (unpublished / "sections").glob("*.html")}
    assert {"article.html"} | embeds | sections <= names
    page = Tags((unpublished / "teachers.html").read_text("utf-8"))
    offered = {str(link["href"]) for link in page.named("a") if "download" in link}
    assert {f"downloads/{name}" for name in ("article.html", *embeds)} <= offered
    assert all((unpublished / href).is_file() for href in offered)


def test_both_in_one_pass(plain: Path, unpublished: Path) -> None:
    """The downloads come on top: all else is as without them, but for the links to them."""
    for path in plain.rglob("*"):
        other = unpublished / path.relative_to(plain)
        assert other.exists()
        if path.is_file() and path.name not in ("teachers.html", MANIFEST):
            assert other.read_bytes() == path.read_bytes(), path.name


def test_all_is_inside(published: Path, unpublished: Path) -> None:
    for folder in (published, unpublished):
        for name, page in singles(folder).items():
            assert not {"src", "srcset", "data-plotly"} & {key for _, given in page.found for key in given}, name
            links = [link for link in page.named("link") if link["rel"] not in ("canonical", "alternate")]
            assert [str(link["href"])[:10] for link in links] == ["data:image"], name
            (carried,) = [one for one in page.texts if one[0] == "script" and one[1].get("id") == "plotly"]
            assert carried[1]["type"] == "text/plain"
            assert unpacked(carried[2]) == NO_PLOTLY.js.decode(), name


def unpacked(text: str) -> str:
    """plotly.js as a single file carries it: base64 of its gzip."""
    return gzip.decompress(base64.b64decode(text)).decode()


def test_the_policy_names_every_script_and_style_by_its_hash(unpublished: Path) -> None:
    for name, page in singles(unpublished).items():
        (policy,) = [meta["content"] or "" for meta in page.named("meta") if "http-equiv" in meta]
        parts = {part.split()[0]: part.split()[1:] for part in policy.split(";")}
        for tag in ("script", "style"):
            own = [one for one in page.texts if one[0] == tag and one[1].get("type") != "application/json"]
            runs = [unpacked(text) if given.get("id") == "plotly" else text for _, given, text in own]
            hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in runs]
            assert hashes, name
            assert sorted(parts[f"{tag}-src"]) == sorted(set(hashes)), name
        assert parts["default-src"] == ["'none'"]
        assert "unsafe" not in policy
        assert "'self'" not in policy
        # nothing else may want to run
        assert [key for _, given in page.found for key in given if key.startswith("on") or key == "style"] == [], name


def test_links_lead_to_the_published_site_or_nowhere(published: Path, unpublished: Path) -> None:
    there = {BASE + path.relative_to(published).as_posix() for path in published.rglob("*.html")} | {BASE}
    for folder in (published, unpublished):
        for name, page in singles(folder).items():
            own = {given["id"] for _, given in page.found if "id" in given}
            links = [(given["href"] or "", given) for tag, given in page.found if tag == "a" and "href" in given]
            homes = [str(given["data-home"]) for _, given in page.found if "data-home" in given]
            for href, given in [*links, *((home, {}) for home in homes)]:
                target, _, anchor = href.partition("#")
                if target.startswith(BASE):
                    assert folder == published
                    assert target in there, (name, href)
                elif href.startswith("#"):
                    assert "=" in anchor or anchor in own or not anchor, (name, href)
                else:  # a source of the facts
                    assert href.startswith("https://"), (name, href)
                    assert given.get("rel") == "noopener", (name, href)
            assert bool(homes) == (folder == published and "embed" in (page.named("html")[0].get("class") or "")), name


def test_a_single_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is built, and the largest is named."""
    arguments = ("packages", "--content", str(copy_small(tmp_path)), "--out", str(tmp_path / "site"))
    assert single.LIMIT == 920_000
    monkeypatch.setattr(single, "LIMIT", 100)
    code, said = run(*arguments)
    assert code == 0
    name, size = max(
        ((path, path.stat().st_size) for path in (tmp_path / "site/downloads").glob("*.html")), key=itemgetter(1)
    )
    assert said == (
        f"warning: site/downloads/{name.name}: the largest single file: {size:,} bytes, {size - 100:,} more than it "
        "should have; some platforms refuse larger ones: give those single sections, or make the article or its model "
        "smaller\n"
    )
    monkeypatch.setattr(single, "LIMIT", size)
    assert run(*arguments) == (0, "")


@pytest.mark.parametrize("text", ["a </SCRIPT b", "a <!-- b"])
def test_a_script_that_cannot_stand_in_a_page(text: str) -> None:
    texts = dict.fromkeys(("early", "style", "plotly_css", "noscript", "app", "icon"), "") | {"plotly": "", "app": text}
    with pytest.raises(BuildError, match="cannot stand inside a page"):
        single.single(Page("index.html", "<body></body>"), texts, {name: name for name in texts}, "")


def test_a_link_above_the_site_leads_to_its_top() -> None:
    """As a browser has it."""
    for up in ("../", "../../", "../../../", "./../../.././"):
        html = single.leading(f'<a href="{up}a/b.html#c">', "sections/one.html", BASE)
        assert html == f'<a href="{BASE}a/b.html#c">'


def test_a_missing_height_is_not_a_mistake(content: Path, tmp_path: Path) -> None:
    other = tmp_path / "content"
    shutil.copytree(content, other)
    (other / "heights.toml").write_text("", "utf-8")
    assert run("--content", str(other), "--out", str(tmp_path / "site")) == (0, "")
    data = re.search(r'id="embeds">(.*?)</script>', (tmp_path / "site" / "teachers.html").read_text("utf-8"))
    assert data
    for embed in json.loads(data[1])["embeds"]:
        assert embed["heights"] == dict.fromkeys(CLASSES, HEIGHT)
