import { Figure } from "./figure.js";
import * as model from "./cut-arcs.model.js";

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const place = (cell) => cell.dataset.at.split("-").map(Number);

class CutArcs extends Figure {
  model = model;
  paint(cell, open) {
    const [i, k] = place(cell);
    const visible = this.state.visible.map((row, j) => row.map((sees, m) => (j === i && m === k ? open : sees)));
    this.set({ visible, row: i, kind: "painted", focus: cell.dataset.at });
  }
  pointerdown(event) {
    const cell = event.target.closest("[data-at]");
    if (!cell || event.button || event.pointerType === "touch") return; // a finger taps; it may want to scroll
    const [i, k] = place(cell);
    this.brush = !this.state.visible[i][k];
    this.paint(cell, this.brush);
  }
  pointermove(event) {
    if (this.brush === undefined) return;
    const cell = event.target.closest("[data-at]");
    if (!cell || !event.buttons) return;
    const [i, k] = place(cell);
    if (this.state.visible[i][k] !== this.brush) this.paint(cell, this.brush);
  }
  pointerup() {
    this.painted = this.brush !== undefined; // the click that follows has been answered
    this.brush = undefined;
  }
  pointercancel() {
    this.brush = undefined;
  }
  click(event) {
    const cell = event.target.closest("[data-at]");
    const act = this.pressed(event);
    const answered = this.painted;
    this.painted = false;
    if (cell && !answered) {
      const [i, k] = place(cell);
      this.paint(cell, !this.state.visible[i][k]);
    } else if (act?.startsWith("row")) this.set({ row: Number(act.slice(3)) });
    else if (act) this.set({ kind: act, visible: model.maskOf(act, this.data) });
  }
  keydown(event) {
    const cell = event.target.closest?.("[data-at]");
    const move = MOVES[event.key];
    if (!cell || !move || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const [i, k] = place(cell);
    const focus = `${i + move[0]}-${k + move[1]}`;
    const next = this.querySelector(`[data-at="${focus}"]`);
    if (!next) return;
    this.set({ row: i + move[0], focus });
    next.focus();
  }
}
customElements.define("cut-arcs", CutArcs);
