// What a reader can take along: the colours they like (never stored), a picture of a figure, its numbers.

const choice = document.getElementById("theme"); // an embedded page has none
function applyTheme() {
  const {value} = choice.querySelector("input:checked");
  if (value) root.dataset.theme = value;
  else delete root.dataset.theme;
  repaint();
}
if (choice) {
  choice.addEventListener("change", applyTheme);
  applyTheme(); // it may have been chosen before this script was there
  addEventListener("pageshow", applyTheme); // or the browser has set it again, after Back
}

function save(name, blob) {
  const link = document.createElement("a"), address = URL.createObjectURL(blob);
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const fileName = (figure, at, ending) => "attention-" + figure.kind + "-" + writeHash(at).slice(1).replace(/[^\w=-]+/g, "-") + "." + ending;

FORMATS.unrounded = (value) => (value === null ? words.masked : value);

// a figure's tables with their numbers unrounded; masked stays a word
function bare(node) {
  if (Array.isArray(node)) return node.map(bare);
  if (node === null || typeof node !== "object") return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, part]) => [key, bare(part)]));
  if (NUMBERS[copy.as]) copy.as = "unrounded";
  return copy;
}

// a spreadsheet computes a text that begins like a formula, unless an apostrophe stands before it; numbers stay as they are
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20][^]/, NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/;
const harmless = (text) => (FORMULA.test(text) && !NUMBER.test(text) ? "'" + text : text);

function cell(value) {
  const text = typeof value === "string" ? harmless(value.replace(/[\ue000\ue001]/g, "")) : String(value);
  return '"' + text.replace(/"/g, '""') + '"';
}

function csv(figure) {
  const view = viewOf(figure), lines = [];
  for (const {table, spec} of figure.tables) {
    const corner = table.tHead.rows[0].cells[0].textContent;
    const names = view.fill(spec.rows), rows = view.fill(bare(spec.cells));
    lines.push([view.fill(spec.caption)], [corner, ...view.fill(spec.columns)]);
    if (spec.head) lines.push([view.fill(spec.head[0]), ...view.fill(bare(spec.head[1]))]);
    rows.forEach((row, i) => lines.push([names[i], ...row]));
    if (spec.foot) lines.push([view.fill(spec.foot[0]), ...view.fill(bare(spec.foot[1]))]);
    lines.push([]);
  }
  return new Blob(["\ufeff" + lines.map((line) => line.map(cell).join(",")).join("\r\n")], {type: "text/csv;charset=utf-8"});
}

const FONT = "system-ui, sans-serif"; // of the reader: a picture carries no font along

// one SVG: the title, the plots as they stand on the page (or, where tables stand between them, under each other), the sentence
async function picture(figure, at) {
  const Plotly = await loadPlotly(), ink = colors()("ink"), view = new View(at), parts = [];
  if (!Plotly) throw new Error("plotly.js did not load");
  const mine = plots.filter((plot) => plot.figure === figure && plot.box.clientWidth);
  const blocks = figure.element.querySelector(".blocks"), frame = blocks.getBoundingClientRect();
  const stacked = Boolean(blocks.querySelector("table"));
  const write = (text, x, y, size, weight) => {
    parts.push(`<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${ink}">${escape(text)}</text>`);
  };
  const width = Math.ceil(stacked ? Math.max(...mine.map((plot) => plot.box.clientWidth)) : frame.width) + 32;
  const title = wrapped(figure.element.querySelector(".title").textContent, width - 32, 17, 600);
  title.forEach((line, i) => write(line, 16, 34 + 22 * i, 17, 600));
  const top = 34 + 22 * title.length;
  let bottom = top;
  for (const plot of mine) {
    const place = plot.box.getBoundingClientRect(), heading = plot.box.closest(".block").querySelector(".heading");
    const lines = heading ? wrapped(heading.textContent, place.width, 14, 600) : []; // as high as on the page
    const x = 16 + (stacked ? 0 : place.left - frame.left), head = lines.length ? 6 + 18 * lines.length : 0;
    const y = stacked ? bottom + head : top + place.top - frame.top;
    lines.forEach((line, i) => write(line, x, y - 8 - 18 * (lines.length - 1 - i), 14, 600));
    const {data, layout} = paint(filled(plot, at), "");
    Object.assign(layout, {width: plot.box.clientWidth, height: plot.spec.layout.height});
    const address = await Plotly.toImage({data, layout, config: CONFIG}, {format: "svg", width: layout.width, height: layout.height});
    parts.push(decodeURIComponent(address.slice(address.indexOf(",") + 1)).replace("<svg ", `<svg x="${x}" y="${y}" `));
    bottom = Math.max(bottom, y + layout.height + 12);
  }
  for (const text of wrapped(view.fill(figure.spec.says).replace(/[\ue000\ue001]/g, ""), width - 32, 14, 400)) {
    bottom += 20;
    write(text, 16, bottom, 14, 400);
  }
  const height = Math.ceil(bottom + 20);
  return {width, height, text: `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" font-family="${FONT}"><rect width="100%" height="100%" fill="${colors()("page")}"/>${parts.join("")}</svg>`};
}

function wrapped(text, room, size, weight) {
  const pen = document.createElement("canvas").getContext("2d"), lines = [""];
  pen.font = `${weight} ${size}px ${FONT}`;
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1], longer = last ? last + " " + word : word;
    if (last && pen.measureText(longer).width > room) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

async function raster({text, width, height}) {
  const image = new Image(), canvas = document.createElement("canvas");
  await new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject(new Error("the picture could not be drawn"));
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  });
  Object.assign(canvas, {width: width * 2, height: height * 2});
  canvas.getContext("2d").drawImage(image, 0, 0, width * 2, height * 2);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

async function download(figure, kind) {
  const at = shownIn(figure), name = fileName(figure, at, kind); // what is shown now, even if the reader goes on while the picture is made
  if (kind === "csv") {
    save(name, csv(figure));
    return;
  }
  const tools = figure.element.querySelector(".tools");
  allowed = true;
  try {
    const drawing = await picture(figure, at);
    save(name, kind === "svg" ? new Blob([drawing.text], {type: "image/svg+xml"}) : await raster(drawing));
    figure.again = null;
    say(tools, "");
  } catch (error) {
    if (window.Plotly) console.error(error);
    figure.again = () => download(figure, kind);
    say(tools, failure || "undrawn", figure.again);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-download]");
  if (button) download(figures.find((one) => one.element.contains(button)), button.dataset.download);
});
