"""Without JavaScript the pages are whole: posters, tables and sentences, and nothing that would not answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.expected import DEFAULT, State, differences, expected, notes
from tests.browser.reading import SCRIPT, Reader
from tests.browser.test_pages import FIGURES

Visit = Callable[..., Reader]

OPENS = {"sections/values.html": State(token=7), "sections/every-token.html": State(token=2)}
# the states that a page's prompts ask for and that it does not show anyway
TRIED = {
    "neighbours": [("lines", State("soft")), ("lines", State(token=7))],
    "values": [("mix", State("soft"))],
    "every-token": [("table", State(mask="off", token=2))],
}
TRIED_ON = {
    "index.html": [tried for section in ("neighbours", "values", "every-token") for tried in TRIED[section]],
    "sections/neighbours.html": TRIED["neighbours"],
    "sections/values.html": [("mix", State()), *TRIED["values"]],
    "sections/every-token.html": TRIED["every-token"],
}

READ = """box => ({
    texts: [...box.querySelectorAll(".plot")].map(plot =>
        [...plot.querySelectorAll(".poster text")].map(text => text.textContent)),
    says: box.querySelector(".says").textContent,
    table: [...box.querySelector("table").rows].map(row => [...row.cells].map(cell => cell.textContent)),
})"""


def spoken(texts: list[str]) -> list[str]:
    return sorted(text for text in (" ".join(text.split()) for text in texts) if text)


def without_js(visit: Visit, path: str, width: int = 1200) -> Reader:
    reader = visit(path, java_script_enabled=False, viewport={"width": width, "height": 900})
    reader.page.evaluate(SCRIPT.read_text(encoding="utf-8"))  # the page's own scripts stay off
    return reader


@pytest.mark.parametrize("path", FIGURES)
def test_figures_show_how_the_page_opens(visit: Visit, path: str) -> None:
    reader = without_js(visit, path)
    state = OPENS.get(path, DEFAULT)
    assert reader.page.evaluate("document.documentElement.dataset.ready || ''") == ""
    found = reader.figures()
    assert tuple(found) == FIGURES[path]
    for kind, figure in found.items():
        wanted = expected(state)[kind]
        parts = {key: wanted[key] for key in ("title", "headings", "says", "caption", "tables")}
        assert differences(figure, parts) == []
        assert all(part in figure["notes"] for part in notes(state, kind))
        assert bool(figure["notes"]) == bool(notes(state, kind))
        for name, plot in wanted["plots"].items():
            assert spoken(figure["plots"][name]["texts"]) == spoken(plot["texts"]), (kind, name)
            poster = reader.page.locator(f'#figure-{kind} [data-plot="{name}"] .poster')
            assert poster.is_visible()
            assert not figure["plots"][name]["stale"]


@pytest.mark.parametrize("path", FIGURES)
def test_prompts_are_answered(visit: Visit, path: str) -> None:
    reader = without_js(visit, path)
    tried = reader.page.locator(".tried")
    wanted = TRIED_ON.get(path, [])
    assert tried.count() == len(wanted)
    for box, (kind, state) in zip(tried.all(), wanted, strict=True):
        figure = expected(state)[kind]
        found: dict[str, Any] = box.evaluate(READ)
        table = next(iter(figure["tables"].values())) if kind != "vectors" else figure["tables"]["vectors"]
        assert [spoken(texts) for texts in found["texts"]] == [spoken(p["texts"]) for p in figure["plots"].values()]
        assert " ".join(found["says"].split()).startswith(figure["says"])
        assert all(part in found["says"] for part in notes(state, kind))
        assert found["table"] == [table["head"], *(row[1:] for row in table["body"]), *filter(None, [table["foot"]])]
        assert all(poster.is_visible() for poster in box.locator(".poster").all())
        assert box.locator("table").is_visible()


@pytest.mark.parametrize("path", FIGURES)
def test_nothing_that_does_not_answer(visit: Visit, path: str) -> None:
    reader = without_js(visit, path)
    controls = reader.page.locator("button:visible, input:visible, select:visible, textarea:visible")
    assert controls.evaluate_all("all => all.map(e => e.outerHTML.slice(0, 100))") == []


@pytest.mark.parametrize("path", FIGURES)
def test_fits_a_small_phone(visit: Visit, path: str) -> None:
    reader = without_js(visit, path, 320)
    for details in reader.page.locator("details").all():
        details.evaluate("e => { e.open = true; }")
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 320
