"""What all tests share: how hypothesis searches, and one browser for the whole run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from tests import chromium

# The same examples in every run, so that a failure can be repeated and none comes by chance; and no time
# limit for one example, since a busy machine is not a bug.
settings.register_profile("qkv", derandomize=True, deadline=None)
settings.load_profile("qkv")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started at the first test that asks for it."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium.find_or_install(), args=chromium.ARGS)
        yield running
        running.close()
