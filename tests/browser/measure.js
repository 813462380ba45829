// What the tests of access measure in a page: colours as they meet, sizes, places. Evaluated once in each page.
"use strict";

window.measure = (() => {
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  // also where the whole page is hidden, see Reader.paint()
  const visibility = (element) => getComputedStyle(element).visibility;
  const shown = (element) => element.getClientRects().length > 0 && visibility(element) === visibility(document.documentElement) &&
    (!element.checkVisibility || element.checkVisibility());
  const short = (text) => text.replace(/\s+/g, " ").trim().slice(0, 60);

  function name(element) {
    const place = element.closest("[id]"), own = element.tagName.toLowerCase() + Array.from(element.classList, (one) => "." + one).join("");
    return place ? "#" + place.id + " " + own : own;
  }

  // colours ---------------------------------------------------------------------------------------------------------

  function color(text) {
    const found = /^rgba?\(([^)]*)\)$/.exec(text);
    if (!found) throw new Error("not a colour: " + text);
    const [red, green, blue, alpha = 1] = found[1].split(/[ ,/]+/).map(Number);
    return [red, green, blue, alpha];
  }

  // one colour painted over an opaque one
  const over = ([r, g, b, a], under) => [...[r, g, b].map((part, i) => part * a + under[i] * (1 - a)), 1];

  function luminance(parts) {
    const [r, g, b] = parts.slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function contrast(one, other) {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }

  const page = () => over(color(getComputedStyle(document.documentElement).backgroundColor), [255, 255, 255, 1]);

  // every colour that lies under an element's text: one, or those of a hatching
  function grounds(element) {
    const chain = [];
    for (let one = element; one; one = one.parentElement) chain.unshift(one);
    let found = [page()];
    for (const one of chain) {
      const style = getComputedStyle(one);
      found = found.map((under) => over(color(style.backgroundColor), under));
      const stripes = (style.backgroundImage.match(/rgba?\([^)]*\)/g) || []).map(color);
      if (stripes.length) found = found.flatMap((under) => stripes.map((stripe) => over(stripe, under)));
    }
    return found;
  }

  function needed(style) {
    const size = parseFloat(style.fontSize);
    return size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
  }

  // the texts of the page whose contrast is too low
  function faintTexts() {
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let count = 0;
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.textContent.trim() || element.closest("svg, script, .aloud, noscript, .skip, option") || !shown(element)) continue;
      const style = getComputedStyle(element), ink = color(style.color);
      const ratio = Math.min(...grounds(element).map((under) => contrast(over(ink, under), under)));
      count += 1;
      if (ratio < needed(style)) found.push(`${name(element)}: ${short(walker.currentNode.textContent)} ${ratio.toFixed(2)}`);
    }
    return {found, count};
  }

  const SHAPES = ".poster rect, .poster > svg path, .barlayer .point path, .scatterlayer .js-fill, .scatterlayer .js-line";
  const TEXTS = ".poster text, .stage .main-svg text";

  function paint(element, property) {
    const style = getComputedStyle(element), value = style[property];
    if (value === "none") return null;
    const pattern = /url\("?#([^")]*)/.exec(value);
    if (pattern) return {hatch: paint(element.closest(".plot").querySelector(`pattern[id="${pattern[1]}"] path`), "stroke")};
    const parts = color(value);
    parts[3] *= Number(style.opacity) * Number(style[property + "Opacity"]);
    if (property === "stroke" && !parseFloat(style.strokeWidth)) return null;
    return parts[3] ? parts : null;
  }

  const meets = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const holds = (a, b) => a.left <= b.left + 1 && a.right >= b.right - 1 && a.top <= b.top + 1 && a.bottom >= b.bottom - 1;

  // a hatching has many parts, and lies under a text only where one of them does
  function touches(shape, at) {
    if (!meets(at, shape.at) || !shape.fill.hatch || !shape.element.matches(".js-fill")) return meets(at, shape.at);
    const inverse = shape.element.getScreenCTM().inverse(), share = [0, 0.5, 1];
    return share.some((x) => share.some((y) =>
      shape.element.isPointInFill(new DOMPoint(at.left + x * at.width, at.top + y * at.height).matrixTransform(inverse))));
  }

  // the texts of the graphics whose contrast is too low with any shape that they touch
  function faintLabels() {
    const found = [];
    let count = 0, inside = 0;
    for (const box of all(".plot").filter(shown)) {
      const shapes = all(SHAPES, box).filter(shown).map((element) => ({element, at: element.getBoundingClientRect(), fill: paint(element, "fill")})).filter((shape) => shape.fill);
      for (const text of all(TEXTS, box).filter((one) => shown(one) && one.textContent.trim())) {
        const at = text.getBoundingClientRect(), ink = paint(text, "fill"), touched = shapes.filter((shape) => touches(shape, at));
        let unders = [page()];
        for (const shape of touched) {
          const fill = shape.fill.hatch || shape.fill;
          const painted = unders.map((under) => over(fill, under));
          unders = holds(shape.at, at) && !shape.fill.hatch ? painted : [...unders, ...painted];
        }
        const ratio = Math.min(...unders.map((under) => contrast(over(ink, under), under)));
        count += 1;
        if (touched.length) inside += 1;
        if (ratio < 4.5) found.push(`${name(box)}: ${short(text.textContent)} ${ratio.toFixed(2)}`);
      }
    }
    return {found: Array.from(new Set(found)), count, inside};
  }

  // lines, bars and hatchings that do not stand out from the page; `shades` are the colours of weights up to a half
  function faintShapes(faint, pale) {
    const found = new Set(), under = page();
    let count = 0;
    for (const box of all(".plot").filter(shown)) {
      for (const shape of all(SHAPES, box).filter(shown)) {
        const inks = [paint(shape, "fill"), paint(shape, "stroke")].filter(Boolean).map((ink) => ink.hatch || ink);
        if (!inks.length || inks.every((ink) => faint.includes(ink.join()) || pale.includes(ink.slice(0, 3).join()) || ink.join() === under.join())) continue;
        count += 1;
        const ratio = Math.max(...inks.map((ink) => contrast(over(ink, under), under)));
        if (ratio < 3) found.add(`${name(box)}: ${inks.map((ink) => ink.join()).join(" and ")} ${ratio.toFixed(2)}`);
      }
    }
    return {found: Array.from(found), count};
  }

  // controls that do not stand out from what is around them by their border or their ground
  function faintControls() {
    const found = [];
    const selector = ".choices input + span, select, textarea, .maker button, .question button, .question input[type=text]";
    for (const control of all(selector).filter(shown)) {
      const style = getComputedStyle(control), [under] = grounds(control.parentElement), [ground] = grounds(control);
      const edge = parseFloat(style.borderTopWidth) ? contrast(over(color(style.borderTopColor), under), under) : 1;
      const ratio = Math.max(edge, contrast(ground, under));
      if (ratio < 3) found.push(`${name(control)}: ${short(control.textContent)} ${ratio.toFixed(2)}`);
    }
    return found;
  }

  // an outline against what is on both sides of it
  function outline(element) {
    const style = getComputedStyle(element), [under] = grounds(element.parentElement);
    return {style: style.outlineStyle, width: parseFloat(style.outlineWidth), offset: parseFloat(style.outlineOffset),
      ratio: contrast(over(color(style.outlineColor), under), under)};
  }

  // sizes -------------------------------------------------------------------------------------------------------------

  const TARGETS = "a[href], button, input, select, textarea, summary, iframe";

  // WCAG 2.2, success criterion 2.5.8: 24 pixels, or a link in a sentence, or a circle of 24 pixels that is free of others
  function smallTargets() {
    const targets = all(TARGETS).filter((target) => shown(target) && !target.matches(".skip")).map((target) => {
      const whole = target.matches("input[type=radio], input[type=checkbox]") && target.closest("label") ? target.closest("label") : target;
      return {target, at: whole.getBoundingClientRect()};
    });
    const large = ({at}) => at.width >= 24 && at.height >= 24;
    const inSentence = ({target}) => {
      if (getComputedStyle(target).display !== "inline") return false;
      let block = target.parentElement;
      while (getComputedStyle(block).display === "inline") block = block.parentElement;
      const rest = block.cloneNode(true);
      for (const other of all(TARGETS, rest)) other.remove();
      return /\p{L}/u.test(rest.textContent);
    };
    const free = (one) => {
      const x = (one.at.left + one.at.right) / 2, y = (one.at.top + one.at.bottom) / 2;
      return targets.every((other) => {
        if (other === one) return true;
        if (!large(other)) return Math.hypot(x - (other.at.left + other.at.right) / 2, y - (other.at.top + other.at.bottom) / 2) >= 24;
        const near = [Math.min(Math.max(x, other.at.left), other.at.right), Math.min(Math.max(y, other.at.top), other.at.bottom)];
        return Math.hypot(x - near[0], y - near[1]) >= 12;
      });
    };
    const small = targets.filter((one) => !large(one) && !inSentence(one) && !free(one));
    return {found: small.map(({target, at}) => `${name(target)}: ${short(target.textContent)} ${at.width.toFixed(1)}x${at.height.toFixed(1)}`), count: targets.length};
  }

  // what sticks out: of the page sideways, of a box that cuts it off, of a graphic; and labels of a graphic on each other
  function cut() {
    const found = [], wide = document.documentElement.scrollWidth, room = document.documentElement.clientWidth;
    if (wide > room) found.push(`the page is ${wide} wide in ${room}`);
    for (const element of all("body *").filter((one) => !one.closest("svg, .stage, .aloud, .untitled") && shown(one))) {
      const style = getComputedStyle(element), at = element.getBoundingClientRect();
      const clips = (value) => value === "hidden" || value === "clip";
      if (clips(style.overflowX) && element.scrollWidth > element.clientWidth + 1 && !element.matches(".plot, .block")) found.push(`${name(element)} is cut at its side`);
      if (clips(style.overflowY) && element.scrollHeight > element.clientHeight + 1 && !element.matches(".plot")) found.push(`${name(element)} is cut below`);
      const figure = element.closest(".figure"), edge = figure && figure.getBoundingClientRect();
      if (figure && !element.closest(".scroll, .plot") && (at.left < edge.left - 1 || at.right > edge.right + 1)) found.push(`${name(element)} sticks out of its figure, which cuts it`);
      if (at.right > room + 1 && !element.closest(".scroll")) found.push(`${name(element)} ends at ${Math.round(at.right)} of ${room}`);
    }
    return [...found, ...labels()];
  }

  function labels() {
    const found = [];
    for (const box of all(".plot").filter(shown)) {
      const inner = box.getBoundingClientRect(), margin = parseFloat(getComputedStyle(box).overflowClipMargin) || 0;
      const frame = {left: Math.max(0, inner.left - margin), right: Math.min(document.documentElement.clientWidth, inner.right + margin),
        top: inner.top - margin, bottom: inner.bottom + margin};
      const texts = all(TEXTS, box).filter((one) => shown(one) && one.textContent.trim()).map((one) => ({text: short(one.textContent), at: one.getBoundingClientRect()}));
      for (const {text, at} of texts) {
        const beyond = Math.max(frame.left - at.left, at.right - frame.right, frame.top - at.top, at.bottom - frame.bottom);
        if (beyond > 1) found.push(`${name(box)}: ${text} is cut by ${beyond.toFixed(1)}`);
      }
      texts.forEach((one, i) => texts.slice(i + 1).forEach((other) => {
        const across = Math.min(one.at.right, other.at.right) - Math.max(one.at.left, other.at.left);
        const down = Math.min(one.at.bottom, other.at.bottom) - Math.max(one.at.top, other.at.top);
        // lines of text may touch with what is above and below their letters, also where they are turned
        const turned = one.at.height > one.at.width && other.at.height > other.at.width;
        if (across > (turned ? 5 : 1) && down > (turned ? 1 : 5)) found.push(`${name(box)}: ${one.text} lies on ${other.text}`);
      }));
    }
    return found;
  }

  const tidy = (text) => text.replace(/\s+/g, " ").trim();

  return {all, shown, name, color, contrast, page, faintTexts, faintLabels, faintShapes, faintControls, outline, smallTargets, cut, labels, tidy};
})();
