// What both tabs of the microscope share: the worker, small pictures of all heads, tables of shares.
import { num } from "../figures/say.js";

const PATIENCE = 90; // seconds without a sign of life
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const step_of = (event) => (event.altKey || event.ctrlKey || event.metaKey ? undefined : ARROWS[event.key]);

export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
export const node = (tag, properties = {}, ...inside) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) name in made ? (made[name] = value) : made.setAttribute(name, value);
  made.append(...inside);
  return made;
};
export const mega = (bytes) => (bytes < 1e6 ? num(bytes / 1e6, 1) : String(Math.round(bytes / 1e6)));

/* A worker: it is started with the first thing that is asked of it. */
export class Microscopist {
  constructor(here, hear) {
    [this.here, this.hear, this.again] = [here, hear, 0];
  }
  start() {
    const address = new URL("worker.js", this.here);
    if (this.again) address.search = `again=${this.again}`;
    const mine = (this.worker = new Worker(address, { type: "module" }));
    mine.onmessage = ({ data }) => mine === this.worker && this.heard(data);
    mine.onerror = () => mine === this.worker && this.heard({ kind: "failed", why: "unreachable", what: "worker.js" });
  }
  heard(news) {
    clearTimeout(this.timer);
    if (news.kind === "failed") {
      this.again += news.why === "changed_file";
      this.stop();
    } else if (!["answer", "opened", "fetched", "ready"].includes(news.kind)) this.watch();
    this.hear(news);
  }
  watch() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.heard({ kind: "failed", why: "stalled" }), 1000 * PATIENCE);
  }
  send(job) {
    if (!this.worker) this.start();
    this.watch();
    this.worker.postMessage(job);
  }
  stop() {
    this.worker?.terminate();
    this.worker = null;
  }
}

/* All heads as small pictures: rows ask, columns are looked at. One canvas lies behind the buttons. */
export const thumbs = ({ canvas, sizes: { n_layers, n_heads }, n, weight, colour, label, name, choose, chosen }) => {
  const grid = node("div", { className: "thumbs", role: "group", "aria-label": label });
  grid.style.setProperty("--n", n_heads);
  [canvas.width, canvas.height] = [n_heads * (n + 1), n_layers * (n + 1)];
  const brush = canvas.getContext("2d");
  brush.fillStyle = colour;
  grid.append(canvas);
  for (let layer = 0; layer < n_layers; layer += 1)
    for (let head = 0; head < n_heads; head += 1) {
      for (let from = 0; from < n; from += 1)
        for (let to = 0; to < n; to += 1) {
          brush.globalAlpha = Math.min(1, weight(layer, head, from, to));
          brush.fillRect(head * (n + 1) + to, layer * (n + 1) + from, 1, 1);
        }
      const button = node("button", { type: "button", "data-key": `head${layer}.${head}`, title: `${layer}.${head}` });
      button.setAttribute("aria-label", name(`${layer}.${head}`));
      button.onclick = () => choose(layer, head);
      grid.append(button);
    }
  grid.onkeydown = (event) => {
    const step = step_of(event);
    if (!step) return;
    event.preventDefault();
    const [layer, head] = chosen().map((place, k) => Math.max(0, Math.min([n_layers, n_heads][k] - 1, place + step[k])));
    choose(layer, head);
    grid.querySelector(`[data-key="head${layer}.${head}"]`).focus();
  };
  return grid;
};
export const press = (grid, [layer, head]) => {
  for (const button of grid.querySelectorAll("button")) {
    const here = button.dataset.key === `head${layer}.${head}`;
    button.setAttribute("aria-pressed", String(here));
    button.tabIndex = here ? 0 : -1;
  }
};

/* A table of shares; `say` is told which cell is touched, pointed at, or reached by the arrow keys. */
export const shareTable = (rows, columns, value, say, { caption, it = [] }) => {
  const small = columns.length > 14;
  const table = node("table", { className: small ? "shares small" : "shares" });
  table.append(node("caption", {}, caption));
  const head = table.createTHead().insertRow();
  head.append(node("td"), ...columns.map((column) => node("th", { scope: "col", lang: "" }, node("span", {}, column))));
  const body = table.createTBody();
  rows.forEach((name, i) => {
    const line = body.insertRow();
    line.append(node("th", { scope: "row", lang: "", className: it.includes(i) ? "it" : "" }, name));
    columns.forEach((_, j) => {
      const share = value(i, j);
      const cell = node("td", { tabIndex: i || j ? -1 : 0, "data-at": `${i}-${j}` }, small ? "" : String(Math.round(100 * share)));
      cell.style.setProperty("--v", `${Math.round(100 * share)}%`);
      line.append(cell);
    });
  });
  const show = (cell) => {
    if (!cell?.dataset.at) return;
    say(...cell.dataset.at.split("-").map(Number));
    table.querySelectorAll("[tabindex='0']").forEach((one) => (one.tabIndex = -1));
    cell.tabIndex = 0;
  };
  table.onclick = table.onmouseover = (event) => show(event.target.closest("td"));
  table.addEventListener("focusin", (event) => show(event.target));
  table.onkeydown = (event) => {
    const step = step_of(event);
    if (!step || !event.target.dataset.at) return;
    event.preventDefault();
    const [i, j] = event.target.dataset.at.split("-").map(Number);
    table.querySelector(`[data-at="${i + step[0]}-${j + step[1]}"]`)?.focus();
  };
  return node("div", { className: "scroller" }, table);
};
