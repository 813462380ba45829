"""BertViz's head view: the lines only. Its menu of layers stands for sentence and mask, its heads are ours."""

# The tools are in an environment of their own, and so is this file when it runs.
# mypy: disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

import torch
from bertviz import head_view
from exhibit import read, versions


def main() -> None:
    exhibit, folder = read()
    layers = [torch.tensor([heads]) for masks in exhibit.weights for heads in masks]
    made = head_view(layers, exhibit.tokens[0], html_action="return")
    page = f"<!doctype html><html><head><meta charset='utf-8'></head><body>{made.data}</body></html>"
    (folder / "index.html").write_text(page, "utf-8")
    versions("bertviz")


main()
