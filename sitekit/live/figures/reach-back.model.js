// Chapter 14: what of a nudge to the first word arrives at the last, along a chain of steps and by a direct line. `data`
// is the cell's: for every distance from 1, the gradient of a chain (by its radius) and of a direct line, and the weight
// that the direct line has (by the kind of query).
import { r } from "./draw.js";
import { arc } from "./line.js";
import { big, percent } from "./say.js";

export const first = ({ start }) => ({ distance: start, radius: "0.9", query: "matched", event: "start" });

const at = (curve, distance) => curve[Math.round(distance) - 1];
export const compute = ({ distance, radius, query }, { chains, direct, shares }) => ({
  chain: at(chains[radius], distance), direct: at(direct[query], distance), share: at(shares[query], distance),
});
export const numbers = compute;

// The drawing: a bead for each word, a line between two beads as thick as what is left of the nudge there.
const W = 640, LEFT = 26, BASE = 196, PER = 4, MOST = 24;
export const last = ({ chains }) => chains["0.9"].length;
export const place = (step, data) => LEFT + (step * (W - 2 * LEFT)) / last(data);
export const distanceAt = (x, data) => Math.min(last(data), Math.max(1, Math.round(((x - LEFT) * last(data)) / (W - 2 * LEFT))));
const thick = (x) => r(Math.min(MOST, PER * x));

export const view = (state, lang, data) => {
  const n = Math.round(state.distance), v = {}, c = compute(state, data), end = place(n, data);
  for (let i = 1; i <= last(data); i++) {
    const there = i <= n, size = data.chains[state.radius][i - 1];
    v[`link${i}`] = { "stroke-width": thick(size), class: `link${PER * size > MOST ? " over" : ""}`, opacity: there ? 1 : 0 };
    v[`bead${i}`] = { class: i === n ? "bead end" : there ? "bead" : "bead off", r: i === n ? 7 : 2 };
  }
  v.direct = { d: arc(place(0, data), end, BASE - 10, BASE - 10), "stroke-width": Math.max(0.5, thick(c.direct)) };
  v.hit = { x: r(end - 24) };
  v.last = { x: r(Math.min(W - 4, end + 60)), opacity: n > 27 ? 1 : 0, text: lang === "zh" ? "最后一个词" : "the last word" };
  v.pull = { x: r(end + 16), opacity: state.event === "start" ? 1 : 0 };
  v.range = { value: n, "aria-valuetext": lang === "zh" ? `隔 ${n} 个词` : `${n} words apart` };
  v.distance = { text: String(n) };
  v.line = { text: big(c.direct) };
  v.chain = { text: big(c.chain) };
  for (const one of ["0.9", "3"]) v[`radius${one.replace(".", "")}`] = { "aria-pressed": String(state.radius === one) };
  for (const one of ["matched", "random"]) v[one] = { "aria-pressed": String(state.query === one) };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: what arrives, and why. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", n = Math.round(state.distance), c = compute(state, data);
  const lead = zh
    ? `推一下第一个词，隔 ${n} 个词：链条传到 ${big(c.chain)}，直线传到 ${big(c.direct)}。`
    : `Nudge the first word. ${n} on, ${big(c.chain)} arrives by the chain, ${big(c.direct)} by the direct line.`;
  const chain = c.chain < 1e-3
    ? zh ? `链条每过一个词乘一次，乘了 ${n} 次，剩下的已经没法用来学。` : `The chain multiplies at every word. After ${n} times, what is left is too little to learn from.`
    : c.chain > 100 ? zh ? `链条每过一个词乘一次，乘了 ${n} 次，涨得收不住。` : `The chain multiplies at every word. After ${n} times it has blown up.`
    : zh ? "链条每过一个词乘一次。" : "The chain multiplies at every word.";
  const direct = state.query === "matched"
    ? zh ? `直线多远都是一步：最后一个词把 ${percent(c.share)} 的权重给了第一个。` : `The line is one step at any distance: the last word gives the first ${percent(c.share)} of its weight.`
    : zh ? `直线也是一步，只是这个查询没有要找谁，份额被大家分薄到 ${percent(c.share)}。` : `The line is one step too, but this query looks for nobody, and its share has thinned to ${percent(c.share)}.`;
  return [lead, chain + (zh ? "" : " ") + direct];
};

export const text = {
  zh: { first: "第一个词", pull: "拖远", apart: "隔多少个词", chain: "链条（RNN）", line: "直线（注意力）", radius: "链条每步", radius09: "0.9 倍", radius3: "3 倍", query: "查询", matched: "找第一个词", random: "随机" },
  en: { first: "the first word", pull: "pull", apart: "Words apart", chain: "the chain (RNN)", line: "the line (attention)", radius: "Radius", radius09: "0.9", radius3: "3", query: "Query", matched: "looks for the first", random: "random" },
};

export const markup = (lang, data) => {
  const t = text[lang], n = last(data), each = (f) => Array.from({ length: n }, (_, i) => f(i + 1)).join("");
  const x = (i) => r(place(i, data));
  const seg = (label, acts) => `<span class="seg" role="group" aria-label="${label}"><span>${label}</span>${acts.map((act) => `<button type="button" data-act="${act}" data-ref="${act}">${t[act]}</button>`).join("")}</span>`;
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<svg viewBox="0 10 ${W} 226" role="presentation"><path class="direct" data-ref="direct"/>${each((i) => `<path class="link" d="M${x(i - 1)} ${BASE}H${x(i)}" data-ref="link${i}"/>`)}
<circle class="bead start" cx="${x(0)}" cy="${BASE}" r="7"/>${each((i) => `<circle cx="${x(i)}" cy="${BASE}" data-ref="bead${i}"/>`)}
<rect class="hit" y="${BASE - 24}" width="48" height="48" data-ref="hit"/><text class="end-of" x="4" y="${BASE + 30}">${t.first}</text><text class="end-of last" y="${BASE + 30}" data-ref="last"></text><text class="pullme" y="${BASE + 5}" data-ref="pull">${t.pull} →</text></svg>
<div class="two"><span class="l"><i></i>${t.line} <b data-ref="line"></b></span><span class="c"><i></i>${t.chain} <b data-ref="chain"></b></span></div>
<label class="layers"><span>${t.apart}</span><input type="range" min="1" max="${n}" step="1" value="${data.start}" data-ref="range"><output data-ref="distance"></output></label>
<div class="controls">${seg(t.radius, ["radius09", "radius3"])}${seg(t.query, ["matched", "random"])}</div>
<p class="aloud" aria-live="polite"></p>`;
};
