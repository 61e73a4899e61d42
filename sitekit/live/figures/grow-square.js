import { Figure } from "./figure.js";
import * as model from "./grow-square.model.js";

class GrowSquare extends Figure {
  model = model;
  input(event) {
    this.set({ n: model.toLength(Number(event.target.value)) });
  }
  click(event) {
    const act = this.pressed(event);
    if (act) this.set({ n: this.data.texts[Number(act.slice(1))].n });
  }
  draw() {
    super.draw();
    this.parts.range.value = model.toStep(this.state.n);
  }
}
customElements.define("grow-square", GrowSquare);
