import { Figure } from "./figure.js";
import * as model from "./pull-bars.model.js";

const { all, clamp, compute, toTemperature } = model;
const CHANGES = { add: (s) => s + 1, subtract: (s) => s - 1, double: (s) => 2 * s, halve: (s) => s / 2 };

class PullBars extends Figure {
  model = model;
  pull(at, score) {
    this.set({ scores: this.ahead("scores").map((s, i) => (i === at ? clamp(score, this.data) : s)), at, event: "pull" });
  }
  follow(event) {
    const { left, width } = this.held.getBoundingClientRect();
    const { low, high } = this.data;
    this.pull(Number(this.held.dataset.row), low + ((event.clientX - left) / width) * (high - low));
  }
  pointerdown(event) {
    const track = event.target.closest("[data-row]");
    if (!track || event.button) return;
    event.preventDefault();
    this.halt();
    track.querySelector(".grip").focus({ preventScroll: true });
    track.setPointerCapture(event.pointerId);
    this.held = track;
    this.state.before = compute(this.state);
    if (!event.target.closest(".grip")) this.follow(event);
  }
  pointermove(event) {
    if (this.held) this.follow(event);
  }
  pointerup() {
    this.held = null;
  }
  pointercancel() {
    this.held = null;
  }
  keydown(event) {
    const grip = event.target.closest?.("[role=slider]");
    const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!grip || !way || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const at = Number(grip.closest("[data-row]").dataset.row);
    this.pull(at, this.ahead("scores")[at] + way * this.data.step * (event.shiftKey ? 10 : 1));
  }
  input(event) {
    if (event.target.type !== "range") return;
    this.set({ before: this.first().temperature === this.state.temperature ? compute(this.state) : this.state.before });
    this.glide({ temperature: toTemperature(Number(event.target.value)) }, { event: "temperature" }, 160);
  }
  click(event) {
    const act = this.pressed(event);
    if (!act) return;
    const before = compute(this.state);
    if (act === "reset") return this.glide({ scores: this.data.scores, temperature: this.first().temperature }, { event: "start", before: null });
    const scores = all(this.ahead("scores"), CHANGES[act], this.data);
    if (scores) this.glide({ scores }, { event: act, before });
    else this.set({ event: "limit" });
  }
  draw() {
    super.draw();
    const { slider } = this.parts;
    if (slider && document.activeElement !== slider) slider.value = model.toStep(this.state.temperature);
  }
}
customElements.define("pull-bars", PullBars);
