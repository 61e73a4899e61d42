import { Figure } from "./figure.js";
import * as model from "./trace-cell.model.js";

const { LIMIT } = model;
const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

class TraceCell extends Figure {
  model = model;
  change(i, by) {
    const before = this.state.x[i], value = Math.min(LIMIT, Math.max(-LIMIT, before + by));
    if (value !== before) this.set({ x: this.state.x.map((old, j) => (j === i ? value : old)), event: "change", last: i, before });
  }
  pointermove(event) {
    const out = event.target.closest("[data-out]")?.dataset.out;
    if (out && event.pointerType === "mouse") this.choose(Number(out));
  }
  choose(at) {
    if (at !== this.state.at) this.set({ at, event: "choose" });
  }
  click(event) {
    const act = this.pressed(event);
    if (act === "reset") this.set(this.first());
    else if (act?.startsWith("out")) this.choose(Number(act.slice(3)));
    else if (act) this.change(Number(act.slice(4)), act.startsWith("more") ? 1 : -1);
  }
  keydown(event) {
    const by = STEPS[event.key], { x, out } = event.target.dataset ?? {};
    if (!by || event.altKey || event.ctrlKey || event.metaKey || (x ?? out) === undefined) return;
    event.preventDefault();
    if (x !== undefined) return this.change(Number(x), by);
    const cells = this.querySelectorAll("[data-out]"), next = (Number(out) + by + cells.length) % cells.length;
    this.choose(next);
    cells[next].focus();
  }
}
customElements.define("trace-cell", TraceCell);
