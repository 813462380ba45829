// The window of a course platform, for tests: scorm-again, or a double of a platform that lacks something, behind a
// wrapper that notes every call. What it keeps stands in localStorage. The lesson runs in a frame or in a popup.
"use strict";

window.lms = (() => {
  const {kind, runtime, mode} = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  const newer = kind === "scorm2004", prefix = newer ? "" : "LMS", core = newer ? "cmi." : "cmi.core.";
  const names = {status: newer ? "completion_status" : "lesson_status", mode: newer ? "mode" : "lesson_mode"};
  const calls = [], state = {offline: false};
  const kept = () => JSON.parse(localStorage.getItem("kept"));

  function keep(data) {
    if (!state.offline) localStorage.setItem("kept", JSON.stringify(data));
    return !state.offline;
  }

  function again() {
    const service = {
      processHttpRequest: (address, data) => (keep(data) ? {result: "true", errorCode: 0} : {result: "false", errorCode: 101}),
      updateSettings() {},
    };
    const api = new (newer ? window.Scorm2004API : window.Scorm12API)({lmsCommitUrl: "commit", httpService: service, logLevel: 5});
    const data = kept() || {cmi: newer ? {} : {core: {}}}, inside = newer ? data.cmi : data.cmi.core;
    inside.entry = !kept() ? "ab-initio" : inside.exit === "suspend" ? "resume" : "";
    inside[names.mode] = mode || "normal";
    if (newer) for (const part of ["session_time", "exit", "total_time"]) delete inside[part];
    api.loadFromJSON(data);
    return api;
  }

  // a platform by hand. What was set since the last commit that went well is lost when one does not.
  // silent: it answers nothing when it is asked for a value; mute: when it is asked for a status
  function double() {
    let fresh = {}, error = "0";
    const all = () => ({...kept(), ...fresh});
    const unsaid = (name) => runtime === "silent" || (runtime === "mute" && name.endsWith("_status"));
    const methods = {
      Initialize: () => "true",
      GetValue: (name) => (unsaid(name) ? "" : name === core + names.mode ? mode || "" : all()[name] || ""),
      SetValue: (name, value) => {
        fresh[name] = value;
        return "true";
      },
      Commit: () => {
        const done = keep(all());
        fresh = {};
        error = done ? "0" : "101";
        return String(done);
      },
      GetLastError: () => error,
    };
    methods[newer ? "Terminate" : "Finish"] = methods.Commit;
    const called = (name) => (...given) => {
      if (name !== "GetLastError") error = "0";
      return methods[name](...given);
    };
    return Object.fromEntries(Object.keys(methods).map((name) => [prefix + name, called(name)]));
  }

  if (runtime === "none") return {calls, state, ...ways()};
  const inner = runtime === "again" ? again() : double();
  window[newer ? "API_1484_11" : "API"] = Object.fromEntries(
    ["Initialize", newer ? "Terminate" : "Finish", "GetValue", "SetValue", "Commit", "GetLastError"].map((name) => [prefix + name, (...given) => {
      const answer = inner[prefix + name](...given);
      if (name !== "GetLastError") calls.push({name, given, answer, error: String(inner[prefix + "GetLastError"]())});
      return answer;
    }]),
  );

  function ways() {
    return {
      frame(address) {
        const frame = document.createElement("iframe");
        Object.assign(frame, {src: address, title: "lesson", id: "lesson", width: 1000, height: 700});
        document.body.append(frame);
      },
      popup: (address) => void window.open(address, "lesson", "width=1000,height=700"),
      send: (message) => document.getElementById("lesson").contentWindow.postMessage(message, "*"),
      leave: () => document.getElementById("lesson").remove(),
    };
  }
  return {calls, state, ...ways()};
})();
