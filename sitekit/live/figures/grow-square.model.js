// Chapter 10: the square of scores grows with the text. `data` is the cell's: bytes a score, heads, layers, the model's
// width, and how long some texts are.
import { big } from "./say.js";
import { r } from "./draw.js";

const STEPS = 100; // of the slider: from 10 tokens to a million, evenly in powers of ten
export const first = ({ start }) => ({ n: start });
export const toLength = (step) => Math.round(10 ** (1 + (5 * step) / STEPS));
export const toStep = (n) => Math.round((STEPS * (Math.log10(n) - 1)) / 5);

/** Scores of one head, bytes by head, layer and model, and the share of the square in a layer's operations. */
export const compute = ({ n }, { bytes, heads, layers, width }) => ({
  scores: n ** 2,
  head: bytes * n ** 2,
  layer: bytes * heads * n ** 2,
  model: bytes * heads * layers * n ** 2,
  share: n / (6 * width + n),
});
export const numbers = compute;

const THIN = "\u202f";
const UNITS = [[1e15, "PB"], [1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]];
export const size = (x) => {
  const [unit, name] = UNITS.find(([one]) => x >= one) ?? [1, "B"];
  const y = x / unit;
  return `${y >= 100 || unit === 1 ? Math.round(y) : y.toFixed(1)}${THIN}${name}`;
};
const short = (x) => (x >= 100 ? Math.round(x) : r(x));
const many = (x, lang) => {
  if (lang === "zh") return x >= 1e12 ? `${short(x / 1e12)} 万亿` : x >= 1e8 ? `${short(x / 1e8)} 亿` : x >= 1e4 ? `${short(x / 1e4)} 万` : String(x);
  return x >= 1e12 ? `${short(x / 1e12)} trillion` : x >= 1e9 ? `${short(x / 1e9)} billion` : x >= 1e6 ? `${short(x / 1e6)} million` : big(x);
};

// Things one knows, by their bytes; the largest that fits.
const THINGS = {
  zh: [[1.44e6, "张软盘", 1.44e6], [4.7e9, "张 DVD", 4.7e9], [1e12, "块 1 TB 的硬盘", 1e12]],
  en: [[1.44e6, "floppy disk", 1.44e6], [4.7e9, "DVD", 4.7e9], [1e12, "disk of 1 TB", 1e12]],
};
const thing = (x, lang) => {
  const one = THINGS[lang].findLast(([least]) => x >= least);
  if (!one) return lang === "zh" ? "一张软盘还装得下" : "less than a floppy disk";
  const times = x / one[2], n = times < 10 ? r(times) : Math.round(times);
  return lang === "zh" ? `${n} ${one[1]}` : `${n} ${one[1].replace(/^(floppy disk|DVD|disk)/, n === 1 ? "$1" : "$1s")}`;
};

const SIDE = 300;
/** The outer frame is the next power of ten, so that the square can be seen at any length. */
export const view = (state, lang, data) => {
  const v = {}, { n } = state, c = compute(state, data);
  const frame = 10 ** Math.ceil(Math.log10(n)), side = (SIDE * n) / frame; // the outer frame is the next power of ten
  v.square = { width: r(side), height: r(side), y: r(SIDE - side) };
  v.line = { width: r(side), y: r(SIDE - Math.max(1.5, SIDE / frame)), height: r(Math.max(1.5, SIDE / frame)) };
  v.frame = { text: `${big(frame)} × ${big(frame)}` };
  v.row = { text: lang === "zh" ? `${big(n)} 个词元` : `${big(n)} tokens`, x: r(Math.max(60, side / 2)) };
  for (const part of ["head", "layer", "model"]) v[part] = { text: size(c[part]) };
  v.thing = { text: thing(c.model, lang) };
  v.bar = { style: `width:${r(100 * c.share)}%` };
  v.share = { text: `${r(100 * c.share)}${THIN}%` };
  data.texts.forEach((text, i) => { v[`x${i}`] = { "aria-pressed": String(text.n === n) }; });
  v.range = { value: toStep(n), "aria-valuetext": v.row.text };
  v.n = { text: big(n) };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: how many scores, and what that means for the account of a layer. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", { n } = state, c = compute(state, data);
  const lead = zh ? `${big(n)} 个词元，每个头 ${many(c.scores, lang)}个分数。` : `${big(n)} tokens make ${many(c.scores, lang)} scores in each head.`;
  const half = 6 * data.width;
  const because = zh
    ? `长一倍，分数就变成四倍。${n < half ? `不过一层的运算里，平方的这一部分只占 ${r(100 * c.share)}${THIN}%：还没轮到它说了算。` : `一层的运算里，平方的这一部分占了 ${r(100 * c.share)}${THIN}%：现在它说了算。`}`
    : `Twice the length, four times the scores. ${n < half ? `Yet of a layer's operations the square is only ${r(100 * c.share)}${THIN}%: it isn't in charge yet.` : `Of a layer's operations the square is ${r(100 * c.share)}${THIN}%: now it is in charge.`}`;
  return [lead, because];
};

export const text = {
  zh: { n: "文本多长", head: "一个头的分数", layer: "一层", model: "全部各层", like: "相当于", share: "平方占一层运算的", texts: "试试" },
  en: { n: "Length", head: "scores of one head", layer: "one layer", model: "all layers", like: "that is", share: "the square's part in a layer", texts: "Try" },
};

export const markup = (lang, data) => {
  const t = text[lang], pick = (one) => one[lang] ?? one;
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<div class="panels"><svg viewBox="-4 -26 ${SIDE + 8} ${SIDE + 56}" role="presentation"><rect class="frame" width="${SIDE}" height="${SIDE}"/><rect class="square" data-ref="square"/><rect class="line" data-ref="line"/><text class="soft" x="${SIDE}" y="-8" text-anchor="end" data-ref="frame"></text><text y="${SIDE + 20}" text-anchor="middle" data-ref="row"></text></svg>
<div class="account"><p>${t.head} <b data-ref="head"></b></p><p>${t.layer} <b data-ref="layer"></b></p><p>${t.model} <b data-ref="model"></b></p><p class="soft">${t.like} <span data-ref="thing"></span></p><p class="soft">${t.share} <b data-ref="share"></b></p><p class="bar"><i data-ref="bar"></i></p></div></div>
<label class="layers"><span>${t.n}</span><input type="range" min="0" max="${STEPS}" step="1" value="${toStep(data.start)}" data-ref="range"><output data-ref="n"></output></label>
<div class="controls"><span class="seg" role="group" aria-label="${t.texts}"><span>${t.texts}</span>${data.texts.map((one, i) => `<button type="button" data-act="x${i}" data-ref="x${i}">${pick(one.name)}</button>`).join("")}</span></div>
<p class="aloud" aria-live="polite"></p>`;
};
