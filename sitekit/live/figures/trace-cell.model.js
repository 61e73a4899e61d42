// Chapter 2: one vector through three matrices. `data` is the cell's: x [d], and W_q, W_k, W_v [d, d_out]. An entry of q, k or v is
// chosen, and the column that made it shows its products; the entries of x can be changed.
import { dot } from "./kernel.js";
import { r, times } from "./draw.js";
import { num } from "./say.js";

export const ROLES = ["query", "key", "value"];
const LETTERS = ["q", "k", "v"];
export const LIMIT = 3; // an entry of x lies between −3 and 3
const LOW = "₀₁₂₃₄₅₆₇₈₉";

export const first = ({ x }) => ({ x, at: 0, event: "start", last: 0, before: 0 });

const column = (W, c) => W.map((row) => row[c]);
export const compute = ({ x }, { matrices }) => matrices.map((W) => W[0].map((_, c) => dot(x, column(W, c))));
export const numbers = (state, data) => Object.fromEntries(compute(state, data).map((entries, m) => [LETTERS[m], entries]));

const whole = (value) => num(value, 0);
const factor = (value) => (value < 0 ? `(${whole(value)})` : whole(value));
const wide = ({ matrices }) => matrices[0][0].length;

export const view = (state, lang, data) => {
  const v = {}, n = wide(data), { x, at } = state, out = compute(state, data);
  x.forEach((value, i) => {
    const much = Math.abs(value) / LIMIT;
    v[`x${i}`] = { text: whole(value), role: "spinbutton", tabindex: 0, "aria-label": `x${LOW[i + 1]}`, "aria-valuenow": value, "aria-valuemin": -LIMIT, "aria-valuemax": LIMIT, style: `--v:${r(70 * much)}%` };
    for (const [way, end] of [["less", -LIMIT], ["more", LIMIT]]) v[`${way}${i}`] = { "aria-disabled": String(value === end) };
    data.matrices.forEach((W, m) => W[i].forEach((entry, c) => {
      const chosen = m * n + c === at;
      v[`w${m}-${i}-${c}`] = { text: chosen ? `${whole(value)}·${factor(entry)}` : whole(entry), class: `w ${ROLES[m]}${chosen ? " it" : ""}${value ? "" : " none"}`, style: `--v:${r(64 * much)}%` };
    }));
  });
  out.forEach((entries, m) => entries.forEach((entry, c) => {
    const k = m * n + c, name = `${LETTERS[m]}${LOW[c + 1]}`;
    v[`out${k}`] = { text: whole(entry), "aria-pressed": String(k === at), tabindex: k === at ? 0 : -1, "aria-label": `${name} = ${whole(entry)}`, class: `out ${ROLES[m]}` };
  }));
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: how the chosen entry is made, and what the last change did. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", n = wide(data), { x, at } = state, m = Math.floor(at / n), c = at % n, W = data.matrices[m];
  const sum = x.map((value, i) => `${i ? factor(value) : whole(value)}·${factor(W[i][c])}`).join(" + ");
  const letter = LETTERS[m], lead = `${letter}${LOW[c + 1]} = ${sum} = ${whole(compute(state, data)[m][c])}`;
  const i = state.last;
  if (state.event === "change") return [lead, zh
    ? `x 的第 ${i + 1} 个数从 ${whole(state.before)} 变成 ${whole(x[i])}：${x[i] ? `三个矩阵的第 ${i + 1} 行都跟着变，` : `三个矩阵的第 ${i + 1} 行都不起作用了，`}q、k、v 一起动。`
    : `x${LOW[i + 1]} went from ${whole(state.before)} to ${whole(x[i])}. ${x[i] ? `Row ${i + 1} of all three matrices counts for that much` : `Row ${i + 1} of all three matrices drops out`}, and q, k and v all follow.`];
  const none = x.findIndex((value) => !value);
  return [lead, zh
    ? `x 乘 W_${letter} 的第 ${c + 1} 列，再加起来。${none < 0 ? "换一格看看。" : `第 ${none + 1} 行一份也没取。`}`
    : `x times column ${c + 1} of W_${letter}, added up. ${none < 0 ? "Try another cell." : `Of row ${none + 1} it takes nothing.`}`];
};

export const text = {
  zh: { hint: "点下面一格，看是哪一列造出了它；或者改一改 x", less: "减 1", more: "加 1", out: "q、k、v：选一个数", reset: "还原" },
  en: { hint: "Press a cell of the bottom row to see which column made it, or change x", less: "less", more: "more", out: "q, k, v: choose an entry", reset: "Reset" },
};

export const markup = (lang, data) => {
  const t = text[lang], n = wide(data), d = data.x.length;
  const step = (way, i, sign) => `<button type="button" data-act="${way}${i}" data-ref="${way}${i}" aria-label="x${LOW[i + 1]}: ${t[way]}">${sign}</button>`;
  const row = (i) => `<div class="step">${step("less", i, "−")}<b class="x" data-ref="x${i}" data-x="${i}"></b>${step("more", i, "+")}</div>${times(3, (m) => times(n, (c) => `<span data-ref="w${m}-${i}-${c}"></span>`))}`;
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<div class="grids" style="--n:${3 * n}"><span class="head">x</span>${times(3, (m) => `<span class="head ${ROLES[m]}" style="grid-column:span ${n}">W_${LETTERS[m]}</span>`)}
${times(d, row)}<span class="head end"></span>${times(3, (m) => `<span class="head end ${ROLES[m]}" style="grid-column:span ${n}">${LETTERS[m]}</span>`)}
<button type="button" class="plain" data-act="reset">${t.reset}</button><div class="outs" role="group" aria-label="${t.out}">${times(3 * n, (k) => `<button type="button" data-act="out${k}" data-out="${k}" data-ref="out${k}"></button>`)}</div></div>
<p class="hint">${t.hint}</p><p class="aloud" aria-live="polite"></p>`;
};
