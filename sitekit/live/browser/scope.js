// What both tabs of the microscope share: the worker, small pictures of all heads, tables of shares.
import { num } from "../figures/say.js";

const PATIENCE = 90; // seconds without a sign of life
const MOST_NUMBERS = 14; // columns of a table with its numbers in the cells
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const step_of = (event) => (event.altKey || event.ctrlKey || event.metaKey ? undefined : ARROWS[event.key]);

export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
export const node = (tag, properties = {}, ...inside) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) name in made ? (made[name] = value) : made.setAttribute(name, value);
  made.append(...inside);
  return made;
};
export const headName = (layer, head) => `L${layer}·H${head}`; // as the chapters name it, both counted from 0
export const mega = (bytes) => (bytes < 1e6 ? num(bytes / 1e6, 1) : String(Math.round(bytes / 1e6)));

/* What a page loads: its style sheets and scripts. */
const loadedBy = async (page) => {
  const html = new DOMParser().parseFromString(await (await fetch(page)).text(), "text/html");
  const found = [...html.querySelectorAll("link[rel=stylesheet], script[src]")];
  return found.map((one) => new URL(one.getAttribute("href") ?? one.getAttribute("src"), page).href);
};
/* Keep the page in every language, what it has loaded, and files of the worker for a visit without a connection; whether that went well. */
export const keepPage = async (here, files) => {
  try {
    await navigator.serviceWorker.register(new URL("../../service-worker.js", here));
    const { active } = await navigator.serviceWorker.ready;
    const pages = [location.href, ...[...document.querySelectorAll("a[hreflang]")].map(({ href }) => href)];
    const loaded = performance.getEntriesByType("resource").filter(({ initiatorType }) => initiatorType !== "fetch").map(({ name }) => name);
    const others = (await Promise.all(pages.slice(1).map(loadedBy))).flat();
    const urls = new Set([...pages, ...loaded, ...others, ...files].map((url) => url.replace(/#.*/, "")).filter((url) => url.startsWith(location.origin)));
    const channel = new MessageChannel();
    active.postMessage({ urls: [...urls] }, [channel.port2]);
    return await new Promise((then) => (channel.port1.onmessage = ({ data }) => then(data)));
  } catch {
    return false; // there is none over plain HTTP, and some readers forbid it
  }
};

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
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  brush.fillStyle = colour;
  brush.fillRect(0, 0, 1, 1);
  const ink = brush.getImageData(0, 0, 1, 1).data;
  const picture = brush.createImageData(canvas.width, canvas.height); // as rectangles it would take fifty times the memory
  grid.append(canvas);
  for (let layer = 0; layer < n_layers; layer += 1)
    for (let head = 0; head < n_heads; head += 1) {
      for (let from = 0; from < n; from += 1)
        for (let to = 0; to < n; to += 1) {
          ink[3] = 255 * Math.min(1, weight(layer, head, from, to));
          picture.data.set(ink, 4 * ((layer * (n + 1) + from) * canvas.width + head * (n + 1) + to));
        }
      const button = node("button", { type: "button", "data-key": `head${layer}.${head}`, title: headName(layer, head) });
      button.setAttribute("aria-label", name(headName(layer, head)));
      button.onclick = () => choose(layer, head);
      grid.append(button);
    }
  brush.putImageData(picture, 0, 0);
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

/* A table of shares; `say` is told which cell is touched, pointed at, or reached by the arrow keys. A table of the same
   rows and columns is written anew in its place: a new one for each answer would fill the memory. */
export const shareTable = (old, rows, columns, value, say, { caption, it = [] }) => {
  const key = JSON.stringify([rows, columns]);
  const box = old?.key === key ? old : newTable(rows, columns);
  Object.assign(box, { key, say });
  box.caption.textContent = caption;
  box.lines.forEach(({ name, cells }, i) => {
    name.className = it.includes(i) ? "it" : "";
    cells.forEach((cell, j) => {
      const share = String(Math.round(100 * value(i, j)));
      cell.style.setProperty("--v", `${share}%`);
      if (columns.length <= MOST_NUMBERS) cell.textContent = share;
    });
  });
  return box;
};
const newTable = (rows, columns) => {
  const table = node("table", { className: columns.length > MOST_NUMBERS ? "shares small" : "shares" });
  const caption = table.appendChild(node("caption"));
  const head = table.createTHead().insertRow();
  head.append(node("td"), ...columns.map((column) => node("th", { scope: "col", lang: "" }, node("span", {}, column))));
  const body = table.createTBody();
  const lines = rows.map((text, i) => {
    const line = body.insertRow();
    const name = line.appendChild(node("th", { scope: "row", lang: "" }, text));
    const cells = columns.map((_, j) => line.appendChild(node("td", { tabIndex: i || j ? -1 : 0, "data-at": `${i}-${j}` })));
    return { name, cells };
  });
  const box = Object.assign(node("div", { className: "scroller" }, table), { caption, lines });
  const show = (cell) => {
    if (!cell?.dataset.at) return;
    box.say(...cell.dataset.at.split("-").map(Number));
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
  return box;
};

/* Arrays of an answer that nobody looks at any more; the collector would let them pile up. */
export const release = (answer) => {
  for (const array of Object.values(answer?.arrays ?? {})) array.buffer.transfer?.(0);
};
