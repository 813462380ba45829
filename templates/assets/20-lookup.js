// Fills a figure's template from the traces, for any state. qkv/lookup.py says the same in Python and explains the nodes.

const traces = JSON.parse(document.getElementById("traces").textContent);
const site = JSON.parse(document.getElementById("figures").textContent);
const words = site.words;

const STEPS = 14, THICKEST = 0.78, THINNEST = 0.001, WRAP = 12, LINES = 2, FEW = 3, NOTABLE = 0.01, TIE = 1e-9, BELOW = 0.32, ASIDE = 0.19, INSET = 0.02;
const TINY = "~0"; // a weight under .005 where a cell has no room for "<.01"
const FULL = "~1"; // and one over .995, for ">.99"
const CLEAR = "rgba(0,0,0,0)";
const OPEN = "\ue000", CLOSE = "\ue001"; // stand around a token in a sentence

const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

// the text letter by letter as a reader sees it: marks, joined pictures and flags stay whole
const JOINED = /[\p{M}\u200d\u1160-\u11ff\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]/u, FLAG = /^[\u{1f1e6}-\u{1f1ff}]$/u;
function letters(text) {
  return Array.from(text).reduce((found, sign) => {
    const last = found[found.length - 1];
    if (last && (JOINED.test(sign) || last.endsWith("\u200d") || (FLAG.test(last) && FLAG.test(sign)))) found[found.length - 1] += sign;
    else found.push(sign);
    return found;
  }, []);
}

// about how many ordinary letters need the room of this text
const WIDE = /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f000}-\u{3fffd}]/u;
const BROAD = /^[MWmw@%\u2014]/, CAPITAL = /^[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]/;
const width = (text) => letters(text).reduce((sum, one) => sum + (WIDE.test(one) ? 2 : BROAD.test(one) ? 1.5 : CAPITAL.test(one) ? 1.25 : 1), 0);

function fitting(text, wrap) {
  let line = "";
  for (const letter of letters(text)) {
    if (line && width(line + letter) > wrap) break;
    line += letter;
  }
  return line;
}

const shortened = (text) => fitting(text, WRAP - 1).trimEnd() + "\u2026";
function label(text) {
  const lines = [""];
  const last = () => lines[lines.length - 1];
  for (const word of text.split(" ")) {
    const joined = last() ? last() + " " + word : word;
    if (width(joined) <= WRAP) {
      lines[lines.length - 1] = joined;
      continue;
    }
    if (last()) lines.push("");
    let rest = word;
    while (width(rest) > WRAP) {
      lines[lines.length - 1] = fitting(rest, WRAP);
      rest = rest.slice(last().length);
      lines.push("");
    }
    lines[lines.length - 1] = rest;
  }
  if (lines.length > LINES) lines.splice(LINES - 1, lines.length, shortened(lines[LINES - 1]));
  return lines.map(escape).join("<br>");
}

// a token among other words: one written from right to left must not turn what stands around it
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const isolated = (text) => (RIGHT_TO_LEFT.test(text) ? "\u2068" + escape(text) + "\u2069" : escape(text));

// in one line, where there is no room for more
const short = (text) => escape(width(text) <= WRAP ? text : shortened(text));

const FORMATS = {
  ...NUMBERS,
  one: () => 1,
  length: (v) => (v === null ? 0 : v),
  shade: (v) => (v === null ? CLEAR : site.shades[Math.floor(v * (site.shades.length - 1))]),
  on_shade: (v) => (v === null ? "@ink" : v >= 0.5 ? "#ffffff" : "#111111"),
  brief: (v) => ({"<.01": TINY, ">.99": FULL})[NUMBERS.cell(v)] || NUMBERS.cell(v),
  exp_beside: masked((v) => "e\u02e2 = " + significant(v)),
  hatch: (v) => (v === null ? "/" : ""),
  masked: (v) => (v === null ? "masked" : ""),
  masked_word: (v) => (v === null ? " (" + words.masked + ")" : ""),
  seen: (v) => words[v === null ? "removed" : "kept"],
  seen_color: (v) => (v === null ? "@hatch" : "@attention"),
  lit: (v) => (v ? "lit" : ""),
  greyed: (v) => (v ? "" : "greyed"),
  label, short,
  escape: isolated,
  word: (text) => OPEN + text + CLOSE,
};

const deep = (write, value) => (Array.isArray(value) ? value.map((part) => deep(write, part)) : write(value));
const put = (template, parts) => template.replace(/\{(\w+)\}/g, (_, name) => parts[name]);
const join = (parts) => (parts.length === 1 ? parts[0] : parts.slice(0, -1).join(", ") + " " + words.and + " " + parts[parts.length - 1]);
const fillWith = (list, value) => list.map(() => value);

// the masked cells: row and column
const maskedCells = (view) => view.array("weights").flatMap((row, i) => row.flatMap((weight, j) => (weight === null ? [[i, j]] : [])));

const VIRTUAL = {
  index: (view) => view.tokens.map((_, i) => i),
  below: (view) => view.tokens.map((_, i) => i + BELOW),
  row: (view) => view.tokens.map((_, i) => fillWith(view.tokens, i)),
  cell_start: (view) => view.tokens.map(() => view.tokens.map((_, j) => j - 0.5)),
  masked_x: (view) => maskedCells(view).flatMap(([, j]) => [j - 0.5, j + 0.5, j + 0.5, j - 0.5, j - 0.5, null]),
  masked_y: (view) => maskedCells(view).flatMap(([i]) => [i - 0.5, i - 0.5, i + 0.5, i + 0.5, i - 0.5, null]),
  askers: (view) => view.tokens.map((token) => fillWith(view.tokens, token)),
  keys: (view) => fillWith(view.tokens, view.tokens),
  slot: (view) => fillWith(view.tokens, view.slots),
  above: (view) => view.slots.map((c) => c - ASIDE),
  under: (view) => view.slots.map((c) => c + ASIDE),
  row_of_slot: (view) => view.tokens.map((_, i) => fillWith(view.slots, i)),
  token_of_slot: (view) => view.tokens.map((token) => fillWith(view.slots, token)),
  slot_of_token: (view) => fillWith(view.tokens, view.array("value_slots")),
  weight_of_slot: (view) => view.row.map((weight) => fillWith(view.slots, weight)),
  cells: (view) => view.tokens.length ** 2,
  visible: (view) => view.array("weights").flat().filter((weight) => weight !== null).length,
  opened: (view) => (view.tokens.length * (view.tokens.length - 1)) / 2,
};

class View {
  constructor(state) {
    this.state = state;
    this.tokens = traces.tokens[state.sentence];
    this.slots = Array.from({length: site.size}, (_, c) => c);
    this.arrays = {};
  }

  at(pins) {
    return pins ? new View({...this.state, ...pins}) : this;
  }

  get row() {
    return this.array("weights")[this.state.token];
  }

  get order() {
    return this.array("order")[this.state.token];
  }

  get ties() {
    return this.array("ties")[this.state.token];
  }

  array(name) {
    return (this.arrays[name] = this.arrays[name] || this.find(name));
  }

  find(name) {
    if (VIRTUAL[name]) return VIRTUAL[name](this);
    const index = {s: this.state.sentence, m: this.state.mask, h: this.state.head};
    return Array.from(site.dims[name]).reduce((found, dim) => found[index[dim]], traces[name]);
  }

  path(path) {
    const [name, rest] = path.split("[");
    return this.pick(this.array(name), rest ? rest.slice(0, -1).split(",") : []);
  }

  pick(found, [index, ...rest]) {
    if (index === undefined || found === null) return found;
    if (index === "*") return found.map((part) => this.pick(part, rest));
    if (index === "ties") return this.order.slice(0, this.ties).sort((a, b) => a - b).map((j) => this.pick(found[j], rest));
    return this.pick(found[this.position(index)], rest);
  }

  position(index) {
    if (index === "t") return this.state.token;
    if (index === "last") return this.tokens.length - 1;
    if (index === "1st" || index === "2nd") return this.order[Math.min(Number(index[0]) - 1, this.order.length - 1)];
    return Number(index);
  }

  holds(condition) {
    const [name, wanted] = condition.split("=");
    if (name === "form") return this.form() === wanted;
    if (name === "mask") return site.masks[this.state.mask] === wanted;
    return this.state[name] === Number(wanted);
  }

  form() {
    const seen = this.order.map((j) => this.row[j]).filter((weight) => weight !== null);
    if (seen.length === 1) return "only";
    if (this.ties > 1) return this.ties <= FEW ? "even" : "many";
    return seen[1] >= NOTABLE && (seen.length === 2 || seen[1] - seen[2] > TIE) ? "two" : "one";
  }

  fill(node) {
    if (Array.isArray(node)) return node.map((part) => this.fill(part));
    if (node === null || typeof node !== "object") return node;
    for (const key in node) if (NODES[key]) return NODES[key](this, node);
    return Object.fromEntries(Object.entries(node).map(([key, part]) => [key, this.fill(part)]));
  }
}

const NODES = {
  $(view, node) {
    let found = view.at(node.at).path(node.$);
    if (node.flat) found = found.flat(Infinity);
    return node.as ? deep(FORMATS[node.as], found) : found;
  },
  $phrase(view, node) {
    const parts = Object.entries(node.of).map(([name, part]) => [name, view.fill(part)]);
    const list = parts.find(([, part]) => Array.isArray(part));
    if (!list) return put(node.$phrase, Object.fromEntries(parts));
    return list[1].map((_, i) => put(node.$phrase, Object.fromEntries(parts.map(([name, part]) => [name, Array.isArray(part) ? part[i] : part]))));
  },
  $join(view, node) {
    const parts = view.fill(node.$join);
    if (Array.isArray(parts[0])) return parts.map((part) => part.join(node.by));
    return node.by === "and" ? join(parts) : parts.join(node.by);
  },
  $mark(view, node) {
    const [yes, no] = node.$mark.map((part) => view.fill(part));
    return view.fill(node.of).map((_, i) => (i === view.state.token ? yes : no));
  },
  $row(view, node) {
    return view.fill(node.$row).flatMap((row, i) => row.map((text) => (i === view.state.token ? text : "")));
  },
  $if(view, node) {
    return view.fill(view.at(node.at).holds(node.$if) ? node.then : node.else);
  },
  $size(view, node) {
    const values = view.fill(node.$size[0]);
    return view.fill(node.then).map((text, i) => (Math.abs(values[i] || 0) >= node.$size[1] * Array.from(text).length ? text : ""));
  },
  $sum(view, node) {
    const [a, b] = node.$sum.map((part) => view.fill(part));
    const terms = (row) => row.map((r, c) => (a[c] && r ? plain(a[c]) + "\u00d7" + plain(r) : "0")).join(" + ");
    return Array.isArray(b[0]) ? b.map(terms) : terms(b);
  },
  $columns(view, node) {
    const columns = node.$columns.map((part) => view.fill(part));
    return columns[0].map((_, i) => columns.flatMap((column) => column[i]));
  },
  $list(view, node) {
    return node.$list.flatMap((part) => view.fill(part));
  },
  $ribbons(view, node) {
    const asker = node.from === "t" ? view.state.token : node.from;
    const row = view.array("weights")[asker];
    return row ? ribbons(row, asker, node.$ribbons, node.text ? view.fill(node.text) : [], node.steps || STEPS) : [];
  },
};

// one ribbon to each token looked at, side by side at the asking end
function ribbons(row, asker, part, texts, count) {
  const out = [];
  let low = asker - THICKEST / 2;
  row.forEach((weight, j) => {
    if (weight === null) return;
    const half = (weight * THICKEST) / 2, left = low + half;
    low += 2 * half;
    if (weight < THINNEST) return;
    const middle = (x) => left + (j - left) * x * x * (3 - 2 * x);
    const steps = Array.from({length: count + 1}, (_, step) => step / count);
    const back = steps.slice().reverse();
    const inner = Math.max(half - INSET, 0);
    if (part === "near_x") out.push(...steps, ...steps);
    else if (part === "near_y") out.push(...steps.map((x) => middle(x) - inner), ...steps.map((x) => middle(x) + inner));
    else if (part === "text") out.push(...fillWith([...steps, ...steps], texts[j]));
    else if (part === "x") out.push(...steps, ...back, null);
    else out.push(...steps.map((x) => middle(x) - half), ...back.map((x) => middle(x) + half), null);
  });
  return out;
}
