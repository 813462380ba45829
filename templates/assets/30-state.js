// What the page shows: an index on each axis; and how a link says it.

const base = Object.fromEntries(axes.map((axis, i) => [axis, site.base[i]]));

// an option only if the text names one; anything else falls back. `own`: as the figure shows it that the text names; "at.mask=off"
// is an option of that figure alone
function readHash(hash, own) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  let state = base;
  for (const axis of axes) {
    const at = optionsOf(axis, state).indexOf((own && given.get("at." + axis)) || given.get(axis));
    state = at < 0 ? fit(state) : {...state, [axis]: at};
  }
  return state;
}

function writeHash(state, at, own = state) {
  const part = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (sign) => "%" + sign.charCodeAt(0).toString(16).toUpperCase());
  const option = (axis, of) => axis + "=" + part(optionsOf(axis, of)[of[axis]]);
  const apart = axes.filter((axis) => own[axis] !== state[axis]).map((axis) => "at." + option(axis, own));
  return "#" + [...axes.map((axis) => option(axis, state)), ...(at ? ["at=" + at, ...apart] : [])].join("&");
}

// state hashes have a "="; one without is an ordinary anchor
const isState = (hash) => hash.includes("=");
const same = (a, b) => axes.every((axis) => a[axis] === b[axis]);
// in mixed radix, the asking token as in the longest sentence
const indexOfState = (state) => axes.reduce((found, axis) => found * (axis === "token" ? site.longest : optionsOf(axis, state).length) + state[axis], 0);
