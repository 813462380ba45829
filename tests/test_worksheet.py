"""The sheet to print: a row to work out by hand, and what comes out, both as the reference works them out."""

from __future__ import annotations

import math
import re
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests import contents, reference
from tests.packages import ADDRESS, built, files
from tests.reference import FORMATS, Row

PATH = "downloads/worksheet.html"


def page() -> str:
    return built()[PATH].decode()


def tables(html: str) -> list[list[list[str]]]:
    """The rows of every table, as texts."""
    found = []
    for table in re.findall("(?s)<table>(.*?)</table>", html):
        rows = re.findall("(?s)<tr>(.*?)</tr>", table)
        texts = [re.findall("(?s)<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
        found.append([[unescape(re.sub("<[^>]*>", "", cell)).strip() for cell in row] for row in texts])
    return found


def row() -> Row:
    return reference.Reference().row("tired", "on", "meaning", "tired")


def vector(values: list[float], write: str = "number") -> str:
    return "(" + ", ".join(FORMATS[write](value) for value in values) + ")"


def test_what_is_given_and_what_comes_out() -> None:
    model, [empty, solved] = row(), tables(page())
    assert len(model.tokens) == 10
    assert f"<strong>{vector(model.query)}</strong>" in page()
    for blank, full, j in zip(empty[1:-2], solved[1:-2], range(10), strict=True):
        exp, weight = model.exps[j], model.weights[j]
        assert exp is not None
        assert blank == [model.tokens[j], vector(model.keys[j]), "", "", "", "", vector(model.values[j])]
        assert full == [
            *blank[:2],
            FORMATS["number"](model.products[j]),
            FORMATS["number"](model.scores[j]),
            FORMATS["exp4"](exp),
            FORMATS["weight3"](weight),
            blank[6],
        ]
    assert solved[-2] == ["sum", "", "", "", FORMATS["exp4"](model.total), "1.000", ""]
    assert solved[-1] == ["output of tired", vector(model.out, "three")]
    assert empty[-2] == ["sum", "", "", "", "", "", ""]
    assert re.fullmatch(r"\(\s*(,\s*){3}\)", empty[-1][1])


def test_the_sheet_by_hand_comes_out_right() -> None:
    """What a student gets who rounds as the sheet does: the same weights, and the output to a hundredth."""
    model, [_, solved] = row(), tables(page())
    exps = [float(one[4]) for one in solved[1:-2]]
    weights = [round(one / sum(exps), 3) for one in exps]
    assert all(abs(weight - float(one[5])) <= 0.0011 for weight, one in zip(weights, solved[1:-2], strict=True))
    root = math.sqrt(len(model.query))
    assert [float(one[2]) / root for one in solved[1:-2]] == [float(one[3]) for one in solved[1:-2]]
    out = [sum(w * value[i] for w, value in zip(weights, model.values, strict=True)) for i in range(len(model.out))]
    assert all(abs(a - b) < 0.01 for a, b in zip(out, model.out, strict=True))


def test_the_answers_stand_on_the_second_page(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "worksheet.html").write_bytes(built()[PATH])
    context = browser.new_context()
    sheet = context.new_page()
    said: list[str] = []
    sheet.on("console", lambda message: said.append(message.text))
    sheet.on("request", lambda request: said.append(request.url))
    sheet.goto((tmp_path / "worksheet.html").as_uri())
    sheet.emulate_media(media="print")
    breaks = sheet.locator(".answers").evaluate("one => getComputedStyle(one).breakBefore")
    for size in ("A4", "Letter"):
        pdf = sheet.pdf(format=size, prefer_css_page_size=False)
        assert len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf)) == 2
    context.close()
    assert breaks == "page"
    assert said == [(tmp_path / "worksheet.html").as_uri()]


def test_no_script_and_a_strict_policy() -> None:
    html = page()
    assert "<script" not in html
    policy = unescape(re.findall('Content-Security-Policy" content="([^"]*)"', html)[0])
    assert policy.startswith("default-src 'none'; script-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert re.findall(' (?:href|src)="([^"]*)"', html) == []
    published = built(("base_url", f'"{ADDRESS}"'), ("score", "true"))[PATH].decode()
    assert re.findall(' (?:href|src)="([^"]*)"', published) == [ADDRESS]


@pytest.mark.parametrize(("token", "rows"), [("0", 1), ("2", 3), ('"last"', 5)])
def test_only_what_the_token_sees(token: str, rows: int, tmp_path: Path) -> None:
    content = contents.copy_small(tmp_path)
    path = content / "site.toml"
    path.write_text(path.read_text("utf-8").replace('token = "last"', f"token = {token}"), "utf-8")
    found = files(content)[PATH].decode()
    assert [len(table) for table in tables(found)] == [1 + rows + 2] * 2
