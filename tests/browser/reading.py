"""A reader before a page of the site: opens it, sets states, says what is shown, and notes whatever goes wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request

from tests.browser.expected import State

SCRIPT = Path(__file__).with_name("reader.js")
OWN = ("data:", "blob:", "about:")
# Everything is there, has its place, and answers to pointer and keys; it is only not painted, which takes a sixth of
# all processor time. What pictures, shifts or the compositor tell needs a page that is painted.
UNPAINTED = """{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("body { opacity: 0 }");
  document.adoptedStyleSheets = [sheet];
}"""

# once something is chosen it stands on the page as a whole; until then each figure shows the first one
STATE = "() => document.documentElement.dataset.state || document.querySelector('[data-figure]').dataset.state"


class Reader:
    """One page in a browser context of its own. `home` is where the site lies; nothing else may be asked for."""

    def __init__(self, browser: Browser, home: str, painted: bool = False, **options: Any) -> None:
        options.setdefault("viewport", {"width": 1200, "height": 900})
        options.setdefault("reduced_motion", "reduce")
        self.home = home
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.context: BrowserContext = browser.new_context(**options)
        self.context.add_init_script(path=SCRIPT)
        if not painted:
            self.context.add_init_script(UNPAINTED)
        self.page: Page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("request", self._request)
        self.page.on("requestfailed", self._failed)

    def _console(self, message: ConsoleMessage) -> None:
        self.problems.append(f"console {message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        self.requests.append(request.url)
        if not request.url.startswith((self.home, *OWN)):
            self.problems.append(f"asked for {request.url}")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # by a reload
            self.problems.append(f"failed: {request.url}: {request.failure}")

    # going

    def open(self, path: str = "index.html", state: object = "") -> Reader:
        self.page.goto(urljoin(self.home, path) + (f"#{state}" if str(state) else ""))
        return self

    def wait(self, state: State) -> None:
        """Until the page says that text and all graphics in view show the state."""
        self.page.wait_for_selector(f'html[data-ready="{state}"]', state="attached")

    def show(self, state: State, at: str = "") -> None:
        """By its address; `at` is the figure that it leads to."""
        self.page.evaluate("([state, more]) => reader.show(state, more)", [str(state), f"&at={at}" if at else ""])

    def view(self, kind: str) -> None:
        """Scrolls so that the figure stands at the top of the window."""
        self.page.evaluate("kind => document.getElementById('figure-' + kind).scrollIntoView()", kind)

    def paint(self, on: bool) -> None:
        """Whether anything is painted: if not, all measures stay, and to show a state takes half the time."""
        self.page.evaluate("on => { document.documentElement.style.visibility = on ? '' : 'hidden'; }", on)

    def draw(self, kind: str) -> None:
        """Brings every graphic of a figure into view and points at the figure, until Plotly has drawn them all."""
        self.page.locator(f"#figure-{kind} .title").hover()
        for name in self.plots(kind):
            plot = f'#figure-{kind} [data-plot="{name}"]'
            self.page.locator(plot).scroll_into_view_if_needed()
            self.page.wait_for_selector(f"{plot}[data-drawn]", state="attached")

    def plots(self, kind: str) -> list[str]:
        """The graphics of a figure that are shown; the margins of the table are for wide windows."""
        shown = self.page.locator(f"#figure-{kind} [data-plot]:visible")
        names: list[str] = shown.evaluate_all("all => all.map(e => e.dataset.plot)")
        return names

    def drawn(self, kind: str) -> None:
        """Until Plotly has drawn all graphics of a figure: one that looks as before may be a poster for a while."""
        for name in self.plots(kind):
            self.page.wait_for_selector(f'#figure-{kind} [data-plot="{name}"][data-drawn]', state="attached")

    def tab_to(self, target: Locator) -> None:
        """Presses Tab, or Shift and Tab where that is the way, until the focus is there."""
        before = target.evaluate(
            "e => document.activeElement.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_PRECEDING"
        )
        for _ in range(100):
            if target.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press("Shift+Tab" if before else "Tab")
        raise AssertionError(f"no press of Tab reaches {target}")

    def choose(self, kind: str, control: str, choice: str, keys: bool) -> None:
        """Sets a control of a figure, by its radio button or with Tab and arrow keys."""
        radios = self.page.locator(f"#figure-{kind} [data-control={control}]").get_by_role("radio")
        if not keys:
            radios.and_(self.page.get_by_role("radio", name=choice, exact=True)).click()
            return
        now = self.figure(kind)["controls"][control]
        names = [name or text for name, text in zip(now["names"], now["choices"], strict=True)]
        (here,), there = now["checked"], names.index(choice)
        self.tab_to(radios.nth(here))
        for _ in range(abs(there - here)):
            self.page.keyboard.press("ArrowRight" if there > here else "ArrowLeft")

    # reading

    def figures(self) -> dict[str, Any]:
        return self._read("reader.figures()")

    def figure(self, kind: str) -> dict[str, Any]:
        return self._read(f"reader.figure(document.getElementById('figure-{kind}'))")

    def shapes(self, kind: str, plot: str) -> dict[str, Any]:
        return self._read(f"reader.shapes('{kind}', '{plot}')")

    def _read(self, what: str) -> dict[str, Any]:
        """As text, which leaves the page in half the time."""
        found: dict[str, Any] = json.loads(self.page.evaluate(f"() => JSON.stringify({what})"))
        return found

    def state(self) -> str:
        """The state of the page, which its figures follow on the axes that they have a control for."""
        return str(self.page.evaluate(STATE)).partition("&at=")[0]

    def complaints(self) -> list[str]:
        """Everything that went wrong so far."""
        violations = self.page.evaluate("() => window.reader ? reader.violations : []")
        return [*self.problems, *(f"against the policy: {violation}" for violation in violations)]

    def close(self) -> list[str]:
        found = self.complaints()
        self.context.close()
        return found
