// How every number is written. qkv/figures/numbers.py says the same in Python; null means masked.

const MINUS = "\u2212";
const RAISED = {"-": "\u207b", 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074", 5: "\u2075", 6: "\u2076", 7: "\u2077",
  8: "\u2078", 9: "\u2079"};

// value * 10^shift with so many decimals, half away from zero on the shortest decimal form
function fixed(value, digits, shift = 0) {
  const [mantissa, exponent = "0"] = String(Math.abs(value)).split("e");
  const whole = Math.round(Number(mantissa + "e" + (Number(exponent) + digits + shift)));
  const text = Number(whole + "e-" + digits).toFixed(digits);
  return value < 0 && whole !== 0 ? MINUS + text : text;
}

// mantissa with so many decimals, and power of ten; rounded like `fixed`
function scientific(value, digits) {
  const [mantissa, exponent] = value.toExponential().split("e");
  const whole = Math.round(Number(mantissa + "e" + digits));
  const carry = String(whole).length - digits - 1;
  return [fixed(whole / 10 ** (digits + carry), digits), Number(exponent) + carry];
}

function power(value, digits) {
  const [mantissa, exponent] = scientific(Math.abs(value), digits);
  const raised = Array.from(String(exponent), (sign) => RAISED[sign]).join("");
  return (value < 0 ? MINUS : "") + mantissa + "\u00d710" + raised;
}

function significant(value) {
  if (value === 1) return "1";
  const [mantissa, at] = scientific(value, 3);
  if (at < -3 || at >= 6) return power(value, 3);
  const digits = mantissa.replace(".", "");
  if (at >= 3) return digits + "0".repeat(at - 3);
  return at >= 0 ? digits.slice(0, at + 1) + "." + digits.slice(at + 1) : "0." + "0".repeat(-at - 1) + digits;
}

function plain(value) {
  if (value !== 0 && Math.abs(value) < 0.005) return power(value, 1);
  const text = fixed(value, 2).replace(/\.?0+$/, "");
  return text === "" || text === MINUS || text === MINUS + "0" ? "0" : text;
}

const masked = (write) => (value) => (value === null ? words.masked : write(value));
const NUMBERS = {
  percent: masked((w) => (w === 1 ? "100%" : w < 0.0005 ? "<0.1%" : w >= 0.9995 ? ">99.9%" : fixed(w, 1, 2) + "%")),
  weight3: masked((w) => (w === 1 ? "1.000" : w < 0.0005 ? "<0.001" : w >= 0.9995 ? ">0.999" : fixed(w, 3))),
  cell: (w) => (w === null ? "" : w === 1 ? "1" : w < 0.005 ? "<.01" : w >= 0.995 ? ">.99" : fixed(w, 2).slice(1)),
  number: masked(plain),
  three: masked((v) => (v === 0 ? "0" : Math.abs(v) < 0.0005 ? power(v, 1) : fixed(v, 3))),
  exp4: masked(significant),
};
