import { Figure } from "./figure.js";
import * as model from "./add-words.model.js";

const { compute, sentence } = model;

class AddWords extends Figure {
  model = model;
  click(event) {
    const act = this.pressed(event);
    if (!act) return;
    const now = this.ahead("there");
    const before = compute({ there: now }, this.data).cosines;
    const last = act.startsWith("add") ? Number(act.slice(3)) : 0;
    const there = act.startsWith("add") ? now.map((one, i) => (i === last ? 1 - one : one)) : sentence(act, this.data);
    this.glide({ there }, { before, last, event: act.startsWith("add") ? (there[last] ? "add" : "remove") : act }, 700);
  }
}
customElements.define("add-words", AddWords);
