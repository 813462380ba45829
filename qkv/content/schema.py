"""Every setting of every settings file: its type, default, and what it is for."""

from __future__ import annotations

TEXTS, TABLES = (list, str), (list, dict)  # kinds of setting, besides a plain text and a table
SITE = {  # every site setting: its type, default, and what it is for
    "title": (str, "", "title of the article"),
    "description": (str, "", "one sentence for search engines and shared links"),
    "breadcrumb": (TEXTS, [], "where the article stands, from the outermost"),
    "base_url": (str, "", "the address of the published site, e.g. https://example.org/attention/; empty: not known"),
    "licence": (str, "", "licence and attribution, shown at the foot of every page"),
    "language": (str, "en", "language of the content, e.g. en"),
    "source": (str, "toy", "where the attention comes from; toy: the model of model.toml"),
    "score": (bool, False, "whether packages for course platforms send a score, from first answers to the questions"),
    "state": (dict, {}, "what a page shows at first: sentence, mask, head, token"),
}
SECTION = {
    "title": (str, "", "heading of the section"),
    "slug": (str, "", "its name in addresses; else the file's name without its number"),
    "state": (dict, {}, "what its own page shows at first"),
    "figures": (dict, {}, "options of its figures"),
    "assumes": (dict, {}, "the parts of a state that its text speaks of: mask, head, sentence"),
    "notes": (TABLES, [], "sentences that a figure adds in some states"),
    "questions": (TABLES, [], "questions after the section"),
    "done": (TEXTS, [], "states to be visited for the section to count as done; a|b: either"),
}
PAGE = {"title": (str, "", "heading of the page")}
QUESTION = {
    "ask": (str, "", "the question; may hold {{ expressions }}"),
    "choices": (TABLES, [], "what to choose from: text, right (an expression), why"),
    "answer": (str, "", "instead of choices: an expression for the number to find"),
    "digits": (int, 0, "decimals of that number"),
    "wrong": (TABLES, [], "numbers that are often given: value (an expression), why"),
    "why": (str, "", "the explanation of the number"),
    "show": (str, "", "the state that shows it, as in a link: mask=off&token=sat&at=table"),
}
CHOICE = {
    "text": (str, "", "what is chosen"),
    "right": (str, "", "an expression that is true if this is the right choice"),
    "why": (str, "", "the explanation"),
}
MISTAKEN = {"value": (str, "", "an expression for the number"), "why": (str, "", "why it is not that")}
NOTE = {
    "figure": (str, "", "the figure that says it"),
    "when": (str, "", "an expression: the states in which it is said"),
    "text": (str, "", "the sentence; may hold {{ expressions }}"),
    "claim": (str, "", "an expression that must be true wherever it is said"),
}
FACT = {
    "term": (str, "", "what it is about"),
    "text": (str, "", "the fact"),
    "more": (str, "", "a line after it"),
    "sources": (TABLES, [], "titles and addresses"),
}
SOURCE = {"title": (str, "", "what it is called"), "url": (str, "", "its address")}


CLAIM = {
    "name": (str, "", "what it says"),
    "claim": (str, "", "an expression that must be true"),
    "state": (dict, {}, "the state it is asked in; else the first"),
    "every": (TEXTS, [], "mask, head, sentence: asked in all of them"),
}
