// A page in a course platform: finds the platform's SCORM API, keeps what the learner has done, and tells the platform.
// Without an API, or with one that does not answer, the page stays the page that it is. Only in packages, after app.js, which
// says on the document what the learner chooses ("attention:visit") and answers ("attention:answer").
(function () {
  "use strict";
  const given = JSON.parse(document.getElementById("progress").textContent);
  const {newer, words} = given; // newer: SCORM 2004, else 1.2
  const API = newer ? "API_1484_11" : "API", PREFIX = newer ? "" : "LMS";
  const CORE = newer ? "cmi." : "cmi.core.";
  const NAMES = {
    entry: CORE + "entry",
    mode: newer ? "cmi.mode" : "cmi.core.lesson_mode",
    status: newer ? "cmi.completion_status" : "cmi.core.lesson_status",
    location: newer ? "cmi.location" : "cmi.core.lesson_location",
    data: "cmi.suspend_data",
    exit: CORE + "exit",
    time: CORE + "session_time",
    score: CORE + "score.",
  };
  const DATA = newer ? 64000 : 4096, LOCATION = 255; // the most letters that a platform must keep
  const CALLS = 60; // values set in a visit, at most; the last ones are for what matters most
  const FEW = 30, SOME = 18, LAST = 14; // values kept back: from place and time, from a section, from what is told again
  const SHOWN = 1000; // milliseconds; a page that is not painted by then begins all the same
  const AGAIN = 15000, SELDOM = 300000; // milliseconds until a failed commit is tried again, at first and at most
  const FORM = newer ? /^PT\d+H\d+M\d+S$/ : /^\d{4}:\d\d:\d\d$/;

  // what the learner has done

  const sections = given.sections.map((section) => ({...section, met: section.needs.map(() => false), done: false}));
  const answers = new Map(); // first attempts, where a score is sent
  let completed = false;

  // "1;c;s:softmax:d;s:many-heads:101;q:softmax-1:1": version, completed, each section (d: done, else a digit for each need),
  // each first attempt
  function encode() {
    const parts = ["1"];
    if (completed) parts.push("c");
    for (const {id, met, done} of sections) {
      if (done) parts.push("s:" + id + ":d");
      else if (met.includes(true)) parts.push("s:" + id + ":" + met.map(Number).join(""));
    }
    for (const [question, right] of answers) parts.push("q:" + question + ":" + Number(right));
    return parts.join(";");
  }

  // adds what an earlier visit left; anything else that a platform may hand out is nothing
  function decode(text) {
    const [version, ...parts] = String(text).slice(0, DATA).trim().split(";");
    if (version !== "1") return;
    for (const part of parts) {
      const [kind, name, value] = part.split(":"), section = sections.find(({id}) => id === name);
      if (part === "c") completed = true;
      if (kind === "q" && given.score && /^[01]$/.test(value) && given.questions.includes(name)) answers.set(name, value === "1");
      if (kind !== "s" || !section) continue;
      if (value === "d") section.done = true;
      else if (/^[01]+$/.test(value) && value.length === section.met.length) {
        section.met = section.met.map((met, i) => met || value[i] === "1");
      }
    }
    for (const section of sections) section.done = section.done || !section.met.includes(false);
  }

  const place = (element) => {
    const section = element && element.closest(".section");
    return section ? section.id : "";
  };

  document.addEventListener("attention:visit", ({detail: {state, chose, from, at}}) => {
    const places = [place(from), at && place(document.getElementById("figure-" + at))];
    for (const section of sections) {
      if (section.done || !places.includes(section.id)) continue;
      section.needs.forEach(({either}, i) => {
        const fits = (one) => one.by.some((part) => chose.includes(part)) && Object.keys(one.state).every((part) => one.state[part] === state[part]);
        if (either.some(fits)) section.met[i] = true;
      });
      section.done = !section.met.includes(false);
      if (section.done) finished(section);
    }
    show();
    if (at && from.matches("a")) bring(document.getElementById("figure-" + at));
  });

  document.addEventListener("attention:answer", ({detail: {question, right}}) => {
    if (!given.score || answers.has(question) || !given.questions.includes(question)) return;
    answers.set(question, right);
    if (!completed) return;
    grade(SOME);
    save(SOME);
  });

  function finished(section) {
    const now = !completed && sections.every(({done}) => done);
    say(words.said, section.title);
    if (now) {
      completed = true;
      standing = "completed";
      set(NAMES.status, standing, 0);
      grade(0);
    }
    save(now ? 0 : SOME);
  }

  // what is shown of it

  const list = document.getElementById("course");
  const put = (text, title) => text.replace(/\{(\w+)\}/g, (whole, name) => ({
    title, done: String(sections.filter(({done}) => done).length), all: String(sections.length),
  })[name] || whole);
  const say = (text, title) => {
    document.getElementById("course-said").textContent = put(text, title);
  };

  function show() {
    list.querySelector("summary").textContent = put(completed ? words.complete : words.count);
    for (const {id, met, done} of sections) {
      const item = list.querySelector(`[data-section="${id}"]`);
      item.classList.toggle("done", done);
      item.querySelector(".mark").textContent = done ? words.done : "";
      item.querySelectorAll("[data-need]").forEach((need, i) => need.classList.toggle("done", done || met[i]));
    }
  }

  // in a frame the page does not scroll by itself to the figure that a link shows
  function bring(figure) {
    if (!figure || window.parent === window) return;
    const {top, bottom, height} = figure.getBoundingClientRect(), {innerHeight} = window;
    if (Math.min(bottom, innerHeight) - Math.max(top, 0) < Math.min(height, innerHeight) / 2) roll(figure, 8);
  }

  const roll = (element, above) => window.scrollTo({top: element.getBoundingClientRect().top + window.scrollY - above, behavior: "instant"});

  // of the page; figures out of sight are written later
  const current = () => {
    const figure = document.querySelector("[data-figure]");
    return document.documentElement.dataset.state || (figure && figure.dataset.state) || "";
  };

  // where the learner is: the section or figure at the top of the window, and the state
  function here() {
    const shown = Array.from(document.querySelectorAll(".section, .figure")).filter((one) => one.getBoundingClientRect().top <= window.innerHeight * 0.4);
    const at = window.scrollY > 0 && shown.length ? shown[shown.length - 1].id : "";
    const text = at + ";" + current();
    return text.length <= LOCATION ? text : at.slice(0, LOCATION);
  }

  function land(text) {
    const [at, state] = String(text).slice(0, LOCATION).split(";");
    if (location.hash || window.scrollY > 0) return; // the learner is on the way already
    if (state && state.includes("=") && current() !== state) {
      try {
        history.replaceState(null, "", "#" + state);
        dispatchEvent(new HashChangeEvent("hashchange"));
      } catch (error) {
        // a frame whose address may not change begins as it is
      }
    }
    const target = /^[a-z0-9-]+$/.test(at) && document.getElementById(at);
    if (target) roll(target, 8);
  }

  // the platform

  let api = null, open = false, writes = false;
  let told = {}, standing = "", used = 0; // what the platform has been told
  let fresh = false, late = false, wait = AGAIN, timer = 0; // what it has not kept yet

  // in a window and those around it; a window of somebody else's may not be looked into
  function around(start) {
    const windows = [];
    for (let one = start; one && windows.length < 20; ) {
      windows.push(one);
      try {
        one = one.parent === one ? null : one.parent;
      } catch (error) {
        one = null;
      }
    }
    return windows;
  }

  function find(start, times) {
    const windows = around(start);
    for (const one of windows) {
      try {
        if (one[API] && one[API][PREFIX + "Initialize"]) return one[API];
      } catch (error) {
        // not here
      }
    }
    for (const one of times ? windows : []) {
      try {
        const found = one.opener && one.opener !== one && find(one.opener, times - 1);
        if (found) return found;
      } catch (error) {
        // not there
      }
    }
    return null;
  }

  function call(name, ...values) {
    try {
      const answer = api[PREFIX + name](...values);
      return answer === null || answer === undefined ? "" : String(answer);
    } catch (error) {
      return "";
    }
  }

  const get = (name) => call("GetValue", name);

  // sets a value that the platform does not have yet, unless only `kept` more may be set
  function set(name, value, kept) {
    if (!open || !writes || told[name] === value || used >= CALLS - kept) return;
    used += 1;
    if (call("SetValue", name, value) === "true") told[name] = value;
    fresh = true;
  }

  function commit() {
    clearTimeout(timer);
    const failed = late;
    late = call("Commit", "") !== "true";
    fresh = late;
    if (late) {
      timer = setTimeout(again, wait);
      wait = Math.min(wait * 2, SELDOM);
    } else if (failed) {
      // the platform is there again: it may have lost what it was told meanwhile
      wait = AGAIN;
      told = {};
      if (standing) set(NAMES.status, standing, LAST);
      if (completed) grade(LAST);
      save(LAST);
    }
  }

  function again() {
    if (open && late) commit();
  }

  function duration() {
    const all = Math.floor(performance.now() / 1000), s = all % 60, m = Math.floor(all / 60) % 60, h = Math.floor(all / 3600);
    const two = (number, length) => String(number).padStart(length, "0");
    return newer ? `PT${h}H${m}M${s}S` : `${two(Math.min(h, 9999), 4)}:${two(m, 2)}:${two(s, 2)}`;
  }

  // tells what is new; `kept` values are kept back for later
  function save(kept) {
    const data = encode(), time = duration();
    if (standing) set(NAMES.status, standing, kept);
    set(NAMES.exit, "suspend", kept); // so that the platform keeps everything until the next visit
    if (data.length <= DATA) set(NAMES.data, data, kept);
    set(NAMES.location, here(), kept && FEW);
    if (FORM.test(time)) set(NAMES.time, time, kept && FEW);
    if (fresh) commit();
  }

  // of all questions of the package, those that were right at the first attempt
  function grade(kept) {
    if (!given.score || !given.questions.length) return;
    const right = given.questions.filter((question) => answers.get(question)).length;
    const percent = Math.round((100 * right) / given.questions.length);
    set(NAMES.score + "min", "0", kept);
    set(NAMES.score + "max", "100", kept);
    set(NAMES.score + "raw", String(percent), kept);
    if (newer) set(NAMES.score + "scaled", String(percent / 100), kept);
  }

  let begun = false;
  function start() {
    if (begun) return;
    begun = true;
    api = find(window, 3);
    if (!api) return;
    // one that is initialised already says false, and answers all the same
    if (call("Initialize", "") !== "true" && (get(NAMES.status) === "" || call("GetLastError") !== "0")) return;
    open = true;
    const mode = get(NAMES.mode), status = get(NAMES.status);
    writes = mode !== "browse" && mode !== "review"; // a visit to look back changes nothing
    const unknown = ["", "not attempted", "unknown"].includes(status); // some platforms never tell a status
    if (!unknown || get(NAMES.entry) !== "ab-initio") { // at the very first visit there is nothing to ask for
      told[NAMES.data] = get(NAMES.data);
      decode(told[NAMES.data]);
    }
    const over = ["completed", "passed", "failed"].includes(status);
    completed = completed || over || sections.every(({done}) => done);
    list.hidden = false;
    show();
    if (NAMES.data in told) land(get(NAMES.location));
    if (completed && !over) standing = "completed";
    else if (unknown && !completed) standing = "incomplete";
    if (standing) set(NAMES.status, standing, 0);
    if (standing === "completed") grade(0);
    save(SOME);
  }

  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") save(SOME);
  });
  addEventListener("pagehide", (event) => {
    if (!open) return;
    save(0);
    if (event.persisted) return; // the page may come back as it is
    open = false;
    clearTimeout(timer);
    call(newer ? "Terminate" : "Finish", "");
  });
  addEventListener("online", again);

  // a platform that takes its time must not keep the page from being shown
  if (document.hidden) start();
  else requestAnimationFrame(() => setTimeout(start));
  setTimeout(start, SHOWN);
})();
