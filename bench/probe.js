// Runs in a page before its own scripts, and notes what bench/pages.py asks for: as milliseconds since navigation, and as
// marks in a trace.

const bench = (window.bench = {long: []});

new PerformanceObserver((list) => {
  for (const task of list.getEntries()) bench.long.push(task.duration);
}).observe({type: "longtask", buffered: true});

bench.pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// a promise's value, or null if it takes too long
bench.within = (ms, promise) => Promise.race([promise, bench.pause(ms).then(() => null)]);

// when the frame that is being made has been painted: a message sent while it is made arrives after that
const shown = (name, resolve) => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    performance.mark(name);
    resolve(performance.now());
  };
  channel.port2.postMessage(0);
};

// when the next frame has been painted
bench.painted = (name) => new Promise((resolve) => requestAnimationFrame(() => shown(name, resolve)));

// when the first frame that `there` finds what it looks for in has been painted
bench.watch = (name, there) => new Promise((resolve) => {
  const look = () => (there() ? shown(name, resolve) : requestAnimationFrame(look));
  requestAnimationFrame(look);
});
