import { Figure } from "./figure.js";
import * as model from "./reach-back.model.js";

const RADIUS = { radius09: "0.9", radius3: "3" };

class ReachBack extends Figure {
  model = model;
  follow(event) {
    const box = this.querySelector("svg").getBoundingClientRect();
    this.set({ distance: model.distanceAt(((event.clientX - box.left) * 640) / box.width, this.data), event: "pull" });
  }
  pointerdown(event) {
    const svg = event.target.closest("svg");
    if (!svg || event.button || (event.pointerType === "touch" && !event.target.closest(".hit"))) return;
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    this.held = true;
    this.follow(event);
  }
  pointermove(event) {
    if (this.held) this.follow(event);
  }
  pointerup() {
    this.held = false;
  }
  pointercancel() {
    this.held = false;
  }
  input(event) {
    this.set({ distance: Number(event.target.value), event: "pull" });
  }
  click(event) {
    const act = this.pressed(event);
    if (act) this.set(RADIUS[act] ? { radius: RADIUS[act] } : { query: act });
  }
  draw() {
    super.draw();
    this.parts.range.value = Math.round(this.state.distance);
  }
}
customElements.define("reach-back", ReachBack);
