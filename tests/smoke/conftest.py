"""The built site and its server, as the browser tests have them."""

from __future__ import annotations

from tests.browser.conftest import home, served, site

__all__ = ["home", "served", "site"]
