// In every frame of a host's page: what has been said to the host, and what a guest shows.
"use strict";

window.hosts = (() => {
  const said = [];
  if (window === window.top) {
    addEventListener("message", (event) => {
      const from = Array.from(document.querySelectorAll("iframe"), (frame) => frame.contentWindow).indexOf(event.source);
      said.push({from, data: event.data});
      heard();
    });
    // the last button keeps the focus, so that it cannot be passed unseen
    addEventListener("keydown", (event) => {
      if (event.key === "Tab" && event.target.id === (event.shiftKey ? "before" : "after")) event.preventDefault();
    });
  }

  // the native ones: a test may put others in their place
  const {requestAnimationFrame: picture, setTimeout: later} = window;

  // resolves when the test is true, asked anew at each of the events; what never is must not hang the tests
  function until(test, what, ...events) {
    return new Promise((resolve, reject) => {
      later.call(window, () => reject(new Error("still not " + what)), 30000);
      const check = () => test() && resolve();
      for (const event of events) addEventListener(event, check);
      check();
    });
  }

  const heard = () => dispatchEvent(new Event("hosts.heard"));
  const mark = (number) => window.parent.postMessage({type: "hosts.mark", number}, "*");
  const marked = (number) => until(() => said.some(({data}) => data && data.type === "hosts.mark" && data.number === number), "marked", "hosts.heard");
  const high = (height) => until(() => innerHeight === height, height + " high", "resize");

  // resolves when a picture has been made, and what it set off has been done
  const turn = () => new Promise((resolve) => picture.call(window, () => picture.call(window, () => later.call(window, resolve))));

  function focused() {
    const active = document.activeElement, frames = Array.from(document.querySelectorAll("iframe"));
    return frames.includes(active) ? frames.indexOf(active) : active.id;
  }

  const size = (element) => {
    const {width, height} = element.getBoundingClientRect();
    return [width, height];
  };

  // but for the body, which may be kept from being painted
  const opaque = (element) => element === document.body || (getComputedStyle(element).opacity !== "0" && opaque(element.parentElement));

  function graphics() {
    const {figures} = JSON.parse(document.getElementById("figures").textContent);
    return Array.from(document.querySelectorAll("[data-plot]"), (box) => {
      const figure = box.closest("[data-figure]"), stage = box.querySelector(".stage .main-svg"), poster = box.querySelector(".poster");
      const shown = stage || poster;
      return {
        drawn: Boolean(stage), stale: box.classList.contains("stale"),
        seen: shown.checkVisibility({checkVisibilityCSS: true}) && opaque(shown),
        box: size(box), shown: size(shown), height: figures[figure.dataset.figure].plots[box.dataset.plot].layout.height,
      };
    });
  }

  return {said, turn, mark, marked, high, focused, graphics};
})();
