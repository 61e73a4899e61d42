import { Figure } from "./figure.js";
import * as model from "./spot-wrong.model.js";

class SpotWrong extends Figure {
  model = model;
  click(event) {
    const act = this.pressed(event), { choice } = this.state;
    if (act?.startsWith("side") && choice === null) this.set({ choice: act === "sideA" ? 0 : 1 });
    else if (act?.startsWith("exhibit")) this.set({ exhibit: Number(act.slice(7)), choice: null, mend: 0 });
    else if (act === "mend" && choice !== null) this.glide({ mend: 1 - this.ahead("mend") });
  }
}
customElements.define("spot-wrong", SpotWrong);
