"""What a browser's translator must leave as it is in a text: it cannot reach graphics, which show the same words."""

from __future__ import annotations

import re
from html import unescape

from qkv.figures.template import flatten
from qkv.model.source import Source


def model_names(source: Source) -> set[str]:
    """What a text may name of the model: tokens, some in a row, options of axes, slots, features."""
    sentences = [sentence.tokens for sentence in source.sentences]
    spans = ((tokens, i, j) for tokens in sentences for i in range(len(tokens)) for j in range(i, len(tokens)))
    runs = {" ".join(tokens[i : j + 1]) for tokens, i, j in spans}
    options = {option.text for axis in source.axes for options in axis.lists for option in options}
    arrays = [source.arrays.get(name, []) for name in ("match_slots", "value_slots", "features")]
    return runs | options | {str(name) for name in flatten(arrays)}


def untranslated(html: str, names: set[str]) -> str:
    """The same with names of the model and code out of reach of translators."""

    def keep(hit: re.Match[str]) -> str:
        return f'<em translate="no">{hit[1]}</em>' if unescape(hit[1]) in names else hit[0]

    return re.sub(r"<em>([^<]*)</em>", keep, html).replace("<code>", '<code translate="no">')
