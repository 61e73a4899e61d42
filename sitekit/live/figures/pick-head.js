import { Figure } from "./figure.js";
import * as model from "./pick-head.model.js";

class PickHead extends Figure {
  model = model;
  pick(event) {
    const at = event.target.closest("[data-head]")?.dataset.head;
    if (at) this.set({ layer: Math.floor(at / this.data.n_heads), head: at % this.data.n_heads });
  }
  click(event) {
    this.pick(event);
  }
  pointermove(event) {
    if (event.buttons && event.pointerType !== "touch") this.pick(event);
  }
  input(event) {
    this.set({ [event.target.dataset.part]: Number(event.target.value) });
  }
  draw() {
    super.draw();
    for (const part of ["layer", "head"]) this.parts[part].value = this.state[part];
  }
}
customElements.define("pick-head", PickHead);
