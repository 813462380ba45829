// The page for teachers: choose a figure or section and a state, see it live, take the snippet along.
(function () {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const given = JSON.parse(byId("embeds").textContent), live = byId("live"), snippet = byId("snippet");
  let state = "", height = 0;

  // where the site is: as configured, else as this page was reached; a file on a disk is nowhere
  const home = given.home || (/^https?:$/.test(location.protocol) ? new URL(".", location.href).href : "");
  byId("nowhere").hidden = Boolean(home);

  function query() {
    const parts = new URLSearchParams();
    if (byId("theme").value) parts.set("theme", byId("theme").value);
    if (byId("locked").checked) parts.set("controls", "0");
    if (byId("untitled").checked) parts.set("title", "0");
    if (byId("large").checked) parts.set("size", "large");
    return parts.size ? "?" + parts : "";
  }

  const quoted = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
  const chosen = () => given.embeds.find((embed) => embed.path === byId("what").value);

  function show() {
    const embed = chosen(), address = home + embed.path + query() + (state ? "#" + state : "");
    const high = byId("large").checked ? Math.ceil(embed.heights[byId("width").value] * 1.25) : embed.heights[byId("width").value];
    snippet.value = home
      ? `<iframe src="${quoted(address)}" title="${quoted(embed.title)}" width="100%" height="${high}" style="border:0" loading="lazy" ` +
        `allow="fullscreen"></iframe>\n<p><a href="${quoted(address)}">${quoted(embed.title)}</a></p>`
      : byId("nowhere").textContent;
    byId("open").href = embed.path + query() + (state ? "#" + state : "");
    if (byId("file")) byId("file").href = given.downloads[embed.path];
    live.style.height = (height || high) + "px";
    live.title = embed.title;
  }

  byId("maker").addEventListener("change", (event) => {
    if (event.target.id === "what") state = "";
    height = 0;
    live.src = byId("what").value + query() + (state ? "#" + state : "");
    show();
  });
  byId("maker").addEventListener("submit", (event) => event.preventDefault());

  addEventListener("message", (event) => {
    const said = event.data;
    if (event.source !== live.contentWindow || !said) return;
    if (said.type === "attention.height") height = said.height;
    if (said.type !== "attention.height" && said.type !== "attention.state") return;
    if (typeof said.state === "string") state = said.state;
    show();
  });

  byId("copy").addEventListener("click", () => {
    const say = (text) => { byId("copied").textContent = text; };
    snippet.select();
    const failed = () => say(given.words.press); // it is selected: the keyboard can still copy it
    if (!navigator.clipboard) failed();
    else navigator.clipboard.writeText(snippet.value).then(() => say(given.words.copied), failed);
  });
  snippet.addEventListener("focus", () => snippet.select());
  show();
})();
