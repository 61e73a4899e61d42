// Chapter 13: one model, two languages. `data` is the recording: where each sentence stands by the Chinese ruler (across)
// and by the English one (up), layer by layer, and how often the other language's ruler is right.
import { bytes, r } from "./draw.js";
import { percent } from "./say.js";

const DOT = 50; // dots travel as whole fiftieths

/** Points of each language, [n_layers][2 · each sentences][2 rulers]: the fruit sentences first. */
export const open = (data) => ({
  ...data,
  points: Object.fromEntries(
    Object.entries(data.points).map(([language, packed]) => {
      const flat = Array.from(new Int8Array(bytes(packed).buffer), (x) => x / DOT);
      const count = flat.length / data.n_layers / 2;
      const at = (layer, i) => [0, 1].map((ruler) => flat[(layer * count + i) * 2 + ruler]);
      return [language, Array.from({ length: data.n_layers }, (_, layer) => Array.from({ length: count }, (_, i) => at(layer, i)))];
    }),
  ),
});

export const first = (data) => ({ layer: data.start });

const LANGUAGES = ["zh", "en"];
/** How many sentences of a language the other language's ruler puts on the right side. */
export const judged = (points, other) => {
  const half = points.length / 2;
  return points.filter((point, i) => (i < half ? point[other] > 0 : point[other] < 0)).length;
};
export const numbers = ({ layer }, { points }) => ({ judged: LANGUAGES.map((language, i) => judged(points[language][layer - 1], 1 - i)) });

const SIDE = 340, MIDDLE = SIDE / 2, UNIT = 64; // a square; one step of a ruler
const place = (x) => Math.max(-2.45, Math.min(2.45, x));

export const view = (state, lang, data) => {
  const v = {}, low = Math.floor(state.layer), up = Math.min(data.n_layers, low + 1), t = state.layer - low;
  for (const language of LANGUAGES)
    data.points[language][low - 1].forEach((from, i) => {
      const to = data.points[language][up - 1][i];
      const [x, y] = [0, 1].map((k) => place(from[k] * (1 - t) + to[k] * t));
      v[`${language}${i}`] = { cx: r(MIDDLE + UNIT * x), cy: r(MIDDLE - UNIT * y) };
    });
  const k = Math.round(state.layer);
  v.layer = { text: lang === "zh" ? `第 ${k} 层` : `layer ${k}` };
  v.range = { value: k, "aria-valuetext": v.layer.text };
  [v.lead, v.because] = words(k, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: how far one language's ruler serves the other, and what is to be seen. */
export const words = (layer, lang, data) => {
  const zh = lang === "zh", [ofChinese, ofEnglish] = LANGUAGES.map((language) => data.right[language][layer]);
  const low = Math.min(ofChinese, ofEnglish);
  const lead = zh
    ? `第 ${layer} 层之后：中文的尺判对 ${percent(ofEnglish)} 的英文句，英文的尺判对 ${percent(ofChinese)} 的中文句。`
    : `After layer ${layer} the Chinese ruler is right about ${percent(ofEnglish)} of the English sentences, the English ruler about ${percent(ofChinese)} of the Chinese ones.`;
  const because = low < 0.7
    ? zh ? "四团混在一起：量得出的还不是意思。" : "Four clouds in a heap: what can be read here is not yet the meaning."
    : low < 0.9 ? zh ? "水果往右上，公司往左下，两种语言正在并到一起。" : "Fruits drift to the upper right, companies to the lower left. The languages are coming together."
    : zh ? "四团成了两团：分开它们的是意思，不是语言。" : "Four clouds have become two. What keeps them apart is the meaning, not the language.";
  return [lead, because];
};

export const text = {
  zh: { across: "中文的尺：往右是水果", up: "英文的尺：往上是水果", fruit: "水果", company: "公司", zh: "苹果", en: "apple", depth: "读到第几层", play: "一层一层看", more: "这张图怎么看", caption: (d) => `真的模型：${d.model}，权重 4 位。每个点是一个句子：苹果 ${d.each * 2} 句，apple ${d.each * 2} 句，一半是水果，一半是公司。横着看是中文句子做的尺上的读数，竖着看是英文句子做的尺上的读数；各自的语言从自己的中点数起，自己那把尺没有见过这一句。超出 ±2.45 的点画在边上。` },
  en: { across: "Chinese ruler: fruit to the right", up: "English ruler: fruit upwards", fruit: "fruit", company: "company", zh: "苹果", en: "apple", depth: "Read how deep?", play: "Layer by layer", more: "How to read this map", caption: (d) => `A real model: ${d.model}, 4-bit weights. Each dot is a sentence, ${d.each * 2} with 苹果 and ${d.each * 2} with apple, half of each about the fruit and half about the company. Across is its reading on the ruler made of Chinese sentences, up on the one made of English sentences. Each language counts from its own middle, and its own ruler had not seen the sentence. Dots beyond ±2.45 stand at the edge.` },
};

export const markup = (lang, data) => {
  const t = text[lang], count = data.points.zh[0].length;
  const dots = (language) => data.points[language][0].map((_, i) => `<circle class="${language} ${i < count / 2 ? "fruit" : "company"}" r="4" data-ref="${language}${i}"/>`).join("");
  const legend = LANGUAGES.map((language) => `<span class="${language}"><b>${t[language]}</b> ● ${t.fruit} ○ ${t.company}</span>`).join("");
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<svg viewBox="0 0 ${SIDE} ${SIDE + 20}" role="presentation"><path class="agree" d="M${MIDDLE} 0h${MIDDLE}v${MIDDLE}h-${SIDE}v${MIDDLE}h${MIDDLE}z"/><path class="frame" d="M0 0h${SIDE}v${SIDE}h-${SIDE}zM${MIDDLE} 0v${SIDE}M0 ${MIDDLE}h${SIDE}"/>
${dots("zh")}${dots("en")}<text x="${SIDE}" y="${SIDE + 15}" class="across">${t.across}</text><text class="up" transform="translate(-7 ${SIDE}) rotate(-90)">${t.up}</text></svg>
<p class="legend">${legend}</p>
<label class="layers"><span>${t.depth}</span><input type="range" min="1" max="${data.n_layers}" step="1" value="${data.start}" data-ref="range"><output data-ref="layer"></output></label>
<div class="controls"><button type="button" data-act="play">${t.play}</button></div>
<details class="caption"><summary>${t.more}</summary><p>${t.caption(data)}</p></details><p class="aloud" aria-live="polite"></p>`;
};
