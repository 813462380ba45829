// What the page shows: indexes of sentence, mask, head and asking token; and how a link says it.

const base = {sentence: site.base[0], mask: site.base[1], head: site.base[2], token: site.base[3]};

// an index only if the text names one; anything else falls back
function indexOf(names, name, fallback) {
  const at = names.indexOf(name);
  return at < 0 ? fallback : at;
}

function readHash(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const sentence = indexOf(site.sentences.map((s) => s.id), given.get("sentence"), base.sentence);
  const count = traces.tokens[sentence].length;
  const token = /^\d{1,3}$/.test(given.get("token") || "") ? Number(given.get("token")) : NaN;
  return {
    sentence,
    mask: indexOf(site.masks, given.get("mask"), base.mask),
    head: indexOf(site.heads, given.get("head"), base.head),
    token: token < count ? token : Math.min(base.token, count - 1),
  };
}

function writeHash(state, at) {
  const part = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (sign) => "%" + sign.charCodeAt(0).toString(16).toUpperCase());
  return "#sentence=" + part(site.sentences[state.sentence].id) + "&mask=" + site.masks[state.mask] + "&head=" + part(site.heads[state.head]) +
    "&token=" + state.token + (at ? "&at=" + at : "");
}

// state hashes have a "="; one without is an ordinary anchor
const isState = (hash) => hash.includes("=");
const same = (a, b) => a.sentence === b.sentence && a.mask === b.mask && a.head === b.head && a.token === b.token;
const indexOfState = (s) => ((s.sentence * site.masks.length + s.mask) * site.heads.length + s.head) * site.longest + s.token;
