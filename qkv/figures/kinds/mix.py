"""Values, each multiplied by its weight, add up to the token's output; and outputs compared."""

from __future__ import annotations

from qkv.errors import fail
from qkv.figures.charts import Block, Book, Chart, Plot, Table
from qkv.figures.kinds.vectors import vector_text
from qkv.figures.shared import ASKER, FIRST, SECOND, bars, rows_axis, same, says, texts, zero_line
from qkv.figures.template import CLEAR, Node, look, phrase

SLOT = 52  # pixels for a slot: the stacked bar and the thin outline under it
LETTER = 0.075  # of a value: a part needs as much for each letter of its token, on a phone too


def mix(book: Book) -> Chart:
    words = book.words
    weighted: Node = look("weighted[t,*,*]", "three")
    table = Table(
        "mix",
        words.phrase("mix.table", asker=look("tokens[t]", "word")),
        words("mix.key"),
        {"$list": [[words("weight")], look("value_slots[*]")]},
        look("tokens[*]"),
        {"$columns": [look("weights[t,*]", "weight3"), weighted]},
        row_marks=look("weights[t,*]", "masked"),
        foot=(words("mix.out"), {"$list": [[look("sum_weights[t]", "weight3")], look("out[t,*]", "three")]}),
    )
    return Chart(
        "mix",
        words("mix.title"),
        ("sentence", "token"),
        (Block((stack(book),)),),
        (table,),
        says(
            words,
            "mix",
            asker=ASKER,
            key=FIRST,
            before=vector_text("v[t,*]"),
            weight=look("weights[t,1st]", "weight3"),
            value=vector_text("v[1st,*]"),
            next=SECOND,
            next_weight=look("weights[t,2nd]", "weight3"),
            next_value=vector_text("v[2nd,*]"),
            ties={"$join": look("tokens[ties]", "word"), "by": "and"},
            after=phrase("({numbers})", numbers={"$join": look("out[t,*]", "three"), "by": ", "}),
        ),
        words("mix.caption", size=str(book.size), features=str(len(book.features)), glue=words("glue.title")),
    )


def stack(book: Book) -> Plot:
    """The weighted values of all tokens, stacked slot by slot; the token's own value as an outline under them."""
    size = book.size
    parts, index = look("weighted[t,*,*]", "length", flat=True), look("slot[0,*]")
    names = look("token_of_slot[*,*]", "escape", flat=True)
    hover = phrase(
        "{key}, {slot}: {value}",
        key=names,
        slot=look("slot_of_token[*,*]", "escape", flat=True),
        value=look("weighted[t,*,*]", "three", flat=True),
    )
    data = (
        zero_line(size),
        bars(
            parts,
            look("slot[*,*]", flat=True),
            look("weight_of_slot[*,*]", "shade", flat=True),
            hover,
            0.5,
            marker={"line": {"width": 1, "color": "@line"}},
            offset=-0.36,
            text={"$size": [parts, LETTER], "then": names},
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            insidetextfont={"size": 12, "color": look("weight_of_slot[*,*]", "on_shade", flat=True)},
        ),
        bars(
            look("v[t,*]"),
            index,
            CLEAR,
            phrase("{before}: {value}", before=book.words("mix.before"), value=look("v[t,*]", "number")),
            0.2,
            base=0,  # from the line on, not stacked on top of the parts
            offset=0.18,
            marker={"line": {"width": 1.5, "color": "@accent"}},
        ),
        texts(
            same(look("value_range[0]"), index),
            index,
            phrase("{slot}\u00a0\u00a0", slot=look("value_slots[*]", "label")),
            "middle left",
            size=13,
        ),
        texts(
            same(look("value_range[1]"), index),
            index,
            phrase("\u00a0{value}", value=look("out[t,*]", "three")),
            "middle right",
        ),
    )
    return Plot(
        "mix",
        book.words("mix.label"),
        size * SLOT + 8,
        (book.slot_width("value"), 82, 4, 4),
        data,
        {
            "xaxis": {"range": [look("value_range[0]"), look("value_range[1]")]},
            "yaxis": {"range": [size - 0.5, -0.5]},
            "barmode": "relative",
        },
    )


def compare(book: Book) -> Chart:
    """The outputs of the last token of the first two sentences, and one token before and after: one fixed state."""
    words, sentences = book.words, book.source.sentences
    name = str(book.options.get("token", "it"))
    if len(sentences) < 2:
        raise fail(book.source.place, "the figure compare shows two sentences, and this is one", "leave it out")
    found = [s for s in sentences[:1] if name in s.tokens]
    if not found:
        raise fail(
            book.places.get("token") or book.source.place,
            f"the figure compare shows the token {name!r}, which is not in the first sentence",
            'name another under [figures.compare] in the section, e.g. token = "it"',
        )
    token = found[0].tokens.index(name)
    fixed = {name: book.axis_options(name)[0].id for name in ("mask", "head")}
    one, two = sentences[:2]
    first, second, inner = (
        {"sentence": one.id, "token": str(len(one.tokens) - 1), **fixed},
        {"sentence": two.id, "token": str(len(two.tokens) - 1), **fixed},
        {"sentence": one.id, "token": str(token), **fixed},
    )
    rows: list[tuple[Node, str, dict[str, str]]] = [
        (words.phrase("compare.out", token=look("tokens[t]", "word", at=first)), "out[t,*]", first),
        (words.phrase("compare.out", token=look("tokens[t]", "word", at=second)), "out[t,*]", second),
        (words.phrase("compare.before", token=look("tokens[t]", "word", at=inner)), "v[t,*]", inner),
        (words.phrase("compare.after", token=look("tokens[t]", "word", at=inner)), "out[t,*]", inner),
    ]
    pairs: list[Block] = []
    for title, pair, colors in (
        (words("compare.outputs"), rows[:2], ("@attention", "@second")),
        (words.phrase("compare.one", token=look("tokens[t]", "word", at=inner)), rows[2:], ("@before", "@attention")),
    ):
        pairs.append(Block((pair_plot(book, pair, colors, f"compare-{len(pairs) + 1}"),), title))
    table = Table(
        "compare",
        words.phrase("compare.table", mask=words(f"mask.{fixed['mask']}"), head=book.axis_options("head")[0].text),
        words("compare.vector"),
        look("value_slots[*]", at=fixed),
        [row[0] for row in rows],
        [look(path, "three", at=pins) for _, path, pins in rows],
        words=True,
    )
    after = {"$join": look("out[t,*]", "three", at=inner), "by": ", "}
    sentence = words.phrase(
        "compare.says",
        first=look("tokens[t]", "word", at=first),
        second=look("tokens[t]", "word", at=second),
        one={"$join": look("out[t,*]", "three", at=first), "by": ", "},
        two={"$join": look("out[t,*]", "three", at=second), "by": ", "},
        token=look("tokens[t]", "word", at=inner),
        before=vector_text_at("v[t,*]", inner),
        after=phrase("({n})", n=after),
    )
    caption = words("compare.caption", head=book.axis_options("head")[0].text)
    return Chart("compare", words("compare.title"), (), tuple(pairs), (table,), sentence, caption)


def vector_text_at(path: str, pins: dict[str, str]) -> Node:
    return phrase("({numbers})", numbers={"$join": look(path, "number", at=pins), "by": ", "})


def pair_plot(book: Book, rows: list[tuple[Node, str, dict[str, str]]], colors: tuple[str, str], name: str) -> Plot:
    """Two vectors side by side, slot by slot, each bar with its number."""
    size, head = book.size, {"head": book.axis_options("head")[0].id}
    index = look("slot[0,*]")
    low, high = look("value_range[0]", at=head), look("value_range[1]", at=head)
    data: list[Node] = [zero_line(size)]
    for (title, path, pins), color, offset in zip(rows, colors, (-0.4, 0.02), strict=True):
        value = look(path, "three", at=pins)
        hover = phrase(
            "{vector}, {slot}: {value}",
            vector=escaped(title),
            slot=look("value_slots[*]", "escape", at=head),
            value=value,
        )
        data.append(bars(look(path, at=pins), index, color, hover, 0.38, offset=offset))
        data.append(
            texts(
                same(high, index),
                look("above[*]" if offset < 0 else "under[*]"),
                phrase("\u00a0{value}", value=value),
                "middle right",
                size=12,
            )
        )
    data.append(
        texts(
            same(low, index),
            index,
            phrase("{slot}\u00a0\u00a0", slot=look("value_slots[*]", "label", at=head)),
            "middle left",
            size=13,
        )
    )
    legend = [escaped(title, "short") for title, _, _ in rows]
    data.append(
        texts(
            [low, low],
            [-0.95, -0.66],
            [phrase("\u25a0 {t}", t=part) for part in legend],
            "middle right",
            list(colors),
            12,
        )
    )
    return Plot(
        name,
        book.words("compare.label"),
        size * 44 + 52,
        (book.slot_width("value"), 60, 26, 4),
        tuple(data),
        {"xaxis": {"range": [low, high]}, "yaxis": rows_axis(size, above=0.5)},
    )


def escaped(node: Node, show: str = "escape") -> Node:
    """A phrase whose parts are escaped for Plotly, or shortened as well."""
    if not isinstance(node, dict):
        return node
    return {"$phrase": node["$phrase"], "of": {name: {**part, "as": show} for name, part in node["of"].items()}}
