// The laboratory: controls for the numbers of one cell. The code is the state; everything here reads it and writes it.
import { Name, field, fill, node, read, wordsFor, write } from "./grids.js";

const NAMES = ["tokens", "asking", "q", "k", "v", "root_d", "temperature", "causal", "window", "heads"];
const MATRICES = { q: "query", k: "key", v: "value" };
const [LEAST, MOST] = [2, 6]; // tokens
const OWN = ["t", "a", "Q", "K", "V", "d", "T", "c", "w", "n"]; // in the address
const LARGEST = 1e15; // number in a matrix: larger ones say nothing more, and their products overflow
const LONGEST = 40; // characters of a name
const DELAY = 150; // milliseconds without a change before Python computes again

/* The state of the code, and its short form in the address, where q and h mean something to Material's search. */

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

const isTemperature = (text) => text.trim() !== "" && Number(text) >= 1e-9 && Number(text) <= 1e9;

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
  const whole = (text) => /^[1-9]\d{0,3}$/.test(text);
  const widths = `${q[0].length}, ${v[0].length}`;
  const divides = (text) => whole(text) && q[0].length % text === 0 && v[0].length % text === 0;
  const flag = (text) => text === "0" || text === "1";
  const window = number("w", (text) => text === "" || whole(text), "whole");
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

/* The controls. */

const mount = (box) => {
  const { cell } = box;
  const language = box.closest("[lang]").lang;
  const words = wordsFor(language);
  const shown = (label) => (typeof label === "string" ? label : (label[language.split("-")[0]] ?? label.en ?? Object.values(label)[0]));
  const set = (changes) => (cell.code = withState(cell.code, changes));
  const now = () => stateOf(cell.code, words).state;

  const highlighted = box.querySelector(".highlight");
  const lab = node("div", { className: "lab" });
  const part = (className = "") => lab.appendChild(node("div", { className }));
  const button = (text, onclick) => node("button", { type: "button", onclick }, text);
  lab.setAttribute("role", "group");
  lab.setAttribute("aria-label", words.lab);
  const [presets, grids, switches, tools] = [part(), part("grids"), part(), part()];
  const said = node("span", {});
  said.setAttribute("role", "status");

  // A preset is a cell of the page, under the heading that names it.
  const cells = [...document.querySelectorAll('[data-cell^="lab."]')].filter((other) => other.cell?.alone);
  const heading = (other) => {
    const all = [...document.querySelectorAll("h2")].filter((one) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
    return all.at(-1).firstChild.textContent.trim();
  };
  const preset = (other) => () => {
    history.pushState(null, "", location.href); // so that Back leads to the numbers of before
    cell.code = other.cell.original;
  };
  presets.append(words.presets, ...cells.map((other) => button(heading(other), preset(other))));

  const label = (name, at, says) => {
    const input = node("input", { type: "text", size: 8, maxLength: LONGEST, autocomplete: "off" });
    input.setAttribute("aria-label", fill(words[says], { n: at + 1 }));
    input.oninput = () => set({ [name]: Object.assign([...now()[name]], { [at]: input.value }) });
    return input;
  };
  const draw = (name, { rows, labels, says }) => {
    const table = node("table", { className: "grid" }, node("caption", {}, node("span", { className: `role ${MATRICES[name]}` }, name)));
    rows.forEach((row, i) => {
      const line = table.insertRow();
      const first = node("th", { scope: "row" }, says ? label(labels, i, says) : node("span", {}));
      first.className = "label";
      line.append(first);
      row.forEach((_, j) =>
        line.insertCell().append(
          field(`${name}[${i}, ${j}]`, (text) => {
            const rows = now()[name].map((line) => [...line]);
            rows[i][j] = Number(text);
            set({ [name]: rows });
          }, LARGEST),
        ),
      );
    });
    return table;
  };

  const check = (name) => {
    const input = node("input", { type: "checkbox" });
    input.onchange = () => set({ [name]: input.checked });
    switches.append(node("label", {}, input, words[name]));
    return input;
  };
  const root_d = check("root_d");
  const temperature = field(words.temperature, (text) => {
    const good = isTemperature(text);
    temperature.setAttribute("aria-invalid", String(!good));
    if (good) set({ temperature: Number(text) });
  });
  const causal = check("causal");
  const window_ = node("input", { type: "text", inputMode: "numeric", size: 3 });
  window_.oninput = () => {
    const good = /^([1-9]\d{0,3})?$/.test(window_.value.trim());
    window_.setAttribute("aria-invalid", String(!good));
    if (good) set({ window: window_.value.trim() ? Number(window_.value) : null });
  };
  const heads = node("select", { onchange: () => set({ heads: Number(heads.value) }) });
  window_.setAttribute("aria-label", words.window);
  heads.setAttribute("aria-label", words.heads);
  const tied = (state) => !Array.isArray(state.asking); // each token asks, too
  const resize = (rows, labels) => () => {
    const state = now();
    const matrices = tied(state) ? ["q", "k", "v"] : ["k", "v"];
    set({ tokens: labels(state.tokens), ...Object.fromEntries(matrices.map((name) => [name, rows(state[name])])) });
    if (add.disabled) remove.focus(); // rather than nowhere
    if (remove.disabled) add.focus();
  };
  const add = button(words.add, resize((rows) => [...rows, rows[0].map(() => 0)], (all) => [...all, String(all.length + 1)]));
  const remove = button(words.remove, resize((rows) => rows.slice(0, -1), (all) => all.slice(0, -1)));
  for (const [name, input] of Object.entries({ temperature, window: window_, heads })) switches.append(node("label", {}, words[name], input));
  switches.append(add, remove);

  /* What it is for: to run, to show, to share. */
  let started = false;
  let computed = cell.original; // the code that the tables below come from
  let timer = 0;
  const run = () => {
    clearTimeout(timer);
    timer = setTimeout(() => cell.run(), DELAY);
  };
  box.addEventListener("ran", ({ detail: code }) => {
    started = Boolean(code); // not where it was stopped or failed: then the reader says when to go on
    if (started) computed = code;
    follow();
  });

  const script = async () => {
    const address = box.querySelector("a.take").href;
    const answer = await fetch(localStorage.getItem("pip") ? address.replace(/py$/, "pip.py") : address);
    if (!answer.ok) throw new Error(String(answer.status));
    return withState(await answer.text(), now());
  };
  const text = node("code", {});
  const code = node("pre", { tabIndex: 0 }, text);
  const toClipboard = async (what, done, else_) => {
    try {
      await navigator.clipboard.writeText(what);
      said.textContent = done;
    } catch {
      said.textContent = fill(words.no_clipboard, { what: else_ });
    }
  };
  const copy = button(words.copy, () => {
    getSelection().selectAllChildren(text);
    toClipboard(text.textContent, words.copied, "Ctrl+C");
  });
  const fold = async (open) => {
    show.textContent = open ? words.hide : words.show;
    show.setAttribute("aria-expanded", String(open));
    if (!open) return [code, copy].forEach((part) => part.remove());
    try {
      text.textContent = await script();
      show.after(copy);
      tools.append(code);
    } catch {
      said.textContent = fill(words.lost, { what: "scripts/lab/apple.py" });
    }
  };
  const show = button(words.show, () => fold(!code.isConnected));
  show.setAttribute("aria-expanded", "false");
  const share = button(words.share, () => {
    remember();
    toClipboard(location.href, words.shared, location.href);
  });
  tools.append(show, share, said);

  /* Everything follows the code, whoever changed it. */
  let drawn = "";
  const remember = () => {
    const { missing, fault } = stateOf(cell.code, words);
    if (missing.length || fault) return;
    const search = new URLSearchParams(location.search);
    for (const name of OWN) search.delete(name);
    if (cell.code !== cell.original) for (const [name, value] of toAddress(now())) search.append(name, value);
    const address = search.size ? `?${search}` : "";
    if (location.search !== address) history.replaceState(null, "", location.pathname + address + location.hash);
    for (const link of document.querySelectorAll(".md-select__link")) link.search = address;
  };
  const update = () => {
    const { state, missing, fault } = stateOf(cell.code, words);
    const bad = missing.length > 0 || fault !== "";
    const late = !started && computed !== cell.code && !box.matches(".busy");
    for (const control of lab.querySelectorAll("input, select, button")) if (!presets.contains(control)) control.disabled = bad;
    box.classList.toggle("stale", computed !== cell.code);
    said.textContent = missing.length ? fill(words.unread, { names: missing.join(", ") }) : fault || (late ? words.press : "");
    if (bad) return;
    const ask = tied(state) ? { labels: "tokens" } : { labels: "asking", says: "asking" };
    const all = { q: ask, k: { labels: "tokens", says: "token" }, v: { labels: "tokens" } };
    const form = JSON.stringify([tied(state), ...Object.keys(MATRICES).map((name) => state[name].map((row) => row.length))]);
    if (form !== drawn) grids.replaceChildren(...Object.entries(all).map(([name, how]) => draw(name, { rows: state[name], ...how })));
    drawn = form;
    grids.querySelectorAll("table").forEach((table, at) => {
      const [name, { labels }] = Object.entries(all)[at];
      const texts = state[labels];
      [...table.rows].forEach((line, i) => {
        const first = line.querySelector("th").firstChild;
        if (first.tagName === "SPAN") first.textContent = shown(texts[i]);
        else put(first, shown(texts[i]));
        line.querySelectorAll("td input").forEach((input, j) => put(input, String(state[name][i][j])));
      });
    });
    root_d.checked = state.root_d;
    causal.checked = state.causal;
    put(temperature, String(state.temperature));
    put(window_, String(state.window ?? ""));
    const most = Math.min(state.q[0].length, state.v[0].length);
    const divisors = Array.from({ length: most }, (_, i) => i + 1).filter((n) => state.q[0].length % n === 0 && state.v[0].length % n === 0);
    heads.replaceChildren(...divisors.map((n) => node("option", { value: n, selected: n === state.heads }, String(n))));
    add.disabled = state.tokens.length >= MOST;
    remove.disabled = state.tokens.length <= LEAST;
    if (code.isConnected) fold(true);
  };
  const put = (input, text) => {
    if (input === document.activeElement) return; // somebody is typing there
    input.value = text;
    input.removeAttribute("aria-invalid");
  };

  let told = cell.original; // the code that the address says
  const follow = () => {
    if (!box.classList.contains("ran")) computed = cell.original; // after Reset
    if (box.lastElementChild !== highlighted) box.append(highlighted);
    update();
    if (told !== cell.code) remember();
    told = cell.code;
    if (started && computed !== cell.code) run();
  };
  // The state of the address, which somebody may have been sent.
  const enter = () => {
    const search = new URLSearchParams(location.search);
    try {
      const there = OWN.some((name) => search.has(name));
      cell.code = there ? withState(cell.original, fromAddress(search, words)) : cell.original;
    } catch (error) {
      said.textContent = fill(words.refused, { what: error.message });
    }
  };
  box.classList.add("lab-cell");
  box.prepend(lab, box.querySelector(".tools")); // tables right below the controls, and the code below the tables
  update();
  box.addEventListener("edited", follow);
  addEventListener("popstate", enter);
  enter();
};

const box = globalThis.document?.querySelector('[data-cell="lab.apple"]');
if (box?.cell) mount(box);
