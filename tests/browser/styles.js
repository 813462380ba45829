// What the tests ask of a style: its rules as the browser reads them, one entry for each selector that a rule lists.

const MOMENTS = /::?(before|after|hover|focus-visible|focus|details-content|-webkit-details-marker)\b/g; // no element, or only for a while

window.styles = {
  // the parts of a list that commas separate, outside of brackets
  list(text) {
    const found = [""];
    let depth = 0;
    for (const letter of text) {
      depth += {"(": 1, "[": 1, ")": -1, "]": -1}[letter] || 0;
      if (letter === "," && !depth) found.push("");
      else found[found.length - 1] += letter;
    }
    return found.map((part) => part.trim());
  },

  // every way to match: :is(a, b) c -> :is(a) c, :is(b) c
  ways(selector, from = 0) {
    const start = selector.indexOf(":is(", from);
    if (start < 0) return [selector];
    let end = start + 4;
    for (let depth = 1; depth; end += 1) depth += {"(": 1, ")": -1}[selector[end]] || 0;
    const inside = selector.slice(start + 4, end - 1);
    return this.list(inside).flatMap((one) => this.ways(`${selector.slice(0, start)}:is(${one})${selector.slice(end)}`, start + 4));
  },

  read(text) {
    const sheet = new CSSStyleSheet(), found = [];
    sheet.replaceSync(text);
    const walk = (rules, where) => {
      for (const rule of rules) {
        if (rule.selectorText) {
          for (const selector of this.list(rule.selectorText).flatMap((one) => this.ways(one))) {
            found.push({where, selector, properties: Array.from(rule.style)});
          }
        } else if (rule.cssRules) walk(rule.cssRules, `${where} ${rule.conditionText || ""}`.trim());
      }
    };
    walk(sheet.cssRules, "");
    return found;
  },

  unmatched(selectors) {
    return selectors.filter((selector) => !document.querySelector(selector.replace(MOMENTS, "") || "*"));
  },
};
