"""The strict policy holds while a reader does all that can be done; nothing is stored, sent, or led to anybody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser

from qkv.output.bundle import ROOT
from qkv.pages.hosting import HEADERS
from qkv.pages.page import CSP
from tests.browser.expected import DEFAULT, KINDS, State
from tests.browser.reading import Reader

Visit = Callable[..., Reader]

SOFT = State("soft", "off", "previous", 4)

# Whatever could keep something in the browser, send something out, or change the address: noted, and refused.
WATCH = """
window.touched = [];
const refuse = (name) => {
  window.touched.push(name);
  throw new DOMException(name + " is refused", "SecurityError");
};
const STORES = ["localStorage", "sessionStorage", "indexedDB", "caches", "cookieStore", "openDatabase"];
for (const name of STORES) Object.defineProperty(window, name, {configurable: true, get: () => refuse(name)});
const cookie = {configurable: true, get: () => refuse("cookie"), set: () => refuse("cookie")};
Object.defineProperty(Document.prototype, "cookie", cookie);
Object.defineProperty(Navigator.prototype, "storage", {configurable: true, get: () => refuse("navigator.storage")});
Object.defineProperty(window, "name", {configurable: true, get: () => refuse("name"), set: () => refuse("name")});
const SENDERS = ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "RTCPeerConnection", "WebTransport"];
for (const name of [...SENDERS, "Worker", "SharedWorker", "open"]) window[name] = function () { refuse(name); };
Navigator.prototype.sendBeacon = () => refuse("sendBeacon");
HTMLFormElement.prototype.submit = () => refuse("submit");
history.pushState = () => refuse("pushState");
history.replaceState = () => { throw new DOMException("too many calls", "SecurityError"); };
"""

# All settings of a drawing that hold an address, wherever they stand.
ADDRESSES = """stage => {
  const found = [], address = /:\\/\\/|plot\\.?ly|chart-studio|^\\/\\//i;
  (function walk(node, path) {
    if (typeof node === "string" && address.test(node)) found.push(path + ": " + node);
    if (node && typeof node === "object") for (const key of Object.keys(node)) walk(node[key], path + "." + key);
  })(stage._context, "context");
  return found;
}"""


def rules() -> dict[str, dict[str, str]]:
    """The headers of _headers by the path that they are for."""
    found: dict[str, dict[str, str]] = {}
    for line in HEADERS.splitlines():
        if line.startswith("/"):
            current = found.setdefault(line.rstrip("*"), {})
        else:
            name, _, value = line.strip().partition(": ")
            current[name] = value
    return found


class Strict(SimpleHTTPRequestHandler):
    """A host that reads _headers."""

    def end_headers(self) -> None:
        for prefix, headers in rules().items():
            if self.path.removeprefix("/site").startswith(prefix):
                for name, value in headers.items():
                    self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing to read here."""


@pytest.fixture(scope="module")
def strict(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site on a host that also sends the policy; beside it, a page without one of its own."""
    root = tmp_path_factory.mktemp("strict")
    (root / "site").symlink_to(site, target_is_directory=True)
    (root / "bare.html").write_text("<!doctype html><title>Bare</title><p id=p>Bare", "utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Strict, directory=str(root))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/site/"
        server.shutdown()
        thread.join()


def kinds(reader: Reader) -> list[str]:
    found: list[str] = reader.page.eval_on_selector_all("[data-figure]", "all => all.map((one) => one.dataset.figure)")
    return found


def save(reader: Reader, kind: str, ending: str) -> None:
    with reader.page.expect_download() as waiting:
        reader.page.click(f"#figure-{kind} [data-download={ending}]")
    assert Path(waiting.value.path()).stat().st_size > 200


def hover(reader: Reader, kind: str) -> None:
    """Points at the middle of every drawing, where Plotly shows a label for what it finds."""
    for box in reader.page.locator(f"#figure-{kind} [data-plot]").all():
        if box.is_visible():
            box.hover()


def do_all(reader: Reader) -> None:
    """What there is to do on a page with figures."""
    page = reader.page
    page.wait_for_selector("html[data-ready]", state="attached")
    shown = kinds(reader)
    for kind in shown:
        reader.draw(kind)
        hover(reader, kind)
    for ending in ("svg", "png", "csv"):
        save(reader, shown[0], ending)
    if page.locator("#theme").count():
        page.check("#theme input[value=dark]", force=True)
        page.wait_for_selector("html[data-theme=dark][data-ready]", state="attached")
    state = str(SOFT)
    page.evaluate("state => { location.hash = state; }", state)
    page.wait_for_selector(f'html[data-ready="{state}"]', state="attached")
    page.locator("details > summary").evaluate_all("all => all.forEach((one) => one.click())")
    for form in page.locator("[data-question] form").all():
        form.evaluate("form => form.requestSubmit()")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint')), dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    page.wait_for_selector(f'html[data-ready="{state}"]', state="attached")


@pytest.mark.parametrize("at", ["host", "disk"])
def test_policy_is_never_broken(visit: Visit, site: Path, strict: str, home: str, at: str) -> None:
    """Neither the page's own nor the host's. The reader notes what is refused, and `visit` asks for it."""
    paths = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    assert {"index.html", "teachers.html", "embed/figure-lines.html", "sections/softmax.html"} <= set(paths)
    if at == "host":  # single files have a policy of their own, and tests/browser/test_single.py
        paths = [path for path in paths if not path.startswith("downloads/")]
    else:
        paths = ["index.html", "teachers.html", "embed/section-softmax.html", "sections/values.html"]
    reader = visit("index.html", home=strict if at == "host" else home)
    for path in paths:
        reader.open(path)
        if kinds(reader):
            do_all(reader)
        elif path == "teachers.html":
            reader.page.frame_locator("iframe").locator("html[data-ready]").wait_for(state="attached")
            reader.page.select_option("#what", index=1)
            reader.page.frame_locator("iframe").locator("html[data-ready]").wait_for(state="attached")
        assert reader.complaints() == [], path


def test_host_sends_what_it_should(visit: Visit, site: Path, strict: str) -> None:
    reader = visit(home=strict)
    for path in ("index.html", "embed/figure-mix.html"):
        response = reader.context.request.get(strict + path)
        assert response.headers["content-security-policy"] == CSP
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "cache-control" not in response.headers
    asset = next(site.glob("assets/app.*.js")).name
    assert "immutable" in reader.context.request.get(f"{strict}assets/{asset}").headers["cache-control"]
    assert reader.context.request.get(f"{strict}downloads/x.html").headers["content-disposition"] == "attachment"


BREAK = [
    (
        "script-src-elem",
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);",
    ),
    ("script-src-attr", "document.body.setAttribute('onclick', 'window.ran = 1'); document.body.click();"),
    ("style-src-attr", "document.body.setAttribute('style', 'color: red');"),
    ("style-src-elem", "const s = document.createElement('style'); s.textContent = 'p {}'; document.body.append(s);"),
    ("img-src", "new Image().src = 'https://example.invalid/x.png';"),
    ("connect-src", "fetch('https://example.invalid/').catch(() => 0);"),
    ("form-action", "const f = document.createElement('form'); document.body.append(f); f.submit();"),
    (
        "base-uri",
        "const b = document.createElement('base'); b.href = 'https://example.invalid/'; document.head.append(b);",
    ),
    (
        "frame-src",
        "const f = document.createElement('iframe'); f.src = 'https://example.invalid/'; document.body.append(f);",
    ),
]


@pytest.mark.parametrize(("directive", "script"), BREAK, ids=[name for name, _ in BREAK])
@pytest.mark.parametrize("by", ["page", "host"])
def test_policy_would_be_noticed(
    browser: Browser, strict: str, served: str, by: str, directive: str, script: str
) -> None:
    """That nothing is broken means something: each breach is refused, and seen by the reader."""
    if by == "host":
        reader = Reader(browser, strict.removesuffix("site/")).open("bare.html")
    else:
        reader = Reader(browser, served).open("sections/softmax.html")
    noticed = """directive => new Promise((resolve) => {
      addEventListener("securitypolicyviolation", (event) => resolve(event.violatedDirective));
      setTimeout(resolve, 10000, "nothing refused");
      %s
    })"""
    assert reader.page.evaluate(noticed % script) == directive
    assert reader.page.evaluate("() => window.ran") is None
    assert any(directive in problem for problem in reader.close())


def test_no_text_is_run(browser: Browser, home: str) -> None:
    """By no eval, and by none of its relatives; asked by a script of the page, since a debugger's may."""
    reader = Reader(browser, home)
    reader.context.add_init_script("""addEventListener("DOMContentLoaded", () => setTimeout(() => {
      const tried = {eval: () => (0, eval)("1"), Function: () => new Function("1")()};
      window.said = Object.entries(tried).map(([name, run]) => {
        try {
          return name + " " + run();
        } catch (error) {
          return name + " " + error.name;
        }
      });
    }));""")
    reader.open("sections/softmax.html")
    reader.page.wait_for_function("() => window.said")
    assert reader.page.evaluate("() => window.said") == ["eval EvalError", "Function EvalError"]
    reader.close()


def test_nothing_is_stored_or_sent(visit: Visit, strict: str) -> None:
    """Storage that is refused is not missed, since nothing asks for it. Nor is the history."""
    reader = visit("sections/softmax.html", home=strict)
    reader.context.add_init_script(WATCH)
    for path, kind, value, after in [
        ("index.html", "lines", "token=2", replace(SOFT, token=2)),
        ("sections/values.html", "mix", "token=2", replace(SOFT, token=2)),
        ("embed/figure-table.html", "table", "mask=0", replace(SOFT, mask="on")),
    ]:
        reader.open(path)
        do_all(reader)
        # by a control: the address cannot follow, the page does
        before = reader.figure(kind)["says"]
        address = reader.page.url
        reader.page.locator(f"#figure-{kind} input[value='{value}']").check(force=True)
        reader.wait(after)
        assert reader.page.url == address
        assert reader.state() == str(after)
        assert reader.figure(kind)["says"] != before
        assert reader.page.evaluate("() => window.touched") == [], path
    assert reader.context.cookies() == []


def test_watch_would_notice(browser: Browser, home: str) -> None:
    reader = Reader(browser, home)
    reader.context.add_init_script(WATCH)
    reader.open("sections/softmax.html")
    for script in (
        "localStorage.a = 1",
        "document.cookie = 'a=1'",
        "fetch('x')",
        "navigator.sendBeacon('x')",
        "open('x')",
    ):
        assert (
            reader.page.evaluate(f"() => {{ try {{ {script}; }} catch (error) {{ return error.name; }} }}")
            == "SecurityError"
        )
    names = ["localStorage", "cookie", "fetch", "sendBeacon", "open"]
    assert reader.page.evaluate("() => window.touched") == names
    reader.close()


@pytest.fixture(scope="module")
def drawn(browser: Browser, home: str) -> Iterator[Reader]:
    """The article with every figure drawn and pointed at."""
    reader = Reader(browser, home).open()
    reader.wait(DEFAULT)
    for kind in KINDS:
        reader.draw(kind)
        hover(reader, kind)
    yield reader
    assert reader.close() == []


OFF: dict[str, Any] = {
    "displayModeBar": False,
    "displaylogo": False,
    "showSendToCloud": False,
    "showEditInChartStudio": False,
    "showLink": False,
    "plotlyServerURL": "",
    "topojsonURL": "",
    "editable": False,
    "scrollZoom": False,
    "doubleClick": False,
    "typesetMath": False,
    "displayNotifier": False,
}


def test_drawings_lead_nowhere(drawn: Reader) -> None:
    """As Plotly itself has it, in each drawing: no button, no logo, no address."""
    stages = drawn.page.locator(".stage").all()
    assert len(stages) == drawn.page.locator("[data-drawn]").count() > 15
    for stage in stages:
        context = stage.evaluate("stage => JSON.parse(JSON.stringify(stage._context))")
        # a setting that Plotly no longer knows is off as well
        assert {name: context.get(name, value) for name, value in OFF.items()} == OFF
        assert {"displayModeBar", "displaylogo", "plotlyServerURL", "topojsonURL"} <= set(context)
        assert stage.evaluate(ADDRESSES) == []


def test_drawings_hold_no_button_and_no_link(drawn: Reader) -> None:
    added = drawn.page.locator(
        ".modebar, .modebar-btn, .modebar-group, [class*=logo], .js-link-to-tool, .js-link-spacer, .plotly-notifier, "
        ".stage a, .stage button, .stage input, .stage [tabindex], .stage [onclick]"
    )
    assert added.count() == 0
    links = drawn.page.eval_on_selector_all("[href]", "all => all.map((one) => one.getAttribute('href'))")
    assert [link for link in links if "plot" in link and not link.startswith("assets/plotly.")] == []
    assert drawn.page.evaluate("() => window.PLOTLYENV") in (None, {})


def test_settings_are_all_known(drawn: Reader) -> None:
    """A setting with a typing error would do nothing: Plotly has each that the pages give."""
    script = (ROOT / "templates" / "assets" / "50-plots.js").read_text("utf-8")
    given = script.partition("const CONFIG = {")[2].partition("}")[0]
    names = [part.partition(":")[0].strip() for part in given.split(",")]
    context = drawn.page.locator(".stage").first.evaluate("stage => Object.keys(stage._context)")
    assert len(names) > 8
    assert set(names) <= set(context)
