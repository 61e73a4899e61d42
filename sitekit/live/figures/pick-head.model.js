// Chapter 13: whom 苹果 looks at, head by head, in two sentences at once. `data` is the recording: for each sentence its
// words and the shares that the row of 苹果 gives them, [n_layers · n_heads · n], in thousandths.
import { arc, places } from "./line.js";
import { percent, pick } from "./say.js";
import { bytes, r, times } from "./draw.js";

export const open = (data) => ({
  ...data,
  sentences: data.sentences.map((s) => ({ ...s, shares: Array.from(new Int16Array(bytes(s.shares).buffer), (x) => x / 1000) })),
});

export const first = ({ start: [layer, head] }) => ({ layer, head });

const row = (s, { layer, head }, data) => s.shares.slice((layer * data.n_heads + head) * s.words.length).slice(0, s.words.length);
export const compute = (state, data) => data.sentences.map((s) => row(s, state, data));
export const numbers = (state, data) => ({ shares: compute(state, data) });

const W = 600, BASE = 128;
/** The strongest share that a head gives a word that is neither 苹果 itself nor a mark or a space. */
const strongest = (s, shares) => shares.map((w, i) => [i === s.at || /^(<.*>|▁)$/.test(s.words[i]) ? -1 : w, i]).sort((a, b) => b[0] - a[0])[0];

export const view = (state, lang, data) => {
  const v = {};
  data.sentences.forEach((s, k) => {
    const at = places(s.words, W), shares = row(s, state, data);
    shares.forEach((w, i) => {
      const it = i === s.at;
      v[`a${k}-${i}`] = it ? { opacity: 0 } : { opacity: 1, d: arc(at[s.at].mid, at[i].mid, BASE - 34, BASE - 52), "stroke-width": r(Math.max(0.4, 56 * w)) };
      v[`p${k}-${i}`] = { text: it || w < 0.005 ? "" : `${Math.round(100 * w)}\u202f%` };
    });
  });
  for (let i = 0; i < data.n_layers * data.n_heads; i++)
    v[`h${i}`] = { class: i === state.layer * data.n_heads + state.head ? "head now" : "head" };
  const name = `L${state.layer}·H${state.head}`;
  for (const part of ["layer", "head"]) v[part] = { value: state[part], "aria-valuetext": `${part === "layer" ? "L" : "H"}${state[part]}` };
  v.name = { text: name };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: where this head looks in each, and how much goes to the marks at the ends. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", shares = compute(state, data), name = `L${state.layer}·H${state.head}`;
  const [a, b] = data.sentences.map((s, k) => { const [w, i] = strongest(s, shares[k]); return { word: s.words[i], means: pick(s.means[i], lang), w }; });
  const called = ({ word, means }) => (zh ? `“${word}”` : `${word} (${means})`);
  const lead = zh
    ? `${name}：上面看${called(a)} ${percent(a.w)}，下面看${called(b)} ${percent(b.w)}。`
    : `${name} gives ${called(a)} ${percent(a.w)} above and ${called(b)} ${percent(b.w)} below.`;
  const ends = shares.map((one) => one[0] + one.at(-1));
  const because = zh
    ? `首尾两个记号拿走 ${percent(ends[0])} 和 ${percent(ends[1])}。换一个头，故事就换一个。`
    : `The marks at the two ends take ${percent(ends[0])} and ${percent(ends[1])}. Another head, another story.`;
  return [lead, because];
};

export const text = {
  zh: { layer: "层", head: "头", grid: "144 个头，颜色是分给“买了”和“发布了”的份额，取大的一个", pick: "点一格" },
  en: { layer: "Layer", head: "Head", grid: "144 heads, shaded by the share for 买了 (bought) or 发布了 (released), whichever is larger", pick: "pick one" },
};

export const markup = (lang, data) => {
  const t = text[lang], { n_layers: L, n_heads: H } = data, cell = 22;
  const line = (s, k) => {
    const at = places(s.words, W);
    return `<svg class="line" viewBox="0 -44 ${W} 190" role="presentation">${s.words.map((_, i) => `<path class="thread" data-ref="a${k}-${i}"/>`).join("")}
${s.words.map((word, i) => `<text class="word${i === s.at ? " it" : ""}${i === 0 || i === s.words.length - 1 ? " end" : ""}" x="${r(at[i].mid)}" y="${BASE}">${word.replace(/</g, "&lt;")}</text><text class="pc" x="${r(at[i].mid)}" y="${BASE - 36}" data-ref="p${k}-${i}"></text>`).join("")}</svg>`;
  };
  const shade = (layer, head) => Math.max(...data.sentences.map((s) => row(s, { layer, head }, data)[s.verb]));
  const square = (i) => `<rect x="${(i % H) * cell + 1}" y="${Math.floor(i / H) * cell + 1}" width="${cell - 2}" height="${cell - 2}" fill-opacity="${r(10 * (0.06 + 0.94 * shade(Math.floor(i / H), i % H))) / 10}" data-head="${i}" data-ref="h${i}"/>`;
  const range = (part, n) => `<label class="layers"><span>${t[part]}</span><input type="range" min="0" max="${n - 1}" step="1" data-part="${part}" data-ref="${part}"></label>`;
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<div class="panels"><div lang="zh">${data.sentences.map(line).join("")}</div>
<div class="heads"><svg viewBox="0 0 ${H * cell} ${L * cell}" role="presentation">${times(L * H, square)}</svg><p class="hint">${t.grid}</p></div></div>
${range("layer", L)}${range("head", H)}<output class="name" data-ref="name"></output><p class="aloud" aria-live="polite"></p>`;
};
