"""Exports: the finished article -> files to take along, and the page for teachers that lists them."""
