"""Whatever is done to a file of the article, the build succeeds or says what is wrong, and never writes half a site."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contents import MESSAGE, copy_small, run, snapshot
from tests.odd import LONG, MARKDOWN, NUMBERS, STRUCTURE, TEXTS

FILES = {
    "model.toml": 60,
    "sections/1-looking.md": 30,
    "sections/2-mixing.md": 20,
    "site.toml": 15,
    "strings.toml": 15,
    "facts.toml": 15,
    "claims.toml": 15,
    "heights.toml": 15,
    "teachers.md": 15,
}
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
TEXT = re.compile(r'"([^"\n]*)"')


def odd(listed: tuple[str, ...]) -> st.SearchStrategy[str]:
    """One of a list, or anything at all."""
    return st.one_of(st.sampled_from(listed), st.sampled_from(listed), st.sampled_from(LONG), st.text(max_size=6))


@st.composite
def edited(draw: st.DrawFn, name: str, text: str) -> str:
    """The text after one to three small accidents."""
    free = odd(MARKDOWN if name.endswith(".md") else STRUCTURE)
    kinds = (
        "number",
        "number",
        "text",
        "text",
        "line",
        "double",
        "swap",
        "insert",
        "insert",
        "replace",
        "delete",
        "cut",
    )
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(kinds))
        lines = text.split("\n")
        at, other = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
        place = draw(st.integers(0, len(text)))
        hits = list((NUMBER if kind == "number" else TEXT).finditer(text))
        if kind in ("number", "text"):
            if hits:
                hit = hits[draw(st.integers(0, len(hits) - 1))]
                group = 0 if kind == "number" else 1
                text = (
                    text[: hit.start(group)]
                    + draw(odd(NUMBERS if kind == "number" else TEXTS))
                    + text[hit.end(group) :]
                )
        elif kind == "line":
            text = "\n".join(lines[:at] + lines[at + 1 :])
        elif kind == "double":
            text = "\n".join(lines[: at + 1] + lines[at:])
        elif kind == "swap":
            lines[at], lines[other] = lines[other], lines[at]
            text = "\n".join(lines)
        elif kind == "insert":
            text = text[:place] + draw(free) + text[place:]
        elif kind == "cut":
            text = text[:place]
        else:
            text = text[:place] + (draw(free) if kind == "replace" else "") + text[place + draw(st.integers(1, 4)) :]
    return text


@pytest.mark.parametrize("name", FILES)
def test_accidents(name: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        content = copy_small(folder)
        file, site = content / name, folder / "site"
        assert run("--content", str(content), "--out", str(site)) == (0, "")

        @settings(max_examples=FILES[name], suppress_health_check=list(HealthCheck))
        @given(edited(name, file.read_text("utf-8")))
        def search(text: str) -> None:
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            before = snapshot(site)
            code, said = run("--content", str(content), "--out", str(site))
            if code:
                assert said
                assert all(MESSAGE.fullmatch(line) for line in said.split("\n")[:-1]), said
                assert "site/" not in said, "what is wrong with a page is told where an author can mend it"
                assert snapshot(site) == before
            else:
                assert said == ""
                assert {"index.html", "sections", "assets", ".nojekyll"} <= set(snapshot(site))
            assert {path.name for path in folder.iterdir()} == {"content", "site"}

        search()
