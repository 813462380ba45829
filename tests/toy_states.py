"""States of the toy model, by the indexes of what is chosen."""

from __future__ import annotations

from qkv.model.states import State

AXES = ("sentence", "mask", "head", "token")


def toy_state(sentence: int = 0, mask: int = 0, head: int = 0, token: int = 0) -> State:
    return State(AXES, (sentence, mask, head, token))
