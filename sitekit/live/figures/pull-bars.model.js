// Chapters 4 and 6: scores as bars to pull; exponentials and shares follow. `data` is the cell's: scores and names, the
// ends of the scale, and in chapter 4 a temperature, which then has a slider.
import { entropy, exps, softmax } from "./kernel.js";
import { big, capital, num, percent, pick, quoted, times } from "./say.js";

export const first = ({ scores, temperature = 1 }) => ({ scores, temperature, event: "start", at: 0, before: null });

export const compute = ({ scores, temperature }) => {
  const weights = softmax(scores, temperature);
  const raw = scores.map((s) => Math.exp(s / temperature));
  return { weights, raw, sum: raw.reduce((a, b) => a + b, 0), heights: exps(scores, temperature), bits: entropy(weights) };
};

export const numbers = (state) => ({ weights: compute(state).weights });

/** The slider runs over powers of ten, from 1 to 1000; a temperature has two digits. */
export const STEPS = 300;
export const toTemperature = (step) => Number((10 ** (step / 100)).toPrecision(2));
export const toStep = (temperature) => Math.round(100 * Math.log10(temperature));

export const clamp = (x, { low, high, step }) => Math.min(high, Math.max(low, Math.round(x / step) * step));
/** All scores shifted or stretched, or nothing where one would leave the scale. */
export const all = (scores, change, { low, high }) => {
  const changed = scores.map(change);
  return changed.every((s) => s >= low - 1e-9 && s <= high + 1e-9) ? changed : null;
};

const r = (x) => Math.round(x * 100) / 100;
const short = (x) => String(r(x)).replace("-", "−");

export const view = (state, lang, data) => {
  const { scores, temperature } = state, c = compute(state), v = {};
  const place = (s) => (100 * (s - data.low)) / (data.high - data.low);
  const N = data.names.map((name) => pick(name, lang));
  scores.forEach((s, i) => {
    const [from, to] = [place(0), place(s)].sort((a, b) => a - b);
    v[`score${i}`] = { text: num(s, data.digits) };
    v[`bar${i}`] = { style: `left:${r(from)}%;width:${r(to - from)}%` };
    v[`grip${i}`] = {
      style: `left:${r(place(s))}%`, role: "slider", tabindex: 0, "aria-label": lang === "zh" ? `${quoted(N[i], lang)}的分数` : `score of ${N[i]}`,
      "aria-valuemin": data.low, "aria-valuemax": data.high, "aria-valuenow": r(s), "aria-valuetext": `${num(s, data.digits)}, ${percent(c.weights[i])}`,
    };
    v[`exp${i}`] = { text: big(c.raw[i]) };
    v[`height${i}`] = { style: `width:${r(100 * c.heights[i])}%` };
    v[`share${i}`] = { text: percent(c.weights[i]) };
    v[`weight${i}`] = { style: `width:${r(100 * c.weights[i])}%` };
    const was = state.before ? state.before.weights[i] : c.weights[i];
    v[`was${i}`] = { style: `left:${r(100 * was)}%;opacity:${Math.abs(was - c.weights[i]) > 0.004 ? 1 : 0}` };
  });
  v.sum = { text: big(c.sum) };
  v.bits = { text: num(c.bits, 2) };
  v.spread = { style: `width:${r((100 * c.bits) / Math.log2(scores.length))}%` };
  if (data.temperature) {
    v.slider = { value: toStep(temperature), "aria-valuetext": `T = ${short(temperature)}` };
    v.temperature = { text: `T = ${short(temperature)}` };
  }
  v.pullme = { style: `left:${r(place(scores[data.pull]))}%;opacity:${state.event === "start" ? 1 : 0}` };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: who gets most, and why. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", { scores, temperature: T, event, before } = state, c = compute(state);
  const N = data.names.map((name) => pick(name, lang)), Q = N.map((name) => quoted(name, lang));
  const [top, next] = scores.map((_, i) => i).sort((a, b) => c.weights[b] - c.weights[a]);
  const p = (i) => percent(c.weights[i]), gap = scores[top] - scores[next], ratio = Math.exp(gap / T), factor = ratio < 10 ? num(ratio, 2) : times(ratio);
  const even = c.weights[top] - c.weights[next] < 5e-4;
  const lead = even
    ? zh ? `${Q[top]}和${Q[next]}一样多：${p(top)}。` : `${capital(N[top])} and ${N[next]} get the same: ${p(top)}.`
    : zh ? `${Q[top]}得 ${p(top)}，${Q[next]}得 ${p(next)}。` : `${capital(N[top])} gets ${p(top)}, ${N[next]} ${p(next)}.`;
  const bits = (x) => num(x, 2), was = before ? before.bits : c.bits;
  if (event === "limit") return [lead, zh ? "再动一步，就有分数出界了。" : "One more step and a score would leave the scale."];
  if (event === "add" || event === "subtract") {
    const more = event === "add";
    return [lead, zh
      ? `每个分数都${more ? "加" : "减"}了 1，每个指数都${more ? "乘" : "除"}以 ${num(Math.E, 2)}，份额一点没变：softmax 只看差。`
      : `Every score ${more ? "went up" : "came down"} by 1 and every exponential was ${more ? "multiplied" : "divided"} by ${num(Math.E, 2)}. No share moved: softmax sees differences only.`];
  }
  if (event === "double") return [lead, zh ? `差距翻倍，份额更尖：熵从 ${bits(was)} 降到 ${bits(c.bits)} 比特。` : `Differences have doubled and the shares sharpen: entropy falls from ${bits(was)} to ${bits(c.bits)} bits.`];
  if (event === "halve") return [lead, zh ? `差距减半，份额更平：熵从 ${bits(was)} 升到 ${bits(c.bits)} 比特。` : `Differences have halved and the shares flatten: entropy rises from ${bits(was)} to ${bits(c.bits)} bits.`];
  if (even) return [lead, zh ? "分数相等，份额就相等。" : "Equal scores, equal shares."];
  if (data.temperature) {
    const hard = c.weights[top] > 0.99, flat = c.bits > 0.99 * Math.log2(scores.length);
    const so = hard ? (zh ? "几乎只给一本，和字典一样。" : "Nearly all goes to one book, as in a dictionary.")
      : flat ? (zh ? "人人几乎一样，成了平均。" : "All get nearly the same: a plain average.") : zh ? "按合不合分。" : "A blend, by how well each fits.";
    return [lead, zh
      ? `温度是 ${short(T)}，${short(gap)} 分只算 ${short(gap / T)}，份额差 ${factor} 倍。${so}`
      : `At temperature ${short(T)}, ${short(gap)} points count as ${short(gap / T)}: a factor of ${factor}. ${so}`];
  }
  return [lead, zh
    ? `${Q[top]}比${Q[next]}多 ${short(gap)} 分，指数和份额就是 ${factor} 倍。`
    : `A lead of ${short(gap)} makes exponential and share ${factor} times as large.`];
};

export const text = {
  zh: { pull: "拉我", score: "分数", exp: "指数", share: "份额", sum: "总和", bits: (n) => `熵，最多 ${n} 比特`, temperature: "温度", add: "每个加 1", subtract: "每个减 1", double: "每个乘 2", halve: "每个除以 2", reset: "还原" },
  en: { pull: "pull me", score: "score", exp: "exp", share: "share", sum: "sum", bits: (n) => `entropy, max ${n} bits`, temperature: "temperature", add: "Add 1 to all", subtract: "Subtract 1", double: "Double all", halve: "Halve all", reset: "Reset" },
};

export const markup = (lang, data) => {
  const t = text[lang], zero = r((-100 * data.low) / (data.high - data.low));
  const row = (name, i) => `<div class="row"><span class="name">${pick(name, lang)}</span>
<div class="score"><b data-ref="score${i}"></b><div class="track" data-row="${i}"><i class="zero" style="left:${zero}%"></i><i class="bar" data-ref="bar${i}"></i><span class="grip" data-ref="grip${i}"></span>${i === data.pull ? `<em class="pullme" data-ref="pullme">${t.pull}</em>` : ""}</div></div>
<div class="exp"><b data-ref="exp${i}"></b><div class="track"><i class="bar" data-ref="height${i}"></i></div></div>
<div class="share"><b data-ref="share${i}"></b><div class="track"><i class="bar" data-ref="weight${i}"></i><i class="was" data-ref="was${i}"></i></div></div></div>`;
  const button = (act) => `<button type="button" data-act="${act}">${t[act]}</button>`;
  const most = r(Math.log2(data.scores.length));
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<div class="row head"><span></span><span class="s">${t.score}</span><span class="e">${data.temperature ? `${t.exp}, s/T` : t.exp}</span><span class="w">${t.share}</span></div>
${data.names.map(row).join("\n")}
<div class="row foot"><span></span><span>${t.sum}</span><b data-ref="sum"></b><b>100${"\u202f"}%</b></div>
<div class="row entropy"><span></span><span>${t.bits(most)}</span><b data-ref="bits"></b><div class="track"><i class="bar" data-ref="spread"></i></div></div>
${data.temperature ? `<label class="layers"><span>${t.temperature}</span><input type="range" min="0" max="${STEPS}" step="5" value="${toStep(data.temperature)}" data-ref="slider"><output data-ref="temperature"></output></label>` : ""}
<div class="controls">${data.temperature ? "" : ["add", "subtract", "double", "halve"].map(button).join("")}<button type="button" class="plain" data-act="reset">${t.reset}</button></div>
<p class="aloud" aria-live="polite"></p>`;
};
