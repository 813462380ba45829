"""The questions as a GIFT file, read back as Moodle reads it: the same texts, answers, tolerances and explanations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from qkv.article.links import Target
from qkv.article.questions import Choice, Question
from qkv.exports.gift import _question
from tests import contents, reference
from tests.packages import built, files
from tests.toy_states import toy_state

PATH = "downloads/questions.gift.txt"
FORMATS = ("moodle", "html", "plain", "markdown")


@dataclass(frozen=True)
class Read:
    """A question as an importer understands it: each answer with its share of the points and its explanation."""

    name: str
    ask: str
    kind: str
    answers: tuple[tuple[str, float, str], ...]


def hidden(text: str) -> str:
    """Signs with a backslash before them, as signs that no rule looks for; a backslash itself first."""
    return re.sub(r"\\([\\~=#{}:n])", lambda hit: chr(0xE100 + ord(hit[1])), text)


def shown(text: str) -> str:
    signs = re.sub("[\ue100-\ue1ff]", lambda hit: chr(ord(hit[0]) - 0xE100).replace("n", "\n"), text)
    return signs.strip()


def without_format(text: str, formats: set[str]) -> str:
    """A text without the name of its format in front; all texts here must be plain."""
    named = re.match(rf"\[({'|'.join(FORMATS)})\]", text)
    if named:
        formats.add(named[1])
        return text[named.end() :]
    return text


def read(text: str) -> list[Read | str]:
    """Categories (as texts) and questions, by the rules of Moodle's importer."""
    found: list[Read | str] = []
    for block in re.split(r"\n[ \t]*\n", text.strip()):
        lines = [line for line in block.split("\n") if not line.strip().startswith("//")]
        whole = hidden("\n".join(lines)).strip()
        if whole.startswith("$CATEGORY:"):
            found.append(whole[len("$CATEGORY:") :].strip())
            continue
        assert whole.startswith("::")
        name, _, rest = whole[2:].partition("::")
        assert rest.count("{") == rest.count("}") == 1
        ask, _, inner = rest.partition("{")
        inner, _, after = inner.partition("}")
        assert after.strip() == "", "else the text would get a blank"
        formats: set[str] = set()
        ask = shown(without_format(ask.strip(), formats))
        inner = inner.strip()
        assert "####" not in inner
        if inner.startswith("#"):
            kind, parts, start = "number", re.split("(?==)|(?=~)", inner[1:].strip()), "=~"
        else:
            kind, parts, start = "choice", re.split("(?==)|(?=~)", inner), "=~"
        answers = []
        for part in parts:
            if not part:
                continue
            assert part[0] in start
            share, body = (1.0 if part[0] == "=" else 0.0), part[1:].strip()
            weight = re.match(r"%(-?\d{1,3}(?:\.\d+)?)%", body)
            if weight and (part[0] == "~" or kind == "number"):
                share, body = float(weight[1]) / 100, body[weight.end() :]
            answer, _, why = body.partition("#")
            texts = [shown(without_format(one.strip(), formats)) for one in (answer, why)]
            answers.append((texts[0], share, texts[1]))
        assert formats == {"plain"}
        found.append(Read(shown(name), ask, kind, tuple(answers)))
    return found


def questions(text: str) -> list[Read]:
    return [one for one in read(text) if isinstance(one, Read)]


def asking(
    text: str = "What?",
    choices: tuple[Choice, ...] = (),
    number: float | None = None,
    digits: int = 0,
    why: str = "",
) -> Question:
    return Question("slug-1", text, choices, Target(toy_state()), number, digits, why)


# texts that would break a file that does not escape them
TEXTS = [
    "a = b ~ c # d { e } f : g",
    "{=T}",
    "\\ \\= \\\\ \\n \\{",
    "ends with \\",
    "a\nb\r\nc",
    "// no comment",
    "::name:: [html]<b>x</b> &amp; <s>",
    "[html]x",
    "[markdown]*x*",
    "%50%half",
    "=right -> wrong",
    "####",
    "$CATEGORY: x",
    "\u6ce8\u610f \u05e9\u05dc\u05d5\u05dd \U0001f600",
    "T",
]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_comes_back(text: str) -> None:
    other = "x" + text
    wanted = [re.sub("\r", "", one).strip() for one in (text, other)]
    choices = (Choice(text, False, other), Choice(other, True, text))
    [found] = questions(_question(asking(text, choices), other, "Not quite."))
    assert found.ask == f"{re.sub(chr(13), '', other)}\n{re.sub(chr(13), '', text)}".strip()
    assert found.kind == "choice"
    assert list(found.answers) == [(wanted[0], 0, wanted[1]), (wanted[1], 1, wanted[0])]
    [found] = questions(_question(asking(text, number=2.0, why=text), "Given.", text))
    assert found.ask == f"Given.\n{wanted[0]}"
    assert list(found.answers) == [("2:0", 1, wanted[0]), ("", 0, wanted[0])]


@pytest.mark.parametrize(
    ("number", "digits", "written"),
    [(7.38905609893065, 1, "7.389056099:0.1"), (3.0, 0, "3:0"), (-0.5, 2, "-0.5:0.01"), (1e-7, 6, "1e-07:1e-06")],
)
def test_numbers_and_tolerances(number: float, digits: int, written: str) -> None:
    often = (Choice("2", False, "Close.", 2.0),)
    [found] = questions(
        _question(asking(number=number, digits=digits, why="So.", choices=often), "Given.", "Not quite.")
    )
    assert found.kind == "number"
    tolerance = written.partition(":")[2]
    assert list(found.answers) == [(written, 1, "So."), (f"2:{tolerance}", 0, "Close."), ("", 0, "Not quite.")]
    assert all(re.fullmatch(r"-?[\d.]+(e-\d+)?", part) for part in written.split(":"))


def test_all_questions_of_the_article() -> None:
    site = built()
    listed = read(site[PATH].decode())
    names = [one.name for one in listed if isinstance(one, Read)]
    assert names == re.findall('data-question="([^"]*)"', site["index.html"].decode())
    slugs = list(dict.fromkeys(name.rpartition("-")[0] for name in names))
    assert len(slugs) == 6
    categories = [one for one in listed if isinstance(one, str)]
    assert len(categories) == 6
    assert all(category.startswith("Queries, keys and values/") for category in categories)
    for one in questions(site[PATH].decode()):
        given, _, ask = one.ask.partition("\n")
        assert given.startswith(
            "A toy model of attention reads \u201cThe cat sat on the mat because it was tired\u201d."
        )
        slug = one.name.rpartition("-")[0]
        assert ("Mask: looks back (GPT)." in given) == (slug in ("neighbours", "softmax", "values"))
        assert ("Head: meaning (pronoun, or what is said, to noun)." in given) == (slug != "many-heads")
        assert ask
        assert "*" not in str(one)
        assert [share for _, share, _ in one.answers].count(1.0) == 1
        assert all(why for _, _, why in one.answers)


def test_right_answers_are_those_of_the_reference() -> None:
    model = reference.Reference()
    found = {one.name: one for one in questions(built()[PATH].decode())}
    right = {name: next(text for text, share, _ in one.answers if share == 1) for name, one in found.items()}

    def weight(mask: str, head: str, asker: str | int, key: str | int) -> float:
        return model.weight("tired", mask, head, asker, key)

    scores = model.row("tired", "on", "meaning", "tired").scores
    assert right["queries-keys-1"] == f"{sum(score > 0 for score in scores)}:0"
    number, _, tolerance = right["softmax-1"].partition(":")
    ratio = weight("on", "meaning", "was", "cat") / weight("on", "meaning", "was", "sat")
    assert abs(float(number) - ratio) < 1e-8
    assert float(tolerance) == 0.1
    less = weight("off", "meaning", "sat", "cat") < weight("on", "meaning", "sat", "cat")
    assert (right["every-token-1"] == "Less") == less
    assert (right["many-heads-1"] == "At itself") == (weight("off", "previous", 0, 0) > 0.5)
    nothing = all(number == 0 for number in model.attention("tired", "on", "sink").v[0])
    assert (right["many-heads-2"] == "Nothing") == nothing
    changed = [
        token
        for token in range(10)
        if model.row("tired", "on", "meaning", token).weights != model.row("soft", "on", "meaning", token).weights
    ]
    assert (right["every-token-2"] == "Only the last row") == (changed == [9])


def test_an_article_without_questions(tmp_path: Path) -> None:
    content = contents.copy_small(tmp_path)
    path = content / "sections" / "2-mixing.md"
    text = path.read_text("utf-8")
    start = text.index("[[questions]]")
    path.write_text(text[:start] + text[text.index("+++", start) :], "utf-8")
    found = files(content)
    assert PATH not in found
    assert "GIFT)" not in found["teachers.html"].decode()


def test_what_stands_between_stars_is_quoted(tmp_path: Path) -> None:
    content = contents.copy_small(tmp_path)
    path = content / "sections" / "2-mixing.md"
    text = path.read_text("utf-8").replace("Where does {{ 'tired' }} look?", "Where does *{{ 'tired' }}* look \\\\*~?")
    text = text.replace("At the cat", "*%50%half*").replace("It has the key.", "*[html]<s>* {=*T*}")
    path.write_text(text.replace("At the mat", "*%50%*").replace("There are {{", "There *are* {{"), "utf-8")
    chosen, counted = questions(files(content)[PATH].decode())
    assert chosen.ask.endswith("\nWhere does \u201ctired\u201d look *~?")
    assert list(chosen.answers) == [
        ("\u201c%50%half\u201d", 1, "\u201c[html]<s>\u201d {=\u201cT\u201d}"),
        ("\u201c%50%\u201d", 0, "It has not."),
    ]
    assert counted.answers[0][2] == "There \u201care\u201d 5."


def test_a_title_with_a_slash(tmp_path: Path) -> None:
    content = contents.copy_small(tmp_path)
    path = content / "site.toml"
    path.write_text(path.read_text("utf-8").replace("A small article", "A/B"), "utf-8")
    categories = [one for one in read(files(content)[PATH].decode()) if isinstance(one, str)]
    assert categories == ["A//B/Mixing"]
