"""Sections as authors write them: names, headings and links that must fit every page on which a section stands."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from html import unescape
from itertools import combinations, pairwise
from pathlib import Path
from unicodedata import normalize

import pytest

from qkv.content import article as content
from qkv.content import sections
from qkv.content.model_file import load_toy
from qkv.content.sections import TAKEN
from qkv.content.strings import load_words
from qkv.errors import EXIT_CODE
from qkv.figures.charts import Chart
from qkv.figures.controls import choices, controls
from qkv.model.traces import trace
from qkv.pages.render import Pages
from tests.contents import ROOT, copy_small, run, snapshot
from tests.packages import article, files
from tests.toy_states import toy_state

TEMPLATES = ROOT / "templates"
# pages and scripts that no section ever stands on
APART = ("teachers.html", "teachers.js", "404.html", "worksheet.html")
HEADINGS = """
# One

text with [the facts](#facts)

### Deep

## Less deep

Set
---

> #### Quoted

!!! more "More"
    ###### Folded
"""
WRITTEN = ["One", "Deep", "Less deep", "Set", "Quoted", "Folded"]


def changed(folder: Path, text: str, front: str = "") -> Path:
    """The small article, its first section with more text and settings."""
    made = copy_small(folder)
    path = made / "sections" / "1-looking.md"
    written = path.read_text("utf-8").replace("\ntitle =", f"\n{front}title =", 1)
    path.write_text(written.rstrip("\n") + "\n" + text, "utf-8")
    return made


# names


def ids() -> set[str]:
    """All ids that templates, scripts and styles of pages with sections write or look for, as far as they are fixed."""
    found: set[str] = set()
    sources = [
        *TEMPLATES.glob("*.html"),
        *(TEMPLATES / "assets").glob("*.js"),
        *(TEMPLATES / "styles").glob("*.css"),
        *(ROOT / "qkv" / "exports").glob("*.py"),
    ]
    for path in sources:
        if path.name in APART:
            continue
        text = path.read_text("utf-8")
        found |= set(re.findall(r"""\bid=\\?["']([\w.-]+)\\?["']""", text))
        found |= set(re.findall(r"""getElementById\(["']([\w.-]+)["']\)""", text))
        found |= set(re.findall(r"(?m)^#([\w-]+)", text)) if path.suffix == ".css" else set()
        found |= set(re.findall(r"""querySelector(?:All)?\(["']#([\w-]+)""", text))
    return found


def test_no_section_takes_the_name_of_another_part() -> None:
    fit = {name for name in ids() if sections._SLUG.fullmatch(name)}  # others no slug can be
    assert {"text", "facts", "theme", "plotly", "course", "progress"} <= fit
    assert fit == set(TAKEN)


@pytest.mark.parametrize("slug", [*TAKEN, "figure-lines", "table-weights-hatch", "heads-head-0-hatch1", "mixing-title"])
def test_such_a_slug_is_refused(slug: str, tmp_path: Path) -> None:
    made = changed(tmp_path, "", f'slug = "{slug}"\n')
    assert run("--content", str(made), "--out", str(tmp_path / "site")) == (
        EXIT_CODE,
        f"content/sections/1-looking.md:2: the slug {slug!r} names another part of the page already; "
        'set another, e.g. slug = "more-heads"\n',
    )


@pytest.mark.parametrize("slug", ["plot", "courses", "hatching", "themes"])
def test_and_one_like_it_is_not(slug: str, tmp_path: Path) -> None:
    made = changed(tmp_path, "", f'slug = "{slug}"\n')
    assert run("check", "--content", str(made)) == (0, "")


def listed(folder: Path, *names: str) -> tuple[int, str, list[str]]:
    """The small article with more files beside its sections: exit code, messages, the pages of sections."""
    made = copy_small(folder)
    for name in names:
        (made / "sections" / name).write_text('+++\ntitle = "More"\n+++\n\nNothing but a text.\n', "utf-8")
    code, said = run("--content", str(made), "--out", str(folder / "site"))
    return code, said, sorted(path.stem for path in (folder / "site" / "sections").glob("*"))


@pytest.mark.parametrize(
    "name",
    [
        *("7-more.md", "7-more.MD", "7-more.Md", "7-more.markdown", "7-MORE.Markdown", "more.md"),
        *("7-More.md", "7 More.md", "7. More.md", "7 - More.md", "7_more.md", "07-more.md"),
    ],
)
def test_a_section_is_named_as_a_system_names_files(name: str, tmp_path: Path) -> None:
    assert listed(tmp_path, name) == (0, "", ["looking", "mixing", "more"])


def test_blanks_in_the_name_of_a_file(tmp_path: Path) -> None:
    assert listed(tmp_path, "7 - What_Comes  next.md") == (0, "", ["looking", "mixing", "what-comes-next"])


@pytest.mark.parametrize("name", ["u\u0308ber", "\u00fcber"])
def test_a_letter_that_no_address_has(name: str, tmp_path: Path) -> None:
    """Shown whole, however the system keeps it."""
    code, said, _ = listed(tmp_path, f"7-{name}.md")
    assert code == EXIT_CODE
    assert "the slug '\u00fcber' is not fit for an address; " in said


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("7-more.txt", "name it 7-more.md"),
        ("7-more.TXT", "name it 7-more.md"),
        ("7-more", "name it 7-more.md"),
        ("7-more.docx", "move it to another folder"),
        ("picture.png", "move it to another folder"),
    ],
)
def test_what_is_no_section_is_named(name: str, fix: str, tmp_path: Path) -> None:
    said = f"content/sections/{name}: is not a section: sections are files that end in .md; {fix}\n"
    assert listed(tmp_path, name) == (EXIT_CODE, said, [])


def test_a_folder_is_no_section(tmp_path: Path) -> None:
    made = copy_small(tmp_path)
    (made / "sections" / "drafts").mkdir()
    said = "content/sections/drafts: is not a section: sections are files that end in .md; move it to another folder\n"
    assert run("check", "--content", str(made)) == (EXIT_CODE, said)


def test_what_editors_and_systems_leave_is_no_section(tmp_path: Path) -> None:
    of_editors = ("1-looking.md~", ".1-looking.md.swp", "1-looking.md.bak", "#1-looking.md#", "~$looking.md")
    of_systems = (".DS_Store", "Thumbs.db", "desktop.ini", "._1-looking.md", "1-looking.md.orig", ".hidden.md")
    assert listed(tmp_path, *of_editors, *of_systems) == (0, "", ["looking", "mixing"])


# letters and blanks as editors write them


def rewritten(folder: Path, change: Callable[[str, str], str]) -> dict[str, bytes | None]:
    """The site of the small article, whose last word is m\u00fcde, each file changed: change(name, text)."""
    made = copy_small(folder)
    for path in (*made.glob("*.toml"), *made.glob("*.md"), *made.glob("sections/*")):
        text = path.read_text("utf-8").replace("tired", "m\u00fcde")
        text = re.sub(r"(?m)^m\u00fcde = ", '"m\u00fcde" = ', text)
        path.write_bytes(change(path.name, text).encode())
    assert run("--content", str(made), "--out", str(folder / "site")) == (0, "")
    return snapshot(folder / "site")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes | None]:
    return rewritten(tmp_path_factory.mktemp("plain"), lambda _, text: text)


def apart(text: str) -> str:
    return normalize("NFD", text)


def padded(name: str, text: str) -> str:
    """With blanks after the lines that only a program reads."""
    return re.sub(r"(?m)^(\+\+\+|\[.*\]: #.*)$", "\\1 \xa0\t", text) if name.endswith(".md") else text


@pytest.mark.parametrize(
    "change",
    [
        lambda name, text: apart(text) if name == "model.toml" else text,
        lambda name, text: apart(text) if name.endswith(".md") else text,
        lambda name, text: apart(text) if name in ("claims.toml", "site.toml") else text,
        lambda _, text: apart(text),
        lambda _, text: text.replace("sentence=m\u00fcde", "sentence=mu%CC%88de"),
        lambda _, text: "\ufeff" + text.replace("\n", "\r\n"),
        lambda _, text: text.replace("\n", "\r"),
        lambda name, text: re.sub("(?m)^$", "\xa0\t ", text) if name.endswith(".md") else text,
        padded,
        lambda name, text: "\n \n" + text if name.endswith(".md") else text,
    ],
    ids=["model", "texts", "settings", "all", "link", "windows", "old mac", "empty lines", "ends of lines", "above"],
)
def test_the_same_site_from_every_editor(
    change: Callable[[str, str], str], plain: dict[str, bytes | None], tmp_path: Path
) -> None:
    assert rewritten(tmp_path, change) == plain


FIGURE = '{{ figure("lines") }}'


@pytest.mark.parametrize(
    "written",
    [
        *(FIGURE + after for after in (" ", "  ", "\t", "\xa0", "\\", "&nbsp;", "\u200b", "\r", " \t\xa0")),
        *(before + FIGURE for before in (" ", "   ", "    ", "\t", "\t\t", "\xa0", "\ufeff", "\u200b")),
        *("{{figure('lines')}}", '{{ figure( "lines" ) }}', '{{\xa0figure("lines")\xa0}}', '{{ figure(\n"lines") }}'),
        f"\xa0\n{FIGURE}\n \t",
    ],
)
def test_blanks_beside_a_figure(written: str, tmp_path: Path) -> None:
    made = copy_small(tmp_path)
    assert run("--content", str(made), "--out", str(tmp_path / "site")) == (0, "")
    before = (tmp_path / "site" / "index.html").read_bytes()
    path = made / "sections" / "1-looking.md"
    text = path.read_bytes().decode()
    assert text.count(FIGURE) == 1
    path.write_bytes(text.replace(FIGURE, written).encode())
    assert run("--content", str(made), "--out", str(tmp_path / "site")) == (0, "")
    assert (tmp_path / "site" / "index.html").read_bytes() == before


# sections that are taken out

ALL = sorted(path.name for path in (ROOT / "content" / "sections").iterdir())
GONE = [*combinations(ALL, 1), *combinations(ALL, 2), *combinations(ALL, len(ALL) - 1)]


@pytest.mark.parametrize("gone", GONE, ids=lambda gone: "".join(name[0] for name in gone))
def test_what_leads_to_a_section_that_is_gone_is_named(gone: tuple[str, ...], tmp_path: Path) -> None:
    """The rest builds, or each message has the line that an author has to mend."""
    made = article(tmp_path, {})
    for name in gone:
        (made / "sections" / name).unlink()
    code, said = run("packages", "--content", str(made), "--out", str(tmp_path / "site"))
    if code == 0:
        assert said == ""
        page = (tmp_path / "site" / "index.html").read_text("utf-8")
        key = re.search('<span class="formula-key">.*', page)
        found = re.findall('href="#figure-(.*?)"', key.group()) if key else []
        shown = re.findall('data-figure="(.*?)"', page)
        assert found == [kind for kind in ("softmax", "vectors", "match", "mix") if kind in shown]
    for line in said.splitlines():
        problem = "the link '#|the article does not show the figure '"
        hit = re.fullmatch(rf"content/(sections/[^:]+):(\d+): ({problem}).+; .+", line)
        assert hit, line
        written = (made / hit[1]).read_text("utf-8").splitlines()[int(hit[2]) - 1]
        assert re.search(r"^\[[^]]+\]: #|^show = |\]\(#", written), written


# headings


def levels(html: str) -> list[tuple[int, str]]:
    html = re.sub(r"(?s)<(noscript|script|style)\b.*?</\1>", "", html)
    found = re.findall(r"(?s)<(h[1-6])\b[^>]*>(.*?)</\1>|<(summary)>(.*?)</summary>", html)
    return [(int(tag[1]), unescape(re.sub("<[^>]*>", "", text)).strip()) for tag, text, _, _ in found if tag]


@pytest.fixture(scope="module")
def headed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Every file of an article whose section has headings of every level."""
    return files(changed(tmp_path_factory.mktemp("headed"), HEADINGS))


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("index.html", 2),
        ("sections/looking.html", 1),
        ("embed/section-looking.html", 1),
        ("downloads/article.html", 2),
        ("downloads/page-looking.html", 1),
        ("downloads/section-looking.html", 1),
        ("downloads/scorm12-article.zip", 2),
        ("downloads/scorm12-section-looking.zip", 1),
        ("downloads/scorm2004-section-looking.zip", 1),
    ],
)
def test_headings_stand_below_the_title(headed: dict[str, bytes], path: str, title: int) -> None:
    data = headed[path]
    if path.endswith(".zip"):
        data = zipfile.ZipFile(io.BytesIO(data)).read("index.html")
    found = levels(data.decode())
    assert [level for level, _ in found].count(1) == 1
    assert all(b <= a + 1 for (a, _), (b, _) in pairwise(found)), found
    assert (title, "Looking") in found
    below = {text: level - title for level, text in found if text in WRITTEN}
    assert below == {"One": 1, "Deep": 2, "Less deep": 2, "Set": 2, "Quoted": 3, "Folded": 4}


def test_questions_without_a_figure_skip_no_level(tmp_path: Path) -> None:
    """On the section's own page too, where its title is the h1."""
    made = copy_small(tmp_path)
    figures = re.compile(r"(?m)^\{\{ figure\(.*\n")
    asked = (made / "sections" / "2-mixing.md").read_text("utf-8")
    (front,) = re.findall(r"(?ms)^(\[\[questions\]\].*?)(?=^\[\[|^\+\+\+)", asked)[:1]
    show = re.sub(r'show = "[^"]*"', 'show = "token=last"', front)
    other = f'+++\ntitle = "Asking"\n{show}+++\n\nNothing but a text.\n'
    assert not figures.search(other)
    (made / "sections" / "3-asking.md").write_text(other, "utf-8")
    site = tmp_path / "site"
    assert run("--content", str(made), "--out", str(site)) == (0, "")
    for path in ("sections/asking.html", "embed/section-asking.html", "index.html"):
        found = levels((site / path).read_text("utf-8"))
        assert all(b <= a + 1 for (a, _), (b, _) in pairwise(found)), found


# links to the facts


def lead(html: bytes) -> str:
    found = re.findall(rb"<a([^>]*)>the facts</a>", html)
    assert len(found) == 1
    href = re.search(rb'href="([^"]*)"', found[0])
    return href[1].decode() if href else ""


@pytest.mark.parametrize(
    ("path", "href"),
    [
        ("index.html", "#facts"),
        ("downloads/article.html", "#facts"),
        ("sections/looking.html", "../index.html#facts"),
        ("embed/section-looking.html", "../index.html#facts"),
        ("downloads/page-looking.html", ""),  # the article is elsewhere, and nobody knows where
        ("downloads/section-looking.html", ""),
    ],
)
def test_a_link_to_the_facts(headed: dict[str, bytes], path: str, href: str) -> None:
    assert lead(headed[path]) == href


def test_a_link_to_the_facts_of_a_published_article(tmp_path: Path) -> None:
    made = changed(tmp_path, HEADINGS)
    settings = made / "site.toml"
    text = re.sub(r"(?m)^base_url = .*\n", "", settings.read_text("utf-8"))
    settings.write_text('base_url = "https://example.org/x/"\n' + text, "utf-8")
    found = files(made)
    for path in ("downloads/page-looking.html", "downloads/section-looking.html"):
        assert lead(found[path]) == "https://example.org/x/index.html#facts"
    lesson = zipfile.ZipFile(io.BytesIO(found["downloads/scorm12-section-looking.zip"])).read("index.html")
    assert lead(lesson) == "https://example.org/x/index.html#facts"


# what controls reach


def reached(chart: Chart, pages: Pages) -> set[int]:
    """The sentences that a reader of one figure can come to, from the first one."""
    source = pages.source
    found, new = {0}, [0]
    while new:
        at = toy_state(sentence=new.pop())
        for control in controls(chart, source):
            for choice in choices(control, at, source, pages.words):
                for sentence in map(int, re.findall(r"sentence=(\d+)", choice["sets"])):
                    if sentence not in found:
                        found.add(sentence)
                        new.append(sentence)
    return found


@pytest.mark.parametrize("folder", ["content", "tests/content_small", "tests/content_hostile"])
def test_every_figure_reaches_every_sentence(folder: str) -> None:
    """With several entries too, since a figure may be alone on its page; `compare` shows one state for ever."""
    toy = load_toy(ROOT / folder)
    article = content.load_content(ROOT / folder)
    pages = Pages(article, load_words(ROOT / "content"), trace(toy), TEMPLATES, ROOT / ".cache")
    for kind, chart in pages.charts.items():
        wanted = set(range(len(toy.sentences))) if chart.controls else {0}
        assert reached(chart, pages) == wanted, kind
    assert [kind for kind, chart in pages.charts.items() if not chart.controls] == ["compare"]
