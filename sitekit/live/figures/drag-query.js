import { Figure } from "./figure.js";
import * as model from "./drag-query.model.js";

const { HIGH, LOW, SIDE, back, compute } = model;
const STEP = 0.02;
const clamp = (x, i) => Math.min(HIGH[i], Math.max(LOW[i], Math.round(x / STEP) * STEP));

class DragQuery extends Figure {
  model = model;
  /** What was, for the marks that stay a moment and for the words. */
  remember() {
    const c = compute(this.state, this.data);
    const n = this.state.third > 0.5 ? 3 : 2;
    return { ...c, top: c.weights.slice(0, n).indexOf(Math.max(...c.weights.slice(0, n))) };
  }
  /** Half numbers pull a little: what can be checked by hand is easy to find. */
  to(point) {
    const near = point.map((x) => Math.round(x * 2) / 2);
    const caught = Math.hypot(point[0] - near[0], point[1] - near[1]) < 0.07;
    this.set({ q: (caught ? near : point).map(clamp), event: "drag" });
  }
  point(event) {
    const box = this.plane.getBoundingClientRect(), k = SIDE / box.width;
    return back((event.clientX - box.left) * k, (event.clientY - box.top) * k);
  }
  pointerdown(event) {
    this.plane = this.querySelector(".plane svg");
    if (!this.plane.contains(event.target) || event.button) return;
    const p = this.point(event), q = this.state.q;
    const onGrip = event.target.closest(".grip");
    if (!onGrip && event.pointerType === "touch") return; // a finger that scrolls the page starts anywhere
    event.preventDefault();
    this.halt();
    this.parts.grip.focus({ preventScroll: true });
    this.plane.setPointerCapture(event.pointerId);
    this.held = onGrip ? [q[0] - p[0], q[1] - p[1]] : [0, 0];
    this.state.before = this.remember();
    this.toggleAttribute("held", true);
    if (!onGrip) this.to(p);
  }
  pointermove(event) {
    if (!this.held) return;
    const p = this.point(event);
    this.to([p[0] + this.held[0], p[1] + this.held[1]]);
  }
  pointerup() { this.held = null; this.toggleAttribute("held", false); }
  pointercancel() { this.pointerup(); }
  keydown(event) {
    if (!event.target.closest?.("[role=slider]")) return;
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.key === "Home") { event.preventDefault(); return this.act("reset"); }
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!event.repeat && performance.now() - (this.lastKey || 0) > 800) this.state.before = this.remember();
    this.lastKey = performance.now();
    const size = event.shiftKey ? 0.5 : 0.1;
    this.set({ q: this.ahead("q").map((x, i) => clamp(x + by[i] * size, i)), event: "drag" });
  }
  click(event) {
    const act = this.pressed(event);
    if (act) this.act(act);
  }
  act(name) {
    const before = this.remember(), [scaled, third] = [this.ahead("scaled"), this.ahead("third")];
    if (name === "scaled") this.glide({ scaled: 1 - scaled }, { before, event: scaled ? "unscaled" : "scaled" });
    else if (name === "third") this.glide({ third: 1 - third }, { before, event: third ? "remove" : "add" });
    else if (name === "reset") this.glide({ q: this.data.keys[0], scaled: 0, third: 0 }, { before: null, ask: 0, event: "start" });
    else this.glide({ q: this.data.keys[Number(name.slice(3))] }, { before, ask: Number(name.slice(3)), event: "ask" });
  }
}
customElements.define("drag-query", DragQuery);
