"""The Common Cartridge: 1.1 as importers know it, links to the published site, and just the files that it lists."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from pathlib import Path
from unittest.mock import patch
from xml.etree import ElementTree

import build
from tests import contents
from tests.packages import ADDRESS, article, built, files, unzipped

PATH = "downloads/cartridge.imscc"
SLUGS = ("neighbours", "queries-keys", "softmax", "values", "every-token", "many-heads")
CP = "{http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1}"
LOM = "{http://ltsc.ieee.org/xsd/imsccv1p1/LOM/manifest}"
LINK = "{http://www.imsglobal.org/xsd/imsccv1p1/imswl_v1p1}"
KINDS = {"imswl_xmlv1p1", "webcontent"}  # of those that 1.1 has, the ones that are used
PUBLISHED = (("base_url", f'"{ADDRESS}"'), ("score", "true"))


def inside() -> dict[str, bytes]:
    return unzipped(built(*PUBLISHED)[PATH])


def complaints(data: dict[str, bytes]) -> list[str]:
    """What is wrong with a cartridge. There are no schemas to be had offline, so this is the profile in words."""
    found = []

    def expect(what: str, actual: object, wanted: object) -> None:
        if actual != wanted:
            found.append(f"{what}: {actual!r} instead of {wanted!r}")

    names = list(data)
    expect("manifest in front", names[:1], ["imsmanifest.xml"])
    manifest = data.get("imsmanifest.xml", b"")
    try:
        root = ElementTree.fromstring(manifest)
    except ElementTree.ParseError as error:
        return [f"no XML: {error}"]
    expect("namespace in the first 1024 bytes", CP[1:-1].encode() in manifest[:1024], True)
    expect("root", root.tag, f"{CP}manifest")
    expect("parts", [child.tag for child in root], [CP + part for part in ("metadata", "organizations", "resources")])
    expect("schema", root.findtext(f"{CP}metadata/{CP}schema"), "IMS Common Cartridge")
    expect("version", root.findtext(f"{CP}metadata/{CP}schemaversion"), "1.1.0")
    title = root.findtext(f"{CP}metadata/{LOM}lom/{LOM}general/{LOM}title/{LOM}string")
    expect("title", bool(title), True)
    organizations = root.findall(f"{CP}organizations/{CP}organization")
    expect("structure", [one.get("structure") for one in organizations], ["rooted-hierarchy"])
    roots = [item for one in organizations for item in one.findall(f"{CP}item")]
    expect("one root item", len(roots), 1)
    for item in (inner for one in roots for inner in one.iter(f"{CP}item")):
        expect("identifier of an item", bool(item.get("identifier")), True)
        leaf = not item.findall(f"{CP}item")
        expect("resource of an item", item.get("identifierref") is not None, leaf)
        expect("title of an item", item.find(f"{CP}title") is not None, item not in roots)
    identifiers = [one.get("identifier") for one in root.iter() if "identifier" in one.attrib]
    expect("identifiers twice", len(identifiers) - len(set(identifiers)), 0)
    resources = root.findall(f"{CP}resources/{CP}resource")
    referred = {item.get("identifierref") for item in root.iter(f"{CP}item")} - {None}
    expect("resources", {one.get("identifier") for one in resources}, referred)
    expect("kinds", {one.get("type") for one in resources} <= KINDS, True)
    listed = [file.get("href") for one in resources for file in one.findall(f"{CP}file")]
    expect("files", sorted(map(str, listed)), sorted(name for name in names if name != "imsmanifest.xml"))
    for one in resources:
        hrefs = [file.get("href") for file in one.findall(f"{CP}file")]
        if one.get("type") == "webcontent":
            expect("address of web content", [one.get("href")], hrefs)
            continue
        expect("address of a link", one.get("href"), None)
        expect("files of a link", len(hrefs), 1)
        try:
            link = ElementTree.fromstring(data.get("".join(map(str, hrefs)), b""))
        except ElementTree.ParseError as error:
            return [f"no XML: {error}"]
        expect("link", link.tag, f"{LINK}webLink")
        expect("parts of a link", [child.tag for child in link], [f"{LINK}title", f"{LINK}url"])
        address = link.find(f"{LINK}url")
        expect("address", address is not None and str(address.get("href")).startswith(("https://", "http://")), True)
    return found


def test_the_cartridge_is_as_the_profile_says() -> None:
    assert complaints(inside()) == []


def test_the_checks_find_mistakes() -> None:
    good = inside()
    manifest = good["imsmanifest.xml"].decode()
    for old, new in [
        ("Queries, keys", "Queries & keys"),
        ("1.1.0", "1.2.0"),
        ("imsccv1p1/imscp_v1p1", "imsccv1p2/imscp_v1p1"),
        ("<manifest ", "<!--" + " " * 1024 + "--><manifest "),
        ("rooted-hierarchy", "hierarchical"),
        ('<item identifier="root">', '<item identifier="root"><title>T</title>'),
        ('identifierref="resource-link-softmax"', 'identifierref="resource-link-max"'),
        ("imswl_xmlv1p1", "imswl_xmlv1p3"),
        ('<file href="links/softmax.xml"/>', ""),
        ('identifier="item-link-softmax"', 'identifier="item-link-values"'),
        ("<organizations>", "<organizations/><organizations>"),
    ]:
        assert old in manifest, old
        bad = {**good, "imsmanifest.xml": manifest.replace(old, new, 1).encode()}
        assert complaints(bad) != [], (old, new)
    assert complaints({**good, "more.html": b""}) != []
    assert complaints({**good, "links/softmax.xml": b"<webLink>&</webLink>"}) != []
    assert complaints({name: data for name, data in good.items() if name != "links/softmax.xml"}) != []


def test_it_links_to_every_section() -> None:
    data = inside()
    for slug in SLUGS:
        link = ElementTree.fromstring(data[f"links/{slug}.xml"])
        url = link.find(f"{LINK}url")
        assert url is not None
        assert url.get("href") == f"{ADDRESS}sections/{slug}.html"
        assert f"sections/{slug}.html" in built(*PUBLISHED)
        title = re.findall("<h1[^>]*>(.*?)</h1>", built(*PUBLISHED)[f"sections/{slug}.html"].decode())
        assert [link.findtext(f"{LINK}title")] == title


def test_what_it_carries() -> None:
    """The package and the sheet, as they are beside it; of the pages, whose scripts importers strip, none."""
    data, site = inside(), built(*PUBLISHED)
    assert data["files/scorm12-article.zip"] == site["downloads/scorm12-article.zip"]
    assert data["files/worksheet.html"] == site["downloads/worksheet.html"]
    assert sorted(data) == sorted(
        [
            "imsmanifest.xml",
            "files/scorm12-article.zip",
            "files/worksheet.html",
            *(f"links/{slug}.xml" for slug in SLUGS),
        ]
    )
    assert not any(b"<script" in text for name, text in data.items() if not name.endswith(".zip"))


def test_it_is_always_the_same(tmp_path: Path) -> None:
    data = built(*PUBLISHED)[PATH]
    assert files(article(tmp_path, dict(PUBLISHED)))[PATH] == data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert {entry.date_time for entry in archive.infolist()} == {(2000, 1, 1, 0, 0, 0)}


def test_without_an_address_it_is_left_out(tmp_path: Path) -> None:
    content, said, wrong = article(tmp_path, {}), io.StringIO(), io.StringIO()
    with (
        patch.object(build, "plotly_bundle", lambda *_, **__: contents.NO_PLOTLY),
        patch.object(build, "validate", lambda *_: None),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(wrong),
    ):
        code = build.main(["packages", "--content", str(content), "--out", str(tmp_path / "site")])
    assert (code, wrong.getvalue()) == (0, "")
    assert "the cartridge is left out: its links need an address, so set base_url in site.toml\n" in said.getvalue()
    assert not (tmp_path / "site" / PATH).exists()
    assert "Common Cartridge 1.1)" not in (tmp_path / "site" / "teachers.html").read_text("utf-8")
    assert "Common Cartridge 1.1)" in built(*PUBLISHED)["teachers.html"].decode()


def test_titles_of_markup(tmp_path: Path) -> None:
    content = article(tmp_path, {"base_url": '"https://example.org/a=1&c=2/"', "title": "'\"A\" <small> & article'"})
    data = unzipped(files(content)[PATH])
    assert complaints(data) == []
    link = ElementTree.fromstring(data["links/softmax.xml"]).find(f"{LINK}url")
    assert link is not None
    assert link.get("href") == "https://example.org/a=1&c=2/sections/softmax.html"
    title = ElementTree.fromstring(data["imsmanifest.xml"]).find(f".//{CP}item/{CP}item/{CP}title")
    assert title is not None
    assert title.text == '"A" <small> & article'
