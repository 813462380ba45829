"""A second source of attention, as captured weights of a real model would be one: two layers, no queries or keys.

Nothing of the package knows of it: tests put it into SOURCES, and its mask into MASKS.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from qkv.content.sources import SOURCES
from qkv.errors import Place
from qkv.model.masks import MASKS, Mask
from qkv.model.rows import shipped_weights
from qkv.model.source import Sentence, Source, sentence_axis, token_axis
from qkv.model.states import Axis, Option
from tests.contents import add_rest

SENTENCES = {"long": ("I", "saw", "her", "duck", "."), "short": ("Time", "flies", ".")}
LAYERS = ("0", "1")
WIDTH = 2  # a token sees itself and the one before it
WINDOW = Mask("window", lambda i, n: [i - WIDTH < j <= i for j in range(n)])


def weight(layer: int, i: int, j: int) -> float:
    """What the asking token i gives to j: a row is a whole, and no two are alike."""
    if i == 0:
        return float(j == 0)
    before = (2 + i + 3 * layer) / 10
    return {i: 1 - before, i - 1: before}.get(j, 0.0)


def capture(content: Path) -> Source:
    """The source, as SOURCES holds it."""
    sentences = tuple(Sentence(name, i, words, None, "") for i, (name, words) in enumerate(SENTENCES.items()))
    axes = (
        sentence_axis(sentences),
        Axis("layer", (tuple(Option(layer, layer) for layer in LAYERS),)),
        token_axis(sentences),
    )
    values = [
        [
            np.array([[weight(layer, i, j) for j in range(len(one.tokens))] for i in range(len(one.tokens))])
            for layer in range(len(LAYERS))
        ]
        for one in sentences
    ]
    shipped = [
        [shipped_weights(table, WINDOW.matrix(len(table))) for table in by_layer] for by_layer in values
    ]
    return Source(
        axes,
        sentences,
        (WINDOW,),
        {"tokens": [list(one.tokens) for one in sentences], "weights": shipped},
        {"tokens": ("sentence",), "weights": ("sentence", "layer")},
        {"weights": values},
        Place(f"{content.name}/capture"),
    )


@contextlib.contextmanager
def known() -> Iterator[None]:
    """Within it the package has the source and the mask."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SOURCES, "layers", capture)
        patch.setitem(MASKS, "window", WINDOW)
        yield


SITE = """\
title = "Layers"
description = "What a captured model attends to."
source = "layers"

[state]
sentence = "long"
layer = "0"
token = "duck"
"""
SECTION = """\
+++
title = "Two layers"
assumes = { layer = "0" }
done = ["layer=1"]

[[notes]]
figure = "lines"
when = "asker == 'duck' and layer == '1'"
text = "In this layer duck gives {{ percent(weight('duck', 'her')) }}."
claim = "top('duck') == 'her'"

[[questions]]
ask = "Which token does *saw* look at most in the last layer?"
show = "layer=1&token=saw&at=lines"
choices = [
  { text = "I", right = "top('saw', layer='1') == 'I'", why = "{{ percent(weight('saw', 'I', layer='1')) }} of it." },
  { text = "itself", right = "top('saw', layer='1') == 'saw'", why = "That is less." },
]
+++

{{ n() }} tokens, {{ visible() }} cells. *duck* gives *her* {{ percent(weight('duck', 'her')) }}, and
{{ percent(weight('duck', 'her', layer='1')) }} in the next layer, see [the table][table] and [the lines][lines].

{{ figure("lines") }}

{{ figure("table") }}

[table]: #layer=1&token=2&at=table "near(weight('her', 'saw'), 0.7) and weight('her', 'I') == 0"
[lines]: #layer=1&token=saw&at=lines "near(weight('saw', 'I', layer='1'), 0.6)"
"""
TEXTS = {  # below the table of each
    "control": 'layer = "Layer"',
    "figure": 'part_layer = "the layer “{name}”"',
    "mask": 'window_long = "its neighbour"',
    "table": 'window = "Each token sees itself and its neighbour: {visible} of {all} cells are open."',
    "course": 'gift_layer = "Layer: {layer}."',
}


def write(folder: Path, site: str = SITE, section: str = SECTION, leave_out: str = "") -> Path:
    """An article on the source as folder/content; `leave_out` is an interface text that it lacks."""
    content = folder / "content"
    shutil.rmtree(content, ignore_errors=True)
    (content / "sections").mkdir(parents=True)
    (content / "site.toml").write_text(site, "utf-8")
    (content / "sections" / "1-layers.md").write_text(section, "utf-8")
    for name in ("facts.toml", "claims.toml"):
        (content / name).write_text("", "utf-8")
    add_rest(content)
    (content / "model.toml").unlink()  # the source has no use for it
    strings = content / "strings.toml"
    text = strings.read_text("utf-8")
    for table, line in TEXTS.items():
        if line.partition(" ")[0] != leave_out:
            assert text.count(f"[{table}]") == 1
            text = text.replace(f"[{table}]", f"[{table}] # and of the layers\n{line}\n#", 1)
    strings.write_text(text, "utf-8")
    return content
