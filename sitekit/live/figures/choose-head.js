import { Figure } from "./figure.js";
import * as model from "./choose-head.model.js";

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

class ChooseHead extends Figure {
  model = model;
  connectedCallback() {
    super.connectedCallback();
    const grid = (this.grid ??= this.parentElement.querySelector(".picture .scroll")); // a small picture for each head
    this.maps = [...grid.querySelectorAll(".map")];
    grid.addEventListener("click", (event) => this.to(this.maps.indexOf(event.target.closest(".map"))));
    grid.addEventListener("keydown", (event) => {
      const { n_layers, n_heads } = this.data, by = this.move(event);
      if (by) this.set({ layer: (this.state.layer + by[0] + n_layers) % n_layers, head: (this.state.head + by[1] + n_heads) % n_heads });
    });
    this.parentElement.classList.add("live");
    this.draw();
  }
  move(event) {
    const by = MOVES[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
    event.preventDefault();
    return by;
  }
  to(at) {
    if (at >= 0) this.set({ layer: Math.floor(at / this.data.n_heads), head: at % this.data.n_heads });
  }
  click(event) {
    const row = event.target.closest("[data-row]")?.dataset.row;
    if (row) this.set({ row: Number(row) });
  }
  keydown(event) {
    const row = event.target.closest?.("[data-row]"), by = row && this.move(event);
    if (!by) return;
    const n = this.data.sentences[this.state.sentence].tokens.length, next = (Number(row.dataset.row) + by[0] + by[1] + n) % n;
    this.set({ row: next });
    this.parts[`token${next}`].focus();
  }
  input(event) {
    const { part } = event.target.dataset;
    if (part) this.set({ [part]: Number(event.target.value) });
    else this.read(Number(event.target.value));
  }
  async read(sentence) {
    const { weights, sentences, folder, start } = this.data;
    this.asked = sentence;
    if (!weights[sentence]) {
      if (self.asFile) return this.set({ status: "file" });
      this.set({ status: "waiting" });
      try {
        const answer = await fetch(`${folder}${sentences[sentence].key}.f16`);
        if (!answer.ok) throw new Error(String(answer.status));
        weights[sentence] = model.halves(new Uint8Array(await answer.arrayBuffer()));
      } catch {
        if (this.asked === sentence) this.set({ status: "failed" });
        return;
      }
      if (this.asked !== sentence) return; // another has been chosen meanwhile
    }
    this.set({ sentence, status: "", row: sentence ? sentences[sentence].place : start[2] });
  }
  draw() {
    super.draw();
    const { layer, head, sentence, status } = this.state;
    this.parts.layer.value = layer;
    this.parts.head.value = head;
    if (status !== "waiting") this.querySelector("select").value = sentence;
    this.maps?.forEach((map, at) => map.classList.toggle("chosen", at === layer * this.data.n_heads + head));
  }
}
customElements.define("choose-head", ChooseHead);
