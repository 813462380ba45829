// Watches pages of other tools, which tell nobody when they have drawn. Runs before the page's own scripts, after probe.js.

const roots = [];
let changed = 0, frame = false, turn = -1;

// every change of the document, of a shadow tree or of a canvas, and when it was painted
const noted = () => {
  changed = performance.now();
  if (frame || turn < 0) return;
  frame = true;
  bench.painted("switched-" + turn).then((time) => {
    bench.shown = time;
    frame = false;
  });
};
const watch = (root) => {
  roots.push(root);
  new MutationObserver(noted).observe(root, {subtree: true, childList: true, attributes: true, characterData: true});
};
watch(document);
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (...options) {
  const root = attach.apply(this, options);
  watch(root);
  return root;
};
for (const name of ["fill", "stroke", "fillRect", "drawImage"]) {
  const draw = CanvasRenderingContext2D.prototype[name];
  CanvasRenderingContext2D.prototype[name] = function (...parts) {
    this.canvas.drawn = true;
    noted();
    return draw.apply(this, parts);
  };
}

const all = (selector) => roots.flatMap((root) => Array.from(root.querySelectorAll(selector)));

// how many figures show marks
const COUNT = {
  posters: () => all("[data-plot] > svg").filter((svg) => svg.lastElementChild && svg.getBoundingClientRect().height).length,
  // all three are parts of one Plotly figure
  plotly: () => ["scatterlayer path", "heatmaplayer image", "barlayer path"].filter((part) => all(`.js-plotly-plot .${part}`).length).length,
  bokeh: () => all(".bk-Figure").filter((figure) => figure.shadowRoot && marked(figure.shadowRoot)).length,
  bertviz: () => (all("svg line").length ? 1 : 0),
};
const marked = (root) => Array.from(root.querySelectorAll("*")).some((part) => (part.shadowRoot ? marked(part.shadowRoot) : part.drawn));

bench.figures = (kind, count) => Promise.all([
  bench.watch("first", () => COUNT[kind]() >= 1),
  bench.watch("every", () => COUNT[kind]() >= count),
]);

// one more state: what the tool's own control does when a reader uses it
const select = (turn) => {
  const menus = all("select").filter((menu) => menu.options.length > 1), menu = menus[turn % menus.length];
  menu.selectedIndex = (menu.selectedIndex + 1) % menu.options.length;
  menu.dispatchEvent(new Event("change", {bubbles: true}));
};
const SWITCH = {
  posters: (turn) => {
    const controls = all("[data-control]"), inputs = Array.from(controls[turn % controls.length].querySelectorAll("input:not(:checked)"));
    inputs[(turn * 7) % inputs.length].click();
  },
  menu: (turn) => {
    const figure = document.querySelector(".js-plotly-plot"), {buttons} = figure.layout.updatemenus[0];
    Plotly.restyle(figure, ...buttons[(turn * 37 + 13) % buttons.length].args);
  },
  frames: (turn) => {
    const figure = document.querySelector(".js-plotly-plot"), {steps} = figure.layout.sliders[0];
    Plotly.animate(figure, ...steps[(turn * 37 + 13) % steps.length].args);
  },
  bokeh: select,
  bertviz: select,
};

// nothing has changed for a while
bench.still = (ms) => new Promise((resolve) => {
  const look = () => (performance.now() - changed > ms ? resolve(true) : setTimeout(look, 20));
  look();
});

// milliseconds from a change of state to the frame with the last of what it changes; null if it changes nothing
bench.switch = async ([kind, number]) => {
  turn = number;
  bench.shown = 0;
  performance.mark("asked-" + number);
  const start = performance.now();
  SWITCH[kind](number);
  await bench.pause(300);
  await bench.still(300);
  turn = -1;
  return bench.shown ? bench.shown - start : null;
};
