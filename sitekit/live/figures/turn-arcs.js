import { Figure } from "./figure.js";
import * as model from "./turn-arcs.model.js";

class TurnArcs extends Figure {
  model = model;
  click(event) {
    const act = this.pressed(event);
    if (act?.startsWith("pick")) this.set({ row: Number(act.slice(4)), event: "choose" });
    else if (act) this.glide(model.vectors(act, this.data), { way: act, event: "way" }, 700);
  }
}
customElements.define("turn-arcs", TurnArcs);
