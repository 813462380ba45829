// What the tests ask of a page, in the page: to show a state, and to say what its figures show.
"use strict";

window.reader = (() => {
  const root = () => document.documentElement;
  const violations = [];
  addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective + " " + event.blockedURI), true);
  const moved = [], NOTHING = 0.0005; // a score of layout shift is told with three decimals, so what is less is told as 0
  const note = (entries) => entries.forEach((entry) => entry.value >= NOTHING && moved.push([entry.value, ...entry.sources.map(({node, previousRect, currentRect}) => node &&
    `${node.nodeName} ${node.className} ${(node.textContent || "").trim().slice(0, 40)}: ${previousRect.y} ${previousRect.height} to ${currentRect.y} ${currentRect.height}`)]));
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({type: "layout-shift", buffered: true});
  function shifts() {
    note(observer.takeRecords());
    return moved;
  }

  const plain = (text) => text.replace(/\s+/g, " ").trim();
  const all = (within, selector) => Array.from(within.querySelectorAll(selector));
  const shown = (element) => element.getClientRects().length > 0; // also where the whole page is hidden, see test_states.py

  // resolves when the page says that it shows the state; a page that never does must not hang the tests
  function ready(state) {
    return new Promise((resolve, reject) => {
      const watch = new MutationObserver(check);
      const late = setTimeout(() => {
        watch.disconnect();
        reject(new Error(`not ready for ${state}: ${root().dataset.ready}`));
      }, 30000);
      function check() {
        if (root().dataset.ready !== state) return;
        clearTimeout(late);
        watch.disconnect();
        resolve();
      }
      watch.observe(root(), {attributes: true, attributeFilter: ["data-ready"]});
      check();
    });
  }

  // by the address; `more` of it says what a figure shows besides, of which the markers know nothing
  async function show(state, more = "") {
    const changed = new Promise((resolve) => addEventListener("hashchange", resolve, {once: true})), before = location.href;
    location.hash = state + more;
    if (location.href !== before) await changed;
    return ready(state);
  }

  function table(element) {
    const texts = (row) => Array.from(row.cells, (cell) => plain(cell.textContent));
    return {
      caption: plain(element.caption.textContent),
      label: element.parentElement.getAttribute("aria-label"),
      head: texts(element.tHead.rows[0]),
      body: Array.from(element.tBodies[0].rows, (row) => [row.className, ...texts(row)]),
      marks: Array.from(element.tBodies[0].rows, (row) => Array.from(row.cells, (cell) => cell.className).slice(1)),
      foot: element.tFoot ? texts(element.tFoot.rows[0]) : [],
    };
  }

  function control(element) {
    return {
      legend: plain(element.querySelector("legend").textContent),
      choices: all(element, "label").map((label) => plain(label.textContent)),
      checked: all(element, "input").flatMap((input, i) => (input.checked ? [i] : [])),
      names: all(element, "input").map((input) => input.getAttribute("aria-label") || ""),
    };
  }

  // the texts that a graphic shows, in Plotly's or in the poster's SVG
  function texts(box, selector) {
    return all(box, selector).filter(shown).map((text) => plain(all(text, "tspan").length ? lines(text) : text.textContent)).filter(Boolean);
  }

  const lines = (text) => Array.from(text.childNodes, (part) => part.textContent).join(" ");

  function hover(data) {
    return data.filter((trace) => trace.hovertext && trace.hoverinfo === "text").map(({hoveron, hovertext}) =>
      (hoveron === "points" ? hovertext.filter((text, i, list) => text !== list[i - 1]) : hovertext).map(plain));
  }

  // all that is drawn, as one number: the same again means the same picture
  function print(stage) {
    let sum = 0;
    const add = (text) => {
      for (let i = 0; i < text.length; i += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
    };
    for (const path of all(stage, ".cartesianlayer path")) {
      add((path.getAttribute("d") || "") + (path.getAttribute("style") || "").replace(/url\([^)]*\)/g, "pattern"));
    }
    return sum;
  }

  function plot(box) {
    const stage = box.querySelector(".stage");
    // drawn, in whatever state: what looks the same is not drawn again
    const found = {label: box.getAttribute("aria-label"), drawn: "drawn" in box.dataset, stale: box.classList.contains("stale")};
    if (!stage) return {...found, texts: texts(box, ".poster text"), hover: [], print: 0};
    const bars = texts(stage, ".barlayer text"), rest = texts(stage, ".scatterlayer text"), ticks = texts(stage, ".xtick text");
    return {...found, texts: [...bars, ...rest, ...ticks], hover: hover(stage.data), print: print(stage)};
  }

  function figure(element) {
    const named = (selector, key, read) => Object.fromEntries(all(element, selector).map((part) => [part.dataset[key], read(part)]));
    const notes = element.querySelector(".notes"), link = element.querySelector(".link"), caption = element.querySelector(".caption");
    const describes = element.querySelector(".describes:not([hidden])");
    return {
      title: plain(element.querySelector(".title").textContent),
      headings: all(element, ".heading").map((heading) => plain(heading.textContent)),
      says: plain(element.querySelector(".says").textContent),
      notes: notes.hidden ? "" : plain(notes.textContent),
      caption: caption ? plain(caption.textContent) : "",
      link: link ? link.getAttribute("href") : "",
      describes: describes ? [plain(describes.textContent), describes.querySelector("a").getAttribute("href")] : [],
      controls: named("[data-control]", "control", control),
      tables: named("[data-table]", "table", table),
      plots: named("[data-plot]", "plot", plot),
    };
  }

  const figures = () => Object.fromEntries(all(document, "[data-figure]").map((element) => [element.dataset.figure, figure(element)]));

  // geometry, in pixels from the corner of the plot's box

  function place(element, box) {
    const matrix = element.getScreenCTM(), frame = box.getBoundingClientRect();
    return ([x, y]) => [matrix.a * x + matrix.c * y + matrix.e - frame.left, matrix.b * x + matrix.d * y + matrix.f - frame.top];
  }

  // the corners of every part of a path: M, L, l, H, V and z
  function outlines(path, box) {
    const put = place(path, box), found = [];
    let at = [0, 0];
    for (const [, letter, rest] of (path.getAttribute("d") || "").matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
      const numbers = (rest.match(/-?[\d.]+(?:e-?\d+)?/g) || []).map(Number);
      if (letter === "M") found.push([]);
      if (letter === "H") at = [numbers[0], at[1]];
      else if (letter === "V") at = [at[0], numbers[0]];
      else if (letter === "l") at = [at[0] + numbers[0], at[1] + numbers[1]];
      else if (letter === "M" || letter === "L") at = numbers;
      else if (letter === "Z" || letter === "z") continue;
      else throw new Error("unknown in a path: " + letter);
      // Plotly goes on with pairs after L
      found[found.length - 1].push(put(at));
      for (let i = 2; i + 1 < numbers.length; i += 2) {
        at = letter === "l" ? [at[0] + numbers[i], at[1] + numbers[i + 1]] : [numbers[i], numbers[i + 1]];
        found[found.length - 1].push(put(at));
      }
    }
    return found;
  }

  function rectangle(corners) {
    const xs = corners.map(([x]) => x), ys = corners.map(([, y]) => y);
    return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  }

  function pattern(element, id) {
    const line = element.ownerSVGElement.closest(".plot").querySelector(`pattern[id="${id}"] path`), style = getComputedStyle(line);
    return {stroke: style.stroke, opacity: Number(style.strokeOpacity) * Number(style.opacity)};
  }

  function ink(element) {
    const style = getComputedStyle(element), hatch = /url\("?#([^")]*)/.exec(style.fill);
    return {
      fill: hatch ? "" : style.fill, opacity: Number(style.fillOpacity) * Number(style.opacity),
      stroke: style.stroke === "none" ? "" : style.stroke, width: parseFloat(style.strokeWidth),
      hatch: hatch ? pattern(element, hatch[1]) : null,
    };
  }

  // a bar is hatched by itself, or by an outline that covers it
  function hatchedBy(bar, hatchings) {
    const [x0, y0, x1, y1] = bar.box, near = 1.5; // pixels that Plotly may round by
    const covers = ([left, top, right, bottom]) => left < x0 + near && top < y0 + near && right > x1 - near && bottom > y1 - near;
    const over = hatchings.find(({parts}) => parts.some(covers));
    return over ? {...bar, hatch: over.hatch} : bar;
  }

  // bars (one list a trace, null where nothing is drawn) and filled outlines
  function shapes(kind, name) {
    const box = document.querySelector(`#figure-${kind} [data-plot="${name}"]`), stage = box.querySelector(".stage");
    const bar = (path) => {
      const parts = outlines(path, box);
      return parts.length && parts[0].length > 1 ? {box: rectangle(parts[0]), ...ink(path)} : null;
    };
    if (stage) {
      const filled = all(stage, ".scatterlayer .js-fill").map((path) => ({...ink(path), parts: outlines(path, box)})).filter((one) => one.parts.length);
      const hatchings = filled.filter(({hatch}) => hatch).map(({hatch, parts}) => ({hatch, parts: parts.map(rectangle)}));
      return {
        bars: all(stage, ".barlayer .trace").map((trace) => all(trace, ".point path").map(bar).map((one) => one && hatchedBy(one, hatchings))),
        ribbons: filled.filter(({hatch}) => !hatch),
        texts: all(stage, ".barlayer text, .scatterlayer text, .xtick text").filter(shown).map((text) => words(text, box)),
      };
    }
    const corners = (rect) => {
      const {x, y, width, height} = rect.getBBox(), put = place(rect, box);
      return rectangle([put([x, y]), put([x + width, y + height])]);
    };
    const hatchings = all(box, ".poster .hatching rect").map((rect) => ({hatch: ink(rect).hatch, parts: [corners(rect)]}));
    return {
      bars: [all(box, ".poster rect").filter((rect) => !rect.closest(".hatching")).map((rect) => hatchedBy({box: corners(rect), ...ink(rect)}, hatchings))],
      ribbons: all(box, ".poster path").filter((path) => !path.closest("pattern") && getComputedStyle(path).fill !== "none")
        .map((path) => ({...ink(path), parts: outlines(path, box)})),
      texts: all(box, ".poster text").filter(shown).map((text) => words(text, box)),
    };
  }

  function words(text, box) {
    const frame = box.getBoundingClientRect(), at = text.getBoundingClientRect();
    return {text: plain(text.textContent), box: [at.left - frame.left, at.top - frame.top, at.right - frame.left, at.bottom - frame.top]};
  }

  return {ready, show, figures, figure, shapes, violations, shifts, shown};
})();
