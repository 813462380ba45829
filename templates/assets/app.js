"use strict";
(function () {
// in brackets: Chromium reads the function while it loads it
const begin = (function () {
/* scripts */
});
// at once; but in a task of its own, before which the page can show, where it is long and nothing waits for it: no host, no link to
// a state, no course
const root = document.documentElement, framed = window.parent !== window;
const awaited = framed || location.hash !== "" || document.getElementById("course") || !root.classList.contains("long");
if (awaited) begin();
else document.addEventListener("DOMContentLoaded", () => setTimeout(begin));
})();
