import { Figure } from "./figure.js";
import * as model from "./choose-head.model.js";

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

class ChooseHead extends Figure {
  model = model;
  connectedCallback() {
    super.connectedCallback();
    const grid = (this.grid ??= this.parentElement.querySelector(".picture .scroll")); // a small picture for each head
    this.maps = [...grid.querySelectorAll(".map")];
    grid.addEventListener("click", (event) => this.press(this.maps.indexOf(event.target.closest(".map"))));
    grid.addEventListener("keydown", (event) => {
      const { n_layers, n_heads } = this.data, { layer, head } = { ...this.state, ...this.asked }, by = this.move(event);
      if (by) this.go({ layer: (layer + by[0] + n_layers) % n_layers, head: (head + by[1] + n_heads) % n_heads });
    });
    this.parentElement.classList.add("live");
    this.draw();
    if (!self.asFile) this.fetch(0).catch(() => {}); // asked for again when it is needed
  }
  move(event) {
    const by = MOVES[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
    event.preventDefault();
    return by;
  }
  press(at) {
    if (at >= 0) this.go({ layer: Math.floor(at / this.data.n_heads), head: at % this.data.n_heads });
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
    this.go({ [event.target.dataset.part ?? "sentence"]: Number(event.target.value) });
  }
  /** Show another head or sentence, once its weights are here. */
  async go(change) {
    const asked = (this.asked = { ...this.asked, ...change }); // together with what is still waited for
    const next = { ...this.state, ...asked }, { sentences, start } = this.data;
    if (!model.has(next, this.data)) {
      if (self.asFile) return this.stay("file");
      this.set({ status: "waiting" });
      try {
        await this.fetch(next.sentence);
      } catch {
        if (this.asked === asked) this.stay("failed");
        return;
      }
      if (this.asked !== asked) return; // another has been chosen meanwhile
    }
    if ("sentence" in asked) asked.row = next.sentence ? sentences[next.sentence].place : start[2];
    this.asked = null;
    this.set({ ...asked, status: "" });
  }
  stay(status) {
    this.asked = null;
    this.set({ status });
  }
  fetch(sentence) {
    const { folder, sentences, weights } = this.data, fetching = (this.fetching ??= {});
    const read = async () => {
      const answer = await fetch(`${folder}${sentences[sentence].key}.f16`);
      if (!answer.ok) throw new Error(String(answer.status));
      weights[sentence] = model.halves(new Uint8Array(await answer.arrayBuffer()));
    };
    return (fetching[sentence] ??= read().catch((error) => {
      delete fetching[sentence];
      throw error;
    }));
  }
  draw() {
    super.draw();
    const { layer, head, sentence, status } = this.state;
    this.maps?.forEach((map, at) => map.classList.toggle("chosen", at === layer * this.data.n_heads + head));
    if (status === "waiting") return; // the controls stay where the hand has put them
    this.parts.layer.value = layer;
    this.parts.head.value = head;
    this.querySelector("select").value = sentence;
  }
}
customElements.define("choose-head", ChooseHead);
