"""What may be put into a file by accident, or on purpose, to see what the build makes of it."""

from __future__ import annotations

# fmt: off
NUMBERS = (
    "nan", "inf", "-inf", "1e400", "-1e-400", "-0.0", "0", "1", "2", "-7.25", "100", "101", "1_000", "07", "1.",
    "true", "[]", "{}", '""', '"1"', "[1]", "[[1,2],[3]]", "{a=1}", "1979-05-27", "1979-05-27T07:32:00Z", "99:99:99",
)
TEXTS = (
    "cat", "mat", "it", "tired", "soft", "last", "0", "5", "-1", "on", "off", "meaning", "{a|b}", "{a|b|c}", "{a|}",
    "{|}", "{cat}", "{cat|mat|cat}", "\\", "\\u0000", "\\ue000", "\\ud800", "\\n", "\x00", "\x07", "\x1b", "\x7f",
    "\x85", "\xa0", "\xad", "\u200b", "\u202e", "\u2028", "\ue000", "\ue0100\ue011", "\ufeff", "\ufffe", "\U0001f600",
    "\U000e0001", "שלום", "注意", "é", "e\u0301", "²", "٣", "ſ", "İ", "<s>", "</script>", "<!--", "-->", "&", "&lt;",
    "&#0;", "*", "_", "`", "$x$", "{{", "}}", "{{}}", "{n}", "'", "|", "~", "#", "@", "@ink", "-", "--", "slug-2",
    "Slug", "https://x", "http://", "//x", "#x",
)
MARKDOWN = (
    "{{", "}}", "{{n()}}", "{{n}}", "{{row(0)}}", "{{1/0}}", "{{x.y}}", "{{figure('lines')}}", "{{figure(1)}}",
    "{{weight('²',0)}}", "{{weight(-1,true)}}", "{{exp(1000)}}", "{{[]|first}}", "{{''.join}}", "{{n(1)}}",
    "{{n(x=1)}}", "{{n(mask=1)}}", "{{sum}}", "{{'a'*3}}", "{{{1:2}}}", "{{top(last)}}", "{{changed('tired')}}",
    "{%if%}", "{#", "\\{{", "[a][b]", "[a][]", "[a]", "[a]: #", "\n[a]:#\n", "\n[a]: #token=²\n",
    "\n[a]: #token=%FF\n", "\n[a]: #sentence=&&=&at=lines\n", '\n[a]: #x "n()==5"\n', "\n[a]: #mixing\n", "](#x)",
    "](#mixing)", "[a](<b>)", "![](x)", "[[[a](b)](c)](d)", "[a](javascript:x)", '[a](https://x/"y)', "<s>",
    "<b>x</b>", "</script>", "<!--", "-->", "&", "&lt;", "&#0;", "*", "_", "`", "```", "$x$", "~~~", "\n> ", "\n- ",
    "\n1. ", "\n\n    ", "\t", '\n!!! try "x"\n', "\n!!! more\n", "\n|a|b|\n|---|---|\n|c|\n", "***", "***a**b*",
    "\n\n", "\n", "\x02klzzwxh:0\x03", "\x02wzxhzdk:0\x03", "\r", "\r\n",
)
STRUCTURE = (
    "=", "[", "]", "[[", "]]", "{", "}", "#", ".", ",", '"', "'", '"""', "'''", "\\", "+++", "+++\n", "\n[words]\n",
    "\n[[heads]]\n", "\n[[sentences]]\n", "\n[state]\n", "\n[[notes]]\n", "\n[[facts]]\n", "\n[[claims]]\n",
    "\n[clock]\n", "\n[figures]\n", "\n[heads.w_q]\n", "\na.b=1\n", '\nname="x"\n', '\ntokens=["cat",["mat","it"]]\n',
    '\ntext="cat mat"\n', "\nx=1\n", '\nslug="a-b"\n', '\ntitle="<s>"\n', '\nfigure="mix"\n', '\nwhen="true"\n',
    '\nevery=["head","head"]\n', "\nstate={token=1}\n",
)
LONG = (
    "9" * 40, "9" * 4400, "0x" + "f" * 5000, "[" * 60 + "]" * 60, "[" * 2000, "{{" + "(" * 300 + "}}", "a" * 500,
    "> " * 200,
)
# fmt: on
