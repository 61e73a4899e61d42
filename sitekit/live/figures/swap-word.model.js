// Chapter 13: one measure word changes, and the reading of 苹果 with it. `data` is the recording: for every measure word
// the reading by layer, and where it lies in 95 of 100 rulers.
import { r } from "./draw.js";
import { num, pick, UNDECIDED } from "./say.js";

export const first = (data) => ({ choice: data.start, layer: data.layers.at(-1), at: null });

const row = ({ choice, layer }, { choices, layers }, which = choice) => {
  const k = layers.indexOf(layer);
  return { reading: choices[which].readings[k], interval: choices[which].intervals[k] };
};
export const compute = row;
export const numbers = (state, data) => ({ readings: data.choices.map((_, i) => row(state, data, i).reading) });

const W = 600, MIDDLE = 300, UNIT = 170, LINE = 100; // one step of the ruler
const place = (x) => r(MIDDLE + UNIT * Math.max(-1.6, Math.min(1.6, -x))); // fruit on the left, as on the front page

export const view = (state, lang, data) => {
  const v = {}, now = row(state, data);
  data.choices.forEach((_, i) => {
    const one = row(state, data, i);
    v[`c${i}`] = { "aria-pressed": String(i === state.choice) };
    v[`tick${i}`] = { x1: place(one.reading), x2: place(one.reading), class: i === state.choice ? "tick now" : "tick" };
    v[`mark${i}`] = { x: place(one.reading), class: i === state.choice ? "mark now" : "mark" };
  });
  const at = state.at ?? now.reading;
  v.dot = { cx: place(at) };
  const [low, high] = now.interval;
  v.band = { x: place(high), width: r(place(low) - place(high)) };
  v.word = { text: data.choices[state.choice].word };
  v.range = { value: data.layers.indexOf(state.layer), "aria-valuetext": lang === "zh" ? `第 ${state.layer} 层` : `layer ${state.layer}` };
  v.layer = { text: v.range["aria-valuetext"] };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

const sign = (x) => (x > 0 ? "+" : "") + num(x);

/** Two sentences: what the model reads now, and how sure the ruler is of it. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", { reading, interval: [low, high] } = row(state, data), { word, means: label } = data.choices[state.choice], means = pick(label, lang);
  const sense = Math.abs(reading) < UNDECIDED ? null : reading > 0 ? (zh ? "水果" : "a fruit") : zh ? "公司" : "a company";
  const lead = zh
    ? `买了${word}苹果：模型${sense ? `读出来的是${sense}` : "拿不准"}。`
    : `Bought ${word} 苹果, ${means}: the model ${sense ? `reads ${sense}` : "can't tell"}.`;
  const range = `${sign(low)} … ${sign(high)}`;
  const because = zh
    ? `第 ${state.layer} 层之后读数 ${sign(reading)}；换别的句子做尺，95 % 落在 ${range}。别的字一个没改。`
    : `After layer ${state.layer} it reads ${sign(reading)}. With rulers made of other sentences, 95 % lie in ${range}. No other character has changed.`;
  return [lead, because];
};

export const text = {
  zh: { choose: "换一个量词", fruit: "水果", company: "公司", depth: "读到第几层", before: "我今天买了", after: "苹果。" },
  en: { choose: "Another measure word", fruit: "fruit", company: "company", depth: "Read how deep?", before: "我今天买了", after: "苹果。" },
};

export const markup = (lang, data) => {
  const t = text[lang], button = ({ word, means }, i) => `<button type="button" data-act="c${i}" data-ref="c${i}"><span lang="zh">${word}</span>${lang === "zh" ? "" : ` ${pick(means, lang)}`}</button>`;
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<p class="sentence" lang="zh">${t.before}<b data-ref="word"></b><em>${t.after.slice(0, 2)}</em>${t.after.slice(2)}</p>
<div class="controls choose"><span class="seg" role="group" aria-label="${t.choose}">${data.choices.map(button).join("")}</span></div>
<svg viewBox="0 0 ${W} 152" role="presentation"><rect class="band" y="${LINE - 14}" height="28" data-ref="band"/><path class="line" d="M20 ${LINE}H580M${MIDDLE} ${LINE - 22}V${LINE + 22}"/>
${data.choices.map(({ word }, i) => `<line y1="${LINE - 9}" y2="${LINE + 9}" data-ref="tick${i}"/><text y="${LINE - 24 - 28 * (i % 2)}" data-ref="mark${i}">${word}</text>`).join("")}
<circle cy="${LINE}" r="9" data-ref="dot"/><text class="pole" x="${MIDDLE - UNIT}" y="144">${t.fruit} +1</text><text class="pole" x="${MIDDLE}" y="144">0</text><text class="pole" x="${MIDDLE + UNIT}" y="144">−1 ${t.company}</text></svg>
<label class="layers"><span>${t.depth}</span><input type="range" min="0" max="${data.layers.length - 1}" step="1" value="${data.layers.length - 1}" data-ref="range"><output data-ref="layer"></output></label>
<p class="aloud" aria-live="polite"></p>`;
};
