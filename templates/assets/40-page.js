// Tables, sentences and controls: native HTML that answers at once, whether Plotly is there or not.

const task = () => new Promise((resolve) => setTimeout(resolve)); // input comes between two tasks
const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
const locked = root.classList.contains("locked"); // an embedded page whose state the teacher has fixed
let state = isState(location.hash) ? readHash(location.hash) : {...base};

// The radio buttons work before this script does, and Firefox sets them again after a reload: what is chosen by now counts, unless
// the address names a state.
const early = isState(location.hash) || locked ? [] : Array.from(document.querySelectorAll("[data-control] input"))
  .filter((input) => input.checked && !input.defaultChecked).map((input) => ({input, value: input.value}));
for (const {value} of early) state = parts(value);

// a text whose tokens are marked, as elements that keep their own direction; one that stands there already stays as it is
function write(element, text) {
  const marked = (node) => (node.nodeType === Node.ELEMENT_NODE ? OPEN + node.textContent + CLOSE : node.textContent);
  if (Array.from(element.childNodes, marked).join("") === text) return;
  const parts = text.split(/[\ue000\ue001]/);
  element.replaceChildren(...parts.map((part, i) => {
    if (i % 2 === 0) return part;
    const token = document.createElement("bdi");
    token.className = "token";
    token.translate = false;
    token.textContent = part;
    return token;
  }));
}

function setText(element, text) {
  text = String(text);
  if (text.includes(OPEN)) return write(element, text);
  const target = element.firstElementChild && element.firstElementChild.tagName === "BDI" ? element.firstElementChild : element;
  if (target.textContent !== text) target.textContent = text;
}

function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function setClass(element, name) {
  name = name.trim();
  if (name) {
    if (element.className !== name) element.className = name;
  } else if (element.hasAttribute("class")) element.removeAttribute("class");
}

// as many children as wanted, whatever else a browser's extension puts there; more are copies of the last
function resize(parent, count, kind) {
  const own = Array.from(parent.children).filter((child) => child.matches(kind)), last = own[own.length - 1];
  for (const child of own.splice(count)) child.remove();
  for (let more = own.length; more < count; more += 1) parent.append(last.cloneNode(true));
}

function fillRow(row, texts, marks) {
  resize(row, texts.length + 1, "td, th");
  texts.forEach((text, i) => {
    setText(row.cells[i + 1], text);
    if (marks) setClass(row.cells[i + 1], marks[i]);
  });
}

function fillTable(table, spec, view) {
  const caption = view.fill(spec.caption);
  write(table.caption, caption);
  setAttribute(table.closest(".scroll"), "aria-label", caption.replace(/[\ue000\ue001]/g, ""));
  fillRow(table.tHead.rows[0], view.fill(spec.columns));
  const names = view.fill(spec.rows), cells = view.fill(spec.cells), marks = spec.marks && view.fill(spec.marks);
  const rowMarks = spec.row_marks && view.fill(spec.row_marks);
  const body = table.tBodies[0], first = spec.head ? 1 : 0;
  if (spec.head) {
    write(body.rows[0].cells[0], view.fill(spec.head[0]));
    fillRow(body.rows[0], view.fill(spec.head[1]));
  }
  resize(body, names.length + first, "tr");
  cells.forEach((texts, i) => {
    const row = body.rows[i + first];
    setText(row.cells[0], names[i]);
    setClass(row, rowMarks ? rowMarks[i] : "");
    fillRow(row, texts, marks && marks[i]);
  });
  if (spec.foot) fillRow(table.tFoot.rows[0], view.fill(spec.foot[1]));
}

// the radio buttons of a control: what each sets, its name, whether it is on
function choices(control, now) {
  const here = site.sentences[now.sentence];
  const mates = site.sentences.map((sentence, s) => ({...sentence, s})).filter((sentence) => sentence.entry === here.entry);
  if (control === "word") {
    const last = (mate) => traces.tokens[mate.s][traces.tokens[mate.s].length - 1];
    return mates.map((mate) => ({sets: "sentence=" + mate.s, text: mate.choice || last(mate), on: mate.s === now.sentence}));
  }
  return traces.tokens[now.sentence].flatMap((token, position) => {
    const on = position === now.token;
    if (position !== here.switch) return [{sets: "token=" + position, text: token, on, position}];
    return mates.map((mate) => ({sets: "sentence=" + mate.s + "&token=" + position, text: mate.choice, on: on && mate.s === now.sentence, position}));
  });
}

function fillControl(fieldset, now) {
  const control = fieldset.dataset.control, inputs = fieldset.querySelectorAll("input");
  if (!["sentence", "word", "token"].includes(control)) {
    inputs.forEach((input, i) => (input.checked = i === now[control]));
    return;
  }
  if (control === "sentence") {
    inputs.forEach((input) => {
      input.checked = site.sentences[Number(input.value.split("=")[1])].entry === site.sentences[now.sentence].entry;
    });
    return;
  }
  const list = choices(control, now), box = fieldset.querySelector(".choices");
  if (list.length !== inputs.length || list.some((choice, i) => choice.sets !== inputs[i].value)) resize(box, list.length, "label");
  const labels = box.querySelectorAll("label");
  list.forEach((choice, i) => {
    const labelled = labels[i], input = labelled.querySelector("input"), text = labelled.querySelector("bdi");
    if (input.value !== choice.sets) input.value = choice.sets;
    if (text.textContent !== choice.text) text.textContent = choice.text;
    if (control === "token") {
      const place = choice.position + 1, all = traces.tokens[now.sentence].length;
      setAttribute(input, "aria-label", put(words["control.position"], {token: choice.text, place, all}));
    }
    input.checked = choice.on;
  });
}

const figures = Array.from(document.querySelectorAll("[data-figure]"), (element) => {
  const kind = element.dataset.figure, spec = site.figures[kind];
  return {
    element, kind, spec,
    says: element.querySelector(".says"), notes: element.querySelector(".notes"), link: element.querySelector(".link"), describes: element.querySelector(".describes"),
    tables: Array.from(element.querySelectorAll("[data-table]"), (table) => ({table, spec: spec.tables[table.dataset.table]})),
    controls: Array.from(element.querySelectorAll("[data-control]")),
  };
});

// What a figure shows: on the axes that it follows what the reader has chosen; on the others what the text around it assumes, or,
// where a link has led to it, what the link names. A figure that is alone on its page shows all that is chosen.
const named = (at) => figures.find(({kind}) => kind === at);
const NONE = {kind: "", to: base};
let led = leading(location.hash);
function shownIn({kind, spec}, to = led.kind === kind ? led.to : base) {
  if (figures.length === 1) return state;
  return fit({...to, ...Object.fromEntries(spec.follows.map((axis) => [axis, state[axis]]))});
}
// the figure that a link leads to, as it shows it; none if it shows no more than it follows
function leading(hash) {
  return isState(hash) ? kept({kind: new URLSearchParams(hash.replace(/^#/, "")).get("at"), to: readHash(hash, true)}) : NONE;
}
function kept({kind, to}) {
  const figure = named(kind), shown = figure && shownIn(figure, to);
  return figure && !same(shown, shownIn(figure, base)) ? {kind, to: shown} : NONE;
}
// of all that is shown, so that to open it again shows the same
const address = () => writeHash(state, led.kind, led.kind ? led.to : state);

// A long page is laid out bit by bit, each in a task: its sections, their figures, the graphics of these. Until then they have
// the heights of their embeds (layout.css), which are too rough for who waits for the page (app.js) or follows a link.
async function layOut() {
  for (const part of awaited ? [] : document.querySelectorAll("main > section, .figure, .plot")) {
    await (part === (figures[0] || {}).element ? painted() : task());
    if (!root.classList.contains("long")) break;
    part.classList.add("laid");
    part.getBoundingClientRect(); // now, not with the next frame
  }
  root.classList.remove("long");
}

// where the state differs from what the text speaks of: says so, with a link back
function fillDescribes(figure) {
  const {describes} = figure, assumed = figure.spec.assumes, now = shownIn(figure);
  if (!describes) return;
  const differing = Object.keys(assumed).filter((part) => assumed[part] !== now[part]);
  const text = describes.querySelector("span"), link = describes.querySelector("a");
  describes.hidden = !differing.length;
  if (!differing.length) {
    write(text, "");
    setText(link, "");
    setAttribute(link, "href", "#");
    return;
  }
  const parts = differing.map((axis) => {
    const {texts} = site.axes.find((one) => one.name === axis), name = (texts || optionsOf(axis, now))[assumed[axis]];
    return put(words["figure.part_" + axis], {name: axis === "mask" ? name : OPEN + name + CLOSE});
  });
  write(text, put(words["figure.describes"], {parts: join(parts)}));
  setText(link, words["figure.describes_link"]);
  setAttribute(link, "href", writeHash(fit({...now, ...assumed}), figure.kind));
}

// an embedded page has it to the article
function fillLink(figure) {
  if (figure.link) figure.link.setAttribute("href", (root.dataset.home || "") + writeHash(shownIn(figure), figure.kind));
}

// What is written in one go: a figure but for its folded tables, or these; `at`: the state it shows. Late are those that are to show
// another one.
const pieces = figures.flatMap((figure) => {
  const fold = figure.element.querySelector("details.numbers"), folded = ({table}) => fold !== null && fold.contains(table);
  const asMade = Array.from(figure.element.querySelectorAll("[data-control] input")).every((input) => input.checked === input.defaultChecked);
  const seen = {figure, tables: figure.tables.filter((one) => !folded(one)), fold: null, at: asMade ? base : null};
  return fold ? [seen, {figure, tables: figure.tables.filter(folded), fold, at: seen.at}] : [seen];
});
const current = (piece) => piece.at !== null && same(piece.at, shownIn(piece.figure));
const late = new Set();
document.addEventListener("toggle", ({target}) => {
  for (const piece of late) if (piece.fold === target) showPiece(piece);
}, true);
// one for all figures that show the same
let views = new Map();
function viewOf(figure) {
  const now = shownIn(figure), key = writeHash(now);
  if (!views.has(key)) views.set(key, new View(now));
  return views.get(key);
}

function showPiece(piece) {
  const {figure, tables, fold} = piece, {element} = figure, view = viewOf(figure), now = view.state;
  late.delete(piece);
  piece.at = now;
  for (const {table, spec} of tables) fillTable(table, spec, view);
  if (fold) return;
  write(figure.says, view.fill(figure.spec.says));
  const index = indexOfState(now), notes = figure.spec.notes.filter((note) => note.states.includes(index)).map((note) => note.text + " ");
  write(figure.notes, notes.join(""));
  figure.notes.hidden = !notes.length;
  for (const fieldset of figure.controls) fillControl(fieldset, now);
  fillDescribes(figure);
  fillLink(figure);
  element.dataset.state = writeHash(now).slice(1);
  for (const [name, when] of Object.entries(figure.spec.chosen)) element.querySelector(".block-" + name).classList.toggle("chosen", view.holds(when));
}

// Tables, sentences and controls of the figures that are to show another state: at once those in sight and of the figure where it
// was chosen, the others when these are painted (50-plots.js).
function showText(chosen) {
  const near = figures.filter((figure) => {
    const {top, bottom} = figure.element.getBoundingClientRect();
    return figure === chosen || (bottom > 0 && top < innerHeight);
  });
  views = new Map();
  root.dataset.state = address().slice(1);
  for (const piece of pieces) {
    late.delete(piece);
    if (!current(piece)) late.add(piece);
  }
  for (const piece of late) if (near.includes(piece.figure) && (!piece.fold || piece.fold.open)) showPiece(piece);
}

// said once, when changes have come to rest
const aloud = document.getElementById("aloud");
let announcing = 0;
function announce(figure) {
  clearTimeout(announcing);
  announcing = setTimeout(() => {
    aloud.textContent = figure.says.textContent + " " + (figure.notes.hidden ? "" : figure.notes.textContent);
  }, 500);
}

function keepInAddress(hash) {
  try {
    history.replaceState(null, "", hash);
  } catch (error) {
    // a frame whose address may not change still shows the state
  }
}

// `hash`: that of a link, whose figure the page now leads to; without it the one before stays
function setState(next, figure, hash) {
  const before = address();
  state = next;
  led = hash === undefined ? kept(led) : leading(hash);
  if (address() !== before) {
    showText(figure);
    changed();
    tell({type: "attention.state", state: address().slice(1)}); // only news: a host that answers must not set off a ping-pong
  }
  keepInAddress(address());
  if (figure) announce(figure);
}

// a part of a state as a radio button has it: "sentence=1&token=9", in indexes
function parts(text, now = state) {
  const given = Object.fromEntries(text.split("&").map((part) => part.split("=")).map(([key, value]) => [key, Number(value)]));
  return fit({...now, ...given});
}

// says what the reader has chosen, and what the figure shows then; what an address, a host or the page itself sets is not said
function visited(text, from, at) {
  const given = new URLSearchParams(text), chose = axes.filter((part) => given.has(part)), figure = named(at);
  document.dispatchEvent(new CustomEvent("attention:visit", {detail: {state: figure ? shownIn(figure) : {...state}, chose, from, at}}));
}

document.addEventListener("change", (event) => {
  const fieldset = event.target.closest("[data-control]");
  if (!fieldset) return;
  const {value} = event.target, figure = figures.find((one) => one.element.contains(fieldset));
  setState(parts(value), figure);
  visited(value, figure.element, figure.kind);
});

// a click on what is chosen already changes nothing, and is a choice all the same
document.addEventListener("click", (event) => {
  const fieldset = event.target.matches("input") && event.target.closest("[data-control]");
  if (!fieldset) return;
  const next = parts(event.target.value), entry = (s) => site.sentences[s].entry;
  const chosen = fieldset.dataset.control === "sentence" ? entry(next.sentence) === entry(state.sentence) : same(next, state);
  const figure = figures.find((one) => one.element.contains(fieldset));
  if (chosen) visited(event.target.value, figure.element, figure.kind);
});

// An early choice is told like any other, when all scripts are there to hear it. In several figures at once it was the browser's.
const heard = awaited ? new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve)) : task();
if (early.length) heard.then(() => {
  keepInAddress(address());
  tell({type: "attention.state", state: address().slice(1)});
  const figure = figures.find((one) => early.every(({input}) => one.element.contains(input)));
  if (figure) for (const {value} of early) visited(value, figure.element, figure.kind);
});

function goTo(name) {
  const target = document.getElementById("figure-" + name);
  if (target && !framed) target.scrollIntoView({block: "nearest", behavior: "auto"});
}

// where the state is fixed, what would lead to another is plain text
if (locked) for (const link of document.querySelectorAll("a.state[href^='#']")) link.removeAttribute("href");

document.addEventListener("click", (event) => {
  const reset = event.target.closest(".reset");
  if (reset) setState(base, figures.find((figure) => figure.element.contains(reset)), "");
  const link = event.target.closest("a[href^='#']");
  if (link) root.classList.remove("long");
  if (!link || !isState(link.hash) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (locked) return;
  const at = new URLSearchParams(link.hash.slice(1)).get("at"), figure = named(at);
  if (link.matches(".link")) keepInAddress(link.hash); // the figure shows it
  else if (link.closest(".describes")) showAssumed(figure, link);
  else {
    setState(readHash(link.hash), figure, link.hash);
    visited(link.hash.slice(1), link, at);
  }
  if (figure) goTo(at);
});

// What a browser sets again after Back, behind this script's back: an address that names no state gives way to it, and all
// controls agree.
addEventListener("pageshow", () => {
  if (!isState(location.hash) && !locked && same(state, base)) {
    const chosen = Array.from(document.querySelectorAll("[data-control] input:checked")).filter((input) => !input.defaultChecked);
    if (chosen.length) setState(chosen.reduce((next, input) => parts(input.value, next), state));
  }
  for (const figure of figures) for (const fieldset of figure.controls) fillControl(fieldset, shownIn(figure));
});
// of a figure what the text speaks of, without a change to what it does not: other figures may follow that
function showAssumed(figure, link) {
  const {assumes, follows} = figure.spec, set = Object.keys(assumes).filter((axis) => figures.length === 1 || follows.includes(axis));
  const next = fit({...state, ...Object.fromEntries(set.map((axis) => [axis, assumes[axis]]))});
  setState(next, figure, led.kind === figure.kind ? "" : undefined);
  visited(Object.keys(assumes).map((axis) => axis + "=").join("&"), link, figure.kind);
}

addEventListener("hashchange", () => {
  if (isState(location.hash)) setState(readHash(location.hash), undefined, location.hash);
});
