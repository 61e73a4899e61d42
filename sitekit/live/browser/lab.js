// The laboratory: controls for the numbers of one cell. The code is the state; everything here reads it and writes it.
import { field, fill, node, wordsFor } from "./grids.js";
import { computeHeads, written } from "../figures/bench.js";
import { capital } from "../figures/say.js";
import { LARGEST, LEAST, LONGEST, MOST, OWN, divisors, fromAddress, isTemperature, isWindow, stateOf, toAddress, withState } from "./state.js";

const MATRICES = { q: "query", k: "key", v: "value" };
const REST = 500; // milliseconds without a change before a screen reader is told

const mount = (box) => {
  const { cell } = box;
  const language = box.closest("[lang]").lang;
  const words = wordsFor(language);
  const shown = (label) => (typeof label === "string" ? label : (label[language.split("-")[0]] ?? label.en ?? Object.values(label)[0]));
  const set = (changes) => (cell.code = withState(cell.code, changes));
  const now = () => stateOf(cell.code, words).state;

  const lab = node("div", { className: "lab" });
  const part = (className = "") => lab.appendChild(node("div", { className }));
  const button = (text, onclick) => node("button", { type: "button", onclick }, text);
  lab.setAttribute("role", "group");
  lab.setAttribute("aria-label", words.lab);
  const [presets, grids, pull, results, switches, tools] = [part("presets"), part("grids"), part("pull"), part("results"), part("switches"), part()];
  const said = node("span", {});
  said.setAttribute("role", "status");

  // A preset is a cell of the page, under the heading that names it.
  const cells = [...document.querySelectorAll('[data-cell^="lab."]')].filter((other) => other.cell && !stateOf(other.cell.original).missing.length);
  for (const other of cells) other.cell.alone = true;
  const heading = (other) => {
    const all = [...document.querySelectorAll("h2")].filter((one) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
    return all.at(-1).firstChild.textContent.trim();
  };
  const preset = (other) => () => {
    history.pushState(null, "", location.href); // so that Back leads to the numbers of before
    cell.code = other.cell.original;
  };
  presets.append(node("span", {}, words.presets), ...cells.map((other) => button(heading(other), preset(other))));

  const label = (name, at, says) => {
    const input = node("input", { type: "text", size: 8, maxLength: LONGEST, autocomplete: "off" });
    input.setAttribute("aria-label", fill(words[says], { n: at + 1 }));
    input.oninput = () => set({ [name]: Object.assign([...now()[name]], { [at]: input.value }) });
    return input;
  };
  // One slider for whatever number was touched last.
  let held = { name: "q", i: 0, j: 0 };
  let asker = 0; // the row that the words are about
  const slider = node("input", { type: "range", step: "0.1" });
  const handle = node("code", {});
  pull.append(handle, slider);
  const of = (state) => (held.name === "temperature" ? state.temperature : state[held.name]?.[held.i]?.[held.j]);
  const hold = (number) => {
    held = number;
    if (held.name === "q") asker = held.i;
    show_slider(now());
  };
  const show_slider = (state) => {
    if (of(state) === undefined) held = { name: "q", i: 0, j: 0 };
    const label = held.name === "temperature" ? words.temperature : `${held.name}[${held.i}, ${held.j}]`;
    const most = Math.max(held.name === "temperature" ? 20 : 10, Math.abs(of(state)));
    Object.assign(slider, { min: held.name === "temperature" ? 0.1 : -most, max: most });
    slider.setAttribute("aria-label", fill(words.pull, { name: label }));
    slider.value = of(state);
    handle.textContent = label;
  };
  slider.oninput = () => {
    const value = Number(slider.value);
    if (held.name === "temperature") return set({ temperature: value });
    const rows = now()[held.name].map((line) => [...line]);
    rows[held.i][held.j] = value;
    set({ [held.name]: rows });
  };

  const draw = (name, { rows, labels, says }) => {
    const table = node("table", { className: "numbers" }, node("caption", {}, node("span", { className: `role ${MATRICES[name]}` }, name)));
    rows.forEach((row, i) => {
      const line = table.insertRow();
      const first = node("th", { scope: "row" }, says ? label(labels, i, says) : node("span", {}));
      first.className = "label";
      line.append(first);
      row.forEach((_, j) => {
        const input = field(`${name}[${i}, ${j}]`, (text) => {
          const rows = now()[name].map((line) => [...line]);
          rows[i][j] = Number(text);
          set({ [name]: rows });
        }, LARGEST);
        input.onfocus = () => hold({ name, i, j });
        line.insertCell().append(input);
      });
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
  temperature.onfocus = () => hold({ name: "temperature" });
  const causal = check("causal");
  const window_ = node("input", { type: "text", inputMode: "numeric", size: 3 });
  window_.oninput = () => {
    const good = isWindow(window_.value.trim());
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

  /* The results, at once: JavaScript computes what attention is; Python runs code. */
  const lead = node("p", { className: "lead" });
  const aloud = node("p", { className: "aloud" });
  aloud.setAttribute("aria-live", "polite");
  let resting = 0;
  let shape = ""; // of the tables that are there
  const tell = ({ weights, bits }, state, names, askers) => {
    const row = Math.min(asker, weights.length - 1), shares = weights[row];
    const top = shares.indexOf(Math.max(...shares));
    const even = Math.max(...shares) - Math.min(...shares) < 1e-9;
    const whom = tied(state) && top === row ? words.itself : fill(words.name, { name: names[top] });
    const values = { who: askers[row], whom, share: written(shares[top], true), bits: written(bits[row]) };
    return capital(fill(even ? words.even : words.most, values));
  };
  const table = ({ role, caption, rows, cols, values, of, percent }) => {
    const made = node("table", { className: `matrix ${role}` }, node("caption", {}, caption));
    if (of) made.dataset.of = JSON.stringify(of);
    if (cols) {
      const line = made.createTHead().insertRow();
      line.append(node("td", { className: "corner" }), ...cols.map((name) => node("th", { scope: "col" }, name)));
    }
    const body = made.appendChild(node("tbody", {}));
    values.forEach((row, i) => {
      const line = body.insertRow();
      line.append(node("th", { scope: "row" }, rows[i]));
      row.forEach(() => line.insertCell());
    });
    refill(made, { values, of, percent });
    return node("div", { className: "scroll" }, made);
  };
  const refill = (there, { values, of, percent }) => {
    if (of) there.dataset.of = JSON.stringify(of);
    const peak = Math.max(...values.flat().filter(Number.isFinite).map(Math.abs)) || 1;
    values.forEach((row, i) =>
      row.forEach((x, j) => {
        const cell = there.tBodies[0].rows[i].querySelectorAll("td")[j];
        cell.textContent = written(x, percent);
        cell.style.setProperty("--v", `${Number.isFinite(x) ? Math.round((45 * Math.abs(x)) / peak) : 0}%`);
      }),
    );
  };
  const compute = (state) => {
    const names = state.tokens.map(shown), askers = tied(state) ? names : state.asking.map(shown);
    const every = computeHeads(state);
    const tables = every.flatMap(({ q, k, v, scale, scores, weights, output, bits }, head) => {
      const caption = (text) => (every.length > 1 ? `${text} · ${fill(words.head, { n: head + 1 })}` : text);
      return [
        { role: "scores", caption: caption(words.scores), rows: askers, cols: names, values: scores, of: { q, k, factor: scale } },
        { role: "weights", caption: caption(words.weights), rows: askers, cols: names, values: weights, of: { s: scores }, percent: true },
        { role: "output", caption: caption(words.output), rows: askers, values: output, of: { w: weights, v } },
        { role: "", caption: caption(words.bits), rows: askers, values: bits.map((x) => [x]) },
      ];
    });
    const form = JSON.stringify(tables.map(({ role, rows, cols, values }) => [role, rows, cols, values[0].length]));
    if (form === shape) results.querySelectorAll("table.matrix").forEach((one, i) => refill(one, tables[i]));
    else results.replaceChildren(lead, ...tables.map(table), aloud);
    shape = form;
    results.querySelector(".asked")?.dispatchEvent(new PointerEvent("pointerover", { bubbles: true })); // its story, too
    lead.textContent = (every.length > 1 ? `${fill(words.head, { n: 1 })}${words.colon}` : "") + tell(every[0], state, names, askers);
    clearTimeout(resting);
    resting = setTimeout(() => (aloud.textContent = lead.textContent), REST);
    show_slider(state);
  };

  /* What it is for: to show, to share. */
  const script = async () => {
    const answer = await fetch(box.querySelector("a.take").href);
    if (!answer.ok) throw new Error(String(answer.status));
    const state = now(), plain = { tokens: state.tokens.map(shown) }; // a script has no labels
    if (!tied(state)) plain.asking = state.asking.map(shown);
    return withState(await answer.text(), { ...state, ...plain });
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
    const { state, missing, fault } = stateOf(cell.code, words);
    if (missing.length || fault) return;
    const search = new URLSearchParams(location.search);
    for (const name of OWN) search.delete(name);
    if (cell.code !== cell.original) for (const [name, value] of toAddress(state)) search.append(name, value);
    const address = search.size ? `?${search}` : "";
    if (location.search !== address) history.replaceState(null, "", location.pathname + address + location.hash);
  };
  const update = () => {
    const { state, missing, fault } = stateOf(cell.code, words);
    const bad = missing.length > 0 || fault !== "";
    for (const control of lab.querySelectorAll("input, select, button")) if (!presets.contains(control)) control.disabled = bad;
    said.textContent = missing.length ? fill(words.unread, { names: missing.join(", ") }) : fault;
    results.classList.toggle("resting", bad);
    if (bad) return;
    compute(state);
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
    heads.replaceChildren(...divisors(state).map((n) => node("option", { value: n, selected: n === state.heads }, String(n))));
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
    update();
    if (told !== cell.code) remember();
    told = cell.code;
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
  box.prepend(lab);
  update();
  box.addEventListener("edited", follow);
  addEventListener("popstate", enter);
  enter();
};

const box = globalThis.document?.querySelector('[data-cell="lab.apple"]');
if (box?.cell) mount(box);

export * from "./state.js"; // the two are one file on the site
