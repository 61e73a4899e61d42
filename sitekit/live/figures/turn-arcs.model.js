// Chapter 5: what each word scores for the others, as arrows; to the right above the words, to the left below. `data` is the
// cell's: x, q and k [n, d], the words, and whose arrows the figure opens on.
import { attentionScores } from "./kernel.js";
import { num, pick, quoted, vec } from "./say.js";
import { r, times } from "./draw.js";

/** Which vectors ask and which answer. */
export const WAYS = { apart: ["q", "k"], exchanged: ["k", "q"], tied: ["x", "x"] };
export const vectors = (way, data) => ({ q: data[WAYS[way][0]], k: data[WAYS[way][1]] });

export const first = (data) => ({ way: "apart", ...vectors("apart", data), row: data.start, event: "choose" });

export const compute = ({ q, k }) => attentionScores(q, k, 1);
export const numbers = (_, data) => Object.fromEntries(Object.keys(WAYS).map((way) => [way, compute(vectors(way, data))]));

const W = 440, MID = 130, R = 33, THICK = 1.5; // THICK: pixels a point
const place = (i, n) => ((i + 0.5) * W) / n;

/** From word i to word j: the arc, its head, and where its number stands. */
const arrow = (i, j, n, score) => {
  const way = j > i ? 1 : -1, far = Math.abs(j - i), thick = r(Math.max(1, THICK * score));
  const aside = 48 / far - 23, from = place(i, n) + way * aside, to = place(j, n) - way * aside;
  const y = (above) => r(MID - way * (R + 9 + above)), half = thick / 2 + 4, head = half * 1.3, rise = 12 + 45 * far;
  return {
    arc: { d: `M${r(from)} ${y(0)}C${r(from)} ${y(rise)} ${r(to)} ${y(rise)} ${r(to)} ${y(head)}`, "stroke-width": thick },
    head: { d: `M${r(to)} ${y(0)}L${r(to - half)} ${y(head)}H${r(to + half)}Z` },
    number: { x: r((from + to) / 2), y: r(y(0.75 * rise + (far > 1 ? 1 : -1) * (thick / 2 + 11)) + 5.5) },
  };
};

export const view = (state, lang, data) => {
  const v = {}, n = data.tokens.length, scores = compute(state);
  scores.forEach((row, i) => {
    const dim = i === state.row ? "" : " dim";
    row.forEach((score, j) => {
      if (i === j) return;
      const { arc, head, number } = arrow(i, j, n, score), none = score < 0.05 ? " none" : "";
      v[`arc${i}-${j}`] = { ...arc, class: `arc${dim}${none}` };
      v[`head${i}-${j}`] = { ...head, class: `tip${dim}${none}` };
      v[`score${i}-${j}`] = { ...number, text: num(score, 0), class: `score${dim}` };
    });
    v[`ring${i}`] = { "stroke-width": r(Math.max(1, THICK * row[i])), class: `ring${dim}` };
    v[`own${i}`] = { text: num(row[i], 0), class: `score own${dim}` };
    v[`word${i}`] = { class: i === state.row ? "word it" : "word" };
    v[`pick${i}`] = { "aria-pressed": String(i === state.row) };
  });
  for (const way in WAYS) v[way] = { "aria-pressed": String(way === state.way) };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: for whom the chosen word scores highest and what comes back; and why, or what the last press did. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", { q, k } = vectors(state.way, data), scores = compute({ q, k }), i = state.row, row = scores[i];
  const name = (at) => quoted(data.tokens[at], lang), high = Math.max(...row), best = row.indexOf(high);
  const all = row.flatMap((score, j) => (score === high ? [j] : []));
  const lead = best === i || all.includes(i)
    ? zh ? `${name(i)}给自己的分最高：${num(high, 0)}。` : `${name(i)} scores itself highest: ${num(high, 0)}.`
    : all.length > 1
      ? zh ? `${name(i)}给${all.map(name).join("和")}各 ${num(high, 0)} 分。` : `${name(i)} scores ${num(high, 0)} for both ${all.map(name).join(" and ")}.`
      : zh
        ? `${name(i)}给${name(best)} ${num(high, 0)} 分，${name(best)}给${name(i)} ${num(scores[best][i], 0)} 分。`
        : `${name(i)} scores ${num(high, 0)} for ${name(best)}; ${name(best)} scores ${num(scores[best][i], 0)} for ${name(i)}.`;
  if (state.event === "way") return [lead, text[lang].did[state.way]];
  return [lead, zh
    ? `${name(i)}的查询 ${vec(q[i], 0)} 点乘${best === i ? "自己" : name(best)}的键 ${vec(k[best], 0)}，得 ${num(high, 0)}。`
    : `The query of ${name(i)} is ${vec(q[i], 0)}, the key of ${best === i ? name(i) : name(best)} ${vec(k[best], 0)}; their product is ${num(high, 0)}.`];
};

export const text = {
  zh: {
    ways: "谁问，谁答", apart: "各一个矩阵", exchanged: "Q 与 K 对调", tied: "共用一个向量", who: "看谁的箭头", right: "往右看 →", left: "← 往左看",
    did: {
      apart: "问和答各有一个矩阵：一来一回，没有一对箭头一样粗。",
      exchanged: "Q 和 K 对调，每支箭头都掉了头：上面的到了下面，下面的到了上面。",
      tied: "问和答是同一个向量：上下对称，每个词都给自己最高分。",
    },
  },
  en: {
    ways: "Who asks, who answers", apart: "Two matrices", exchanged: "Swap Q, K", tied: "One vector", who: "Whose arrows", right: "looking right →", left: "← looking left",
    did: {
      apart: "Two matrices: there and back, no two arrows match.",
      exchanged: "Q and K have changed places, and every arrow has turned round.",
      tied: "One vector asks and answers: above mirrors below, and each word scores itself highest.",
    },
  },
};

export const markup = (lang, data) => {
  const t = text[lang], n = data.tokens.length, pairs = data.tokens.flatMap((_, i) => data.tokens.flatMap((_, j) => (i === j ? [] : [[i, j]])));
  const word = (i) => {
    const x = r(place(i, n)), means = lang === "zh" ? "" : `<text class="means" x="${x}" y="${MID + 20}">${pick(data.means[i], lang)}</text>`;
    return `<g data-act="pick${i}"><circle class="ring" cx="${x}" cy="${MID}" r="${R}" data-ref="ring${i}"/><text class="word" lang="zh" x="${x}" y="${MID + (means ? 4 : 9)}" data-ref="word${i}">${data.tokens[i]}</text>${means}</g><text x="${x + R + 10}" y="${MID + 5}" data-ref="own${i}"></text>`;
  };
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<svg viewBox="0 -8 ${W} 276" role="presentation"><text class="side" x="0" y="8">${t.right}</text><text class="side" x="0" y="262">${t.left}</text>
${pairs.map(([i, j]) => `<path data-ref="arc${i}-${j}"/><path data-ref="head${i}-${j}"/>`).join("")}${times(n, word)}${pairs.map(([i, j]) => `<text data-ref="score${i}-${j}"></text>`).join("")}</svg>
<div class="controls"><span class="seg" role="group" aria-label="${t.ways}">${Object.keys(WAYS).map((way) => `<button type="button" data-act="${way}" data-ref="${way}">${t[way]}</button>`).join("")}</span>
<span class="seg" role="group" aria-label="${t.who}"><span>${t.who}</span>${times(n, (i) => `<button type="button" lang="zh" data-act="pick${i}" data-ref="pick${i}">${data.tokens[i]}</button>`)}</span></div>
<p class="aloud" aria-live="polite"></p>`;
};
