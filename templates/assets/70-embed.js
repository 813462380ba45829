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
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  if (!height || height === told) return;
  told = height;
  tell(JSON.stringify({subject: "lti.frameResize", height}));
  tell({type: "attention.height", height, state: writeHash(state).slice(1)});
}

if (framed) {
  new ResizeObserver(tellHeight).observe(document.body);
  addEventListener("message", (event) => {
    const said = event.data;
    if (event.source !== window.parent || !said || said.type !== "attention.set") return;
    if (typeof said.state === "string" && said.state.length < 400) setState(readHash(said.state));
  });
}
