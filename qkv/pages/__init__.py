"""Pages: the article and the names of the assets -> HTML as strings, for the site and for other people's pages."""
