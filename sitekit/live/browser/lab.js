// The laboratory: controls for the numbers of one cell. The code is the state; everything here reads it and writes it.
import { field, fill, node, read, wordsFor, write } from "./grids.js";

const NAMES = ["tokens", "asking", "q", "k", "v", "root_d", "temperature", "causal", "window", "heads"];
const MATRICES = { q: "query", k: "key", v: "value" };
const [LEAST, MOST] = [2, 6]; // tokens
const DELAY = 150; // milliseconds without a change before Python computes again

/* The state of the code, and its short form in the address, where q and h mean something to Material's search. */

// What the code says of each name; `missing` are the ones that it no longer says so that it can be read.
export const stateOf = (code) => {
  const found = Object.fromEntries(read(code).map(({ name, value }) => [name, value]));
  return { state: found, missing: NAMES.filter((name) => found[name] === undefined) };
};

const names = (given) => given.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
const named = (text) => {
  try {
    const label = text.startsWith("{") ? JSON.parse(text) : text;
    return Object.values(label).every((one) => typeof one === "string") ? label : text;
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
  const tokens = search.getAll("t").map(named);
  const asking = search.has("a") ? search.getAll("a").map(named) : { same: "tokens" };
  const least = Array.isArray(asking) ? 1 : LEAST;
  if (tokens.length < least || tokens.length > MOST) refuse("bad_tokens", { n: tokens.length, least });
  const matrix = (name, rows) => {
    const given = search.get(name) ?? "";
    const numbers = given.split(";").map((row) => row.split(",").map((x) => (x.trim() ? Number(x) : NaN)));
    const width = numbers[0].length;
    const good = numbers.length === rows && width <= MOST && numbers.every((row) => row.length === width && row.every(isFinite));
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
    temperature: Number(number("T", (text) => text.trim() !== "" && Number(text) > 0 && isFinite(text), "positive")),
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
  const now = () => stateOf(cell.code).state;

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
  const cells = [...document.querySelectorAll('[data-cell^="lab."]')].filter((other) => other.cell && !stateOf(other.cell.original).missing.length);
  const heading = (other) => {
    const all = [...document.querySelectorAll("h2")].filter((one) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
    return all.at(-1).firstChild.textContent.trim();
  };
  presets.append(words.presets, ...cells.map((other) => button(heading(other), () => set(stateOf(other.cell.original).state))));

  const label = (name, at, says) => {
    const input = node("input", { type: "text", size: 8, maxLength: 40, autocomplete: "off" });
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
          }),
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
    const good = Number(text) > 0;
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
  const copy = button(words.copy, async () => {
    await navigator.clipboard.writeText(text.textContent);
    said.textContent = words.copied;
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
  const share = button(words.share, async () => {
    await navigator.clipboard.writeText(location.href);
    said.textContent = words.shared;
  });
  tools.append(show, share, said);

  /* Everything follows the code, whoever changed it. */
  let drawn = "";
  const update = () => {
    const { state, missing } = stateOf(cell.code);
    lab.querySelectorAll("input, select").forEach((control) => (control.disabled = missing.length > 0));
    box.classList.toggle("stale", computed !== cell.code);
    said.textContent = missing.length ? fill(words.unread, { names: missing.join(", ") }) : !started && computed !== cell.code ? words.press : "";
    if (missing.length) return;
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
    const search = cell.code === cell.original ? "" : `?${toAddress(state)}`;
    if (location.search !== search) history.replaceState(null, "", location.pathname + search + location.hash);
    for (const link of document.querySelectorAll(".md-select__link")) link.search = search;
    if (code.isConnected) fold(true);
  };
  const put = (input, text) => {
    if (input === document.activeElement) return; // somebody is typing there
    input.value = text;
    input.removeAttribute("aria-invalid");
  };

  const follow = () => {
    if (!box.classList.contains("ran")) computed = cell.original; // after Reset
    if (box.lastElementChild !== highlighted) box.append(highlighted);
    update();
    if (started && computed !== cell.code) run();
  };
  box.addEventListener("edited", follow);
  box.classList.add("lab-cell");
  box.prepend(lab, box.querySelector(".tools")); // tables right below the controls, and the code below the tables
  try {
    if (location.search) cell.code = withState(cell.code, fromAddress(new URLSearchParams(location.search), words));
    follow();
  } catch (error) {
    follow();
    said.textContent = fill(words.refused, { what: error.message });
  }
};

const box = globalThis.document?.querySelector('[data-cell="lab.apple"]');
if (box?.cell) mount(box);
