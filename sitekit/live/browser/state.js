// What the code of the laboratory says, and the short form of it in the address; q and h there are Material's search.
import { Name, fill, read, write } from "./grids.js";

const NAMES = ["tokens", "asking", "q", "k", "v", "root_d", "temperature", "causal", "window", "heads"];
export const OWN = ["t", "a", "Q", "K", "V", "d", "T", "c", "w", "n"]; // in the address
export const [LEAST, MOST] = [2, 6]; // tokens
export const LARGEST = 1e15; // number in a matrix: larger ones say nothing more, and their products overflow
export const LONGEST = 40; // characters of a name

const isWhole = (text) => /^[1-9]\d{0,3}$/.test(text);
export const isWindow = (text) => text === "" || isWhole(text);
export const isTemperature = (text) => text.trim() !== "" && Number(text) >= 1e-9 && Number(text) <= 1e9;

// Into how many heads the widths of queries and values can be split.
export const divisors = ({ q, v }) =>
  Array.from({ length: q[0].length }, (_, i) => i + 1).filter((n) => q[0].length % n === 0 && v[0].length % n === 0);

// How often the code gives a name to something, or changes what it is the name of.
const bound = (code, name) => {
  const bare = code.replace(/"(?:\\.|[^"\\\n])*"/g, '""').replace(/#.*/g, "");
  return bare.match(new RegExp(`\\b${name}\\s*(?:\\[[^\\n]*\\]\\s*)?[-+*/%@&|^<>]{0,3}=(?!=)`, "g"))?.length ?? 0;
};
const isLabel = (label) =>
  typeof label === "string" ||
  (Boolean(label) && Object.entries(label).length > 0 &&
    Object.entries(label).every(([code, text]) => /^[a-z]{2,3}(-\w+)?$/.test(code) && typeof text === "string"));
const areLabels = (value) => Array.isArray(value) && value.every(isLabel);
const isMatrix = (value) => Array.isArray(value) && value.every((row) => Array.isArray(row) && row.every((x) => typeof x === "number"));
const isOf = {
  tokens: areLabels,
  asking: (value) => areLabels(value) || (value instanceof Name && value.same === "tokens"),
  q: isMatrix, k: isMatrix, v: isMatrix,
};

// What the code says of each name. `missing` are those that it does not say once, and so that it can be read;
// `fault` is what cannot be computed about the rest.
export const stateOf = (code, words = {}) => {
  const found = Object.fromEntries(read(code).map(({ name, value }) => [name, value]));
  const good = (name) => found[name] !== undefined && bound(code, name) === 1 && (isOf[name]?.(found[name]) ?? true);
  const state = Object.fromEntries(NAMES.filter(good).map((name) => [name, found[name]]));
  const missing = NAMES.filter((name) => !good(name));
  let fault = "";
  try {
    if (!missing.length) fromAddress(toAddress(state), words);
  } catch (error) {
    fault = error.message;
  }
  return { state, missing, fault };
};

const names = (given) => given.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
const named = (text) => {
  try {
    const label = text.startsWith("{") ? JSON.parse(text) : text;
    return isLabel(label) ? label : text;
  } catch {
    return text;
  }
};

export const toAddress = ({ tokens, asking, q, k, v, root_d, temperature, causal, window, heads }) => {
  const search = new URLSearchParams(names(tokens).map((name) => ["t", name]));
  if (Array.isArray(asking)) for (const name of names(asking)) search.append("a", name);
  for (const [name, rows] of Object.entries({ Q: q, K: k, V: v })) search.set(name, rows.map((row) => row.join(",")).join(";"));
  const rest = { d: Number(root_d), T: temperature, c: Number(causal), w: window ?? "", n: heads };
  for (const [name, value] of Object.entries(rest)) search.set(name, value);
  return search;
};

// The state that an address means. Throws what is wrong with it, in the reader's words.
export const fromAddress = (search, words) => {
  const refuse = (why, values) => {
    throw new RangeError(fill(words[why], values));
  };
  const labels = (name) => search.getAll(name).map((text) => named(text.startsWith("{") ? text : text.slice(0, LONGEST)));
  const tokens = labels("t");
  const asking = search.has("a") ? labels("a") : new Name("tokens");
  const least = Array.isArray(asking) ? 1 : LEAST;
  if (tokens.length < least || tokens.length > MOST) refuse("bad_tokens", { n: tokens.length, least });
  const matrix = (name, rows) => {
    const given = search.get(name) ?? "";
    const numbers = given.split(";").map((row) => row.split(",").map((x) => (x.trim() ? Number(x) : NaN)));
    const width = numbers[0].length;
    const good = numbers.length === rows && width <= MOST && numbers.every((row) => row.length === width && row.every((x) => Math.abs(x) <= LARGEST));
    return good ? numbers : refuse("bad_rows", { name, given, rows });
  };
  const asked = Array.isArray(asking) ? asking.length : tokens.length;
  const [q, k, v] = [matrix("Q", asked), matrix("K", tokens.length), matrix("V", tokens.length)];
  if (q[0].length !== k[0].length) refuse("bad_widths", { q: q[0].length, k: k[0].length });
  const number = (name, good, rule, values = {}) => {
    const given = search.get(name) ?? "";
    return good(given) ? given : refuse("bad_number", { name, given, rule: fill(words[rule], values) });
  };
  const widths = `${q[0].length}, ${v[0].length}`;
  const divides = (text) => divisors({ q, v }).map(String).includes(text);
  const flag = (text) => text === "0" || text === "1";
  const window = number("w", isWindow, "whole");
  return {
    tokens, asking, q, k, v,
    root_d: number("d", flag, "switch") === "1",
    temperature: Number(number("T", isTemperature, "positive")),
    causal: number("c", flag, "switch") === "1",
    window: window === "" ? null : Number(window),
    heads: Number(number("n", divides, "divides", { widths })),
  };
};

export const withState = (code, state) =>
  Object.entries(state).reduce((now, [name, value]) => (NAMES.includes(name) ? write(now, name, value) : now), code);
