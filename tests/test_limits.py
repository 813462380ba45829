"""The limits of a toy model: one below, at and above each, through to whole pages; beyond, a refusal that says why."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest

from qkv.content.model_file import LARGEST_SCORE
from qkv.content.schema import DECIMALS, HEADS, HOURS, NUMBERS, SLOTS, TOKENS
from qkv.content.shapes import Limits
from qkv.errors import EXIT_CODE
from qkv.figures.kinds import KINDS
from tests.contents import add_rest, run

FIGURES = "\n\n".join(f'{{{{ figure("{kind}") }}}}' for kind in KINDS)
SECTION = f'+++\ntitle = "All"\n[figures.compare]\ntoken = "a"\n+++\n{FIGURES}\n'


def model(
    tokens: int = 4, heads: int = 2, size: int = 3, hours: int = 0, sentences: str = "", number: float = 1
) -> str:
    """A model file with so many of each."""
    slots = ", ".join(f'"s{place}"' for place in range(size))
    row = ", ".join([f"{number}"] + ["0"] * (size - 1))
    text = " ".join(["a"] + ["b"] * (tokens - 2) + ["{a|b}"]) if tokens > 1 else "{a|b}"
    blocks = "".join(
        f'[[heads]]\nname = "head {index}"\njob = "a job"\nmatch = [{slots}]\nvalue = [{slots}]\n'
        f"[heads.w_q]\none = [{row}]\n[heads.w_k]\none = [{row}]\n[heads.w_v]\none = [{row}]\n"
        for index in range(heads)
    )
    return (
        f'[clock]\nhours = {hours or max(tokens + 2, 4)}\n[features]\none = "one"\ntwo = "two"\n'
        f"[words]\na = {{ one = 1 }}\nb = {{ two = 1 }}\nc = {{ two = 2 }}\n"
        + (sentences or f'[[sentences]]\ntext = "{text}"\n')
        + blocks
        + "".join(f'[output."head {index}"]\ns0 = {{ one = 1 }}\n' for index in range(heads))
        + ("" if heads else "[output]\n")
    )


def ordinary(tokens: int = 10, heads: int = 3, size: int = 4, choices: int = 2, entries: int = 1) -> str:
    """A model file whose numbers have two decimals, all different, as measured ones would."""
    numbers = (f"{((37 * k * k + 11 * k) % 199 - 99) / 100}" for k in count(1))
    features = [f"f{place}" for place in range(6)]
    slots = ", ".join(f'"s{place}"' for place in range(size))
    words = ["a", *(f"w{place}" for place in range(1, tokens - 1 + choices))]
    switch = "|".join(words[tokens - 1 :])
    sentence = f'[[sentences]]\ntext = "{" ".join(words[: tokens - 1])} {{{switch}}}"\n'

    def matrix(name: str) -> str:
        rows = (f"{feature} = [{', '.join(islice(numbers, size))}]\n" for feature in features)
        return f"[heads.{name}]\n{''.join(rows)}"

    return "".join(
        [
            f"[clock]\nhours = {tokens + 2}\n[features]\n",
            *(f'{feature} = "{feature}"\n' for feature in features),
            "[words]\n",
            *(f"{word} = {{ {', '.join(f'{f} = {next(numbers)}' for f in features)} }}\n" for word in words),
            sentence * entries,
            *(
                f'[[heads]]\nname = "h{head}"\njob = "a job"\nmatch = [{slots}]\nvalue = [{slots}]\n'
                + "".join(map(matrix, ("w_q", "w_k", "w_v")))
                for head in range(heads)
            ),
            *(
                f"[output.h{head}]\n"
                + "".join(f"s{slot} = {{ {features[slot % 6]} = {next(numbers)} }}\n" for slot in range(size))
                for head in range(heads)
            ),
        ]
    )


def write(folder: Path, text: str, more: str = "") -> Path:
    """An article of all figures on a model, with more text, as folder/content."""
    content = folder / "content"
    (content / "sections").mkdir(parents=True)
    (content / "model.toml").write_text(text, "utf-8")
    (content / "site.toml").write_text('title = "Limits"\ndescription = "Limits"\n', "utf-8")
    (content / "facts.toml").write_text("", "utf-8")
    (content / "claims.toml").write_text("", "utf-8")
    (content / "sections" / "1-all.md").write_text(SECTION + more, "utf-8")
    add_rest(content)
    return content


def built(folder: Path, text: str, more: str = "") -> tuple[int, str]:
    """Builds such an article."""
    return run("--content", str(write(folder, text, more)), "--out", str(folder / "site"))


def around(name: str, limits: Limits) -> list[Any]:
    """One below, at and above both limits."""
    numbers = sorted({int(number) for limit in limits.both for number in (limit - 1, limit, limit + 1)})
    return [pytest.param({name: n}, limits.low <= n <= limits.high, id=f"{name}-{n}") for n in numbers]


WHY = {
    "tokens": r"tokens?, but a sentence has 2 to 40, because (a token needs another one|more rows)",
    "heads": r"heads, but a layer here has 1 to 12, because (there is nothing to show|more tables do not fit)",
    "size": r"slots, but a head has 1 to 16, because they are read one by one",
    "hours": r"hours, but a clock has 4 to 60, because fewer cannot tell two tokens apart, and the hands of more",
}


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        *around("tokens", TOKENS),
        *around("heads", HEADS),
        *around("size", SLOTS),
        *(pytest.param({"tokens": 2, **p.values[0]}, p.values[1], id=p.id) for p in around("hours", HOURS)),
    ],
)
def test_limits(given: dict[str, Any], fits: bool, tmp_path: Path) -> None:
    name, number = list(given.items())[-1]
    code, said = built(tmp_path, model(**given))
    if fits:
        assert (code, said) == (0, "")
        page = (tmp_path / "site" / "index.html").read_text("utf-8")
        assert all(f'id="figure-{kind}"' in page for kind in KINDS)
    else:
        assert code == EXIT_CODE
        assert all(re.search(f"[: ]{number} {WHY[name]}.*; ", line) for line in said.splitlines()), said
        assert not (tmp_path / "site").exists()


def test_stated_limits() -> None:
    stated = {limits.what: limits.both for limits in (TOKENS, HEADS, SLOTS, HOURS, NUMBERS, DECIMALS)}
    assert list(stated.values()) == [(2, 40), (1, 12), (1, 16), (4, 60), (-100, 100), (0, 6)]
    assert LARGEST_SCORE == 350


@pytest.mark.parametrize("hours", [4, 5, 12, 59, 60])
def test_a_clock_tells_two_tokens_fewer_than_it_has_hours(hours: int, tmp_path: Path) -> None:
    tokens = min(hours - 2, int(TOKENS.high))
    assert built(tmp_path / "fits", model(tokens=tokens, hours=hours)) == (0, "")
    if tokens < TOKENS.high:
        code, said = built(tmp_path / "too long", model(tokens=tokens + 1, hours=hours))
        assert code == EXIT_CODE
        assert f"{tokens + 1} tokens are too many for a clock of {hours} hours, which tells {tokens} apart; " in said
        assert f"set hours = {hours + 1} or more" in said


@pytest.mark.parametrize(
    "sentences",
    [
        '[[sentences]]\ntext = "a b {a|b|c}"\n',
        '[[sentences]]\ntext = "{a|c} b"\n',
        '[[sentences]]\ntext = "a b"\n[[sentences]]\ntext = "b c a b"\n',
        '[[sentences]]\ntext = "a b"\nname = "first"\n[[sentences]]\ntokens = ["b", "a", ["a", "b", "c"]]\n',
        '[[sentences]]\ntext = "a {b|c}"\n[[sentences]]\ntext = "{b|c} a a"\n',
    ],
    ids=["a switch of three", "a switch at the start", "no switch", "one of each", "the same choices twice"],
)
def test_switches(sentences: str, tmp_path: Path) -> None:
    assert built(tmp_path, model(sentences=sentences)) == (0, "")


def test_numbers_up_to_the_largest(tmp_path: Path) -> None:
    # a word of one feature 1: the score is the product of the two numbers, divided by the root of 1
    largest = NUMBERS.high
    for number, fits in ((-largest, True), (largest, True), (largest + 0.5, False), (-largest - 0.5, False)):
        w_k = "[heads.w_k]\none = ["
        text = model(size=1, number=number).replace(f"{w_k}{number}", f"{w_k}1")
        code, said = built(tmp_path / str(number), text)
        assert (code == 0) == fits, said
        assert fits or "is not from -100 to 100, the numbers that are read at a glance; use a smaller one" in said


@pytest.mark.parametrize(("w_k", "fits"), [(3.4, True), (3.5, True), (3.6, False), (-3.5, True), (-3.6, False)])
def test_scores_up_to_the_largest(w_k: float, fits: bool, tmp_path: Path) -> None:
    text = model(size=1, number=100).replace("[heads.w_k]\none = [100]", f"[heads.w_k]\none = [{w_k}]")
    code, said = built(tmp_path, text)
    assert (code == 0) == fits, said
    assert fits or "scores reach \u00b1360.0" in said
    assert fits or "e to a score beyond \u00b1350 is too large a number; make the numbers of w_q or w_k smaller" in said


# sizes: what content needs is never held against it

WORDS = "Every token asks, and others answer with what they have to give; then a weight says how much of it counts. "
TEXT = f"\n{WORDS * 4}\n"
FOREIGN = "\n" + "每个词都在问别的词。" * 20 + "\n"
LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitän"


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ({"size": 8}, ""),
        ({"size": 16}, ""),
        ({"tokens": 40}, ""),
        ({"heads": 12}, ""),
        ({"choices": 12}, ""),
        ({"entries": 8}, ""),
        ({}, TEXT * 40),  # more than 3,000 words
        ({}, TEXT * 250),
        ({}, FOREIGN * 100),
        ({"size": 16, "heads": 6}, TEXT * 40),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else f"{len(value)} letters",
)
def test_what_content_needs_is_no_fault(given: dict[str, int], more: str, tmp_path: Path) -> None:
    assert built(tmp_path, ordinary(**given), more) == (0, "")


def test_beyond_what_readers_wait_for_there_is_a_warning(tmp_path: Path) -> None:
    code, said = built(tmp_path, ordinary(tokens=40, heads=12, size=2))
    assert code == 0
    number = r"[0-9,]{7,}"
    assert re.fullmatch(
        rf"warning: content/model\.toml: the article with all it loads, gzip: {number} bytes, {number} more than it "
        rf"should have; {number} of them are the numbers of the model: take shorter or fewer sentences, .+\n",
        said,
    )
    assert (tmp_path / "site" / "index.html").exists()


def test_a_picture_that_is_too_large_is_named(tmp_path: Path) -> None:
    noise = b64encode(b"".join(sha256(str(k).encode()).digest() for k in range(20_000))).decode()
    code, said = built(tmp_path, ordinary(), f"\n![a picture](data:image/png;base64,{noise})\n")
    assert code == 0
    assert said.startswith("warning: content/sections/1-all.md:1: the article with all it loads, gzip: ")
    assert said.endswith(" of them are its pictures: make them smaller, or take some out\n")


@pytest.mark.parametrize("features", [1, 2, 40])
def test_any_number_of_features(features: int, tmp_path: Path) -> None:
    more = "".join(f'more{place} = "one more"\n' for place in range(features - 1))
    text = model().replace('two = "two"\n', more).replace("two", "one").replace("b = { one = 1", "b = { one = 0.5")
    assert built(tmp_path, text) == (0, "")


@pytest.mark.parametrize("word", [LONG_WORD, "w" * 300, "注" * 30, "\U0001f469\u200d\U0001f680"])
def test_words_of_any_length(word: str, tmp_path: Path) -> None:
    text = model().replace("b = {", f'"{word}" = {{').replace("a b b", f"a {word} {word}").replace("a|b", f"a|{word}")
    assert built(tmp_path, text) == (0, "")
    assert word in (tmp_path / "site" / "index.html").read_text("utf-8")


@pytest.mark.parametrize("words", [300])
def test_any_number_of_words(words: int, tmp_path: Path) -> None:
    more = "".join(f"more{place} = {{ one = 1 }}\n" for place in range(words))
    assert built(tmp_path, model().replace("[words]\n", f"[words]\n{more}")) == (0, "")


@pytest.mark.parametrize(("digits", "fits"), [(0, True), (6, True), (7, False), (-1, False)])
def test_decimals_of_a_question(digits: int, fits: bool, tmp_path: Path) -> None:
    content = write(tmp_path, model())
    path = content / "sections" / "1-all.md"
    question = f'[[questions]]\nask = "?"\nshow = "at=lines"\nanswer = "weight(0, 0)"\ndigits = {digits}\nwhy = "So."\n'
    path.write_text(path.read_text("utf-8").replace("[figures.compare]", f"{question}[figures.compare]"), "utf-8")
    code, said = run("check", "--content", str(content))
    assert (code == 0) == fits, said
    assert fits or f"{digits} decimals, but a reader is asked for 0 to 6; ask for fewer" in said


@pytest.mark.parametrize(("size", "fits"), [(1, False), (2, True), (16, True)])
def test_slots_that_a_clock_needs(size: int, fits: bool, tmp_path: Path) -> None:
    text = model(size=size).replace("[heads.w_q]\none", "[heads.clock]\nw_k = 0\n[heads.w_q]\none", 1)
    code, said = built(tmp_path, text)
    assert (code == 0) == fits, said
    assert fits or said.startswith("content/model.toml:")
