import { Figure, calm } from "./figure.js";
import * as model from "./step-through.model.js";

const PACE = 320; // milliseconds a step

class StepThrough extends Figure {
  model = model;
  to(step) {
    this.set({ step: Math.max(0, Math.min(model.stops(this.data), step)) });
  }
  play() {
    const last = model.stops(this.data);
    if (calm()) return this.to(last);
    if (this.state.step === last) this.to(0);
    this.playing = setInterval(() => {
      this.to(this.state.step + 1);
      if (this.state.step === last) clearInterval(this.playing);
    }, PACE);
  }
  click(event) {
    const act = this.pressed(event);
    if (!act) return;
    clearInterval(this.playing);
    if (act === "play") this.play();
    else this.to(this.state.step + (act === "on" ? 1 : -1));
  }
  input(event) {
    clearInterval(this.playing);
    this.to(Number(event.target.value));
  }
  draw() {
    super.draw();
    this.parts.range.value = this.state.step;
  }
}
customElements.define("step-through", StepThrough);
