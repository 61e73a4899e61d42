// Chapter 12: one row on its way through a real model, stage by stage, and what would be the next word if it were read out
// there. `data` is the recording: the row's first numbers at each stage of the first layer, the scores of head L0·H0, and
// the shares of a few words after each layer.
import { softmax } from "./kernel.js";
import { arc, places } from "./line.js";
import { num, percent } from "./say.js";
import { r, times } from "./draw.js";

export const first = ({ start }) => ({ step: start });

// Stages of layer 0, then one for every further layer.
const STAGES = ["embeddings", "q", "k", "v", "scores", "weights", "outputs", "hidden"];
const ROLE = { q: "query", k: "key", v: "value", scores: "scores", weights: "weights", outputs: "output" };
export const stops = ({ after }) => STAGES.length + after.length - 2; // of the last step
const layersDone = (step) => Math.max(0, step - STAGES.length + 2);

export const compute = ({ step }, data) => ({ weights: softmax(data.scores), shares: data.after[layersDone(step)].shares });
export const numbers = compute;

const W = 600, BASE = 112;
export const view = (state, lang, data) => {
  const v = {}, { step } = state, stage = STAGES[step], done = layersDone(step), { weights, shares } = compute(state, data);
  const at = places(data.tokens, W), self = data.tokens.length - 1, looking = ["scores", "weights", "outputs"].includes(stage);
  weights.forEach((w, i) => {
    v[`a${i}`] = { d: i === self ? `M${r(at[i].mid)} ${BASE - 34}c-64 -84 64 -84 0 0` : arc(at[self].mid, at[i].mid, BASE - 34, BASE - 50), "stroke-width": r(stage === "scores" ? 1.5 : 22 * w), opacity: looking ? 1 : 0, class: stage === "scores" ? "thread scores" : "thread" };
    v[`p${i}`] = { text: stage === "scores" ? num(data.scores[i]) : looking ? percent(w) : "" };
  });
  const now = stage === "scores" ? data.scores : stage === "weights" ? weights : data.samples[stage] ?? (done === data.after.length - 1 ? data.samples["last hidden"] : null);
  for (let i = 0; i < 3; i++) v[`n${i}`] = { text: now ? num(now[i]) : "", class: `number ${ROLE[stage] ?? ""}` };
  v.shape = { text: data.shapes[stage] ?? data.shapes.hidden };
  shares.forEach((p, i) => {
    v[`b${i}`] = { style: `width:${r(100 * p)}%` };
    v[`c${i}`] = { text: p < 0.0005 ? (lang === "zh" ? "几乎没有" : "next to none") : percent(p) };
  });
  const name = stageName(step, lang, data);
  v.range = { value: step, "aria-valuetext": name };
  v.stage = { text: name };
  v.back = { "aria-disabled": String(step === 0) };
  v.on = { "aria-disabled": String(step === stops(data)) };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

const NAMES = {
  zh: { embeddings: "查表", q: "查询 q", k: "键 k", v: "值 v", scores: "分数", weights: "权重", outputs: "输出", hidden: "L0 做完" },
  en: { embeddings: "look-up", q: "query q", k: "key k", v: "value v", scores: "scores", weights: "weights", outputs: "output", hidden: "L0 done" },
};
const stageName = (step, lang) => NAMES[lang][STAGES[step]] ?? (lang === "zh" ? `L${layersDone(step) - 1} 做完` : `L${layersDone(step) - 1} done`);

const SAYS = {
  zh: {
    embeddings: "词元的编号取出词表里的一行，576 个数。下面是它的前三个。",
    q: "第一层的一个头把这一行乘上 W_q：它要找什么。",
    k: "同一行乘上 W_k：它给别人看的标签。",
    v: "同一行乘上 W_v：被看中时它交出去的东西。",
    scores: "它的查询和每个键做点积，除以 √64。",
    weights: "softmax 把三个分数变成三份，加起来是一。",
    outputs: "按这三份把三个值混在一起。",
    hidden: "九个头拼起来，过前馈网络，都加回原来那一行。",
  },
  en: {
    embeddings: "The token's id fetches a row of 576 numbers.",
    q: "One head multiplies the row by W_q: what it looks for.",
    k: "The same row times W_k: the label it shows to others.",
    v: "The same row times W_v: what it hands over.",
    scores: "Its query meets each key in a dot product, divided by √64.",
    weights: "Softmax turns three scores into three shares of one.",
    outputs: "The three values are blended in these shares.",
    hidden: "Nine heads and a feed-forward network, added to the row.",
  },
};

/** Two sentences: what happens at this stage, and what would be said if the model stopped there. */
export const words = ({ step }, lang, data) => {
  const zh = lang === "zh", done = layersDone(step), { top } = data.after[done], leader = top.token.replace(" ", "␣");
  const lead = SAYS[lang][STAGES[step]] ?? (zh ? `又过了一层：${done} 层做完，还剩 ${data.after.length - 1 - done} 层。` : `One more layer: ${done} done, ${data.after.length - 1 - done} to go.`);
  const end = done === data.after.length - 1;
  const because = zh
    ? end ? `读出来，最可能的下一个词是“${leader}”，${percent(top.p)}。` : `要是现在就读出来，最可能的是“${leader}”，${percent(top.p)}。`
    : end ? `Read out, the likeliest next word is “${leader}” with ${percent(top.p)}.` : `Read out here, the likeliest next word would be “${leader}” with ${percent(top.p)}.`;
  return [lead, because];
};

export const text = {
  zh: { back: "退一步", on: "进一步", play: "走到底", stage: "走到哪一步", shape: "形状", numbers: "这一行的前三个数", next: "现在读出来，下一个词" },
  en: { back: "Step back", on: "Step on", play: "Run to the end", stage: "How far", shape: "shape", numbers: "the row's first three numbers", next: "Read out here, the next word" },
};

export const markup = (lang, data) => {
  const t = text[lang], at = places(data.tokens, W), self = data.tokens.length - 1, n = data.tokens.length;
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<svg viewBox="0 0 ${W} 128" role="presentation">${times(n, (i) => `<path data-ref="a${i}"/>`)}${data.tokens.map((token, i) => `<text class="word${i === self ? " it" : ""}" x="${r(at[i].mid)}" y="${BASE}">${token}</text><text class="pc" x="${r(at[i].mid)}" y="${BASE - 36}" data-ref="p${i}"></text>`).join("")}</svg>
<p class="row"><span>${t.numbers}</span> ${times(3, (i) => `<b data-ref="n${i}"></b>`)} <span>… ${t.shape} <i data-ref="shape"></i></span></p>
<p class="next">${t.next}</p>${data.candidates.map((word, i) => `<div class="candidate"><span>${word}</span><span class="bar"><i data-ref="b${i}"></i></span><span data-ref="c${i}"></span></div>`).join("")}
<label class="layers"><span>${t.stage}</span><input type="range" min="0" max="${stops(data)}" step="1" value="${data.start}" data-ref="range"><output data-ref="stage"></output></label>
<div class="controls"><button type="button" data-act="back" data-ref="back">${t.back}</button><button type="button" data-act="on" data-ref="on">${t.on}</button><button type="button" data-act="play">${t.play}</button></div>
<p class="aloud" aria-live="polite"></p>`;
};
