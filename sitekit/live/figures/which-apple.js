import { Figure, calm } from "./figure.js";
import * as model from "./which-apple.model.js";

const { bit, read } = model;

class WhichApple extends Figure {
  model = model;
  get sentence() { return this.data.sentences[this.state.sentence]; }
  to(change) {
    const s = this.state;
    const from = s.needle ?? read(this.sentence, s.hidden, Math.round(s.layer));
    this.set({ ...change, needle: from });
    const there = read(this.data.sentences[this.state.sentence], this.state.hidden, Math.round(this.state.layer));
    if (calm()) return this.set({ needle: null });
    this.swing(from, there);
  }
  /** A needle has weight: it swings past its place a little, and settles. */
  swing(from, to) {
    this.halt();
    const start = performance.now();
    const step = (now) => {
      const t = Math.max(0, now - start) / 1000, left = Math.exp(-6.5 * t) * Math.cos(9 * t);
      if (t > 0.9) return this.set({ needle: null });
      this.set({ needle: to + (from - to) * left });
      this.gliding = requestAnimationFrame(step);
    };
    this.gliding = requestAnimationFrame(step);
  }
  hide(word) { if (word !== this.sentence.at) this.to({ hidden: this.state.hidden ^ bit(this.sentence, word), event: "hide" }); }
  click(event) {
    const word = event.target.closest("[data-word]"), act = this.pressed(event);
    if (word) this.hide(Number(word.dataset.word));
    else if (act === "all") this.to({ hidden: 0, event: "start" });
    else if (act === "play") this.play();
    else if (act) this.to({ sentence: Number(act.slice(1)), hidden: 0, event: "choose" });
  }
  keydown(event) {
    const word = event.target.closest?.("[data-word]");
    if (word && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); this.hide(Number(word.dataset.word)); }
  }
  input(event) {
    if (event.target.type !== "range") return;
    const to = Number(event.target.value);
    if (calm()) return this.set({ layer: to, needle: null });
    this.state.needle = null;
    this.glide({ layer: to }, {}, 240);
  }
  play() {
    if (calm()) return this.set({ layer: this.state.layer === this.data.layers ? 0 : Math.round(this.state.layer) + 1, needle: null });
    this.set({ layer: 0, needle: null });
    this.glide({ layer: this.data.layers }, {}, 4200);
  }
  draw() {
    super.draw();
    if (this.parts.range) this.parts.range.value = Math.round(this.state.layer);
  }
}
customElements.define("which-apple", WhichApple);
