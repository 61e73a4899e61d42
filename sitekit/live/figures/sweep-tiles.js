import { Figure } from "./figure.js";
import * as model from "./sweep-tiles.model.js";

const PACE = 700; // milliseconds a tile

class SweepTiles extends Figure {
  model = model;
  get last() {
    return model.tiles(this.state, this.data) - 1;
  }
  stop() {
    clearInterval(this.playing);
    this.set({ playing: false });
  }
  step(by) {
    this.set({ step: Math.max(0, Math.min(this.last, this.state.step + by)) });
    if (this.state.step === this.last && this.state.playing) this.stop();
  }
  play() {
    if (this.state.playing) return this.stop();
    this.set({ playing: true, step: this.state.step === this.last ? 0 : this.state.step });
    this.playing = setInterval(() => this.step(1), PACE);
  }
  click(event) {
    const act = this.pressed(event);
    if (act === "play") return this.play();
    if (act) this.stop();
    if (act === "back") this.step(-1);
    else if (act === "on") this.step(1);
    else if (act) this.set({ size: Number(act.slice(1)), step: 0 });
  }
  keydown(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.stop();
    this.step(by);
  }
}
customElements.define("sweep-tiles", SweepTiles);
