"""What an author edits: site settings, sections, facts. Everything keeps its place in the file it came from."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from qkv.errors import BuildError, Mistakes, Source, did_you_mean, fail, quoted, read_text
from qkv.tomlfile import TomlFile, load_toml, parse_toml

TEXTS, TABLES = (list, str), (list, dict)  # kinds of setting, besides a plain text and a table
SITE = {  # every site setting: its type, default, and what it is for
    "title": (str, "", "title of the article"),
    "description": (str, "", "one sentence for search engines and shared links"),
    "breadcrumb": (TEXTS, [], "where the article stands, from the outermost"),
    "base_url": (str, "", "the address of the published site, e.g. https://example.org/attention/; empty: not known"),
    "licence": (str, "", "licence and attribution, shown at the foot of every page"),
    "language": (str, "en", "language of the content, e.g. en"),
    "score": (bool, False, "whether packages for course platforms send a score, from first answers to the questions"),
    "state": (dict, {}, "what a page shows at first: sentence, mask, head, token"),
}
SECTION = {
    "title": (str, "", "heading of the section"),
    "slug": (str, "", "its name in addresses; else the file's name without its number"),
    "state": (dict, {}, "what its own page shows at first"),
    "figures": (dict, {}, "options of its figures"),
    "assumes": (dict, {}, "the parts of a state that its text speaks of: mask, head, sentence"),
    "notes": (TABLES, [], "sentences that a figure adds in some states"),
    "questions": (TABLES, [], "questions after the section"),
    "done": (TEXTS, [], "states to be visited for the section to count as done; a|b: either"),
}
PAGE = {"title": (str, "", "heading of the page")}
QUESTION = {
    "ask": (str, "", "the question; may hold {{ expressions }}"),
    "choices": (TABLES, [], "what to choose from: text, right (an expression), why"),
    "answer": (str, "", "instead of choices: an expression for the number to find"),
    "digits": (int, 0, "decimals of that number"),
    "wrong": (TABLES, [], "numbers that are often given: value (an expression), why"),
    "why": (str, "", "the explanation of the number"),
    "show": (str, "", "the state that shows it, as in a link: mask=off&token=sat&at=table"),
}
CHOICE = {
    "text": (str, "", "what is chosen"),
    "right": (str, "", "an expression that is true if this is the right choice"),
    "why": (str, "", "the explanation"),
}
MISTAKEN = {"value": (str, "", "an expression for the number"), "why": (str, "", "why it is not that")}
NOTE = {
    "figure": (str, "", "the figure that says it"),
    "when": (str, "", "an expression: the states in which it is said"),
    "text": (str, "", "the sentence; may hold {{ expressions }}"),
    "claim": (str, "", "an expression that must be true wherever it is said"),
}
FACT = {
    "term": (str, "", "what it is about"),
    "text": (str, "", "the fact"),
    "more": (str, "", "a line after it"),
    "sources": (TABLES, [], "titles and addresses"),
}
SOURCE = {"title": (str, "", "what it is called"), "url": (str, "", "its address")}
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
_EXAMPLE_HOST = "example.org/attention/"
_HOST = re.compile(r"\w([\w-]*\w)?(\.\w([\w-]*\w)?)*\.?|[0-9a-f:.]*:[0-9a-f:.]*", re.A | re.I)
_PAGE = re.compile(r"/[^/]+\.(html?|php|aspx?)/*$", re.I)
_UNSEEN = "".join(map(chr, (0x20, 0x09, 0xA0, 0x200B, 0x2060, 0xFEFF)))


@dataclass(frozen=True)
class Settings:
    """One table of settings, with defaults filled in, that knows its place."""

    file: TomlFile
    path: tuple[str | int, ...]
    values: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def where(self, *key: str | int) -> Source:
        return self.file.where(*self.path, *key)


@dataclass(frozen=True)
class Section:
    """A section of the article, or a page beside it: `body` is Markdown that begins at line `first` of the file."""

    slug: str
    title: str
    settings: Settings
    body: str
    first: int
    source: Source
    notes: tuple[Settings, ...] = ()
    questions: tuple[Settings, ...] = ()

    def at(self, line: int) -> Source:
        """The place of a line of the body, counted from 1."""
        return self.source.at(self.first + line - 1)


@dataclass(frozen=True)
class Content:
    """All that an author edits besides the model and the strings."""

    folder: Path
    site: Settings
    sections: tuple[Section, ...]
    facts: tuple[Settings, ...]
    claims: tuple[Settings, ...] = field(default=())


CLAIM = {
    "name": (str, "", "what it says"),
    "claim": (str, "", "an expression that must be true"),
    "state": (dict, {}, "the state it is asked in; else the first"),
    "every": (TEXTS, [], "mask, head, sentence: asked in all of them"),
}


def load_content(folder: Path) -> Content:
    """Reads everything below content/ but model.toml and strings.toml; raises a BuildError with every mistake found."""
    wrong = Mistakes()
    site = wrong.attempt(lambda path: _site(path, wrong), folder)
    sections = wrong.attempt(lambda path: _sections(path, wrong), folder)
    facts = wrong.attempt(lambda path: _facts(path, wrong), folder)
    claims = wrong.attempt(lambda path: _claims(path, wrong), folder)
    wrong.stop()
    return Content(folder, site, sections, facts, claims)


def _site(folder: Path, wrong: Mistakes) -> Settings:
    file = load_toml(folder, "site.toml")
    site = settings(file, (), SITE, wrong, ("title", "description", "language"))
    address = site["base_url"]
    unfit = _unfit_for_a_site(address) if address else None
    if unfit:
        wrong.add(site.where("base_url"), f"the address {quoted(address)} {unfit[0]}", unfit[1])
    return site


def _unfit_for_a_site(address: str) -> tuple[str, str] | None:
    """Why an address cannot be that of the folder in which a site is published, and what to do."""
    if re.search(r"\s", address):
        return "holds a blank", "take it out; inside a name write %20"
    scheme, sign, rest = address.partition("://")
    if not sign or scheme not in ("http", "https"):
        meant = re.search(r"(?:^|/)((?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:/.*)?)$", address, re.I)
        fix = f'write e.g. "https://{meant.group(1) if meant else _EXAMPLE_HOST}"'
        return "does not begin with https:// or http://", fix
    extra = re.search("[?#]", rest)
    if extra:
        before = _PAGE.sub("/", rest[: extra.start()])
        return f"holds a {extra.group()}, but the site is a folder", f'end it before that: "{scheme}://{before}"'
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", f":{parts.port}" if parts.port else ""
    except ValueError:
        return "names a host or port that cannot be", f'write e.g. "https://{_EXAMPLE_HOST}"'
    if "@" in parts.netloc:
        return "holds a name or password, which everybody could read", "take out the @ and what stands before it"
    odd = re.search(r"[^A-Za-z0-9._~:/\[\]@!$&'()*+,;=%-]|%(?![0-9A-Fa-f]{2})", rest)
    if odd:
        path = quote(parts.path, safe="/:@!$&'()*+,;=~" + "%" * (odd.group() != "%"))
        plain = f"{scheme}://{_ascii(host)}{port}{path}" if _ascii(host) else ""
        fix = f'write "{plain}"' if plain else "copy it from a browser's address bar"
        return f"holds {odd.group()!r}, which no address may", fix
    if not _HOST.fullmatch(host):
        return "names no host", f'write e.g. "https://{_EXAMPLE_HOST}"'
    folder = _PAGE.sub("/", parts.path)
    if folder != parts.path:
        return "names a page, but the site is its folder", f'write "{scheme}://{parts.netloc}{folder}"'
    return None


def _ascii(host: str) -> str:
    """The name of a host as browsers ask for it; nothing where the standards for such names differ."""
    try:
        name = host.encode("idna")
        return name.decode() if name.decode("idna") == host and _HOST.fullmatch(name.decode()) else ""
    except UnicodeError:
        return ""


def _facts(folder: Path, wrong: Mistakes) -> tuple[Settings, ...]:
    file = load_toml(folder, "facts.toml")
    facts = _list(file, "facts", FACT, wrong, ("term", "text"))
    for index, fact in enumerate(facts):
        for place in range(len(fact["sources"])):
            source = settings(file, ("facts", index, "sources", place), SOURCE, wrong, ("title", "url"))
            _check_address(source, "url", wrong)
    return facts


def _check_address(place: Settings, key: str, wrong: Mistakes) -> None:
    if place[key] and not re.fullmatch(r"https?://[^\s/]\S*", place[key]):
        fix = "begin it with https:// and leave no spaces in it"
        wrong.add(place.where(key), f"{place[key]!r} is not an address of the web", fix)


def _claims(folder: Path, wrong: Mistakes) -> tuple[Settings, ...]:
    return _list(load_toml(folder, "claims.toml"), "claims", CLAIM, wrong, ("name", "claim"))


def _list(
    file: TomlFile, name: str, known: dict[str, Any], wrong: Mistakes, needed: tuple[str, ...]
) -> tuple[Settings, ...]:
    for key in file.data:
        if key != name:
            wrong.add(file.where(key), f"unknown setting {key!r}", f"write each entry as [[{name}]]")
    return entries(file, (name,), known, wrong, needed)


def entries(
    file: TomlFile, path: tuple[str | int, ...], known: dict[str, Any], wrong: Mistakes, needed: tuple[str, ...]
) -> tuple[Settings, ...]:
    """An array of tables as settings."""
    listed: Any = file.data
    for part in path:
        listed = listed[part] if isinstance(part, int) else listed.get(part, [])
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        wrong.add(
            file.where(*path), f"{path[-1]} must be a list of tables", f"write each as [[{'.'.join(map(str, path))}]]"
        )
        return ()
    return tuple(settings(file, (*path, i), known, wrong, needed) for i in range(len(listed)))


def settings(
    file: TomlFile, path: tuple[str | int, ...], known: dict[str, Any], wrong: Mistakes, needed: tuple[str, ...] = ()
) -> Settings:
    """A table of settings, checked: unknown names, wrong types, missing ones."""
    table: Any = file.data
    for part in path:
        table = table[part]
    values = {}
    for key in table:
        if key not in known:
            wrong.add(file.where(*path, key), f"unknown setting {key!r}", did_you_mean(key, known))
    for key, (kind, default, purpose) in known.items():
        value = table.get(key, default)
        example = f"write {key} = {_EXAMPLE[kind]}"
        if not _fits(value, kind):
            wrong.add(file.where(*path, key), f"{key} must be {_KIND[kind]} ({purpose})", example)
            value = default
        elif key in needed and not value.strip():
            state = "is empty" if key in table else "is missing"
            wrong.add(file.where(*path, key).or_line(file.first), f"{key} {state} ({purpose})", example)
        values[key] = value
    return Settings(file, path, values)


_KIND: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    dict: "a table",
    TEXTS: "a list of texts",
    TABLES: "a list of tables",
}
_EXAMPLE: dict[Any, str] = {
    str: '"\u2026"',
    int: "1",
    bool: "true",
    dict: '{ mask = "on" }',
    TEXTS: '["\u2026", "\u2026"]',
    TABLES: '[{ title = "\u2026", url = "https://\u2026" }]',
}


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind of _KIND."""
    if isinstance(kind, tuple):
        return isinstance(value, kind[0]) and all(isinstance(part, kind[1]) for part in value)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _sections(folder: Path, wrong: Mistakes) -> tuple[Section, ...]:
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
            wrong.add(Source(f"{inside}/{path.name}"), "is not a section: sections are files that end in .md", fix)
    paths.sort(key=_order)
    if not paths:
        raise fail(Source(inside), "there are no sections", "add a Markdown file, e.g. 1-neighbours.md")
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
        raise fail(Source(shown), f"cannot be read ({error.strerror})", fix) from None


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
    values = settings(file, (), PAGE, wrong, ("title",))
    wrong.stop()
    return Section("", values["title"], values, body, first, Source(file.shown, 1))


def _read_markdown(path: Path, shown: str) -> tuple[TomlFile, str, int]:
    """One Markdown file: TOML front matter between +++ lines, then the text, and the line it begins at."""
    text = read_text(path, shown)
    # a line that looks empty is empty, whatever blanks an editor has left in it
    lines = ["" if not line.strip(_UNSEEN) else line for line in text.split("\n")]
    start = next((i for i, line in enumerate(lines) if line), 0)
    if lines[start].strip() != _FENCE:
        fix = 'begin the file with the lines +++ and title = "\u2026" and +++'
        raise fail(Source(shown, start + 1), "there is no front matter", fix)
    end = next((i for i, line in enumerate(lines[start + 1 :], start + 1) if line.strip() == _FENCE), 0)
    if not end:
        raise fail(Source(shown, start + 1), "the front matter does not end", "put a line +++ after it")
    file = parse_toml("\n".join(lines[start + 1 : end]), shown, first=start + 2)
    return file, "\n".join(lines[end + 1 :]), end + 2


def read_section(path: Path, shown: str, wrong: Mistakes) -> Section:
    """A section: its settings, and its text."""
    file, body, first = _read_markdown(path, shown)
    values = settings(file, (), SECTION, wrong, ("title",))
    notes = entries(file, ("notes",), NOTE, wrong, ("figure", "when", "text")) if values["notes"] else ()
    questions = entries(file, ("questions",), QUESTION, wrong, ("ask", "show")) if values["questions"] else ()
    slug = values["slug"] or _slug(path.stem)
    if not _SLUG.fullmatch(slug):
        fix = "use small letters, digits and single hyphens" + ("" if values["slug"] else ', or set slug = "\u2026"')
        wrong.add(values.where("slug").or_line(1), f"the slug {slug!r} is not fit for an address", fix)
    for name, options in list(values["figures"].items()):
        if not isinstance(options, dict):
            fix = f'write it as [figures.{name}], with e.g. token = "it" below'
            wrong.add(values.where("figures", name), f"{name} must be a table of options", fix)
            del values["figures"][name]
    return Section(slug, values["title"], values, body, first, Source(shown, 1), notes, questions)
