// What bench/pages.py calls in the article. Runs before the page's own scripts, after bench/probe.js.

// the first poster is there, to its end, and has a size
bench.figure = bench.watch("figure", () => {
  const box = document.querySelector(".plot"), svg = box && box.querySelector("svg");
  return svg && (box.nextSibling || document.readyState !== "loading") && svg.getBoundingClientRect().height > 0;
});

bench.controls = () => Array.from(document.querySelectorAll("[data-figure] [data-control]"), (control) => [
  control.closest("[data-figure]").dataset.figure, control.dataset.control,
]);

const figureOf = (name) => document.querySelector(`[data-figure="${name}"]`);
const off = (control) => Array.from(control.querySelectorAll("input")).filter((input) => !input.checked);

// everything in view shows the state: a change takes the mark away until then
bench.rest = () => new Promise((resolve) => {
  const look = () => ("ready" in document.documentElement.dataset ? resolve(true) : setTimeout(look, 5));
  look();
});

// scrolls a figure's controls and graphics into view; the middle of one of the radio buttons that are not set
bench.aim = ([figure, control, turn]) => {
  const box = figureOf(figure), field = box.querySelector(`[data-control="${control}"]`);
  const all = off(field), label = all[turn % all.length].closest("label");
  const plots = box.querySelectorAll("[data-plot]");
  const upper = field.getBoundingClientRect().top, lower = plots[plots.length - 1].getBoundingClientRect().bottom;
  scrollBy(0, upper - Math.max(20, (innerHeight - (lower - upper)) / 2));
  const at = label.getBoundingClientRect();
  return [at.left + at.width / 2, at.top + at.height / 2];
};

// Waits for one click in a figure: `told` is when a frame has the tables and the sentence, `drawn` when one has all graphics in view, both
// since the mouse button was let go. Null if the state did not change.
bench.expect = ([figure, turn]) => {
  const root = document.documentElement, {dataset} = figureOf(figure), before = dataset.state;
  let released = 0;
  addEventListener("pointerup", (event) => {
    released = event.timeStamp;
    performance.mark("released-" + turn);
  }, {capture: true, once: true});
  const changed = new Promise((resolve) => addEventListener("change", resolve, {capture: true, once: true}));
  bench.told = changed.then(() => bench.painted("told-" + turn)).then((time) => (dataset.state === before ? null : time - released));
  bench.drawn = changed.then(() => new Promise((resolve) => {
    const watching = new MutationObserver(() => {
      if (!root.dataset.graphics || dataset.state === before) return;
      watching.disconnect();
      resolve(bench.painted("drawn-" + turn));
    });
    watching.observe(root, {attributes: true, attributeFilter: ["data-graphics"]});
  })).then((time) => time - released);
};

// so many changes by script, each awaited until everything in view shows it; ends where it began
bench.change = async (count) => {
  const names = Array.from(new Set(bench.controls().map(([figure]) => figure)));
  let last = "";
  for (let i = 0; i < count; i++) {
    const name = names[Math.floor((i * names.length) / count)], box = figureOf(name);
    if (name !== last) {
      box.scrollIntoView({block: "center"});
      await bench.pause(100);
      await bench.rest();
    }
    last = name;
    const controls = box.querySelectorAll("[data-control]"), inputs = off(controls[i % controls.length]);
    inputs[(i * 7) % inputs.length].click();
    await bench.pause(0);
    await bench.rest();
  }
  figureOf(names[0]).scrollIntoView({block: "center"});
  document.querySelector(".reset").click();
  await bench.pause(100);
  await bench.rest();
};
