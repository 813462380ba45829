// A guest in somebody's frame: says how high it is, and takes a state from the page around it, and from nobody else.
//
// Sent on every change of height, in whole pixels: the string {"subject":"lti.frameResize","height":n}, which Canvas and others
// listen for, and {type: "attention.height", height, state}. Sent on a change of state: {type: "attention.state", state}.
// Understood: {type: "attention.set", state: "sentence=soft&token=9"}.

const tell = (message) => {
  if (framed) window.parent.postMessage(message, "*"); // to whoever embeds the page; there is nothing secret in it
};

let told = 0;
function tellHeight() {
  if (!document.body.clientWidth) return; // not shown: a column without width is endlessly high
  const height = fullHeight();
  if (!height || height === told) return;
  told = height;
  tell(JSON.stringify({subject: "lti.frameResize", height}));
  tell({type: "attention.height", height, state: address().slice(1)});
}

// A frame that is too low has a scroll bar, which makes the text narrower and higher: what is told is the height without it.
function fullHeight() {
  const bar = root.clientWidth < window.innerWidth;
  if (bar) root.style.overflow = "hidden";
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  if (bar) root.style.overflow = "";
  return height;
}

if (framed) {
  new ResizeObserver(tellHeight).observe(document.body);
  addEventListener("message", (event) => {
    const said = event.data;
    if (event.source !== window.parent || !said || said.type !== "attention.set") return;
    if (typeof said.state === "string" && said.state.length < 400 && isState(said.state)) setState(readHash(said.state), undefined, said.state);
  });
}
