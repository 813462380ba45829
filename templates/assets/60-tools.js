// What a reader can take along: the colours they like (never stored), a picture of a figure, its numbers.

const choice = document.getElementById("theme"); // an embedded page has none
if (choice) choice.addEventListener("change", (event) => {
  if (event.target.value) root.dataset.theme = event.target.value;
  else delete root.dataset.theme;
  repaint();
});

function save(name, blob) {
  const link = document.createElement("a"), address = URL.createObjectURL(blob);
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const fileName = (figure, ending) => "attention-" + figure.kind + "-" + writeHash(state).slice(1).replace(/[^\w=-]+/g, "-") + "." + ending;

// the numbers of a figure's tables, unrounded; masked stays a word
function bare(node) {
  if (Array.isArray(node)) return node.map(bare);
  if (node === null || typeof node !== "object") return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, part]) => [key, bare(part)]));
  if (NUMBERS[copy.as]) delete copy.as;
  return copy;
}

function csv(figure) {
  const view = new View(state), lines = [];
  const cell = (value) => '"' + String(value === null ? words.masked : value).replace(/[\ue000\ue001]/g, "").replace(/"/g, '""') + '"';
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

// one SVG: the title, the plots as they stand on the page (or, where tables stand between them, under each other), the sentence
async function picture(figure) {
  const Plotly = await loadPlotly(), ink = colors()("ink"), view = new View(state), parts = [];
  const mine = plots.filter((plot) => plot.figure === figure && plot.box.clientWidth);
  const blocks = figure.element.querySelector(".blocks"), frame = blocks.getBoundingClientRect();
  const stacked = Boolean(blocks.querySelector("table"));
  const write = (text, x, y, size, weight) => {
    parts.push(`<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${ink}">${escape(text)}</text>`);
  };
  const top = 56;
  let bottom = top;
  write(figure.element.querySelector(".title").textContent, 16, 34, 17, 600);
  for (const plot of mine) {
    const place = plot.box.getBoundingClientRect(), heading = plot.box.closest(".block").querySelector(".heading");
    const x = 16 + (stacked ? 0 : place.left - frame.left), head = heading ? 24 : 0;
    const y = stacked ? bottom + head : top + place.top - frame.top;
    if (heading) write(heading.textContent, x, y - 8, 14, 600);
    const {data, layout} = paint(filled(plot, state), "");
    Object.assign(layout, {width: plot.box.clientWidth, height: plot.spec.layout.height});
    const address = await Plotly.toImage({data, layout, config: CONFIG}, {format: "svg", width: layout.width, height: layout.height});
    parts.push(decodeURIComponent(address.slice(address.indexOf(",") + 1)).replace("<svg ", `<svg x="${x}" y="${y}" `));
    bottom = Math.max(bottom, y + layout.height + 12);
  }
  const width = Math.ceil(stacked ? Math.max(...mine.map((plot) => plot.box.clientWidth)) : frame.width) + 32;
  for (const text of wrapped(view.fill(figure.spec.says).replace(/[\ue000\ue001]/g, ""), Math.floor((width - 32) / 7.6))) {
    bottom += 20;
    write(text, 16, bottom, 14, 400);
  }
  const height = Math.ceil(bottom + 20);
  return {width, height, text: `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif"><rect width="100%" height="100%" fill="${colors()("page")}"/>${parts.join("")}</svg>`};
}

function wrapped(text, letters) {
  return text.split(" ").reduce((lines, word) => {
    const last = lines[lines.length - 1];
    return last && (last + " " + word).length > letters ? [...lines, word] : [...lines.slice(0, -1), last ? last + " " + word : word];
  }, [""]);
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

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-download]");
  if (!button) return;
  const figure = figures.find((one) => one.element.contains(button)), kind = button.dataset.download;
  if (kind === "csv") save(fileName(figure, kind), csv(figure));
  else {
    const drawing = await picture(figure);
    save(fileName(figure, kind), kind === "svg" ? new Blob([drawing.text], {type: "image/svg+xml"}) : await raster(drawing));
  }
});
