// Options of an embedded page, read before anything is painted. Anything that is not on the list is the default.
(function () {
  var given = new URLSearchParams(location.search), root = document.documentElement;
  if (given.get("theme") === "light" || given.get("theme") === "dark") root.dataset.theme = given.get("theme");
  if (given.get("controls") === "0") root.classList.add("locked");
  if (given.get("title") === "0") root.classList.add("untitled");
  if (given.get("size") === "large") root.classList.add("large");
  if (given.get("embed") === "1") root.classList.add("embed");
})();
