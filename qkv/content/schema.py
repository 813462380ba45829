"""Every setting of every settings file: its type, limits and default, and the sentence that documents it.

A new setting is one line here, and one in the table of docs/writing.md that the tests hold to it. What concerns
several settings at once is checked where they are read.
"""

from __future__ import annotations

from qkv.content.heights import CLASSES, HEIGHT
from qkv.content.shapes import Anything, FileShape, Flag, Key, Limits, List, Map, Number, Table, Text, Whole

# limits

_ALIKE = "fewer cannot tell two tokens apart, and the hands of more are too alike"  # to two decimals
_HOURS_FIX = "write a whole number, e.g. hours = 12"
HOURS = Limits(
    "hours of the clock",
    4,
    60,
    "{n} hour{s}, but a clock has {low} to {high}, because {why}",
    below=(_ALIKE, _HOURS_FIX),
    above=(_ALIKE, _HOURS_FIX),
    whole=True,
)
TOKENS = Limits(
    "tokens in a sentence",
    2,
    40,
    "{n} token{s}, but a sentence has {low} to {high}, because {why}",
    below=("a token needs another one to look at", "make it longer"),
    above=("more rows and columns cannot be read on a page", "make it shorter"),
)
HEADS = Limits(
    "heads",
    1,
    12,
    "{n} head{s}, but a layer here has {low} to {high}, because {why}",
    below=("there is nothing to show without one", "add a [[heads]] block"),
    above=("more tables do not fit a page", "take some out"),
)
SLOTS = Limits(
    "slots of a head",
    1,
    16,
    "{n} slot{s}, but a head has {low} to {high}, because {why}",
    below=("they are read one by one", 'name one, or write "-" for one that is not used'),
    above=("they are read one by one", "name fewer"),
)
NUMBERS = Limits(
    "a number in the model file",
    -100,
    100,
    "{n} is not from {low} to {high}, {why}",
    below=("the numbers that are read at a glance", "use a smaller one"),
    above=("the numbers that are read at a glance", "use a smaller one"),
)
DECIMALS = Limits(
    "decimals of a question",
    0,
    6,
    "{n} decimal{s}, but a reader is asked for {low} to {high}",  # more nobody works out by hand
    below=("", "ask for fewer"),
    above=("", "ask for fewer"),
)
PIXELS = Limits(
    "",
    1,
    float("inf"),
    "is {n}, which is no height in whole pixels",
    below=("", f"write e.g. {{key}} = {HEIGHT}"),
    above=("", f"write e.g. {{key}} = {HEIGHT}"),
    whole=True,
)

# types

LINE = Text("a text of one line", one_line=True)
LABEL = Text("a text of one line", filled=True, one_line=True)
TEXTS = List(Text(), "a list of texts", 'write {key} = ["\u2026", "\u2026"]')
STATE = Map(Anything(), fix='write {key} = { mask = "on" }')
NUMBER = Number(NUMBERS)
BY_FEATURE = Map(NUMBER, "a table of features", "write e.g. { alive = 1 }", names="features", noun="feature")
ROW = List(NUMBER, "a row of numbers", "write e.g. {key} = [1, 0, 0, 0]", each=True)
MATRIX = Map(ROW, fix="write it as its neighbours are", names="features", noun="feature")
NAMES = List(
    Text(filled=True),
    "a list of names, one for each slot",
    'write e.g. {key} = ["alive", "thing", "-", "-"]',
    limits=SLOTS,
)

# site.toml

SITE = Table(
    {
        "title": Key(Text(), "title of the article", needed=True),
        "description": Key(Text(), "one sentence for search engines and shared links", needed=True),
        "breadcrumb": Key(TEXTS, "where the article stands, from the outermost"),
        "base_url": Key(Text(), "the address of the published site's folder"),
        "licence": Key(Text(), "licence and attribution, shown at the foot of every page"),
        "language": Key(Text(), "language of the content", "en", needed=True),
        "source": Key(Text(), "where the attention comes from; toy: the model of model.toml", "toy"),
        "score": Key(
            Flag(), "whether packages for course platforms send a score, from first answers to the questions", False
        ),
        "state": Key(STATE, "what a page shows at first"),
    },
    "site",
)

# model.toml

CLOCK = Table(
    {"hours": Key(Whole(HOURS, fix="write {key} = 12 under [clock]"), "how many hours it has", needed=True)}, "clock"
)
SENTENCE = Table(
    {
        "text": Key(Text(fix='write e.g. {key} = "it was {tired|soft}"'), "the sentence; words are split at spaces"),
        "tokens": Key(
            List(
                Anything(),  # texts, or lists of them: read with the switches of `text`
                "a list of words",
                'write e.g. {key} = ["it", "was", ["tired", "soft"]]',
                filled=True,
                item="word",
                limits=TOKENS,
            ),
            "instead of text, for tokens that hold spaces or braces",
        ),
        "name": Key(LINE, "its name in links; only for a sentence without a switch"),
    },
    "sentence",
)
HEAD_CLOCK = Table(
    {
        "w_q": Key(NUMBER, "hours by which the hand is turned back in the two clock rows of W_Q", None),
        "w_k": Key(NUMBER, "hours by which the hand is turned back in the two clock rows of W_K", None),
    },
    "head clock",
    fix="begin it with [heads.clock]",
)
HEAD = Table(
    {
        "name": Key(LINE, "its name on buttons and in links", needed=True),
        "job": Key(LINE, "a few words on what it does, over its table", needed=True),
        "match": Key(NAMES, "names of the slots of its queries and keys", needed=True),
        "value": Key(NAMES, "names of the slots of its values, as many", needed=True),
        "w_q": Key(MATRIX, "a row of numbers for each feature that its queries use, one number for each slot"),
        "w_k": Key(MATRIX, "a row of numbers for each feature that its keys use, one number for each slot"),
        "w_v": Key(MATRIX, "a row of numbers for each feature that its values use, one number for each slot"),
        "clock": Key(HEAD_CLOCK, "what it does with the hands of the clock"),
    },
    "head",
)
MODEL = Table(
    {
        "masks": Key(
            List(Text(), "a list of names", 'write e.g. {key} = ["on", "off"]', filled=True),
            "what readers can choose as a mask: on looks back only, off both ways",
        ),
        "clock": Key(CLOCK, "the clock whose hand each position gets"),
        "features": Key(Map(LABEL), "the numbers of a word's vector, each with the name that readers see", needed=True),
        "words": Key(Map(BY_FEATURE), "the vector of each word", needed=True),
        "sentences": Key(List(SENTENCE, item="sentence"), "what is read"),
        "heads": Key(List(HEAD, item="head", limits=HEADS), "the heads of the layer"),
        "output": Key(
            Map(Map(BY_FEATURE, fix="write it as its neighbours are")), "the matrix W_O, head by head", needed=True
        ),
    },
    "model",
)

# sections

CHOICE = Table(
    {
        "text": Key(Text(), "what is chosen", needed=True),
        "right": Key(Text(), "an expression that is true if this is the right choice", needed=True),
        "why": Key(Text(), "the explanation", needed=True),
    },
    "choice",
)
MISTAKEN = Table(
    {
        "value": Key(Text(), "an expression for the number", needed=True),
        "why": Key(Text(), "why it is not that", needed=True),
    },
    "wrong number",
)
QUESTION = Table(
    {
        "ask": Key(Text(), "the question; may hold {{ expressions }}", needed=True),
        "show": Key(
            Text(), "the state that shows the answer, as in a link without #: mask=off&token=sat&at=table", needed=True
        ),
        "choices": Key(List(CHOICE), "what to choose from"),
        "answer": Key(Text(), "instead of choices: an expression for the number to find"),
        "digits": Key(Whole(DECIMALS), "decimals of that number"),
        "wrong": Key(List(MISTAKEN), "numbers that are often given"),
        "why": Key(Text(), "the explanation of the number"),
    },
    "question",
)
NOTE = Table(
    {
        "figure": Key(Text(), "the figure that says it", needed=True),
        "when": Key(Text(), "an expression: the states in which it is said", needed=True),
        "text": Key(Text(), "the sentence; may hold {{ expressions }}", needed=True),
        "claim": Key(Text(), "an expression that must be true wherever it is said"),
    },
    "note",
)
OPTIONS = Map(Anything(), "a table of options", 'write it as [figures.{key}], with e.g. token = "it" below')
SECTION = Table(
    {
        "title": Key(Text(), "heading of the section", needed=True),
        "slug": Key(Text(), "its name in addresses"),
        "assumes": Key(STATE, "the parts of a state that its text speaks of: mask, head, sentence"),
        "state": Key(STATE, "what the section's own page shows at first"),
        "figures": Key(Map(OPTIONS), "options of its figures"),
        "notes": Key(List(NOTE), "sentences that a figure adds in some states"),
        "questions": Key(List(QUESTION), "questions after the section"),
        "done": Key(TEXTS, "states to be visited for the section to count as done in a course"),
    },
    "section",
)
PAGE = Table({"title": Key(Text(), "heading of the page", needed=True)}, "page for teachers")

# facts.toml and claims.toml

SOURCE = Table(
    {
        "title": Key(Text(), "what it is called", needed=True),
        "url": Key(Text(), "its address", needed=True),
    },
    "source",
)
FACT = Table(
    {
        "term": Key(Text(), "what it is about", needed=True),
        "text": Key(Text(), "the fact", needed=True),
        "more": Key(Text(), "a line after it"),
        "sources": Key(List(SOURCE), "titles and addresses"),
    },
    "fact",
)
CLAIM = Table(
    {
        "name": Key(Text(), "what it says", needed=True),
        "claim": Key(Text(), "an expression that must be true", needed=True),
        "state": Key(STATE, "the state it is asked in"),
        "every": Key(TEXTS, "mask, head, sentence: asked in all of them"),
    },
    "claim",
)

# strings.toml and heights.toml

STRINGS = Map(Text(filled=True), deep=True)
EMBED = Table(
    {name: Key(Whole(PIXELS), "height in pixels", HEIGHT) for name in CLASSES},
    said="a table of heights",
    fix=f'write ["{{key}}"], with e.g. 700 = {HEIGHT} below, or measure anew: python tools/heights.py',
    noun="width",
)

_ENTRY = "write each entry as [[{}]]"
FILES = {
    "site.toml": FileShape(SITE),
    "model.toml": FileShape(MODEL, joint=", "),
    "sections/*.md": FileShape(SECTION),
    "facts.toml": FileShape(Table({"facts": Key(List(FACT), "the facts")}, unknown=_ENTRY.format("facts"))),
    "claims.toml": FileShape(Table({"claims": Key(List(CLAIM), "the claims")}, unknown=_ENTRY.format("claims"))),
    "strings.toml": FileShape(STRINGS, joint="."),
    "teachers.md": FileShape(PAGE),
    "heights.toml": FileShape(Map(EMBED)),
}
