"""Output: what the rooms above made -> files, checked, weighed and written."""
