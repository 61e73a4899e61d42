import { Figure, calm } from "./figure.js";
import * as model from "./part-clouds.model.js";

class PartClouds extends Figure {
  model = model;
  input(event) {
    const layer = Number(event.target.value);
    if (calm()) this.set({ layer });
    else this.glide({ layer }, {}, 300);
  }
  click(event) {
    if (this.pressed(event) !== "play") return;
    if (calm()) return this.set({ layer: (Math.round(this.state.layer) % this.data.n_layers) + 1 });
    this.set({ layer: 1 });
    this.glide({ layer: this.data.n_layers }, {}, 5000);
  }
  draw() {
    super.draw();
    this.parts.range.value = Math.round(this.state.layer);
  }
}
customElements.define("part-clouds", PartClouds);
