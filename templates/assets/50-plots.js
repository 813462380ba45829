// Plotly takes a poster's place one figure at a time: on first intent, when a figure has been in view for a while, or at once
// where the poster shows another state than the page. Only graphics in view are drawn; the others when they come into view.

const LINGER = 2000; // milliseconds in view that count as interest
// no button, logo or address of anybody else; no typesetting of $tokens$
const CONFIG = {displayModeBar: false, displaylogo: false, showSendToCloud: false, plotlyServerURL: "", topojsonURL: "", typesetMath: false,
  scrollZoom: false, doubleClick: false, showTips: false, displayNotifier: false, showAxisDragHandles: false, showAxisRangeEntryBoxes: false};
const PAINTED = new Set(["family", "color", "fillcolor", "bgcolor", "fgcolor", "bordercolor"]);

const plots = figures.flatMap((figure) => Array.from(figure.element.querySelectorAll("[data-plot]"), (box) => ({
  box, figure, spec: figure.spec.plots[box.dataset.plot], poster: box.querySelector(".poster"),
  drawn: "", // the figure that is drawn, as text
  first: "", // the figure of the first state, as text, once it is asked for
  filled: null, // the figure of the last state asked for
  wanted: false, inView: false, stage: null, dirty: true, failed: false, waiting: 0,
})));

// Milliseconds: until a request that says nothing is given up, the first pause after a failure, the longest.
const PATIENCE = 20000, PAUSE = 3000, LONGEST = 60000;
const inside = document.getElementById("plotly"), course = document.getElementById("course");
// why there is no plotly.js, as the name of a word; whether the server has it no longer
let failure = "", gone = false;
// the try under way, what ends it, the newest script; whether a try may begin, the pause, failures so far, answers without use
let trying = null, release = null, latest = null, allowed = true, timer = 0, failures = 0, doubts = 0;
// whether the reader has pressed a button and waits; whether the failure has been said aloud
let pressed = false, said = false;

// Gives plotly.js, or nothing while it cannot be had. After a failure there is no other try until the pause is over, the reader
// chooses something, or the browser is online or in sight again.
async function loadPlotly() {
  if (!window.Plotly && !trying && allowed) {
    trying = new Promise((resolve) => (release = resolve));
    request();
  }
  await trying;
  return window.Plotly;
}

// A page in a single file carries it along, as base64 of its gzip.
async function unpacked() {
  const bytes = Uint8Array.from(atob(inside.textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

function request() {
  const script = document.createElement("script");
  latest = script;
  if (inside) {
    unpacked().then((text) => {
      script.textContent = text;
      document.head.append(script);
    }).catch(() => {}).then(() => ended(script, window.DecompressionStream ? "damaged" : "old"));
    return;
  }
  const patience = setTimeout(() => ended(script, "slow"), PATIENCE);
  script.onload = script.onerror = ({type}) => {
    clearTimeout(patience);
    if (type === "load") doubts += 1;
    ended(script, "failed");
  };
  // by another name where the answer was damaged or does not come, so that the same is not given again
  script.src = root.dataset.plotly + (doubts ? "?" + doubts : "");
  document.head.append(script);
}

// A script that comes late is as good as any; one that fails late counts for nothing once there is a newer one.
function ended(script, why) {
  if (window.Plotly) why = "";
  else if (why === "slow") doubts += 1;
  else script.remove();
  if (why && script !== latest) return;
  const before = failure;
  failure = why;
  if (!why || pressed) said = false;
  trying = null;
  allowed = pressed = false;
  clearTimeout(timer);
  release();
  if (why) {
    root.dataset.plots = "failed";
    failures += 1;
    if (why === "failed" && !gone) {
      timer = setTimeout(retry, Math.min(PAUSE * 2 ** (failures - 1), LONGEST));
      askFor(script.src);
    }
  } else {
    gone = false;
    delete root.dataset.plots;
  }
  if (!before && !why) return;
  remark();
  if (why) return;
  for (const {element} of figures) say(element.querySelector(".tools"), "");
  refresh(plots);
}

// A script does not tell whether the server says no or nothing. A page that is no server's, or in a sandbox, may not ask.
async function askFor(address) {
  if (self.origin === "null" || !navigator.onLine) return;
  const {status} = await fetch(address, {method: "HEAD", cache: "no-store"}).catch(() => ({}));
  if (failure !== "failed" || ![401, 403, 404, 410].includes(status)) return;
  gone = true;
  clearTimeout(timer);
  remark();
}

function retry() {
  if (!failure || document.hidden) return;
  allowed = true;
  refresh(plots);
}
for (const event of ["online", "pageshow", "visibilitychange"]) addEventListener(event, retry);

// Says before an element why there is no picture, with a button for what can be done about it; or says it no longer.
function say(place, why, again) {
  let box = place.previousElementSibling;
  if (!box || box.className !== "failed") box = null;
  if (!why) {
    const figure = place.parentElement, focused = box && box.contains(document.activeElement);
    if (box) box.remove();
    if (!focused) return;
    figure.tabIndex = -1;
    figure.focus({preventScroll: true});
    return;
  }
  if (!box) {
    box = document.createElement("p");
    box.className = "failed";
    box.append(...["span", "button", "span"].flatMap((name) => [document.createElement(name), " "]));
    place.before(box);
  }
  const [text, button, help] = box.children, reload = gone && !course;
  setText(text, pressed ? words["figure.updating"] : words["figure." + why]);
  setText(button, words[reload ? "figure.reload" : "figure.again"]);
  setText(help, !reload && why === "failed" && navigator.onLine && (gone || doubts || failures > 2) ? words["figure.help"] : "");
  button.type = "button";
  button.hidden = why === "damaged" || why === "old";
  button.onclick = () => {
    if (reload) location.reload();
    else press(again);
  };
  if (!said) aloud.textContent = text.textContent;
  said = true;
}

function press(again) {
  said = false;
  allowed = true;
  pressed = !window.Plotly;
  again();
  remark();
}

let palette = null;
function colors() {
  if (palette) return palette;
  const style = getComputedStyle(root), known = {};
  palette = (name) => (known[name] = known[name] || style.getPropertyValue("--" + name).trim());
  return palette;
}

// names of colours (@ink) -> colours of the theme; the font likewise
function paint(node, key) {
  if (typeof node === "string") return PAINTED.has(key) && node[0] === "@" ? colors()(node.slice(1)) : node;
  if (Array.isArray(node)) return node.map((part) => paint(part, key));
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(Object.entries(node).map(([name, part]) => [name, paint(part, name)]));
}

function filled(plot, at) {
  const view = new View(at);
  return {data: view.fill(plot.spec.data), layout: view.fill(plot.spec.layout)};
}

// the figure of the present state, and the same as text
function wantedOf(plot) {
  const now = shownIn(plot.figure);
  if (!plot.filled || !same(plot.filled.at, now)) {
    const figure = filled(plot, now);
    plot.filled = {at: now, figure, text: JSON.stringify(figure)};
  }
  return plot.filled;
}

// whether the poster, which is of the first state, shows this one
function posterShows(plot) {
  if (same(shownIn(plot.figure), base)) return true;
  plot.first = plot.first || JSON.stringify(filled(plot, base));
  return wantedOf(plot).text === plot.first;
}

// ?size=large: letters, rows and margins of every plot a quarter larger
const SCALE = root.classList.contains("large") ? 1.25 : 1;
const SCALED = new Set(["size", "height", "l", "r", "t", "b"]);
function enlarge(node, key) {
  if (typeof node === "number") return SCALED.has(key) ? node * SCALE : node;
  if (Array.isArray(node)) return typeof node[0] === "object" && node[0] !== null ? node.map((part) => enlarge(part, key)) : node;
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(Object.entries(node).map(([name, part]) => [name, enlarge(part, name)]));
}

const queue = [];
let busy = false, writing = false;
let looking = true, coming = 0; // until it is known what is in view; changes whose plots are not in the queue yet

// whether a graphic is of another state; it says why, and so does its figure if it will not be drawn
function mark(plot, stale) {
  const {box, figure} = plot, lost = failure || (plot.failed ? "undrawn" : "");
  box.classList.toggle("stale", stale);
  if (stale) setAttribute(box, "data-updating", words["figure." + (pressed ? "updating" : lost || (onScreen ? "failed" : "updating"))]);
  const old = plots.filter((one) => one.figure === figure && one.box.classList.contains("stale"));
  say(box.closest(".blocks"), old.length && (failure || (old.some((one) => one.failed) && "undrawn")), () => {
    loadPlotly();
    refresh(plots);
  });
}

// says all that anew; also where a picture to take along could not be had
function remark() {
  for (const plot of plots) mark(plot, plot.box.classList.contains("stale"));
  if (failure) for (const {element, again} of figures) if (again) say(element.querySelector(".tools"), failure, again);
}

// puts a graphic in the queue if there is something to draw and someone to see it
function need(plot) {
  if (failure && !plot.stage && plot.box.classList.contains("stale") && posterShows(plot)) mark(plot, false); // out of view too
  if (!plot.dirty || !plot.inView || !plot.box.clientWidth) return;
  if (!plot.stage && posterShows(plot)) {
    mark(plot, false);
    if (!plot.wanted) return;
  } else if (plot.stage && wantedOf(plot).text === plot.drawn && plot.width === plot.box.clientWidth && plot.theme === theme()) {
    plot.dirty = false;
    mark(plot, false);
    return;
  } else {
    mark(plot, true);
  }
  if (!queue.includes(plot)) queue.push(plot);
  unsettle();
}

const theme = () => colors()("page");

async function work() {
  if (busy) return;
  busy = true;
  let last = null;
  while (queue.length) {
    const [plot] = queue;
    if (!plot.stage || plot.figure !== last) await task(); // what is drawn again in one figure shows in one frame
    queue.shift();
    last = plot.figure;
    await draw(plot);
  }
  busy = false;
  settle();
  catchUp();
}

// writes what is late: after the graphics in view, unless plotly.js is still to come
async function catchUp() {
  if (writing) return;
  writing = true;
  while (late.size && !coming && !(queue.length && window.Plotly)) {
    await task();
    if (coming) break;
    const end = performance.now() + 5; // milliseconds, so that no frame is held up
    for (const piece of late) {
      showPiece(piece);
      if (performance.now() > end) break;
    }
  }
  writing = false;
  settle();
}

async function draw(plot) {
  if (!plot.inView || !plot.box.clientWidth) return;
  const Plotly = await loadPlotly();
  if (!Plotly) return; // posters, tables and sentences stay; a poster of another state stays marked
  const at = shownIn(plot.figure);
  await drawOn(plot, Plotly);
  if (!same(at, shownIn(plot.figure))) need(plot);
}

// Draws a plot over its poster, or again. One that fails keeps what it showed, marked if that is another state, until it is
// needed the next time.
async function drawOn(plot, Plotly) {
  const {at, figure, text} = wantedOf(plot), width = plot.box.clientWidth;
  if (!width) return;
  for (const piece of late) if (piece.figure === plot.figure && (!piece.fold || piece.fold.open)) showPiece(piece); // the sentence beside it comes first
  const inked = paint(figure, ""), {data, layout} = SCALE === 1 ? inked : enlarge(inked, "");
  layout.width = width;
  if (!plot.stage) {
    plot.stage = document.createElement("div");
    plot.stage.className = "stage";
    plot.stage.translate = false; // tokens and numbers, as in the poster
    plot.stage.setAttribute("aria-hidden", "true"); // the box around it has name and description
    plot.box.append(plot.stage);
  }
  try {
    await Plotly.react(plot.stage, data, layout, CONFIG);
  } catch (error) {
    console.error(error);
    plot.failed = true;
    mark(plot, !plot.poster || !posterShows(plot));
    plot.drawn = ""; // whatever is left of it
    if (plot.poster) {
      plot.stage.remove();
      plot.stage = null;
    }
    return;
  }
  if (plot.poster) plot.poster.remove();
  Object.assign(plot, {poster: null, failed: false, drawn: text, width, theme: theme(), dirty: !same(at, shownIn(plot.figure))});
  plot.box.dataset.drawn = writeHash(at).slice(1);
  mark(plot, plot.dirty);
}

// The markers that the graphics in view show the state, or cannot be drawn, and that all texts do as well.
function unsettle() {
  delete root.dataset.graphics;
  delete root.dataset.ready;
}

function settle() {
  if (root.classList.contains("long") || busy || queue.length || coming || (looking && address() !== writeHash(base))) return;
  root.dataset.graphics = writeHash(state).slice(1);
  if (!late.size) root.dataset.ready = root.dataset.graphics;
}

function refresh(list) {
  for (const plot of list) need(plot);
  if (queue.length) work();
  else settle();
  catchUp();
}

function changed() {
  unsettle();
  allowed = true;
  for (const plot of plots) plot.dirty = true;
  coming += 1;
  painted().then(() => {
    coming -= 1;
    refresh(plots);
  });
}

function want(list) {
  for (const plot of list) plot.wanted = true;
  refresh(list);
}

const seen = new IntersectionObserver((entries) => {
  const now = [];
  looking = false;
  for (const entry of entries) {
    const plot = plots.find((one) => one.box === entry.target);
    plot.inView = entry.isIntersecting;
    clearTimeout(plot.waiting);
    if (!entry.isIntersecting) continue;
    now.push(plot);
    if (!plot.wanted) plot.waiting = setTimeout(() => want([plot]), LINGER);
  }
  refresh(now);
}, {rootMargin: "100px"});

const sized = new ResizeObserver((entries) => {
  const now = plots.filter((plot) => entries.some((entry) => entry.target === plot.box));
  for (const plot of now) plot.dirty = true;
  refresh(now);
});

if (!plots.length) looking = false;
for (const plot of plots) {
  seen.observe(plot.box);
  sized.observe(plot.box);
  // a click on a row chooses its token
  if (plot.spec.rows) {
    plot.box.classList.add("picks");
    plot.box.addEventListener("click", (event) => {
      const frame = plot.box.getBoundingClientRect(), {t, b} = plot.spec.layout.margin;
      const inner = plot.spec.layout.height - t - b, [last, top] = plot.spec.layout.yaxis.range;
      const row = Math.round(top + (((event.clientY - frame.top) / SCALE - t) / inner) * (last - top));
      if (locked || !event.isTrusted) return; // Plotly makes clicks of its own, after a swipe too
      if (plot.spec.share === "left" && event.clientX - frame.left > frame.width / 2) return;
      if (row < 0 || row >= traces.tokens[shownIn(plot.figure).sentence].length) return;
      setState(fit({...state, token: row}), plot.figure);
      visited("token=" + row, plot.box, plot.figure.kind);
    });
  }
}

for (const figure of figures) {
  const mine = plots.filter((plot) => plot.figure === figure);
  for (const intent of ["pointerenter", "focusin", "touchstart"]) {
    figure.element.addEventListener(intent, () => want(mine), {once: true, passive: true});
  }
  if (figure.element.matches(":hover, :focus-within")) want(mine); // meant before this script was there
}

function repaint() {
  palette = null;
  for (const plot of plots) plot.dirty = true;
  refresh(plots.filter((plot) => plot.stage));
}
// paper is light, and shows the state on screen in every figure; drawing with Plotly is done when react() returns
let onScreen = null;
addEventListener("beforeprint", () => {
  onScreen = {theme: root.dataset.theme};
  root.dataset.theme = "light";
  root.classList.remove("long");
  root.classList.toggle("stacked", !matchMedia("(min-width: 44rem)").matches); // what was drawn narrow is printed narrow
  palette = null;
  for (const piece of late) showPiece(piece);
  for (const plot of plots) {
    plot.dirty = true;
    if (!plot.stage && posterShows(plot)) mark(plot, false);
    else if (window.Plotly) drawOn(plot, window.Plotly);
    else mark(plot, true);
  }
});
addEventListener("afterprint", () => {
  if (!onScreen) return;
  if (onScreen.theme) root.dataset.theme = onScreen.theme;
  else delete root.dataset.theme;
  root.classList.remove("stacked");
  onScreen = null;
  remark();
  repaint();
});

for (const system of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"]) matchMedia(system).addEventListener("change", repaint);

if (root.classList.contains("long")) layOut().then(settle);
const first = isState(location.hash) && named(new URLSearchParams(location.hash.slice(1)).get("at"));
if (same(state, base) && pieces.every(current)) {
  if (root.dataset.home) figures.forEach(fillLink); // the page stands in its first state already
  settle();
} else {
  showText(first || undefined);
  changed();
}
if (first) goTo(first.kind);
