"""The build as its users run it: the same bytes anywhere, nothing where nothing is wanted, and the whole article."""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest

from qkv.errors import EXIT_CODE
from qkv.output.bundle import ROOT, plotly_bundle
from tests import contents
from tests.damage import changed, cut, emptied

ARTICLE = Path(__file__).with_name("article.txt")
FACTS = "- Formula"  # from this line on, terms and facts in turn
SLUGS = ("neighbours", "queries-keys", "softmax", "values", "every-token", "many-heads")


def copy_checkout(folder: Path, *caches: str) -> Path:
    """The files that git has or would take, with what earlier builds kept."""
    command = ["git", "ls-files", "-z", "-co", "--exclude-standard"]
    for name in subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    plotly_bundle(ROOT / ".cache")  # so that there is one, and no copy asks npm
    (folder / ".cache").mkdir()
    for kept in (path for pattern in caches for path in (ROOT / ".cache").glob(pattern)):
        copy = shutil.copytree if kept.is_dir() else shutil.copyfile
        copy(kept, folder / ".cache" / kept.name)
    return folder


def run(tree: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """python build.py, in a copy of the checkout."""
    return started(tree, arguments, env)


def started(
    tree: Path, arguments: Sequence[str], env: Mapping[str, str], first: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    """The same; `first` is called in the new process."""
    return subprocess.run(
        [sys.executable, "build.py", *arguments],
        cwd=tree,
        env={**os.environ, **env},
        capture_output=True,
        encoding="utf-8",
        check=False,
        preexec_fn=first,
    )


def built(tree: Path, *arguments: str, **env: str) -> str:
    done = run(tree, *arguments, **env)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def touched(tree: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a copy but those that a build keeps for itself, with the time it was written."""
    own = (path for path in sorted(tree.rglob("*")) if path.is_file())
    kept = (".cache/", "__pycache__/")
    names = {path.relative_to(tree).as_posix(): path for path in own}
    return {
        name: (path.stat().st_mtime_ns, path.read_bytes())
        for name, path in names.items()
        if not any(part in f"/{name}" for part in kept)
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, built, in one corner of the world."""
    copied = copy_checkout(tmp_path_factory.mktemp("one"), "plotly-*")
    built(copied, "--quiet", TZ="Pacific/Kiritimati", PYTHONHASHSEED="1", LC_ALL="C")
    return copied


@pytest.fixture(scope="module")
def site(tree: Path) -> Path:
    return tree / "site"


def test_the_same_bytes_anywhere(site: Path, tmp_path: Path) -> None:
    """In another folder, time zone and order of hashes, over an older site, and with all that earlier builds kept."""
    other = copy_checkout(tmp_path / "another place" / "with spaces, é", "plotly-*", "valid-*")
    text = other / "content" / "sections" / "1-neighbours.md"
    right = text.read_text("utf-8")
    text.write_text(f"{right}\nOne more sentence.\n", "utf-8")
    built(other, "--quiet")
    assert files(site)["index.html"] != files(other / "site")["index.html"]
    text.write_text(right, "utf-8")
    built(other, "--quiet", TZ="America/St_Johns", PYTHONHASHSEED="2", LC_ALL="C.UTF-8")
    mine, others = files(site), files(other / "site")
    assert list(mine) == list(others)
    assert [name for name in mine if mine[name] != others[name]] == []
    assert len(mine) > len(SLUGS)


PACKAGES = ("packages", "--headers", "--compress", "--quiet", "--out")


@pytest.fixture(scope="module")
def packages(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All that a build can write."""
    out = tmp_path_factory.mktemp("packages")
    built(tree, *PACKAGES, str(out), TZ="Pacific/Kiritimati", PYTHONHASHSEED="3")
    return files(out)


def test_the_same_packages_anywhere(tree: Path, packages: dict[str, bytes], tmp_path: Path) -> None:
    built(tree, *PACKAGES, str(tmp_path), TZ="America/St_Johns", PYTHONHASHSEED="4")
    found = files(tmp_path)
    assert list(found) == list(packages)
    assert [name for name in packages if found[name] != packages[name]] == []
    assert any(name.endswith(".zip") for name in packages)


@pytest.mark.parametrize(("mark", "ends"), [("", ["\r\n"]), ("\ufeff", ["\r\n", "\n", "\r"])], ids=["crlf", "odd"])
def test_the_same_bytes_whatever_the_line_ends(
    mark: str, ends: list[str], packages: dict[str, bytes], tmp_path: Path
) -> None:
    """As git writes them with core.autocrlf; and as no editor does: with a byte order mark, and ends of every kind."""
    other = copy_checkout(tmp_path / "other", "plotly-*")
    for path in other.rglob("*"):
        name = path.relative_to(other).as_posix()
        if path.is_file() and not name.startswith((".cache/", "tests/")) and path.suffix != ".png":
            lines = path.read_bytes().decode().removesuffix("\n").split("\n")
            path.write_bytes((mark + "".join(map("".join, zip(lines, itertools.cycle(ends))))).encode())
    built(other, *PACKAGES, str(tmp_path / "out"))
    found = files(tmp_path / "out")
    assert list(found) == list(packages)
    assert [name for name in packages if found[name] != packages[name]] == []
    # plotly.js was found, so its name in the cache is that of the same texts
    assert not (other / ".cache" / "npm").exists()


def test_no_text_holds_what_browsers_would_change(packages: dict[str, bytes]) -> None:
    """They read CR as LF before they take the hash of a script, which the policy of a single file names."""
    texts = (".html", ".js", ".css", ".json", ".txt", ".xml", ".svg")
    assert [name for name, data in packages.items() if name.endswith(texts) and b"\r" in data] == []


@pytest.mark.parametrize("setting", ["core.autocrlf=true", "core.eol=crlf"])
def test_a_clone_has_the_same_bytes(setting: str, tmp_path: Path) -> None:
    copied = copy_checkout(tmp_path / "copied")
    odd_case = copied / "tests" / "cases" / "odd" / "in" / "sections" / "1-odd.md"
    odd_case.parent.mkdir(parents=True)
    odd_case.write_bytes(b"one\r\ntwo\n")

    def git(*arguments: str) -> None:
        command = ["git", "-c", setting, "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        subprocess.run(command, cwd=copied, check=True, capture_output=True)

    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "all")
    git("clone", "--quiet", ".", "../cloned")
    one, two = (
        {name: data for name, data in files(tmp_path / tree).items() if not name.startswith(".git/")}
        for tree in ("copied", "cloned")
    )
    assert list(one) == list(two)
    assert [name for name in one if one[name] != two[name]] == []


def test_nothing_damaged_is_taken_from_the_cache(site: Path, tmp_path: Path) -> None:
    """All but plotly.js, which has tests of its own: to make it anew takes long."""
    other = copy_checkout(tmp_path / "other", "plotly-*")
    built(other, "--quiet")
    kept = [path for path in (other / ".cache").rglob("*") if path.is_file() and path.stat().st_size]
    kept = [path for path in kept if not path.parent.name.startswith("plotly-")]
    assert len(kept) > 20
    for path, damage in zip(kept, itertools.cycle([cut, emptied, changed])):
        damage(path)
    built(other, "--quiet", "--out", str(tmp_path / "out"))
    assert files(tmp_path / "out") == {name: data for name, data in files(site).items() if name != ".gitignore"}


def without_rights_of_root() -> None:
    """In a new process: to root too, a folder that cannot be written cannot be written."""
    if os.geteuid() == 0:
        for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            assert ctypes.CDLL(None).prctl(24, right, 0, 0, 0) == 0  # PR_CAPBSET_DROP


def test_a_second_user_can_read_the_cache_and_need_not_write(site: Path, tmp_path: Path) -> None:
    os.umask(umask := os.umask(0))
    other = copy_checkout(tmp_path / "other", "plotly-*")
    built(other, "--quiet")
    facts = other / "content" / "facts.toml"  # with an expression that was not compiled before
    facts.write_text(facts.read_text("utf-8").replace("text = \"", "text = \"{{ '' }}", 1), "utf-8")
    for path in (other / ".cache" / "templates", *(other / ".cache" / "templates").iterdir()):
        wanted = (0o777 if path.is_dir() else 0o666) & ~umask
        assert stat.S_IMODE(path.stat().st_mode) == wanted
    folders = [path for path in (other / ".cache", *(other / ".cache").iterdir()) if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    before = files(other / ".cache")
    try:
        done = started(other, ["--quiet", "--out", str(tmp_path / "out")], {}, without_rights_of_root)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert (done.returncode, done.stderr) == (0, "")
    assert files(other / ".cache") == before
    assert files(tmp_path / "out") == {name: data for name, data in files(site).items() if name != ".gitignore"}


def test_nothing_kept_and_no_place_to_keep_it(tmp_path: Path) -> None:
    other = copy_checkout(tmp_path / "other")
    (other / ".cache").chmod(0o555)
    done = started(other, ["--quiet"], {}, without_rights_of_root)
    (other / ".cache").chmod(0o755)
    assert done.returncode == EXIT_CODE
    assert done.stderr == (
        ".cache/: plotly.js cannot be kept here (Permission denied); make it a folder that you may write to, "
        "or build with `--plotly full`, which takes all of plotly.js from the Python package\n"
    )


def test_check_writes_nothing(tree: Path, site: Path) -> None:
    assert site.is_dir()
    before = touched(tree)
    built(tree, "check")
    assert touched(tree) == before


def test_out_goes_elsewhere(tree: Path, site: Path) -> None:
    before = touched(site)
    said = built(tree, "--out", "../elsewhere/public")
    assert "index.html" in said
    public = files(tree.parent / "elsewhere" / "public")
    assert public == {name: data for name, data in files(site).items() if name != ".gitignore"}
    assert touched(site) == before


def test_the_folder_stays_in_the_repository(site: Path) -> None:
    assert (site / ".gitignore").read_text() == (ROOT / "site" / ".gitignore").read_text()


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("content/sections/1-neighbours.md", "top('tired') == 'cat'", "top('tired') == 'mat'", r"\.md:\d+: .+; .+"),
        ("content/model.toml", "[words]", "[wrods]", r"model\.toml:\d+: .+; .+"),
        ("content/strings.toml", "[lines]", "[lines", r"strings\.toml:\d+: .+; .+"),
        ("templates/index.html", 'href="#', 'href="#no-', r"index\.html: .+; .+"),
    ],
)
def test_a_mistake_leaves_the_old_site(tree: Path, site: Path, name: str, old: str, new: str, said: str) -> None:
    before = touched(site)
    right = (tree / name).read_text(encoding="utf-8")
    assert old in right
    (tree / name).write_text(right.replace(old, new), encoding="utf-8")
    try:
        done = run(tree)
    finally:
        (tree / name).write_text(right, encoding="utf-8")
    assert done.returncode == EXIT_CODE
    assert re.search(said, done.stderr), done.stderr
    assert "Traceback" not in done.stderr
    assert touched(site) == before
    assert [path.name for path in tree.iterdir() if path.name.startswith(".site")] == []


def test_a_weight_that_the_article_speaks_of(tmp_path: Path) -> None:
    """The query of *tired* then asks for a thing: what says otherwise is told, with what the model answers."""
    content = tmp_path / "content"
    shutil.copytree(ROOT / "content", content)
    model = content / "model.toml"
    right = model.read_text("utf-8")
    first = "of_alive = [5, 0, 0, 0]"  # in W_Q of the head that the pages open with
    assert right.count(first) == 1
    model.write_text(right.replace(first, "of_alive = [0, 5, 0, 0]"), "utf-8")
    code, said = contents.run("--content", str(content), "--out", str(tmp_path / "site"))
    assert code == EXIT_CODE
    lines = said.splitlines()
    claim = "top('tired') == 'cat' and near(weight('tired', 'cat'), 0.943) and near(next('tired'), 0.006)"
    state = "with sentence=tired, mask=on, head=meaning: top('tired') = 'mat'"
    fix = "change the sentence, the claim or the model"
    for name, called in (("claims.toml", "1a. tired looks at cat"), ("sections/1-neighbours.md", "cat")):
        written = (content / name).read_text("utf-8").splitlines()
        (place,) = (i for i, line in enumerate(written, 1) if claim in line and ("[cat]" in line or "claim" in line))
        assert f"content/{name}:{place}: the claim {called!r} is false: {claim} ({state}); {fix}" in lines
    told = {line.partition(":")[0] for line in lines}
    assert {"content/claims.toml", *(f"content/sections/{name}.md" for name in ("2-queries-keys", "4-values"))} <= told
    assert all(contents.MESSAGE.fullmatch(line) for line in lines)
    assert not (tmp_path / "site").exists()


# what is in the pages ----------------------------------------------------------------------------------------------


class Reading(HTMLParser):
    """A page as blocks of text, and whatever in it does more than stand there."""

    BLOCKS = (
        *("h1", "h2", "h3", "h4", "p", "ol", "ul", "li", "dl", "dt", "dd", "div", "section", "details", "summary"),
        *("main", "nav", "header", "footer", "figure", "figcaption", "form", "fieldset", "legend", "svg"),
        *("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"),
    )
    UNREAD = ("script", "style", "noscript", "title")
    VOID = ("br", "hr", "img", "input", "link", "meta", "wbr")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.blocks: list[tuple[str, str]] = []  # the innermost block and its text
        self.wrong: list[str] = []
        self._open: list[str] = []
        self._text = ""
        self.feed(page)
        self.close()
        self._end()

    def _end(self) -> None:
        text = re.sub(r"\s+", " ", self._text).strip()
        if text:
            self.blocks.append((next((tag for tag in reversed(self._open) if tag in self.BLOCKS), ""), text))
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.wrong += [f"{tag} {name}" for name in given if name.startswith("on") or name == "style"]
        if tag == "style" or (tag == "script" and "src" not in given and given.get("type") != "application/json"):
            self.wrong.append(f"{tag} in the page")
        if tag not in ("a", "meta"):
            addresses = (given.get(name) or "" for name in ("src", "href", "srcset", "data", "action", "poster"))
            kept = tag == "link" and given.get("rel") in ("canonical",)
            self.wrong += [
                f"{tag} {address}" for address in addresses if re.match(r"(https?:)?//", address) and not kept
            ]
        if tag in self.BLOCKS:
            self._end()
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.BLOCKS:
            self._end()
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not any(tag in self.UNREAD for tag in self._open):
            self._text += data


@dataclass
class Part:
    """A section of the article: its heading and its paragraphs."""

    heading: str
    paragraphs: list[str] = field(default_factory=list)


def article() -> tuple[list[str], list[Part], list[tuple[str, str]]]:
    """The lines on top, the sections, and the facts."""
    lines = ARTICLE.read_text(encoding="utf-8").splitlines()
    top, rest = lines[:3], lines[3 : lines.index(FACTS)]
    facts = [line.removeprefix("- ") for line in lines[lines.index(FACTS) :]]
    parts: list[Part] = []
    for line in rest:
        if line.endswith((".", "?")):
            parts[-1].paragraphs.append(line)
        else:
            parts.append(Part(line))
    return top, parts, list(zip(facts[::2], facts[1::2], strict=True))


def sentences(paragraph: str) -> Iterator[str]:
    yield from re.split(r"(?<=[.?]) (?=[A-Z])", paragraph)


def check_part(blocks: list[tuple[str, str]], part: Part) -> None:
    """Every sentence word for word, in the order of the article, and prompts in a box of their own."""
    texts = [text for tag, text in blocks if tag == "p"]
    whole, at = "\n".join(texts), 0
    for paragraph in part.paragraphs:
        title, _, rest = paragraph.partition(". ")
        if title == "Try it":
            assert texts[texts.index(title) + 1] == rest
            paragraph = rest
        for sentence in sentences(paragraph):
            found = whole.find(sentence, at)
            assert found >= 0, sentence
            at = found + len(sentence)


def test_the_fixture_is_the_article() -> None:
    top, parts, facts = article()
    assert top == ["Language models", "Attention", "Queries, keys and values"]
    assert [len(part.paragraphs) for part in parts] == [4, 3, 2, 3, 3, 2]
    assert [term for term, _ in facts] == ["Formula", "Introduced", "Heads", "Cost"]
    assert len([s for part in parts for paragraph in part.paragraphs for s in sentences(paragraph)]) == 51


def test_the_whole_article_is_on_one_page(site: Path) -> None:
    blocks = Reading((site / "index.html").read_text(encoding="utf-8")).blocks
    top, parts, facts = article()
    assert [text for tag, text in blocks if tag == "li"][:3] == top
    assert ("h1", top[-1]) in blocks
    titles = [i for i, (tag, text) in enumerate(blocks) if tag == "h2" and text in [part.heading for part in parts]]
    assert [blocks[i][1] for i in titles] == [part.heading for part in parts]
    for part, start, end in zip(parts, titles, [*titles[1:], len(blocks)], strict=True):
        check_part(blocks[start:end], part)
    found = {text: blocks[i + 1] for i, (tag, text) in enumerate(blocks) if tag == "dt"}
    assert list(found)[: len(facts)] == [term for term, _ in facts]
    for term, fact in facts[1:]:
        assert found[term] == ("dd", fact)
    # a fraction has its line instead of the stroke
    assert re.sub(r"\s", "", found["Formula"][1]).startswith(re.sub(r"[\s/√]", "", facts[0][1]))


def test_the_formula_is_one(site: Path) -> None:
    formula = re.search(r"<math.*?</math>", (site / "index.html").read_text(encoding="utf-8"), re.S)
    assert formula
    shape = re.sub(r"<(/?)(\w+)[^>]*>", r"<\1\2>", formula[0])
    shape = re.sub(r"</?(math|mrow|mi|mo|mtext|a)>|\s", "", shape)
    assert shape == "softmax(<mfrac>Q·<msup>KT</msup><msqrt>d</msqrt></mfrac>)·V"


@pytest.mark.parametrize(("slug", "place"), [(slug, i) for i, slug in enumerate(SLUGS)])
def test_each_section_has_a_page(site: Path, slug: str, place: int) -> None:
    blocks = Reading((site / "sections" / f"{slug}.html").read_text(encoding="utf-8")).blocks
    part = article()[1][place]
    assert ("h1", part.heading) in blocks
    check_part(blocks, part)


def test_nothing_in_a_page_acts_by_itself(site: Path) -> None:
    """No script or style inside, no attribute that is either, nothing fetched from elsewhere."""
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > len(SLUGS)
    for page in pages:
        assert Reading(page.read_text(encoding="utf-8")).wrong == [], page.name


def test_no_output_knows_where_it_was_made(tree: Path, site: Path) -> None:
    places = {str(tree).encode(), str(ROOT).encode(), sys.prefix.encode(), str(Path.home()).encode() + b"/"}
    for name, data in files(site).items():
        assert [place for place in places if place in data] == [], name
        if name.endswith((".html", ".json", ".txt", ".xml")):
            assert b"NaN" not in data, name
            assert b"Infinity" not in data, name
