// Code and controls that always say the same: what Python gives a name to can be read, and written back.
// cells.js fetches this when somebody edits a cell, to show its small matrices as grids of numbers; lab.js is made of it.

const WORDS = {}; // the build puts in: language -> the words of docs/languages.yml
const LINE = 76; // as long as a line of a lesson may be
const MOST = 6; // rows and columns of a matrix that is shown as a grid
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi;
const ASSIGNED = /^((?:\w+ = )+)(np\.array\(\s*)?(?=[[\d"\w-])/gm;
const LABELS = /^labels\["([\w-]+)"\]$/; // what docs/labels says for it, in every language

export const wordsFor = (code) => WORDS[code] ?? WORDS[code.split("-")[0]] ?? WORDS.en;
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
export const node = (tag, properties, ...inside) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...inside);
  return made;
};

/* From Python and back. */

// Where the list that opens at `start` closes; -1 where it does not, or holds more than plain values.
const closing = (code, start) => {
  let depth = 0;
  for (const { 0: sign, index } of code.slice(start).matchAll(/"(?:\\.|[^"\\\n])*"|[^"]/g)) {
    if (sign === "[") depth += 1;
    if (sign === "]") depth -= 1;
    if (!depth) return start + index + 1;
  }
  return -1;
};

// As another name of the code.
export class Name {
  constructor(same) {
    this.same = same;
  }
}

const LITERAL = /"(?:\\.|[^"\\\n])*"|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|,(?=\s*[\]}])/gi;
const json = (token) => (token[0] === '"' ? token : token === "," ? "" : ` ${Number(token)} `);
const labelled = (name) => {
  const lists = Object.entries(WORDS).map(([code, { labels }]) => [code, labels?.[name]]);
  if (!lists.every(([, list]) => Array.isArray(list))) return undefined;
  return lists[0][1].map((_, i) => Object.fromEntries(lists.map(([code, list]) => [code, list[i]])));
};
// The name under which docs/labels has just this list.
const labelOf = (value) => {
  const text = JSON.stringify(value);
  return Object.keys(Object.values(WORDS)[0]?.labels ?? {}).find((name) => JSON.stringify(labelled(name)) === text);
};
const valueOf = (text) => {
  const known = { True: true, False: false, None: null };
  if (Object.hasOwn(known, text)) return known[text];
  if (/^[a-z_]\w*$/i.test(text)) return new Name(text);
  if (LABELS.test(text)) return labelled(text.match(LABELS)[1]);
  try {
    return JSON.parse(text.replace(LITERAL, json));
  } catch {
    return undefined;
  }
};

const END = /^[^\S\n]*(?:#.*)?(?:\n|$)/; // of a line
const ARRAY_END = /^\s*,?\s*\)[^\S\n]*(?:#.*)?(?:\n|$)/;

// What the code gives a name to, in order: { name, value, array } and where it stands. What cannot be read is left out.
export const read = (code) => {
  const found = [];
  for (const { 0: all, 1: names, 2: array = "", index } of code.matchAll(ASSIGNED)) {
    const start = index + all.length;
    const rest = code.slice(start).match(/^[^\n#]*/)[0].trimEnd().length;
    const end = code[start] === "[" ? closing(code, start) : start + rest;
    if (end < 0 || !(array ? ARRAY_END : END).test(code.slice(end))) continue;
    const value = valueOf(code.slice(start, end));
    if (value === undefined) continue;
    found.push({ name: names.slice(0, -3), value, array: Boolean(array), start, end, from: index });
  }
  return found;
};

const decimal = (x) => (/[.e]/.test(x) ? String(x) : `${x}.0`);
const python = (value, number = String) => {
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return `[${value.map((one) => python(one, number)).join(", ")}]`;
  if (value === null || typeof value === "boolean") return { true: "True", false: "False", null: "None" }[value];
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Name) return value.same;
  return `{${Object.entries(value).map((pair) => pair.map((text) => JSON.stringify(text)).join(": ")).join(", ")}}`;
};

const assigned = (name, value, array) => {
  const label = !array && Array.isArray(value) && labelOf(value);
  if (label) return `${name} = labels["${label}"]`;
  const number = array || name === "temperature" ? decimal : String;
  const all = python(value, number);
  const line = array ? `${name} = np.array(${all})` : `${name} = ${all}`;
  if (line.length <= LINE || !Array.isArray(value)) return line;
  if (array && all.length + 4 <= LINE) return `${name} = np.array(\n    ${all}\n)`;
  const rows = (indent) => value.map((row) => `${indent}${python(row, number)},\n`).join("");
  return array ? `${name} = np.array(\n    [\n${rows("        ")}    ]\n)` : `${name} = [\n${rows("    ")}]`;
};

// The code with another value for a name, laid out as the lessons are; everything else in it stays.
export const write = (code, name, value) => {
  const old = read(code).find((one) => one.name === name);
  const end = old.array ? code.indexOf(")", old.end) + 1 : old.end;
  return code.slice(0, old.from) + assigned(name, value, old.array) + code.slice(end);
};

/* Fields. */

// A field for one number. What is not a number is marked, changes nothing, and is gone when somebody leaves the field.
export const field = (label, changed, most = Number.MAX_VALUE) => {
  const input = node("input", { type: "text", inputMode: "decimal", size: 4, autocomplete: "off" });
  const take = () => {
    const text = input.value.trim().replace("−", "-");
    const good = text.match(NUMBER)?.[0] === text && Math.abs(Number(text)) <= most;
    input.setAttribute("aria-invalid", String(!good));
    if (good) changed(/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? text : decimal(Number(text)));
  };
  input.setAttribute("aria-label", label);
  input.oninput = take;
  input.onblur = () => input.closest(".cell")?.dispatchEvent(new Event("edited"));
  input.onkeydown = (event) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey || input.value === "" || isNaN(input.value)) return;
    event.preventDefault();
    input.value = Number((Number(input.value) + step * (event.shiftKey ? 0.1 : 1)).toPrecision(12));
    take();
  };
  return input;
};

const isRow = (value) =>
  Array.isArray(value) && value.length > 0 && value.length <= MOST && value.every((x) => typeof x === "number");
const isMatrix = (value) =>
  Array.isArray(value) && value.length > 0 && value.length <= MOST && value.every((row) => isRow(row) && row.length === value[0].length);

// The small matrices of the code: their shape, and where in it each of their numbers stands.
const matrices = (code) =>
  read(code)
    .filter(({ array, value }) => array && (isRow(value) || isMatrix(value)))
    .map(({ name, value, start, end }) => ({
      name,
      flat: isRow(value),
      width: isRow(value) ? value.length : value[0].length,
      numbers: [...code.slice(start, end).matchAll(NUMBER)].map(({ 0: text, index }) => ({ text, at: start + index })),
    }));

// One grid: a number that is changed in it changes in the code, there alone.
const grid = (cell, which, { name, flat, width, numbers }) => {
  const table = node("table", { className: "numbers" }, node("caption", {}, name));
  let line;
  numbers.forEach((_, at) => {
    const [i, j] = [Math.floor(at / width), at % width];
    if (!j) line = table.insertRow();
    const label = `${name}[${flat ? j : `${i}, ${j}`}]`;
    const input = field(label, (written) => {
      const now = matrices(cell.code)[which].numbers[at];
      cell.code = cell.code.slice(0, now.at) + written + cell.code.slice(now.at + now.text.length);
    });
    line.insertCell().append(input);
  });
  return table;
};

// Show the small matrices of a cell as grids, from the time that somebody edits it.
export const attach = (box, language) => {
  const { cell } = box;
  if (box.querySelector(".grids") || !matrices(cell.code).length) return;
  const place = node("div", { className: "grids" });
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", wordsFor(language).grids);
  let drawn = "";
  const draw = () => {
    const now = matrices(cell.code);
    const shape = JSON.stringify(now.map(({ name, flat, width, numbers }) => [name, flat, width, numbers.length]));
    if (shape !== drawn) place.replaceChildren(...now.map((matrix, which) => grid(cell, which, matrix)));
    drawn = shape;
    const texts = now.flatMap(({ numbers }) => numbers.map(({ text }) => text));
    place.querySelectorAll("input").forEach((input, at) => {
      if (input === document.activeElement) return; // somebody is typing there
      input.value = texts[at];
      input.removeAttribute("aria-invalid");
    });
  };
  draw();
  box.querySelector(".tools").before(place);
  box.addEventListener("edited", draw);
};

/* Each grid looks like the tables of the page. */
const style = new URL("grids.css", import.meta.url).href;
if (![...document.querySelectorAll("link")].some(({ href }) => href === style)) document.head.append(node("link", { rel: "stylesheet", href: style }));
