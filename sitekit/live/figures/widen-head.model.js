// Chapter 7: the same random scores at ten widths of a head, bare and divided by √d. `data` is the cell's: the widths and, both
// ways, for each width how the scores are spread (a bin a point, in thousandths of the fullest), their standard deviation, and
// the weights of a row from the largest to the smallest, averaged over all rows.
import { num, percent } from "./say.js";
import { r, range } from "./draw.js";

export const WAYS = ["bare", "divided"];

export const first = ({ start }) => ({ at: start, before: start });

export const compute = ({ at }, data) => WAYS.map((way) => ({ spread: data[way].spread[at], largest: data[way].shares[at][0] }));
export const numbers = (_, data) => Object.fromEntries(WAYS.flatMap((way) => [
  [`${way}Spread`, data[way].spread],
  [`${way}Largest`, data[way].shares.map(([largest]) => largest)],
]));

/** √d: whole, or to two digits. */
const root = (d) => num(Math.sqrt(d), Math.sqrt(d) % 1 ? 2 : 0);

const TALL = 100; // of both drawings, stretched to their boxes
const hill = (bins) => `M0 ${TALL}${bins.map((share, i) => `L${i + 0.5} ${r(TALL - share / 10)}`).join("")}L${bins.length} ${TALL}Z`;
const bars = (shares) => shares.map((share, i) => `M${i + 0.12} ${TALL}V${r(TALL * (1 - share))}H${i + 0.88}V${TALL}`).join("");

export const view = (state, lang, data) => {
  const v = {}, d = data.widths[state.at], t = text[lang], now = compute(state, data);
  WAYS.forEach((way, k) => {
    const bins = data[way].bins[state.at], middle = bins.length / 2, { spread, largest } = now[k];
    v[`hill${way}`] = { d: hill(bins) };
    v[`reach${way}`] = { x1: r(middle - spread), x2: r(middle + spread) };
    v[`bars${way}`] = { d: bars(data[way].shares[state.at]) };
    const was = data[way].shares[state.before][0], y = r(TALL * (1 - was));
    v[`was${way}`] = { y1: y, y2: y, opacity: Math.abs(was - largest) < 0.005 ? 0 : 1 };
    v[`spread${way}`] = { text: `${t.spread} ${num(spread)}` };
    v[`most${way}`] = { text: percent(largest) };
  });
  v.by = { text: `${t.by}√${d} = ${root(d)}` };
  v.at = { value: state.at, "aria-valuetext": `d = ${d}` };
  v.atNow = { text: String(d) };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: what the largest weight takes both ways, and how far the scores are spread. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", d = data.widths[state.at], [bare, divided] = compute(state, data), was = data.bare.spread[state.before];
  const lead = zh
    ? `d = ${d}：不除，最大的权重平均 ${percent(bare.largest)}；除过，${percent(divided.largest)}。`
    : `At d = ${d} the largest weight is ${percent(bare.largest)}; divided, ${percent(divided.largest)}.`;
  const times = d / data.widths[state.before];
  if (times === 1) return [lead, zh
    ? `分数的标准差是 ${num(bare.spread)}，√${d} 是 ${root(d)}；除过的是 ${num(divided.spread)}。`
    : `The scores have a standard deviation of ${num(bare.spread)}, √${d} is ${root(d)}. Divided: ${num(divided.spread)}.`];
  const part = times > 1 ? `${times}` : `1/${1 / times}`;
  return [lead, zh
    ? `宽度变成 ${part}${times > 1 ? " 倍" : ""}，标准差从 ${num(was)} 变成 ${num(bare.spread)}；除过的还在 ${num(divided.spread)}。`
    : `${times > 1 ? `${part} times` : part} as wide: standard deviation ${num(was)} → ${num(bare.spread)}; divided, still ${num(divided.spread)}.`];
};

export const text = {
  zh: { width: "头宽 d", scores: "分数落在哪里", weights: (n) => `${n} 个权重，从大到小`, bare: "不除", by: "除以 ", spread: "标准差" },
  en: { width: "Width d", scores: "where the scores fall", weights: (n) => `${n} weights, sorted`, bare: "Undivided", by: "÷ ", spread: "std." },
};

export const markup = (lang, data) => {
  const t = text[lang], n = data.bare.shares[0].length, wide = data.bare.bins[0].length, end = (wide - 1) / 2;
  const ticks = [-end, -end / 2, 0, end / 2, end].map((x) => `<span>${num(x, 0)}</span>`).join("");
  const box = (width, inside) => `<svg viewBox="0 0 ${width} ${TALL}" preserveAspectRatio="none" role="presentation">${inside}</svg>`;
  const row = (way) => `<p class="way"><b${way === "bare" ? `>${t.bare}` : ` data-ref="by">`}</b><span data-ref="spread${way}"></span><span class="most" data-ref="most${way}"></span></p>
<div class="scores">${box(wide, `<path class="hill" data-ref="hill${way}"/><line class="reach" y1="${TALL}" y2="${TALL}" data-ref="reach${way}"/>`)}<div class="ticks">${ticks}</div></div>
<div class="weights">${box(n, `<path class="bars" data-ref="bars${way}"/><line class="was" x1="0" x2="${n}" data-ref="was${way}"/>`)}</div>`;
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
${range(t.width, "at", data.widths.length - 1, data.start)}
<div class="panels"><span class="head">${t.scores}</span><span class="head">${t.weights(n)}</span>${WAYS.map(row).join("")}</div>
<p class="aloud" aria-live="polite"></p>`;
};
