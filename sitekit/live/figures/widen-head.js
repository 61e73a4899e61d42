import { Figure } from "./figure.js";
import * as model from "./widen-head.model.js";

class WidenHead extends Figure {
  model = model;
  input(event) {
    const at = Number(event.target.value);
    if (at !== this.state.at) this.set({ at, before: this.state.at });
  }
  draw() {
    super.draw();
    this.parts.at.value = this.state.at;
  }
}
customElements.define("widen-head", WidenHead);
