"use strict";
(function () {
// in brackets: Chromium reads the function while it loads it
const begin = (function () {
/* scripts */
});
// at once, but on a long page that nobody waits for in a task of its own, so that it shows before
const root = document.documentElement;
const awaited = window.parent !== window || location.hash !== "" || !root.classList.contains("long");
if (awaited) begin();
else document.addEventListener("DOMContentLoaded", () => setTimeout(begin));
})();
