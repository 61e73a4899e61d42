// The next word: a beginning, the ten likeliest tokens after it with their shares, one of them goes on.
import { num, percent, times } from "../figures/say.js";
import { Microscopist, fill, headName, keepPage, mega, node, press, release, shareTable, thumbs } from "./scope.js";

const DELAY = 150; // milliseconds without a change before the model is asked again
const BEGIN = { toy: { zh: "我今天买了", en: "Thank you very" }, smollm2: { zh: "Thank you very", en: "Thank you very" } };

export const nextWord = ({ HERE, WORDS, MODELS, PYTHON }) =>
  class extends HTMLElement {
    connectedCallback() {
      if (this.words) return;
      this.language = this.closest("[lang]").lang.split("-")[0];
      this.words = WORDS[this.language] ?? WORDS.en;
      this.asking = 0;
      this.worker = new Microscopist(HERE, (news) => this.hear(news));
      this.ready = new Set();
      this.state = this.from_address() ?? { model: "toy", text: this.beginning("toy"), more: [] };
      Object.assign(this.state, { temperature: 1, top_k: 0, head: [0, 0] });
      this.setAttribute("live", "");
      this.replaceChildren();
      this.form();
      this.results = this.appendChild(node("div", { hidden: true }));
      this.kept = this.appendChild(node("p", { className: "hint", role: "status" }));
    }
    beginning(model) {
      return BEGIN[model][this.language] ?? BEGIN[model].en;
    }

    /* The address keeps the beginning, what was chosen and the model, after the #. */
    from_address() {
      const all = new URLSearchParams(location.hash.slice(1));
      if (!all.has("b")) return null;
      const more = (all.get("c") ?? "").split(".").filter((id) => /^\d{1,6}$/.test(id)).map(Number);
      return { text: all.get("b"), more, model: all.get("m") in BEGIN ? all.get("m") : "toy" };
    }
    to_address() {
      const { text, more, model } = this.state;
      history.replaceState(history.state, "", `#${new URLSearchParams({ b: text, c: more.join("."), m: model })}`);
    }

    form() {
      const { words } = this;
      this.models = Object.keys(BEGIN).map((name) => {
        const button = node("button", { type: "button", onclick: () => this.choose_model(name) }, words[`model_${name}`]);
        return [name, button];
      });
      this.input = node("input", { type: "text", autocomplete: "off", spellcheck: false, lang: "", value: this.state.text });
      this.input.oninput = () => {
        this.state.text = this.input.value;
        this.state.more = [];
        this.problem.textContent = "";
        this.input.setAttribute("aria-invalid", "false");
      };
      this.problem = node("p", { className: "problem", role: "alert", id: "next-problem" });
      this.input.setAttribute("aria-describedby", this.problem.id);
      this.go = node("button", { type: "submit", className: "go" });
      this.said = node("p", { className: "status", role: "status" });
      this.bar = node("progress", { max: 1, value: 0, hidden: true, "aria-label": words.loading_label });
      this.about = node("p", { className: "hint" });
      const seg = node("div", { className: "seg", role: "group", "aria-label": words.model }, ...this.models.map(([, button]) => button));
      const row = node("div", { className: "row one" }, node("label", {}, node("span", {}, words.beginning), this.input), this.problem);
      const form = node("form", {}, node("div", { className: "controls" }, seg), this.about, row, node("div", { className: "controls" }, this.go));
      form.onsubmit = (event) => {
        event.preventDefault();
        this.start();
      };
      this.append(form, this.bar, this.said);
      this.label();
    }
    label() {
      const { words, state } = this;
      for (const [name, button] of this.models) button.setAttribute("aria-pressed", String(name === state.model));
      const there = MODELS[state.model];
      const python = this.ready.size ? 0 : PYTHON.bytes;
      this.go.textContent = this.ready.has(state.model) || !there ? words.go_on : fill(words[`fetch_${state.model}`], { size: mega((there?.start ?? 0) + python) });
      this.go.disabled = !there;
      this.about.textContent = words[`about_${state.model}`];
      if (!there) this.said.textContent = words.no_weights;
    }
    choose_model(model) {
      if (this.loading || model === this.state.model) return;
      Object.assign(this.state, { model, text: this.beginning(model), more: [], head: [0, 0] });
      this.input.value = this.state.text;
      this.problem.textContent = this.said.textContent = "";
      this.results.hidden = true;
      this.label();
      if (this.ready.has(model)) this.ask();
    }

    start() {
      if (self.asFile) return (this.said.textContent = self.asFile);
      if (!this.state.text.trim()) return this.wrong(this.words.empty);
      const { model } = this.state;
      if (this.ready.has(model)) return this.ask();
      if (this.loading) return;
      this.loading = model;
      this.fetched = { python: this.ready.size ? PYTHON.bytes : 0, parts: 0 };
      this.bar.hidden = false;
      this.said.textContent = this.words.starting;
      for (const other of document.querySelectorAll("micro-scope")) if (model === "smollm2") other.rest(); // memory for one
      try {
        this.worker.send({ kind: "load", id: 0, model, about: MODELS[model] });
      } catch {
        this.hear({ kind: "failed", why: "blocked", what: "Worker" });
      }
    }
    ask(draw = false) {
      this.asking += 1;
      const { model, text, more, temperature, top_k } = this.state;
      this.results.classList.add("old");
      this.worker.send({ kind: "ask", id: this.asking, model, asked: { text, more, temperature, top_k, draw } });
      this.to_address();
    }
    hear(news) {
      const { kind, id } = news;
      if (kind === "loading" && this.loading) this.fetched.python = Math.min(news.done, PYTHON.bytes);
      if (kind === "fetching" && this.loading) this.fetched.parts = news.done;
      if ((kind === "loading" || kind === "fetching") && this.loading) {
        const [done, all] = [this.fetched.python + this.fetched.parts, PYTHON.bytes + MODELS[this.loading].start];
        this.bar.value = Math.min(1, done / all);
        this.said.textContent = done < all * 0.995 ? fill(this.words.loading, { done: mega(done), all: mega(all) }) : this.words.unpacking;
      }
      if (kind === "opened") {
        this.ready.add(news.model);
        [this.loading, this.bar.hidden, this.opened] = [null, true, news.ms];
        this.label();
        this.said.textContent = this.words.reading;
        this.ask();
        keepPage(HERE, news.urls).then((kept) => (this.kept.textContent = kept ? this.words.kept : ""));
      }
      if (kind === "failed") {
        this.ready.clear();
        [this.loading, this.bar.hidden] = [null, true];
        this.label();
        const why = news.why === "missing" && self.inZip ? this.words.not_in_zip : (this.words[news.why] ?? this.words.broken);
        this.said.textContent = fill(why, news);
        this.results.classList.remove("old");
      }
      if (kind === "answer" && id === this.asking) this.answer(news);
    }
    wrong(text) {
      this.problem.textContent = text;
      this.input.setAttribute("aria-invalid", "true");
      this.input.focus();
    }
    answer(news) {
      this.results.classList.remove("old");
      if (news.problem) {
        this.said.textContent = "";
        return this.wrong(fill(this.words[news.problem.why], news.problem));
      }
      if (news.drawn !== undefined) {
        this.state.more.push(news.drawn);
        return this.ask();
      }
      release(this.shown);
      this.shown = news;
      const { n_layers, n_heads } = news.sizes;
      this.state.head = [Math.min(this.state.head[0], n_layers - 1), Math.min(this.state.head[1], n_heads - 1)];
      this.said.textContent = fill(this.words.read_says, { ms: Math.round(news.ms), read: news.read, kept: news.kept });
      this.draw();
    }
    go_on(id) {
      this.state.more.push(id);
      this.ask();
    }

    draw() {
      const { words, shown, state } = this;
      const key = this.results.contains(document.activeElement) && document.activeElement.dataset.key;
      this.results.hidden = false;
      const seen = (token) => token.replaceAll(" ", "␣").replaceAll("\n", "⏎") || "∅";
      this.names = shown.tokens.map(seen);
      const [first, second] = shown.likely;
      const more = first.plain / second.plain;
      const written = node(
        "p",
        { className: "written", lang: "" },
        ...shown.tokens.map((token, i) => node("span", { className: i < shown.given ? "given" : "new", title: String(shown.ids[i]) }, this.names[i])),
      );
      const back = node("button", { type: "button", className: "plain", "data-key": "back", disabled: !state.more.length, onclick: () => (state.more.pop(), this.ask()) }, words.back);
      const draw = node("button", { type: "button", "data-key": "draw", onclick: () => this.ask(true) }, words.draw);
      const most = Math.max(...shown.likely.map(({ share }) => share));
      const list = shown.likely.map(({ id, text, share, plain }, rank) => {
        const bar = node("span", { className: "bar" });
        bar.style.setProperty("--v", `${((100 * share) / most).toFixed(1)}%`);
        const button = node("button", { type: "button", className: "next", "data-key": `next${rank}`, onclick: () => this.go_on(id) }, node("b", { lang: "" }, seen(text)), bar, node("span", { className: "share" }, percent(share)));
        button.setAttribute("aria-label", fill(words.next_label, { token: text, share: percent(share) }));
        if (Math.abs(share - plain) > 5e-4) button.append(node("span", { className: "was" }, percent(plain)));
        return node("li", {}, button);
      });
      this.canvas ??= node("canvas");
      this.title_ = node("h3", { className: "part" });
      this.map = node("div", {});
      this.explained = node("p", { className: "explained", "aria-live": "polite" }, words.explain_next);
      this.grid = thumbs({
        canvas: this.canvas,
        sizes: shown.sizes,
        n: shown.tokens.length,
        weight: (...at) => this.weight(...at),
        colour: getComputedStyle(this).getPropertyValue("--weights").trim(),
        label: words.heads,
        name: (head) => fill(words.head, { head }),
        choose: (layer, head) => ((state.head = [layer, head]), this.draw_head()),
        chosen: () => state.head,
      });
      const all = shown.sizes.n_layers * shown.sizes.n_heads;
      this.results.replaceChildren(
        node("p", { className: "lead", "aria-live": "polite" }, fill(words.next_lead, { token: seen(first.text), share: percent(first.plain) })),
        node("p", { className: "because" }, fill(words.next_because, { second: seen(second.text), times: times(more), gap: num(Math.log(more), 2) })),
        written,
        node("ol", { className: "likely" }, ...list),
        node("p", { className: "hint" }, fill(words.rest, { share: percent(Math.max(0, shown.rest)), n: shown.sizes.n_vocab - shown.likely.length })),
        node("div", { className: "controls" }, this.slider("temperature", 0.1, 3, 0.1), this.slider("top_k", 0, 50, 1)),
        node("div", { className: "controls" }, draw, back),
        node("h3", { className: "part" }, fill(words.heads, { all })),
        this.grid,
        this.title_,
        this.map,
        this.explained,
        this.steps(),
      );
      this.draw_head();
      if (key) this.querySelector(`[data-key="${key}"]`)?.focus();
    }
    weight(layer, head, from, to) {
      const n = this.shown.tokens.length;
      return this.shown.arrays.weights[((layer * this.shown.sizes.n_heads + head) * n + from) * n + to];
    }
    draw_head() {
      const { words, names } = this;
      const [layer, head] = this.state.head;
      press(this.grid, this.state.head);
      this.title_.textContent = fill(words.map, { head: headName(layer, head) });
      const say = (i, j) =>
        (this.explained.textContent = j > i ? fill(words.explain_ahead, { from: names[i], to: names[j] }) : fill(words.explain_share, { head: headName(layer, head), from: names[i], to: names[j], share: percent(this.weight(layer, head, i, j)) }));
      this.table = shareTable(this.table, names, names, (i, j) => this.weight(layer, head, i, j), say, { caption: words.map_caption });
      if (this.map.firstChild !== this.table) this.map.replaceChildren(this.table);
    }
    slider(name, min, max, step) {
      const { words, state } = this;
      const value = node("output", {});
      const input = node("input", { type: "range", min, max, step, value: state[name], "data-key": name });
      const show = () => {
        value.textContent = name === "top_k" && !state.top_k ? words.top_k_all : name === "top_k" ? String(state.top_k) : num(state[name], 1);
        input.setAttribute("aria-valuetext", value.textContent);
      };
      input.oninput = () => {
        state[name] = Number(input.value);
        show();
        clearTimeout(this.waiting);
        this.waiting = setTimeout(() => this.ask(), DELAY);
      };
      show();
      return node("label", { className: "slider" }, node("span", {}, words[name], " ", value), input);
    }
    // What the last step has computed, name by name: the trace of the chapter on the whole machine, live.
    steps() {
      const { words, shown } = this;
      const rows = Object.entries(shown.shapes).map(([name, shape]) => node("tr", {}, node("th", { scope: "row" }, node("code", {}, name)), node("td", {}, `(${shape.join(", ")})`)));
      return node("details", {}, node("summary", {}, words.steps), node("p", {}, fill(words.steps_says, shown.sizes)), node("table", {}, node("tbody", {}, ...rows)));
    }
  };
