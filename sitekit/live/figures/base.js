// What all figures share. A view is a flat list {part: {attribute: value}}, set where it changed; the page brings the
// markup with the first view in it, so that nothing moves when a figure wakes.
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const EVENTS = ["pointerdown", "pointermove", "pointerup", "pointercancel", "keydown", "click", "input"];
const REST = 500; // milliseconds without a change before a screen reader is told

export class Figure extends HTMLElement {
  goal = {}; // numbers of the state that are on their way, and where to
  // A figure gives its `model`: open(data), first(data), view(state, language, data).
  connectedCallback() {
    if (this.data) return;
    const data = JSON.parse(this.querySelector("script").textContent);
    this.data = this.model.open ? this.model.open(data) : data;
    this.state = this.first();
    this.parts = {};
    for (const part of this.querySelectorAll("[data-ref]")) this.parts[part.dataset.ref] = part;
    this.shown = {};
    this.draw();
    for (const type of EVENTS) this.addEventListener(type, this);
    addEventListener("beforeprint", () => this.print(this.first()));
    addEventListener("afterprint", () => this.print(this.kept));
    this.setAttribute("live", "");
  }
  first() {
    return structuredClone(this.model.first(this.data));
  }
  print(state) {
    [this.kept, this.state] = [this.state, state];
    this.draw();
  }
  handleEvent(event) {
    this[event.type]?.(event);
  }
  pressed(event) {
    return event.target.closest?.("[data-act]")?.dataset.act;
  }
  /** Change the state; a number set by hand is no longer on its way anywhere else. */
  set(change) {
    if (Object.keys(change).some((name) => name in this.goal)) this.halt();
    this.update(change);
  }
  update(change) {
    Object.assign(this.state, change);
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
    clearTimeout(this.resting);
    this.resting = setTimeout(() => (this.querySelector(".aloud").textContent = this.aloud()), REST);
  }
  draw() {
    const view = this.model.view(this.state, this.lang, this.data);
    for (const ref in view) {
      const part = this.parts[ref];
      const had = (this.shown[ref] ||= {});
      for (const [name, value] of Object.entries(view[ref])) {
        if (had[name] === value) continue;
        had[name] = value;
        if (name === "text") part.textContent = value;
        else if (value === null) part.removeAttribute(name);
        else part.setAttribute(name, value);
      }
    }
  }
  /** Move numbers of the state to where they are going; at once for a reader who asked for reduced motion. */
  glide(to, rest = {}, ms = 420) {
    this.halt();
    if (calm()) return this.set({ ...to, ...rest });
    this.set(rest);
    const from = Object.fromEntries(Object.keys(to).map((name) => [name, this.state[name]]));
    const between = (a, b, t) => (Array.isArray(a) ? a.map((x, i) => between(x, b[i], t)) : t === 1 ? b : a + (b - a) * t);
    const start = performance.now();
    this.goal = to;
    const step = (now) => {
      const t = Math.min(1, Math.max(0, (now - start) / ms));
      const eased = t === 1 ? 1 : 1 - (1 - t) ** 3;
      this.update(Object.fromEntries(Object.keys(to).map((name) => [name, between(from[name], to[name], eased)])));
      if (t < 1) this.gliding = requestAnimationFrame(step);
    };
    this.gliding = requestAnimationFrame(step);
  }
  halt() {
    cancelAnimationFrame(this.gliding);
    this.goal = {};
  }
  /** Where a part of the state is, or will be once it has arrived: a second press adds to the first. */
  ahead(name) {
    return this.goal[name] ?? this.state[name];
  }
  aloud() {
    return [...this.querySelectorAll(".lead, .because")].map((p) => p.textContent).join(" ");
  }
}
