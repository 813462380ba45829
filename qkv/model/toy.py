"""The toy model: sentences, features, heads with their matrices. Pure values; `content.model_file` reads them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qkv.errors import Place
from qkv.model.attention import Array, Layer, clock
from qkv.model.masks import Mask
from qkv.model.source import Sentence

CLOCK = ("up", "right")


@dataclass(frozen=True)
class Head:
    """One head; its matrices are (features, size), `match` names the slots of q and k, `value` those of v."""

    name: str
    job: str
    match: tuple[str, ...]
    value: tuple[str, ...]
    w_q: Array
    w_k: Array
    w_v: Array


@dataclass(frozen=True)
class Toy:
    """The toy model and its sentences."""

    features: tuple[str, ...]  # labels, word features first, then the two clock numbers
    words: dict[str, tuple[float, ...]]  # word features only
    hours: int
    sentences: tuple[Sentence, ...]
    heads: tuple[Head, ...]
    masks: tuple[Mask, ...]
    w_o: Array  # (heads * size, features)
    place: Place  # where the sentences are written, for what is wrong with them

    @property
    def size(self) -> int:
        """d, the numbers of a query, key or value: the same in every head."""
        return len(self.heads[0].match)

    @property
    def layer(self) -> Layer:
        """The matrices of all heads, stacked: (heads, features, size) each, and W_O."""
        w_q, w_k, w_v = (np.stack([getattr(head, name) for head in self.heads]) for name in ("w_q", "w_k", "w_v"))
        return Layer(w_q, w_k, w_v, self.w_o)

    def embed(self, tokens: tuple[str, ...]) -> Array:
        """(n, f): each token's word features and its position's clock hand. KeyError for a word that is not listed."""
        words = np.array([self.words[token] for token in tokens])
        return np.concatenate([words, clock(len(tokens), self.hours)], axis=1)
