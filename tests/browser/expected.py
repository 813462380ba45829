"""What the pages must show in a state: the words of content/strings.toml with the numbers of the reference."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from qkv.output.bundle import ROOT
from tests.reference import (
    HEADS,
    LABELS,
    MASKS,
    SENTENCES,
    W_O,
    Matrix,
    Reference,
    Row,
    Vector,
    cell,
    exp4,
    number,
    percent,
    three,
    weight3,
)

KINDS = ("lines", "vectors", "match", "softmax", "mix", "compare", "table", "heads", "glue")
REFERENCE = Reference()
NAMES = tuple(head.name for head in HEADS)
N = 10
FAINT = 0.001  # a thinner ribbon is left out
# what the text around a figure speaks of; with anything else the figure says so
SPOKEN_OF = {
    "lines": {"mask": "on", "head": "meaning"},
    "vectors": {"head": "meaning"},
    "match": {"head": "meaning"},
    "softmax": {"mask": "on", "head": "meaning"},
    "mix": {"mask": "on", "head": "meaning"},
    "table": {"head": "meaning"},
}
# The axes on which a figure shows what its reader chooses: those that it, or another figure of its section, can set. On
# the others it stays as its section assumes, which is how the page opens.
ASKER = ("sentence", "token")  # the switched word is one of the asking tokens
FOLLOWS = {
    "lines": ASKER,
    "vectors": ASKER,
    "match": ASKER,
    "softmax": ASKER,
    "mix": ASKER,
    "compare": ASKER,  # from mix beside it, and yet it shows the same always
    "table": ("sentence", "mask", "head", "token"),  # the last by a click on a row
    "heads": ("sentence", "token", "mask", "head"),
    "glue": ("sentence", "token", "mask", "head"),  # the last from the tables of heads above it
}
ROOM = 0.075  # of a stacked bar for each letter of its token
EMPTY = [""] * N


@dataclass(frozen=True)
class State:
    """A state of a page, as its links name it."""

    sentence: str = "tired"
    mask: str = "on"
    head: str = "meaning"
    token: int = N - 1

    def __str__(self) -> str:
        return f"sentence={self.sentence}&mask={self.mask}&head={self.head}&token={self.token}"

    @property
    def row(self) -> Row:
        return REFERENCE.row(self.sentence, self.mask, self.head, self.token)

    @property
    def tokens(self) -> list[str]:
        return SENTENCES[self.sentence]

    @property
    def asker(self) -> str:
        return self.tokens[self.token]


DEFAULT = State()


def shown(state: State, kind: str, whole: str = "") -> State:
    """What a figure shows in a state of the page; `whole` is the figure that shows all of it, since a link leads to it
    or since it is alone on its page."""
    return state if kind == whole else replace(DEFAULT, **{axis: getattr(state, axis) for axis in FOLLOWS[kind]})


STATES = [State(s, m, h, t) for s in SENTENCES for m in MASKS for h in NAMES for t in range(N)]


def _words() -> dict[str, str]:
    found: dict[str, str] = {}

    def walk(table: dict[str, Any], path: tuple[str, ...]) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                walk(value, (*path, key))
            else:
                found[".".join((*path, key))] = value

    walk(tomllib.loads((ROOT / "content" / "strings.toml").read_text(encoding="utf-8")), ())
    return found


WORDS = _words()


def plain(text: str) -> str:
    """As the reader in the page gives texts: one space for any."""
    return re.sub(r"\s+", " ", text).strip()


def say(words: str, /, **parts: object) -> str:
    return plain(re.sub(r"\{(\w+)\}", lambda hit: str(parts[hit[1]]), WORDS[words]))


def vector(numbers: Vector, show: Callable[[float | None], str] = number) -> str:
    """(5, 0, 0, 0)"""
    return f"({', '.join(map(show, numbers))})"


def listed(parts: Sequence[str]) -> str:
    """cat, mat and sat"""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {say('and')} {parts[-1]}"


def brief(weight: float | None) -> str:
    """A weight in a cell of a graphic."""
    return {"<.01": "~0", ">.99": "~1"}.get(text := cell(weight), text)


def form(row: Row) -> str:
    """How a row reads: one token alone, some or many that share the largest weight, one in front, or two."""
    seen = sorted(row.seen, reverse=True)
    if len(seen) == 1:
        return "only"
    if len(row.largest) > 1:
        return "even" if len(row.largest) < 4 else "many"
    return "two" if seen[1] >= 0.01 and (len(seen) == 2 or seen[1] - seen[2] > 1e-9) else "one"


# tables, controls, graphics ------------------------------------------------------------------------------------


def table(
    caption: str,
    corner: str,
    columns: Sequence[str],
    rows: Sequence[str],
    cells: Sequence[Sequence[str]],
    marks: Sequence[Sequence[str]] | None = None,
    row_marks: Sequence[str] | None = None,
    head: Sequence[str] = (),
    foot: Sequence[str] = (),
) -> dict[str, Any]:
    """A table as the reader in the page gives it."""
    body = [[m, r, *c] for m, r, c in zip(row_marks or [""] * len(rows), rows, cells, strict=True)]
    classes = [list(m) for m in marks or [[""] * len(c) for c in cells]]
    if head:
        body.insert(0, ["head", *head])
        classes.insert(0, [""] * (len(head) - 1))
    return {
        "caption": caption,
        "label": caption,
        "head": [plain(corner), *map(plain, columns)],
        "body": body,
        "marks": classes,
        "foot": list(foot),
    }


def masked(weights: Sequence[float | None]) -> list[str]:
    return ["masked" if weight is None else "" for weight in weights]


def controls(state: State, names: Sequence[str]) -> dict[str, Any]:
    words = list(SENTENCES)
    tokens = [*state.tokens[:-1], *words]
    place = [min(i, N - 1) for i in range(len(tokens))]
    made = {
        "token": (
            tokens,
            N - 1 + words.index(state.sentence) if state.token == N - 1 else state.token,
            [say("control.position", token=t, place=p + 1, all=N) for t, p in zip(tokens, place, strict=True)],
        ),
        "word": (words, words.index(state.sentence), [""] * 2),
        "mask": ([say(f"mask.{m}_long") for m in MASKS], MASKS.index(state.mask), [""] * 2),
        "head": (list(NAMES), NAMES.index(state.head), [""] * 3),
    }
    return {
        name: {
            "legend": say(f"control.{name}"),
            "choices": made[name][0],
            "checked": [made[name][1]],
            "names": made[name][2],
        }
        for name in names
    }


def plot(label: str, texts: Sequence[str], hover: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
    """What a graphic shows: its texts as drawn, and the texts under the pointer, trace by trace."""
    return {"label": label, "texts": [t for t in map(plain, texts) if t], "hover": [list(part) for part in hover]}


def figure(
    state: State,
    kind: str,
    says: str,
    tables: dict[str, Any],
    plots: dict[str, Any],
    names: Sequence[str],
    headings: Sequence[str] = (),
    caption: str | None = None,
) -> dict[str, Any]:
    return {
        "title": say(f"{kind}.title"),
        "headings": [plain(heading) for heading in headings],
        "says": says,
        "caption": say(f"{kind}.caption") if caption is None else caption,
        "link": f"#{state}&at={kind}" if names else "",
        "describes": describes(state, kind),
        "controls": controls(state, names),
        "tables": tables,
        "plots": plots,
    }


def describes(state: State, kind: str) -> list[str]:
    """What a figure says where it does not show what the text speaks of, and where its link back leads."""
    others = {part: name for part, name in SPOKEN_OF.get(kind, {}).items() if getattr(state, part) != name}
    if not others:
        return []
    parts = [say(f"figure.part_{p}", name=say(f"mask.{n}_long") if p == "mask" else n) for p, n in others.items()]
    text = f"{say('figure.describes', parts=listed(parts))} {say('figure.describes_link')}"
    back = State(state.sentence, others.get("mask", state.mask), others.get("head", state.head), state.token)
    return [text, f"#{back}&at={kind}"]


def asking(state: State) -> list[str]:
    """Tokens as row labels, with the mark of the asking token."""
    return [("▸ " if i == state.token else "") + token for i, token in enumerate(state.tokens)]


def arrows(state: State, values: Sequence[str]) -> list[str]:
    return [f"{state.asker} → {key}: {value}" for key, value in zip(state.tokens, values, strict=True)]


# the figures -----------------------------------------------------------------------------------------------------


def lines(state: State) -> dict[str, Any]:
    row, tokens = state.row, state.tokens
    order = row.order
    parts = {
        "asker": state.asker,
        "key": tokens[order[0]],
        "weight": percent(row.weights[order[0]]),
        "next": tokens[order[1]] if len(order) > 1 else "",
        "next_weight": percent(row.weights[order[1]]) if len(order) > 1 else "",
        "ties": listed([tokens[j] for j in row.largest]),
    }
    shown = list(map(percent, row.weights))
    thick = [text for text, w in zip(arrows(state, shown), row.weights, strict=True) if w is not None and w >= FAINT]
    weights = table(
        say("lines.table", asker=state.asker),
        say("lines.looked_at"),
        [say("weight")],
        tokens,
        [[weight3(w)] for w in row.weights],
        [[m] for m in masked(row.weights)],
    )
    texts = [*asking(state), *tokens, *shown, say("lines.asks"), say("lines.looked_at")]
    return figure(
        state,
        "lines",
        say(f"lines.{form(row)}", **parts),
        {"weights": weights},
        {"lines": plot(say("lines.label"), texts, [thick])},
        ["token"],
        caption=say("lines.caption", share=78),
    )


def vectors(state: State) -> dict[str, Any]:
    row, head = state.row, HEADS[NAMES.index(state.head)]
    tables, plots = {}, {}
    for name, matrix, slots, numbers in (
        ("q", head.w_q, head.match, row.query),
        ("k", head.w_k, head.match, row.keys[state.token]),
        ("v", head.w_v, head.value, row.values[state.token]),
    ):
        tables[f"w_{name}"] = table(
            say(f"vectors.{name}_table", asker=state.asker),
            say("vectors.feature"),
            [say("vectors.x"), *slots],
            LABELS,
            [[number(x), *map(number, entries)] for x, entries in zip(row.x, matrix, strict=True)],
            row_marks=[
                plain(("lit " if x else "") + ("" if any(entries) else "greyed"))
                for x, entries in zip(row.x, matrix, strict=True)
            ],
            foot=[say(f"vectors.{name}"), "", *map(number, numbers)],
        )
        shown = list(map(number, numbers))
        plots[name] = plot(
            say(f"vectors.{name}_label"),
            [*slots, *shown],
            [[f"{slot}: {value}" for slot, value in zip(slots, shown, strict=True)]],
        )
    all_of_it = REFERENCE.attention(state.sentence, state.mask, state.head)
    tables["vectors"] = table(
        say("vectors.all"),
        say("token"),
        [say("vectors.q"), say("vectors.k"), say("vectors.v")],
        state.tokens,
        [[vector(q), vector(k), vector(v)] for q, k, v in zip(all_of_it.q, all_of_it.k, all_of_it.v, strict=True)],
    )
    says = say(
        "vectors.says",
        asker=state.asker,
        x=vector(row.x),
        q=vector(row.query),
        k=vector(row.keys[state.token]),
        v=vector(row.values[state.token]),
    )
    headings = [say(f"vectors.{name}_title") for name in ("q", "k", "v")]
    return figure(
        state, "vectors", says, tables, plots, ["token"], headings, caption=say("vectors.caption", size=len(row.query))
    )


def match(state: State) -> dict[str, Any]:
    row, tokens, head = state.row, state.tokens, HEADS[NAMES.index(state.head)]
    products, scores = list(map(number, row.products)), list(map(number, row.scores))
    kept = [s if w is not None else f"{s} ({say('masked')})" for s, w in zip(scores, row.weights, strict=True)]
    keys = table(
        say("match.table", asker=state.asker),
        say("match.key"),
        [*head.match, say("match.product"), say("match.scaled", root=2)],
        tokens,
        [[*map(number, k), p, s] for k, p, s in zip(row.keys, products, kept, strict=True)],
        [[*("lit" if term else "" for term in terms), "", "score"] for terms in row.terms],
        masked(row.weights),
        head=[say("match.query", asker=state.asker), *map(number, row.query), "", ""],
    )

    def summed(key: Vector) -> str:
        return " + ".join(f"{number(q)}×{number(k)}" if q and k else "0" for q, k in zip(row.query, key, strict=True))

    terms = table(
        say("match.terms", asker=state.asker),
        say("match.key"),
        [say("match.sum"), say("match.product"), say("match.scaled", root=2), say("match.after_mask")],
        tokens,
        [
            [summed(key), p, s, say("removed" if w is None else "kept")]
            for key, p, s, w in zip(row.keys, products, scores, row.weights, strict=True)
        ],
    )
    order = row.order
    first = order[0]
    says = say(
        f"match.{form(row)}",
        asker=state.asker,
        key=tokens[first],
        ties=listed([tokens[j] for j in row.largest]),
        best=f"{summed(row.keys[first])} = {products[first]}; {products[first]} ÷ 2 = {scores[first]}",
        next=scores[order[1]] if len(order) > 1 else "",
        second=tokens[order[1]] if len(order) > 1 else "",
    )
    return figure(
        state,
        "match",
        says,
        {"match": keys, "terms": terms},
        {"match": plot(say("match.label"), [*tokens, *scores], [arrows(state, scores)])},
        ["token"],
        [say("match.bars")],
        caption=say("match.caption", root=2, size=len(row.query)),
    )


def total(row: Row) -> float:
    """What the weights of a row add up to, in ten digits."""
    return float(f"{sum(weight or 0 for weight in row.weights):.10g}")


def softmax(state: State) -> dict[str, Any]:
    row, tokens = state.row, state.tokens
    scores, exps, weights = list(map(number, row.scores)), list(map(exp4, row.exps)), list(map(weight3, row.weights))
    steps = table(
        say("softmax.table", asker=state.asker),
        say("softmax.key"),
        [say("score"), say("softmax.exp"), say("weight")],
        tokens,
        [list(entries) for entries in zip(scores, exps, weights, strict=True)],
        row_marks=masked(row.weights),
        foot=[say("softmax.sum"), "", exp4(row.total), weight3(total(row))],
    )
    order = row.order
    first, second = order[0], order[min(1, len(order) - 1)]
    says = say(
        f"softmax.{form(row)}",
        asker=state.asker,
        key=tokens[first],
        next=tokens[second],
        ties=listed([tokens[j] for j in row.largest]),
        total=exp4(row.total),
        exp=exps[first],
        weight=weights[first],
        score=scores[first],
        next_exp=exps[second],
        next_weight=weights[second],
        next_score=scores[second],
        whole=weight3(total(row)),
    )
    beside = [
        f"{score}, {say('masked') if w is None else f'eˢ = {exp}'}"
        for score, exp, w in zip(scores, exps, row.weights, strict=True)
    ]
    plots = {
        "scores": plot(say("softmax.scores_label"), [*tokens, *beside], [arrows(state, scores)]),
        "weights": plot(say("softmax.weights_label"), [*tokens, *weights], [arrows(state, weights)]),
    }
    return figure(
        state, "softmax", says, {"softmax": steps}, plots, ["token"], [say("softmax.scores"), say("softmax.weights")]
    )


def mix(state: State) -> dict[str, Any]:
    row, tokens = state.row, state.tokens
    slots = HEADS[NAMES.index(state.head)].value
    before = row.values[state.token]
    parts = [[None] * len(slots) if part is None else list(part) for part in row.weighted]
    out = list(map(three, row.out))
    values = table(
        say("mix.table", asker=state.asker),
        say("mix.key"),
        [say("weight"), *slots],
        tokens,
        [[weight3(w), *map(three, part)] for w, part in zip(row.weights, parts, strict=True)],
        row_marks=masked(row.weights),
        foot=[say("mix.out"), weight3(total(row)), *out],
    )
    order = row.order
    first, second = order[0], order[min(1, len(order) - 1)]
    says = say(
        f"mix.{form(row)}",
        asker=state.asker,
        key=tokens[first],
        before=vector(before),
        weight=weight3(row.weights[first]),
        value=vector(row.values[first]),
        next=tokens[second],
        next_weight=weight3(row.weights[second]),
        next_value=vector(row.values[second]),
        ties=listed([tokens[j] for j in row.largest]),
        after=vector(row.out, three),
    )
    inside = [
        token
        for token, part in zip(tokens, parts, strict=True)
        for value in part
        if abs(value or 0) >= ROOM * len(token)
    ]
    hover = [
        [
            f"{token}, {slot}: {three(value)}"
            for token, part in zip(tokens, parts, strict=True)
            for slot, value in zip(slots, part, strict=True)
        ],
        [f"{say('mix.before')}: {number(value)}" for value in before],
    ]
    return figure(
        state,
        "mix",
        says,
        {"mix": values},
        {"mix": plot(say("mix.label"), [*inside, *slots, *out], hover)},
        ["token"],
        caption=say("mix.caption", size=4, features=8, glue=say("glue.title")),
    )


def compare(state: State) -> dict[str, Any]:
    del state  # these two are always the same
    slots = HEADS[0].value
    tired, soft, it = State("tired").row, State("soft").row, State(token=7).row
    bare = it.values[7]
    outs = [(say("compare.out", token=word), row.out) for word, row in (("tired", tired), ("soft", soft))]
    pair = [(say("compare.before", token="it"), bare), (say("compare.after", token="it"), it.out)]
    rows = [*outs, *pair]
    numbers = table(
        say("compare.table", mask=say("mask.on"), head=NAMES[0]),
        say("compare.vector"),
        slots,
        [name for name, _ in rows],
        [list(map(three, values)) for _, values in rows],
    )
    plots = {
        f"compare-{i + 1}": plot(
            say("compare.label"),
            [*(three(v) for _, values in two for v in values), *slots, *(f"■ {name}" for name, _ in two)],
            [[f"{name}, {slot}: {three(v)}" for slot, v in zip(slots, values, strict=True)] for name, values in two],
        )
        for i, two in ((0, outs), (1, pair))
    }
    says = say(
        "compare.says",
        first="tired",
        second="soft",
        one=vector(tired.out, three)[1:-1],
        two=vector(soft.out, three)[1:-1],
        token="it",
        before=vector(bare),
        after=vector(it.out, three),
    )
    headings = [say("compare.outputs"), say("compare.one", token="it")]
    caption = say("compare.caption", head=NAMES[0])
    return figure(DEFAULT, "compare", says, {"compare": numbers}, plots, [], headings, caption)


def square(tokens: list[str], weights: Sequence[Sequence[float | None]], caption: str) -> dict[str, Any]:
    return table(
        caption,
        say("table.asks"),
        tokens,
        tokens,
        [list(map(weight3, row)) for row in weights],
        [masked(row) for row in weights],
    )


def pairs(tokens: list[str], weights: Sequence[Sequence[float | None]]) -> list[str]:
    """The texts under the pointer, cell by cell."""
    return [
        f"{asker} → {key}: {weight3(w)}"
        for asker, row in zip(tokens, weights, strict=True)
        for key, w in zip(tokens, row, strict=True)
    ]


def whole(state: State) -> dict[str, Any]:
    tokens, head = state.tokens, HEADS[NAMES.index(state.head)]
    found = REFERENCE.attention(state.sentence, state.mask, state.head)

    def numbers(caption: str, corner: str, columns: Sequence[str], rows: Matrix) -> dict[str, Any]:
        return table(say(caption), say(corner), columns, tokens, [list(map(number, row)) for row in rows])

    sizes = {"n": N, "size": 4}
    tables = {
        "weights": square(tokens, found.weights, say("table.numbers")),
        "q": numbers("table.q_table", "table.asks", head.match, found.q),
        "k": numbers("table.k_table", "table.key", head.match, found.k),
        "scores": numbers("table.scores_table", "table.asks", tokens, found.scores),
    }
    plots = {
        "margin-k": plot(say("table.k_margin", **sizes), [*(number(v) for row in found.k for v in row), *head.match]),
        "margin-q": plot(say("table.q_margin", **sizes), [*(number(v) for row in found.q for v in row), *head.match]),
        "weights": plot(
            say("table.label"),
            [*(brief(w) for row in found.weights for w in row), *tokens, *tokens],
            [pairs(tokens, found.weights)],
        ),
    }
    says = say("table.on", visible=55, all=100) if state.mask == "on" else say("table.off", opened=45, all=100)
    return figure(
        state,
        "table",
        says,
        tables,
        plots,
        ["word", "mask", "head"],
        [say("table.product", root=2, **sizes)],
        caption=say("table.caption", **sizes),
    )


JOBS = ("pronoun, or what is said, to noun", "to the token before", "parks on the first token")


def heads(state: State) -> dict[str, Any]:
    tokens, tables, plots, each = state.tokens, {}, {}, []
    for index, name in enumerate(NAMES):
        row = replace(state, head=name).row
        weights = REFERENCE.attention(state.sentence, state.mask, name).weights
        tables[f"head-{index}"] = square(tokens, weights, say("heads.table", head=name))
        plots[f"head-{index}"] = plot(
            say("heads.label", head=name),
            [*map(brief, row.weights), *asking(state), *tokens],
            [pairs(tokens, weights)],
        )
        weight = percent(row.weights[row.largest[0]])
        each.append(
            say(
                "heads.one",
                head=name,
                keys=listed([tokens[j] for j in row.largest]),
                weight=weight if len(row.largest) == 1 else say("heads.each", weight=weight),
            )
        )
    return figure(
        state,
        "heads",
        say("heads.says", asker=state.asker, list="; ".join(each)),
        tables,
        plots,
        ["token", "mask", "head"],
        [f"{name}: {job}" for name, job in zip(NAMES, JOBS, strict=True)],
    )


def glue(state: State) -> dict[str, Any]:
    row = state.row
    glued, final = list(map(three, row.glued)), list(map(three, row.final))
    slots = [(head.name, slot) for head in HEADS for slot in head.value]
    sizes = {"heads": 3, "size": 4, "all": 12, "features": 8, "sum": "4 + 4 + 4"}
    w_o = table(
        say("glue.w_o_table"),
        say("glue.slot"),
        [say("glue.number"), *LABELS],
        [f"{name} · {slot}" for name, slot in slots],
        [[g, *map(number, entries)] for g, entries in zip(glued, W_O, strict=True)],
        row_marks=["lit" if value else "" for value in row.glued],
        foot=[say("glue.final"), "", *final],
    )
    plots = {
        "glued": plot(
            say("glue.glued_label"),
            [*(slot for _, slot in slots), *glued, *NAMES],
            [[f"{slot} {value}" for (_, slot), value in zip(slots, glued, strict=True)]],
        ),
        "final": plot(
            say("glue.final_label"),
            [*LABELS, *final],
            [[f"{name} {value}" for name, value in zip(LABELS, final, strict=True)]],
        ),
    }
    return figure(
        state,
        "glue",
        say("glue.says", asker=state.asker, after=", ".join(final), **sizes),
        {"w_o": w_o},
        plots,
        ["token", "mask"],
        [say("glue.glued_title", **sizes), say("glue.final_title", **sizes)],
        caption=say("glue.caption", **sizes),
    )


FIGURES: dict[str, Callable[[State], dict[str, Any]]] = {
    "lines": lines,
    "vectors": vectors,
    "match": match,
    "softmax": softmax,
    "mix": mix,
    "compare": compare,
    "table": whole,
    "heads": heads,
    "glue": glue,
}


def notes(state: State, kind: str) -> list[str]:
    """What the note of a figure must say in the state that it shows, in pieces; no pieces, no note."""
    asker, meaning = state.asker, state.head == "meaning"

    def weight(query: str, key: int | str, **other: str) -> float | None:
        row = replace(state, **other, token=state.tokens.index(query)).row
        return row.weights[key if isinstance(key, int) else state.tokens.index(key)]

    if kind == "lines" and asker == "it" and meaning:
        if state.mask == "on":
            return ["never flips", "the same in both sentences", "The last token is the one that flips."]
        return ["does not flip", f"({percent(weight('it', N - 1))})", "The last token is the one that flips."]
    if kind == "lines" and asker == "cat" and meaning and state.mask == "on":
        return ["no preference"]
    if kind == "softmax" and asker in ("on", "was") and meaning and state.mask == "on":
        numbers = [weight3(weight("on", "cat")), weight3(weight("on", "sat"))] if asker == "on" else []
        return ["7.389 times", *numbers]
    if kind == "table" and meaning and state.mask == "off":
        found = [weight("sat", "cat", mask="on"), weight("sat", "cat"), weight("sat", "mat")]
        return ["In the row of sat", *map(weight3, found)]
    if kind == "heads" and state.token == 0:
        return ["All three agree here"] if state.mask == "on" else ["looks at itself here"]
    return []


@cache
def expected(state: State, whole: str = "") -> dict[str, dict[str, Any]]:
    """Every figure of the page in a state of it; `whole` as in `shown`."""
    return {kind: _made(kind, shown(state, kind, whole)) for kind in FIGURES}


@cache
def _made(kind: str, state: State) -> dict[str, Any]:
    return FIGURES[kind](state)


def differences(found: Any, wanted: Any, path: str = "") -> list[str]:
    """Where two nested values differ, for a message that can be read; keys that are not wanted are passed over."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        missing = [f"{path}/{key} is missing" for key in wanted if key not in found]
        both = [key for key in wanted if key in found]
        return missing + [line for key in both for line in differences(found[key], wanted[key], f"{path}/{key}")]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = enumerate(zip(found, wanted, strict=True))
        return [line for i, (f, w) in pairs for line in differences(f, w, f"{path}/{i}")]
    return [] if found == wanted else [f"{path}: {found!r}, wanted {wanted!r}"]


def beyond_whole(state: State, figures: dict[str, Any]) -> list[str]:
    """Rows of displayed shares that add up to more than a whole, beyond what rounding to three digits explains."""
    rows = [
        [row[-1] for row in figures["lines"]["tables"]["weights"]["body"]],
        [row[-1] for row in figures["softmax"]["tables"]["softmax"]["body"]],
        *(row[2:] for row in figures["table"]["tables"]["weights"]["body"]),
        *(row[2:] for i in range(len(NAMES)) for row in figures["heads"]["tables"][f"head-{i}"]["body"]),
        [text for text in figures["lines"]["plots"]["lines"]["texts"] if text.endswith("%")],
    ]
    each = [(figures["lines"]["says"], shown(state, "lines").row)]
    each += [(part, replace(state, head=NAMES[i]).row) for i, part in enumerate(figures["heads"]["says"].split(";"))]
    for text, row in each:  # "49.0% each" is said once for several
        rows.append(re.findall(r"([\d.]+%) each", text) * len(row.largest))
    wrong = []
    for texts in rows:
        numbers = [text for text in texts if text != say("masked") and not text.startswith("<")]
        shares = [float(text.strip(">%")) / (100 if "%" in text else 1) for text in numbers]
        if sum(shares) > 1 + len(shares) * 0.0005 + 1e-9 or any(share > 1 for share in shares):
            wrong.append(f"{sum(shares)} in {texts}")
    return wrong


def only_hovered(figure: dict[str, Any]) -> list[str]:
    """Texts under the pointer whose number stands in no table and no sentence of the figure."""
    cells = {cell for part in figure["tables"].values() for row in [*part["body"], part["foot"]] for cell in row}
    known = cells | {cell.removesuffix(f" ({say('masked')})") for cell in cells}
    known |= set(re.findall(r"[^\s(),;]+(?<!\.)", figure["says"]))
    hovered = {text for part in figure["plots"].values() for trace in part["hover"] for text in trace}
    return sorted(text for text in hovered if as_weight(text.split(" ")[-1]) not in known)


def as_weight(text: str) -> str:
    """A share as it stands in a table: 94.3% is 0.943."""
    if not text.endswith("%"):
        return text
    sign = text[:-1].rstrip("0123456789.")
    return f"{sign}{float(text[len(sign) : -1]) / 100:.3f}"
