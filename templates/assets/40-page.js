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
  if (control === "mask" || control === "head") {
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
  const {describes} = figure, assumed = figure.spec.assumes;
  if (!describes) return;
  const differing = Object.keys(assumed).filter((part) => assumed[part] !== state[part]);
  const text = describes.querySelector("span"), link = describes.querySelector("a");
  describes.hidden = !differing.length;
  if (!differing.length) {
    write(text, "");
    setText(link, "");
    setAttribute(link, "href", "#");
    return;
  }
  const names = {
    sentence: (s) => site.sentences[s].id, mask: (m) => words["mask." + site.masks[m] + "_long"], head: (h) => site.heads[h],
  };
  const parts = differing.map((part) => {
    const name = names[part](assumed[part]);
    return put(words["figure.part_" + part], {name: part === "mask" ? name : OPEN + name + CLOSE});
  });
  const next = {...state, ...assumed};
  write(text, put(words["figure.describes"], {parts: join(parts)}));
  setText(link, words["figure.describes_link"]);
  setAttribute(link, "href", writeHash({...next, token: Math.min(next.token, traces.tokens[next.sentence].length - 1)}, figure.kind));
}

// an embedded page has it to the article
function fillLink(figure) {
  if (figure.link) figure.link.setAttribute("href", (root.dataset.home || "") + writeHash(state, figure.kind));
}

// What is written in one go: a figure but for its folded tables, or these. Late are those that do not show the present state yet.
const pieces = figures.flatMap((figure) => {
  const fold = figure.element.querySelector("details.numbers"), folded = ({table}) => fold !== null && fold.contains(table);
  const seen = {figure, tables: figure.tables.filter((one) => !folded(one)), fold: null};
  return fold ? [seen, {figure, tables: figure.tables.filter(folded), fold}] : [seen];
});
const late = new Set();
document.addEventListener("toggle", ({target}) => {
  for (const piece of late) if (piece.fold === target) showPiece(piece);
}, true);
let view = new View(state);

function showPiece(piece) {
  const {figure, tables, fold} = piece, {element} = figure;
  late.delete(piece);
  for (const {table, spec} of tables) fillTable(table, spec, view);
  if (fold) return;
  write(figure.says, view.fill(figure.spec.says));
  const index = indexOfState(state), notes = figure.spec.notes.filter((note) => note.states.includes(index)).map((note) => note.text + " ");
  write(figure.notes, notes.join(""));
  figure.notes.hidden = !notes.length;
  for (const fieldset of figure.controls) fillControl(fieldset, state);
  fillDescribes(figure);
  fillLink(figure);
  element.dataset.state = writeHash(state).slice(1);
  element.dataset.head = state.head;
  element.dataset.mask = site.masks[state.mask];
}

// Tables, sentences and controls of the present state: at once those in sight and of the figure where it was chosen, the
// others when these are painted (50-plots.js).
function showText(chosen) {
  const near = figures.filter((figure) => {
    const {top, bottom} = figure.element.getBoundingClientRect();
    return figure === chosen || (bottom > 0 && top < innerHeight);
  });
  const now = pieces.filter(({figure, fold}) => near.includes(figure) && (!fold || fold.open));
  view = new View(state);
  root.dataset.state = writeHash(state).slice(1);
  for (const piece of pieces) late.add(piece);
  for (const piece of now) showPiece(piece);
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

function setState(next, figure) {
  if (!same(next, state)) {
    state = next;
    showText(figure);
    changed();
    tell({type: "attention.state", state: writeHash(state).slice(1)}); // only news: a host that answers must not set off a ping-pong
  }
  keepInAddress(writeHash(state));
  if (figure) announce(figure);
}

// a part of a state as a radio button has it: "sentence=1&token=9", in indexes
function parts(text, now = state) {
  const given = Object.fromEntries(text.split("&").map((part) => part.split("=")).map(([key, value]) => [key, Number(value)]));
  const next = {...now, ...given};
  return {...next, token: Math.min(next.token, traces.tokens[next.sentence].length - 1)};
}

// says what the reader has chosen, and where; what an address, a host or the page itself sets is not said
function visited(text, from, at) {
  const given = new URLSearchParams(text), chose = Object.keys(base).filter((part) => given.has(part));
  document.dispatchEvent(new CustomEvent("attention:visit", {detail: {state: {...state}, chose, from, at}}));
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
  keepInAddress(writeHash(state));
  tell({type: "attention.state", state: writeHash(state).slice(1)});
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
  if (reset) setState({...base}, figures.find((figure) => figure.element.contains(reset)));
  const link = event.target.closest("a[href^='#']");
  if (link) root.classList.remove("long");
  if (!link || !isState(link.hash) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (locked) return;
  const at = new URLSearchParams(link.hash.slice(1)).get("at");
  const figure = figures.find((one) => one.kind === at);
  setState(readHash(link.hash), figure);
  if (link.matches(".link")) keepInAddress(link.hash);
  else visited(link.hash.slice(1), link, at);
  if (figure) goTo(at);
});

// What a browser sets again after Back, behind this script's back: an address that names no state gives way to it, and all
// controls agree.
addEventListener("pageshow", () => {
  if (!isState(location.hash) && !locked && same(state, base)) {
    const chosen = Array.from(document.querySelectorAll("[data-control] input:checked")).filter((input) => !input.defaultChecked);
    if (chosen.length) setState(chosen.reduce((next, input) => parts(input.value, next), state));
  }
  for (const {controls} of figures) for (const fieldset of controls) fillControl(fieldset, state);
});

addEventListener("hashchange", () => {
  if (isState(location.hash)) setState(readHash(location.hash));
});
