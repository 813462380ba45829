"""What has passed plotly's own checks is remembered, but never for figures that are made from anything else."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from qkv.content.article import load_content
from qkv.content.model_file import load_toy
from qkv.content.strings import load_words
from qkv.errors import BuildError
from qkv.figures import validate as module
from qkv.figures.template import View
from qkv.figures.validate import validate
from qkv.model.traces import trace
from qkv.output.bundle import ROOT
from qkv.pages.render import Pages
from tests.contents import SMALL
from tests.toy_states import toy_state


@pytest.fixture(scope="module")
def pages() -> Pages:
    words = load_words(ROOT / "content")
    return Pages(load_content(SMALL), words, trace(load_toy(SMALL)), ROOT / "templates", ROOT / ".cache")


def stamps(cache: Path) -> set[str]:
    return {path.name for path in cache.glob("valid-*")}


def test_what_has_passed_is_not_asked_again(pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    charts = [pages.charts["lines"]]
    validate(charts, pages.view, tmp_path)
    assert len(stamps(tmp_path)) == 1
    monkeypatch.setattr(module, "_painted", lambda _: pytest.fail("asked again"))
    validate(charts, pages.view, tmp_path)


def test_a_bad_shade_does_not_pass_on_an_old_stamp(pages: Pages, tmp_path: Path) -> None:
    charts = [pages.charts["table"]]
    validate(charts, pages.view, tmp_path)
    with pytest.raises(BuildError, match="plotly refuses 'weights' of 'table'"):
        validate(charts, replace(pages.view, shades=("no colour",) * len(pages.shades)), tmp_path)


def test_all_that_fills_a_plot_counts(pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    view = pages.view
    plots = [("lines", plot.name, plot.figure()) for plot in pages.charts["lines"].plots]

    def digest(view: View = view) -> str:
        return module._digest(plots, view)

    found = [
        digest(),
        digest(replace(view, state=toy_state(token=1))),
        digest(replace(view, shades=view.shades[1:])),
        digest(replace(view, words={**view.words, "masked": "hidden"})),
    ]
    for name in ("figures/numbers.py", "figures/template.py", "figures/kinds/lines.py"):
        copied = tmp_path / re.sub(r"\W", "-", name) / "qkv"
        shutil.copytree(ROOT / "qkv", copied, ignore=shutil.ignore_patterns("__pycache__"))
        monkeypatch.setattr(module, "__file__", str(copied / "figures" / "validate.py"))
        assert digest() == found[0], "where the code lies does not count"
        (copied / name).write_text((copied / name).read_text("utf-8") + "# changed\n", "utf-8")
        found.append(digest())
    assert len(set(found)) == len(found)
