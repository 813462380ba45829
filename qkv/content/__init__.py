"""What authors write: a folder of TOML and Markdown -> checked settings, each of which knows its line."""
