// Chapter 9: one head of MiniLM on one sentence, as arcs from each token to those that it looks at, and the weights of one row.
// `data`: sentences with their tokens, where to start, and the weights of the head that it starts with; all others are fetched.
import { bytes, r, range, times } from "./draw.js";
import { percent } from "./say.js";

/** Weights as recorded, float16 without a sign: 5 bits of exponent, 10 of fraction. */
const half = (bits) => {
  const exponent = bits >> 10, fraction = (bits & 1023) / 1024;
  return exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction;
};
export const halves = (from) => Array.from({ length: from.length / 2 }, (_, i) => half(from[2 * i] | (from[2 * i + 1] << 8)));

export const open = ({ opening, ...data }) => ({ ...data, opening: halves(bytes(opening)), weights: {} });

export const first = ({ start: [layer, head, row] }) => ({ sentence: 0, layer, head, row, status: "" });

/** Whether the weights of this head are here. */
export const has = ({ sentence, layer, head }, { weights, start }) =>
  Boolean(weights[sentence]) || (sentence === 0 && layer === start[0] && head === start[1]);

/** [n, n]: the rows ask, the columns are looked at. */
export const compute = ({ sentence, layer, head }, { sentences, n_heads, weights, opening }) => {
  const n = sentences[sentence].tokens.length, all = weights[sentence], start = all ? (layer * n_heads + head) * n * n : 0;
  return Array.from({ length: n }, (_, i) => (all ?? opening).slice(start + i * n, start + (i + 1) * n));
};
export const numbers = (state, data) => ({ row: compute(state, data)[state.row] });

const H = 32, X = 112; // a row's height; where the arcs end
const mid = (i) => H * i + H / 2;
const bow = (i, j) => {
  const far = i === j ? 26 : Math.min(X - 6, 22 + 13 * Math.abs(i - j)), [a, b] = i === j ? [mid(i) - 7, mid(i) + 7] : [mid(i), mid(j)];
  return `M${X} ${a}C${X - far} ${a} ${X - far} ${b} ${X} ${b}`;
};
const LEVELS = [0.12, 0.3, 0.6, 1]; // the arcs of all rows, by their weight

/** A mark of punctuation stands between quotes, so that it is not taken for the sentence's own. */
const named = (token) => (/^\W$/.test(token) ? `“${token}”` : token);
const most = (state) => Math.max(...state.sentences.map(({ tokens }) => tokens.length));

export const view = (state, lang, data) => {
  const v = {}, { tokens } = data.sentences[state.sentence], all = compute(state, data), n = tokens.length, row = all[state.row];
  LEVELS.forEach((level, k) => {
    const from = LEVELS[k - 1] ?? 0.05;
    const d = all.flatMap((one, i) => one.map((w, j) => (i !== state.row && w > from && w <= level + 1e-3 ? bow(i, j) : ""))).join("");
    v[`all${k}`] = { d: d || "M0 0", "stroke-width": r(1 + 5 * level) };
  });
  for (let j = 0; j < most(data); j++) {
    const there = j < n, w = there ? row[j] : 0;
    v[`arc${j}`] = { d: there ? bow(state.row, j) : "M0 0", "stroke-width": r(Math.max(0.5, 15 * w)), opacity: w < 0.005 ? 0 : 1 };
    v[`row${j}`] = { class: there ? (j === state.row ? "row it" : "row") : "row gone" };
    v[`token${j}`] = { text: tokens[j] ?? "", "aria-pressed": String(j === state.row), tabindex: j === state.row ? 0 : -1, "aria-label": there ? `${tokens[j]} ${percent(w)}` : "" };
    v[`bar${j}`] = { style: `width:${r(100 * w)}%` };
    v[`share${j}`] = { text: there ? percent(w) : "" };
  }
  v.arcs = { style: `height:${H * n}px`, viewBox: `0 0 ${X} ${H * n}` };
  v.layer = { value: state.layer, "aria-valuetext": `${text[lang].layer} ${state.layer}` };
  v.head = { value: state.head, "aria-valuetext": `${text[lang].head} ${state.head}` };
  v.layerNow = { text: String(state.layer) };
  v.headNow = { text: String(state.head) };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: where the chosen row looks, and what most rows of this head do. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", { tokens } = data.sentences[state.sentence], all = compute(state, data), n = tokens.length;
  const best = all.map((row) => row.indexOf(Math.max(...row))), name = `L${state.layer}·H${state.head}`;
  const at = best[state.row], share = percent(all[state.row][at]), token = named(tokens[state.row]);
  const lead = zh
    ? `${name}：${token} 把 ${share} 给了${at === state.row ? "自己" : ` ${named(tokens[at])}`}。`
    : `${name}: ${token} gives ${share} to ${at === state.row ? "itself" : named(tokens[at])}.`;
  if (state.status) return [lead, state.status === "file" ? self.asFile : text[lang][state.status]];
  const count = (is) => best.filter(is).length;
  const shifts = [[count((b, i) => b === i - 1), zh ? "前一个词元" : "the token before"], [count((b, i) => b === i + 1), zh ? "后一个词元" : "the next token"], [count((b, i) => b === i), zh ? "自己" : "itself"]];
  const columns = tokens.map((one, j) => [count((b) => b === j), named(one)]);
  const [times, whom] = [...shifts, ...columns].reduce((a, b) => (b[0] > a[0] ? b : a));
  return [lead, zh
    ? `${n} 行里有 ${times} 行最看${/\w/.test(whom) ? ` ${whom}` : whom}。点一个词元，看它那一行。`
    : `In ${times} of ${n} rows the largest weight is on ${whom}. Press a token for its row.`];
};

export const text = {
  zh: { sentence: "句子", layer: "层", head: "头", tokens: "谁在看", waiting: "正在取权重……", failed: "没有取到权重。也许断网了，再选一次试试。" },
  en: { sentence: "Sentence", layer: "Layer", head: "Head", tokens: "Who looks", waiting: "Fetching the weights …", failed: "The weights did not arrive. The network may be down; choose again." },
};

export const markup = (lang, data) => {
  const t = text[lang], N = most(data), escape = (s) => s.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<div class="arcs" lang="en"><svg width="${X}" data-ref="arcs" preserveAspectRatio="xMaxYMid slice" role="presentation"><g class="all">${times(LEVELS.length, (k) => `<path data-ref="all${k}"/>`)}</g><g class="mine">${times(N, (j) => `<path data-ref="arc${j}"/>`)}</g></svg>
<div class="rows" role="group" aria-label="${t.tokens}">${times(N, (j) => `<div data-ref="row${j}"><button type="button" data-row="${j}" data-ref="token${j}"></button><div class="track"><i class="bar" data-ref="bar${j}"></i></div><b data-ref="share${j}"></b></div>`)}</div></div>
${range(t.layer, "layer", data.n_layers - 1, data.start[0])}${range(t.head, "head", data.n_heads - 1, data.start[1])}
<label class="layers sentence"><span>${t.sentence}</span><select lang="en">${data.sentences.map((one, i) => `<option value="${i}">${escape(one.text)}</option>`).join("")}</select></label>
<p class="aloud" aria-live="polite"></p>`;
};
