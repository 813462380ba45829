"use strict";
(function () {
// in brackets: Chromium reads the function while it loads it
const begin = (function () {
/* scripts */
});
// at once, but on a long page that nothing waits for (a host, a link to a state, a course) in a task of its own: mostly it shows
// before
const root = document.documentElement;
const awaited = window.parent !== window || location.hash !== "" || document.getElementById("course") || !root.classList.contains("long");
if (awaited) begin();
else document.addEventListener("DOMContentLoaded", () => setTimeout(begin));
})();
