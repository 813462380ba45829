"""What Plotly drew, measured, for a sample of states."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.browser.drawn import check_drawn
from tests.browser.expected import KINDS, State, differences
from tests.browser.reading import Reader
from tests.browser.test_states import SAMPLE, Figures, grow, page, seen  # noqa: F401 - its fixtures
from tests.reference import MASKS


@pytest.mark.parametrize("state", SAMPLE, ids=str)
def test_drawn_in_proportion(page: Reader, seen: dict[State, Figures], state: State) -> None:  # noqa: F811
    grow(page)
    other = replace(state, mask=MASKS[state.mask == "on"], token=(state.token + 3) % 10)
    page.show(other)
    page.show(state)
    wrong = differences(page.figures(), seen[state])
    assert not wrong, "\n".join(wrong[:10])
    for kind in KINDS:
        check_drawn(page, kind, state)
