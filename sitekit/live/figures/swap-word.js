import { Figure } from "./figure.js";
import * as model from "./swap-word.model.js";

class SwapWord extends Figure {
  model = model;
  to(change) {
    const from = this.state.at ?? model.compute(this.state, this.data).reading;
    this.set({ ...change, at: from });
    this.glide({ at: model.compute(this.state, this.data).reading }, {}, 500);
  }
  click(event) {
    const act = this.pressed(event);
    if (act) this.to({ choice: Number(act.slice(1)) });
  }
  input(event) {
    this.to({ layer: this.data.layers[Number(event.target.value)] });
  }
  draw() {
    super.draw();
    this.parts.range.value = this.data.layers.indexOf(this.state.layer);
  }
}
customElements.define("swap-word", SwapWord);
