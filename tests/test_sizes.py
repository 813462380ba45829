"""How large our own article may be, and what the documents say of sizes. Authors' articles only get a warning."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import build
from bench.build_cost import blocks, loaded
from qkv.exports.single import LIMIT
from qkv.output.budgets import MOST
from qkv.output.bundle import ROOT, plotly_bundle
from qkv.output.gzip import squeezed

LOADED = 400_000  # bytes after gzip of the article with all that it loads
EXAMPLE = "3,527,387 bytes, 1,527,387 more than it should have; 3,011,262 of them"
DATA = (100_000, 30_000)  # bytes of the numbers of all states, and after gzip


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The article with its downloads, and with plotly.js."""
    folder = tmp_path_factory.mktemp("built") / "site"
    build.build(ROOT / "content", folder, quiet=True, packages=True)
    return folder


def test_the_article_with_all_it_loads(article: Path) -> None:
    page = (article / "index.html").read_bytes()
    parts = [page, *((article / name).read_bytes() for name in loaded(page.decode()))]
    assert len(parts) > 4
    assert sum(len(squeezed(part)) for part in parts) <= LOADED


def test_the_numbers_of_all_states(article: Path) -> None:
    traces = blocks((article / "index.html").read_text("utf-8"))["traces"].encode()
    assert len(traces) <= DATA[0]
    assert len(squeezed(traces)) <= DATA[1]


def test_single_files(article: Path) -> None:
    sizes = {path.name: path.stat().st_size for path in (article / "downloads").glob("*.html")}
    assert "article.html" in sizes
    assert max(sizes.values()) <= LIMIT


def test_our_own_article_gets_no_warning(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    build.build(ROOT / "content", tmp_path / "site", packages=True)
    said, warnings = capsys.readouterr()
    assert warnings == ""
    assert re.search(r"(?m)^the article with all it loads, gzip +[0-9,]+ of [0-9,]+$", said)
    assert re.search(rf"(?m)^the largest single file +[0-9,]+ of {LIMIT:,}$", said)


def test_documents_name_limits_and_no_sizes() -> None:
    """What changes with every word of the article is printed by a build, and nowhere else."""
    readme = (ROOT / "README.md").read_text("utf-8")
    assert set(re.findall(r"\d{1,3}(?:,\d{3})+", readme)) == {f"{n:,}" for n in (LOADED, *DATA, LIMIT)}
    limits = (ROOT / "docs" / "writing.md").read_text("utf-8").partition("## Limits")[2].replace(EXAMPLE, "")
    assert set(re.findall(r"\d{1,3}(?:,\d{3})+", limits)) == {f"{n:,}" for n in (LIMIT, MOST)}


def test_how_large_all_of_plotly_is() -> None:
    """As README, the help and docs/architecture.md say."""
    said = f"{len(plotly_bundle(ROOT / '.cache', full=True).js) / 1e6:.1f} MB"
    for name in ("README.md", "build.py", "docs/architecture.md"):
        assert said in (ROOT / name).read_text("utf-8"), name
