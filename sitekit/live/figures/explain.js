// Every number explains itself: point at, tap or focus one of an executed matrix and see the sum it came from.
// A table brings the matrices it was computed from in data-of; nothing is fetched. Arrow keys go from number to number.
import { dot, exps, softmax } from "./kernel.js";

const words = document.currentScript.dataset;
const read = { text: "", matrices: null }; // of the table that was asked last
let digits = 4; // significant ones; 17 are all there are
let asked = null; // the number that is explained

const shown = (x) => (x === null ? "−∞" : String(digits > 15 ? x : +x.toPrecision(digits)).replace("-", "−"));
const factor = (x) => (x < 0 ? `(${shown(x)})` : shown(x));
const products = (a, b) => a.map((x, i) => `${factor(x)}×${factor(b[i])}`).join(" + ");
const column = (matrix, j) => matrix.map((row) => row[j]);

const because = {
  scores({ q, k, factor: times }, i, j) {
    const value = times * dot(q[i], k[j]);
    const sum = products(q[i], k[j]);
    return times === 1 ? `${sum} = ${shown(value)}` : `(${sum}) × ${shown(times)} = ${shown(value)}`;
  },
  // The largest score of the row is taken away first, as softmax itself does: shares stay the same, exp() stays small.
  weights({ s }, i, j) {
    if (s[i].every((x) => x === null)) return words.nothing;
    const scores = s[i].map((x) => x ?? -Infinity);
    const largest = Math.max(...scores);
    const powers = exps(scores);
    const total = powers.reduce((sum, e) => sum + e, 0);
    const power = (x) => `e^(${shown(x)} − ${factor(largest)})`;
    const share = shown(softmax(scores)[j]);
    return `${power(s[i][j])} ÷ (${s[i].map(power).join(" + ")}) = ${shown(powers[j])} ÷ ${shown(total)} = ${share}`;
  },
  output: ({ w, v }, i, j) => `${products(w[i], column(v, j))} = ${shown(dot(w[i], column(v, j)))}`,
};

const of = (table) => {
  if (read.text !== table.dataset.of) Object.assign(read, { text: table.dataset.of, matrices: JSON.parse(table.dataset.of) });
  return read.matrices;
};
const numbers = (row) => [...row.querySelectorAll("td")];
const place = (cell) => [cell.parentNode.sectionRowIndex, numbers(cell.parentNode).indexOf(cell)];

// The nearest table above that shows this matrix, to light up the row or column that went in.
const showing = (table, matrix) => {
  const all = [...document.querySelectorAll("table.matrix")];
  const fits = (other) => {
    const rows = [...other.tBodies[0].rows].map(numbers);
    return (
      rows.length === matrix.length &&
      rows.every((cells, i) => cells.length === matrix[i].length && cells.every((td, j) => same(td, matrix[i][j])))
    );
  };
  return all.slice(0, all.indexOf(table)).reverse().find(fits);
};
const same = (cell, x) => {
  const text = cell.textContent.replace("−", "-");
  const number = parseFloat(text) / (text.includes("%") ? 100 : 1);
  const step = 0.5 * 10 ** -(text.split(".")[1] || "").replace(/\D/g, "").length / (text.includes("%") ? 100 : 1);
  return x === null ? text === "-∞" : Math.abs(number - x) <= step * 1.001;
};
const light = (table, matrix, row, col) => {
  const other = showing(table, matrix);
  if (other) numbersAt(other, row, col).forEach((cell) => cell.classList.add("lit"));
};
const numbersAt = (table, row, col) =>
  [...table.tBodies[0].rows].flatMap((line, i) => numbers(line).filter((_, j) => i === row || j === col));

const explain = (cell) => {
  const table = cell.closest("table");
  const role = Object.keys(because).find((name) => table.classList.contains(name));
  const [i, j] = place(cell);
  const from = of(table);
  clear();
  asked = cell;
  cell.classList.add("asked");
  if (role === "scores") [light(table, from.q, i), light(table, from.k, j)];
  if (role === "weights") light(table, from.s, i);
  if (role === "output") [light(table, from.w, i), light(table, from.v, undefined, j)];
  const names = [cell.parentNode.querySelector("th"), table.tHead?.rows[0].querySelectorAll("th")[j]];
  const name = names.flatMap((th) => th?.textContent ?? []).join(" · ");
  const text = (name && `${name}${words.colon}`) + because[role](from, i, j);
  box(table).firstChild.textContent = text;
};
const clear = () => document.querySelectorAll(".lit, .asked").forEach((cell) => cell.classList.remove("lit", "asked"));

// Where it says so: below the table, where the first one of the page invites to be asked.
const box = (table) => {
  const after = table.closest(".scroll") ?? table;
  const next = after.nextElementSibling;
  const there = next?.matches(".why") ? next : null;
  if (there?.querySelector("button")) return there;
  const made = there || Object.assign(document.createElement("div"), { className: "why" });
  const text = document.createElement("span");
  text.setAttribute("role", "status");
  const more = document.createElement("button");
  more.type = "button";
  more.textContent = words.more;
  more.setAttribute("aria-pressed", "false");
  more.addEventListener("click", () => {
    digits = digits === 4 ? 17 : 4;
    more.setAttribute("aria-pressed", String(digits === 17));
    explain(asked?.closest("table") === table ? asked : numbersAt(table, 0)[0]);
  });
  made.classList.remove("hint");
  made.replaceChildren(text, more);
  if (!there) after.after(made);
  return made;
};

const numberUnder = (target) => target.closest?.("table[data-of] tbody td");
const focus = (cell) => {
  const table = cell.closest("table");
  table.querySelectorAll("td[tabindex]").forEach((td) => (td.tabIndex = -1));
  cell.tabIndex = 0;
  cell.focus({ preventScroll: true });
};
document.addEventListener("pointerover", ({ target }) => numberUnder(target) && explain(numberUnder(target)));
document.addEventListener("click", ({ target }) => numberUnder(target) && focus(numberUnder(target)));
document.addEventListener("focusin", ({ target }) => target.matches("td") && numberUnder(target) && explain(target));
document.addEventListener("keydown", (event) => {
  const cell = event.target.matches("td") && numberUnder(event.target);
  const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!cell || !move) return;
  const [i, j] = place(cell);
  const row = cell.closest("tbody").rows[i + move[0]];
  const next = row && numbers(row)[j + move[1]];
  if (!next) return;
  event.preventDefault();
  focus(next);
});

// Where code has been edited, what was said of its numbers is no longer so. The laboratory computes at once.
const forget = ({ target }) => {
  if (!target.matches("[data-run]:not(.lab-cell)")) return;
  clear();
  asked = null;
  document.querySelectorAll(".output .why:not(.hint)").forEach((why) => why.remove());
};
document.addEventListener("edited", forget, true);

// One stop of the Tab key a table, also in tables that come later. Where the number that was asked is gone, so is its story.
const reachable = () => {
  if (asked && !asked.isConnected) {
    clear();
    asked = null;
  }
  document.querySelectorAll("table[data-of]").forEach((table) => {
    if (!table.querySelector("td[tabindex]")) table.tBodies[0].querySelector("td").tabIndex = 0;
  });
};
reachable();
new MutationObserver(reachable).observe(document.body, { childList: true, subtree: true });
