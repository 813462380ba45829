"""Markdown files with TOML front matter: the sections of the article, and pages beside it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from qkv.content.schema import FILES
from qkv.content.settings import Settings, Validator
from qkv.content.toml import TomlFile, parse_toml
from qkv.errors import BuildError, Mistakes, Place, fail, read_text

_FENCE = "+++"
# ids that a page with sections has besides theirs: as it is, as a lesson, as one file, and while Plotly measures
TAKEN = (
    *("text", "facts", "theme", "aloud", "traces", "figures"),
    *("course", "course-said", "progress"),
    *("plotly", "js-plotly-tester"),
)
_OTHERS = re.compile(r"figure-.*|.*-hatch\d*")  # of figures, and of the patterns in their posters
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SECTION = re.compile(r"[^.~#].*\.(md|markdown)", re.I)  # the name of a section's file
# What editors and systems leave beside the files that somebody edits: hidden files, copies, lists of pictures.
_ASIDE = re.compile(r"\..*|.*~|~.*|#.*#|.*\.(bak|orig|rej|sw[a-p]|tmp)|Thumbs\.db|desktop\.ini|Icon\r", re.I)
_UNSEEN = "".join(map(chr, (0x20, 0x09, 0xA0, 0x200B, 0x2060, 0xFEFF)))


@dataclass(frozen=True)
class Section:
    """A section of the article, or a page beside it: `body` is Markdown that begins at line `first` of the file."""

    slug: str
    title: str
    settings: Settings
    body: str
    first: int
    source: Place
    notes: tuple[Settings, ...] = ()
    questions: tuple[Settings, ...] = ()

    def at(self, line: int) -> Place:
        """The place of a line of the body, counted from 1."""
        return self.source.at(self.first + line - 1)


def load_sections(folder: Path, wrong: Mistakes) -> tuple[Section, ...]:
    found: dict[str, Section] = {}
    inside = f"{folder.resolve().name}/sections"
    paths = []
    for path in _listed(folder / "sections", inside):
        name = unicodedata.normalize("NFC", path.name)
        if _SECTION.fullmatch(name):
            paths.append(path)
        elif not _ASIDE.fullmatch(name):
            text = path.is_file() and path.suffix.lower() in ("", ".txt")
            fix = f"name it {path.stem}.md" if text else "move it to another folder"
            wrong.add(Place(f"{inside}/{path.name}"), "is not a section: sections are files that end in .md", fix)
    paths.sort(key=_order)
    if not paths:
        raise fail(Place(inside), "there are no sections", "add a Markdown file, e.g. 1-neighbours.md")
    for path in paths:
        try:
            section = read_section(path, f"{inside}/{path.name}", wrong)
        except BuildError as error:
            wrong.take(error)
            continue
        if section.slug in found:
            other = found[section.slug].source.path
            problem = f"the slug {section.slug!r} is taken by {other}"
            wrong.add(section.settings.where("slug").or_line(1), problem, 'set another, e.g. slug = "more-heads"')
        found.setdefault(section.slug, section)
    for slug, section in found.items():
        part = re.sub("-(title|questions)$", "", slug)
        if slug in TAKEN or _OTHERS.fullmatch(slug) or part in found.keys() - {slug}:
            problem = f"the slug {slug!r} names another part of the page already"
            wrong.add(section.settings.where("slug").or_line(1), problem, 'set another, e.g. slug = "more-heads"')
    return tuple(found.values())


def _listed(folder: Path, shown: str) -> list[Path]:
    """What is in a folder; nothing where there is none."""
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        fix = "make it a folder that you may read"
        raise fail(Place(shown), f"cannot be read ({error.strerror})", fix) from None


def _order(path: Path) -> tuple[int, str]:
    """Sections come by the number that their file's name begins with: 2 before 10."""
    name = unicodedata.normalize("NFC", path.name)
    number = re.match("[0-9]{1,9}", name)
    return int(number.group()) if number else 10**9, name


def _slug(stem: str) -> str:
    """The name for addresses that the name of a file gives: 7 - What_Comes next -> what-comes-next."""
    name = re.sub(r"[\s_-]+", "-", unicodedata.normalize("NFC", stem).lower()).strip("-")
    return re.sub(r"^[0-9]+[-.]+(?=.)", "", name)


def read_page(folder: Path, name: str) -> Section:
    """A page beside the article, e.g. teachers.md: a title and Markdown."""
    wrong = Mistakes()
    file, body, first = _read_markdown(folder / name, f"{folder.resolve().name}/{name}")
    values = Validator(file, FILES["teachers.md"], wrong).read()
    wrong.stop()
    return Section("", values["title"], values, body, first, Place(file.shown, 1))


def _read_markdown(path: Path, shown: str) -> tuple[TomlFile, str, int]:
    """One Markdown file: TOML front matter between +++ lines, then the text, and the line it begins at."""
    text = read_text(path, shown)
    # a line that looks empty is empty, whatever blanks an editor has left in it
    lines = ["" if not line.strip(_UNSEEN) else line for line in text.split("\n")]
    start = next((i for i, line in enumerate(lines) if line), 0)
    if lines[start].strip() != _FENCE:
        fix = 'begin the file with the lines +++ and title = "\u2026" and +++'
        raise fail(Place(shown, start + 1), "there is no front matter", fix)
    end = next((i for i, line in enumerate(lines[start + 1 :], start + 1) if line.strip() == _FENCE), 0)
    if not end:
        raise fail(Place(shown, start + 1), "the front matter does not end", "put a line +++ after it")
    file = parse_toml("\n".join(lines[start + 1 : end]), shown, first=start + 2)
    return file, "\n".join(lines[end + 1 :]), end + 2


def read_section(path: Path, shown: str, wrong: Mistakes) -> Section:
    """A section: its settings, and its text."""
    file, body, first = _read_markdown(path, shown)
    values = Validator(file, FILES["sections/*.md"], wrong).read()
    slug = values["slug"] or _slug(path.stem)
    if not _SLUG.fullmatch(slug):
        fix = "use small letters, digits and single hyphens" + ("" if values["slug"] else ', or set slug = "\u2026"')
        wrong.add(values.where("slug").or_line(1), f"the slug {slug!r} is not fit for an address", fix)
    title, notes, questions = (values[key] for key in ("title", "notes", "questions"))
    return Section(slug, title, values, body, first, Place(shown, 1), notes, questions)
