// The page for teachers: choose a figure or section and a state, see it live, take the snippet along.
(function () {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const given = JSON.parse(byId("embeds").textContent), live = byId("live"), snippet = byId("snippet");
  let state = "", height = 0;

  // where the site is: as configured, else as this page was reached; a file on a disk is nowhere
  const home = given.home || (/^https?:$/.test(location.protocol) ? new URL(".", location.href).href : "");
  byId("nowhere").hidden = Boolean(home);
  byId("there").hidden = !home;

  function query() {
    const parts = new URLSearchParams();
    if (byId("theme").value) parts.set("theme", byId("theme").value);
    if (byId("locked").checked) parts.set("controls", "0");
    if (byId("untitled").checked) parts.set("title", "0");
    if (byId("large").checked) parts.set("size", "large");
    return parts.size ? "?" + parts : "";
  }

  const say = (text) => { byId("copied").textContent = text; };
  const quoted = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
  const chosen = () => given.embeds.find((embed) => embed.path === byId("what").value);

  function show() {
    const embed = chosen(), address = home + embed.path + query() + (state ? "#" + state : "");
    const high = embed.heights[byId("width").value + (byId("large").checked ? "-large" : "")];
    const text =
      `<iframe src="${quoted(address)}" title="${quoted(embed.title)}" width="100%" height="${high}" style="border:0" loading="lazy" ` +
      `allow="fullscreen"></iframe>\n<p><a href="${quoted(address)}">${quoted(embed.title)}</a></p>`;
    if (snippet.value !== text) {
      snippet.value = text;
      say(""); // what was copied is not this
    }
    byId("open").href = embed.path + query() + (state ? "#" + state : "");
    if (byId("file")) byId("file").href = given.downloads[embed.path];
    live.style.maxWidth = byId("width").value + "px";
    live.style.height = (height || high) + live.offsetHeight - live.clientHeight + "px"; // and its border
    live.title = embed.title;
  }

  function renew() {
    height = 0;
    live.contentWindow.location.replace(byId("what").value + query() + (state ? "#" + state : "")); // "back" leaves this page
    show();
  }

  byId("maker").addEventListener("change", (event) => {
    if (event.target.id === "what") state = "";
    renew();
  });
  // what the browser has set again, after Back or a reload
  addEventListener("pageshow", () => {
    if (byId("what").value + query() !== live.getAttribute("src")) renew();
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

  // the old way, for pages without https and browsers that refuse the new one; if that fails too, the snippet stays
  // selected for the keyboard
  function copyByHand() {
    let done = false;
    snippet.focus();
    snippet.select();
    try {
      done = document.execCommand("copy");
    } catch (error) {
      // said below
    }
    if (done) byId("copy").focus();
    say(done ? given.words.copied : given.words.press);
  }

  byId("copy").addEventListener("click", () => {
    if (!navigator.clipboard) copyByHand();
    else navigator.clipboard.writeText(snippet.value).then(() => say(given.words.copied), copyByHand);
  });
  snippet.addEventListener("focus", () => snippet.select());
  show();
})();
