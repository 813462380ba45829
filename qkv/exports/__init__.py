"""What is made from finished pages for those who cannot host a site; never rendered anew. Each is one function."""

from __future__ import annotations
