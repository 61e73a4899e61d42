// The front page: two meanings of one word, in a real model. `data` is the recording: for every set of hidden words and
// every layer a reading of the word between fruit and company, the share it gives each word on the average of the
// layer's heads, and where the sentences stand that the ruler was made of.
import { quoted, UNDECIDED } from "./say.js";
import { arc, places } from "./line.js";
import { bytes, r, share } from "./draw.js";

const THIN = "\u202f";

/** The recording unpacked: readings [n_layers, sets] in hundredths, arcs [n_layers, words, sets], dots [n_layers, sentences]. */
export const open = (data) => ({
  ...data,
  layers: data.n_layers,
  crowd: ["fruit", "company"].map((sense) => Array.from(new Int8Array(bytes(data.dots[sense]).buffer), (x) => x / 50)),
  sentences: data.sentences.map((one) => ({
    ...one,
    words: one.words.map((word) => word.trim()),
    sets: 2 ** (one.words.length - 1),
    readings: Array.from(new Int16Array(bytes(one.readings).buffer), (x) => x / 100),
  })),
});

export const first = (data) => ({ sentence: data.start, hidden: 0, layer: data.layers, needle: null, event: "start" });

/** The digit of a word in the number of a set of hidden words: the first word has the highest, the word itself has none. */
export const bit = (s, word) => 1 << (s.words.length - 2 - (word > s.at ? word - 1 : word));
/** Layer 0 is the table of words: one row for all sentences, so nothing to read. */
export const read = (s, hidden, layer) => (layer === 0 ? 0 : s.readings[(layer - 1) * s.sets + hidden]);
export const weight = (s, hidden, layer, word) =>
  layer === 0 ? 0 : share(s.arcs, ((layer - 1) * s.words.length + word) * s.sets + hidden);

/** What the cell computed: the readings of the whole sentences after the last layer. */
export const numbers = (_, data) => ({ readings: data.sentences.map((s) => read(s, 0, data.layers)) });

// The drawing, 600 wide
const W = 600;
export const BASE = 132, R = 320, HUB = [300, R + 34], FLOOR = 196; // the needle turns far below what is shown
const ANGLE = 19; // degrees for a reading of 1
const turn = (x) => Math.max(-47, Math.min(47, -ANGLE * x)); // fruit on the left
export const polar = (deg, radius) => [r(HUB[0] + radius * Math.sin((deg * Math.PI) / 180)), r(HUB[1] - radius * Math.cos((deg * Math.PI) / 180))];

export const MAX = 7; // words a sentence at most
export const view = (state, lang, data) => {
  const v = {}, s = data.sentences[state.sentence], at = places(s.words, W), layer = state.layer, k = Math.round(layer);
  for (let i = 0; i < MAX; i++) {
    const there = i < s.words.length, p = at[i], it = i === s.at;
    if (!there) { v[`w${i}`] = { display: "none" }; v[`thread${i}`] = { opacity: 0 }; v[`pc${i}`] = { text: "" }; continue; }
    const gone = !it && (state.hidden & bit(s, i)) !== 0, w = weight(s, state.hidden, k, i);
    v[`w${i}`] = { display: "inline", role: it ? "img" : "button", tabindex: it ? -1 : 0, "aria-pressed": it ? null : String(gone), "aria-label": it ? s.words[i] : lang === "zh" ? `藏起“${s.words[i]}”` : `Hide “${s.words[i]}”` };
    v[`box${i}`] = { x: r(p.x), width: r(p.w) };
    v[`t${i}`] = { x: r(p.mid), text: s.words[i], class: it ? "word it" : "word" };
    v[`u${i}`] = { x1: r(p.x + 8), x2: r(p.x + p.w - 8), opacity: it ? 0 : 1 };
    v[`c${i}`] = { x1: r(p.x + 6), x2: r(p.x + p.w - 6) };
    const from = at[s.at].mid;
    v[`thread${i}`] = it || gone ? { opacity: 0 } : { d: arc(from, p.mid, BASE - 34, BASE - 53), "stroke-width": r(Math.max(0.4, w * 0.62)), opacity: k ? 1 : 0 };
    v[`pc${i}`] = { x: r(p.mid), text: it || gone || !k ? "" : `${w}\u202f%` };
  }
  const low = Math.floor(layer), up = Math.min(data.layers, low + 1), t = layer - low;
  const on = (l, i) => (l === 0 ? 0 : data.crowd[i < data.each ? 0 : 1][(l - 1) * data.each + (i % data.each)]);
  for (let i = 0; i < 2 * data.each; i++) {
    const x = on(low, i) * (1 - t) + on(up, i) * t;
    const [cx, cy] = polar(turn(x), R - 13 + ((i * 7) % 24) * 1.12);
    v[`d${i}`] = { cx, cy };
  }
  const now = read(s, state.hidden, low) * (1 - t) + read(s, state.hidden, up) * t;
  const x = state.needle ?? now;
  v.needle = { transform: `rotate(${r(turn(x))} ${HUB})` };
  const was = state.hidden ? read(s, 0, k) : now;
  v.was = { transform: `rotate(${r(turn(was))} ${HUB})`, opacity: Math.abs(was - x) > 0.04 ? 1 : 0 };
  data.sentences.forEach((_, i) => { v[`s${i}`] = { "aria-pressed": String(i === state.sentence) }; });
  v.layer = { text: k === 0 ? (lang === "zh" ? "词表" : "word table") : lang === "zh" ? `第 ${k} 层` : `layer ${k}` };
  v.range = { value: k, "aria-valuetext": v.layer.text };
  const [lead, because] = words(state, lang, data);
  v.lead = { text: lead };
  v.because = { text: because };
  v.all = { "aria-disabled": String(!state.hidden) };
  return v;
};

const sign = (x) => (Math.abs(x) < 0.005 ? "0" : (x < 0 ? "−" : "+") + Math.abs(x).toFixed(2));

/** Two sentences: what the model reads, and what the reader has just done to it. */
export const words = ({ sentence, hidden, layer }, lang, data) => {
  const zh = lang === "zh", s = data.sentences[sentence], k = Math.round(layer), it = quoted(s.words[s.at], lang);
  const x = read(s, hidden, k), x0 = read(s, 0, k), all = 2 * data.each;
  if (k === 0) return zh
    ? [`词表里，只有一个${it}。`, `哪一句取到的都是同一行数：还没有什么可读，${all} 个句子叠在一起。往右拉，看它们分开。`]
    : [`In the word table there is one row for ${it}.`, `Every sentence fetches it: nothing to read yet, and ${all} sentences lie in one heap. Pull the slider and they part.`];
  const lead = !data.trusted[k - 1]
    ? zh ? `第 ${k} 层还分不清：${all} 句只读对 ${Math.round(100 * data.right[k - 1])}${THIN}%。` : `Layer ${k} can't tell yet: it gets ${Math.round(100 * data.right[k - 1])}${THIN}% of ${all} right.`
    : Math.abs(x) < UNDECIDED ? zh ? "水果，还是公司？模型拿不准。" : "Fruit or company? The model can't tell."
    : zh ? `模型读出来的是${x > 0 ? "水果" : "公司"}。` : `The model reads a ${x > 0 ? "fruit" : "company"}.`;
  const others = s.words.filter((_, i) => i !== s.at && hidden & bit(s, i));
  if (others.length === s.words.length - 1) return [lead, zh ? `只剩${it}自己，读数 ${sign(x)}。没有别的词，它就是这样。` : `Only ${it} is left, and reads ${sign(x)}. That is what it is without company.`];
  if (others.length) {
    const list = others.map((w) => `“${w}”`).join(zh ? "" : " and "), moved = x - x0, little = Math.abs(moved) < 0.1;
    const towards = moved > 0 ? (zh ? "水果" : "the fruit") : zh ? "公司" : "the company";
    return [lead, zh
      ? `藏起${list}，读数从 ${sign(x0)} ${little ? "到" : "转到"} ${sign(x)}，${little ? "几乎没动。" : `往${towards}那边去了。`}`
      : `Hide ${list}, and the reading goes from ${sign(x0)} to ${sign(x)}: ${little ? "hardly a move." : `towards ${towards}.`}`];
  }
  const most = s.words.map((w, i) => [i === s.at ? -1 : weight(s, 0, k, i), w]).sort((a, b) => b[0] - a[0])[0];
  return [lead, zh
    ? `读数 ${sign(x)}。在第 ${k} 层，它看得最多的别的词是“${most[1]}”，${most[0]}${THIN}%。点一个词，把它藏起来。`
    : `It reads ${sign(x)}. In layer ${k}, the other word it looks at most is “${most[1]}”, ${most[0]}${THIN}%. Tap a word to hide it.`];
};

export const text = {
  zh: { dots: (n) => `${n} 句`, fruit: "水果", company: "公司", layer: "读到第几层", all: "都放回来", play: "一层一层看", choose: "选一句", words: "句子里的词，点一个把它藏起来", more: "这是怎么量的", caption: (d, right) => `真的模型：${d.model}，权重 4 位，整句不加前缀。弧线的粗细是“苹果”在这一层分给各词的注意力，取各头的平均；没画出的部分给了它自己和首尾的记号。指针是“苹果”的向量在“水果到公司”这条线上的位置：${d.each} 个水果句的平均是 +1，${d.each} 个公司句的平均是 −1，每层一把尺。圆点是这 ${2 * d.each} 句，读每一句的尺都没有见过它那一组；最后一层 ${right}${THIN}% 站对了边。藏起一个词，是所有层、所有头里别的词谁也不许看它。粗的弧线不一定推得动指针：权重不是原因。` },
  en: { dots: (n) => `${n} sentences`, fruit: "fruit", company: "company", layer: "Read how deep?", all: "Put all back", play: "Layer by layer", choose: "Choose a sentence", words: "The words of the sentence: press one to hide it", more: "How this is measured", caption: (d, right) => `A real model: ${d.model}, 4-bit weights, plain sentences, all in small letters so that no capital gives the answer away. An arc is as thick as the attention that “apple” gives a word in this layer, averaged over the heads. What isn't drawn went to the word itself and to the marks at both ends. The needle is where the vector of “apple” lies between fruit and company: the mean of ${d.each} fruit sentences is +1, of ${d.each} company sentences −1, with a ruler for each layer. The dots are these ${2 * d.each}, each read by a ruler that had not seen its group; after the last layer ${right}${THIN}% are on the right side. A hidden word is one that no other word may look at, in any layer or head. A thick arc need not move the needle: a weight is not a cause.` },
};

/** Chinese is written without spaces, but for Latin words; no space comes before a full stop. */
const sentenceText = (s, lang) =>
  s.words.reduce((line, w) => line + (line && w !== "." && (lang === "en" || /^\w/.test(w)) ? " " : "") + w, "");

export const markup = (lang, data) => {
  const t = text[lang], n = (k, f) => Array.from({ length: k }, (_, i) => f(i)).join("");
  const [a, b] = [polar(-46, R), polar(46, R)];
  return `<div class="sentences" role="group" aria-label="${t.choose}">${data.sentences.map((s, i) => `<button type="button" data-act="s${i}" data-ref="s${i}">${sentenceText(s, lang)}</button>`).join("")}</div>
<div class="stage"><svg viewBox="0 0 600 154" role="group" aria-label="${t.words}">${n(MAX, (i) => `<path class="thread" data-ref="thread${i}"/>`)}
${n(MAX, (i) => `<g class="w" data-word="${i}" data-ref="w${i}"><rect y="${BASE - 38}" height="70" data-ref="box${i}"/><line class="under" y1="${BASE + 14}" y2="${BASE + 14}" data-ref="u${i}"/><text class="word" y="${BASE + 3}" data-ref="t${i}"></text><line class="cut" y1="${BASE - 7}" y2="${BASE - 7}" data-ref="c${i}"/></g><text class="pc" y="${BASE - 36}" data-ref="pc${i}"></text>`)}</svg>
<p class="lead" data-ref="lead"></p>
<svg class="gauge" viewBox="0 0 600 206" role="presentation"><clipPath id="which-apple-floor"><rect y="-20" width="600" height="${FLOOR + 20}"/></clipPath><path class="dial" d="M${a}A${R} ${R} 0 0 1 ${b}"/><path class="noon" d="M300 ${HUB[1] - R - 20}V${HUB[1] - R + 22}"/>
${n(2 * data.each, (i) => `<circle class="${i < data.each ? "fruit" : "company"}" r="${i < data.each ? 4.2 : 3.8}" data-ref="d${i}"/>`)}
<g clip-path="url(#which-apple-floor)"><path class="was" d="M300 ${HUB[1]}V${HUB[1] - R + 26}" data-ref="was"/><path class="needle" d="M293 ${HUB[1]}L299 ${HUB[1] - R + 24}h2L307 ${HUB[1]}z" data-ref="needle"/></g><path class="base" d="M60 ${FLOOR}H540"/>
<text class="pole" x="150" y="158">${t.fruit}</text><text class="key" x="150" y="182">● ${t.dots(data.each)}</text><text class="pole" x="450" y="158">${t.company}</text><text class="key" x="450" y="182">○ ${t.dots(data.each)}</text></svg>
<p class="because" data-ref="because"></p>
<label class="layers"><span>${t.layer}</span><input type="range" min="0" max="${data.layers}" step="1" value="${data.layers}" data-ref="range"><output data-ref="layer"></output></label>
<div class="controls"><button type="button" data-act="play">${t.play}</button><button type="button" class="plain" data-act="all" data-ref="all">${t.all}</button></div></div>
<details class="caption"><summary>${t.more}</summary><p>${t.caption(data, Math.round(100 * data.right[data.layers - 1]))}</p></details><p class="aloud" aria-live="polite"></p>`;
};
