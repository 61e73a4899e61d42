// Chapter 11: the score matrix comes tile by tile; only the largest score, the sum of exponentials and the output of each
// query stay. `data` is the cell's: queries, keys and values, and the tile with which the figure opens.
import { attend, attentionScores, exps } from "./kernel.js";
import { big, num, vec } from "./say.js";
import { times } from "./draw.js";

export const first = ({ start, size }) => ({ step: start, size });
export const SIZES = [1, 2, 4, 8];

/** How many tiles there are, and which queries and keys the tile of this step holds. */
export const tiles = ({ size }, { q }) => (q.length / size) ** 2;
export const tile = ({ step, size }, { k }) => {
  const across = k.length / size, strip = Math.floor(step / across), column = step % across;
  return { rows: [strip * size, (strip + 1) * size], columns: [column * size, (column + 1) * size], last: column === across - 1 };
};

/** Online softmax of one query over its first `seen` keys. */
const account = (i, seen, { q, k, v }) => {
  if (!seen) return { maximum: -Infinity, normaliser: 0, output: v[0].map(() => 0) };
  const { scores: [scores], output: [output] } = attend([q[i]], k.slice(0, seen), v.slice(0, seen));
  return { maximum: Math.max(...scores), normaliser: exps(scores).reduce((a, b) => a + b, 0), output };
};

/** What is kept of each query after this step. */
export const compute = (state, data) => {
  const { rows, columns } = tile(state, data);
  return data.q.map((_, i) => account(i, i < rows[0] ? data.k.length : i < rows[1] ? columns[1] : 0, data));
};
export const numbers = (state, data) => {
  const { rows } = tile(state, data), kept = compute(state, data).slice(...rows);
  return Object.fromEntries(["maximum", "normaliser", "output"].map((part) => [part, kept.map((one) => one[part])]));
};

const CELL = 34;

export const view = (state, lang, data) => {
  const v = {}, { rows, columns } = tile(state, data), scores = attentionScores(data.q, data.k), kept = compute(state, data);
  const low = Math.min(...scores.flat()), high = Math.max(...scores.flat());
  const inside = (x, [from, to]) => x >= from && x < to;
  scores.forEach((row, i) => {
    row.forEach((score, j) => {
      const now = inside(i, rows) && inside(j, columns);
      const past = i < rows[0] || (inside(i, rows) && j < columns[0]);
      v[`s${i}-${j}`] = { class: now ? "cell now" : past ? "cell past" : "cell", "fill-opacity": now ? num(0.2 + (0.6 * (score - low)) / (high - low)) : 0 };
      v[`t${i}-${j}`] = { text: now ? num(score, 1) : "" };
    });
    const { maximum, normaliser, output } = kept[i], started = i < rows[1];
    v[`m${i}`] = { text: started ? num(maximum, 2) : "" };
    v[`l${i}`] = { text: started ? num(normaliser, 2) : "" };
    v[`o${i}`] = { text: started ? vec(output) : "", class: i < rows[0] || (started && columns[1] === data.k.length) ? "done" : "" };
  });
  v.tile = { x: columns[0] * CELL, y: rows[0] * CELL, width: state.size * CELL, height: state.size * CELL };
  for (const size of SIZES) v[`z${size}`] = { "aria-pressed": String(size === state.size) };
  v.back = { "aria-disabled": String(state.step === 0) };
  v.on = { "aria-disabled": String(state.step === tiles(state, data) - 1) };
  v.play = { text: lang === "zh" ? (state.playing ? "停" : "播放") : state.playing ? "Pause" : "Play" };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

const range = ([from, to]) => (to - from === 1 ? `${from}` : `${from}–${to - 1}`);

/** Two sentences: which tile it is, and what it does to what was kept. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", { rows, columns, last } = tile(state, data), held = state.size ** 2, all = data.q.length * data.k.length;
  const lead = zh
    ? `查询 ${range(rows)} 遇上键 ${range(columns)}：手里 ${held} 个分数，不是 ${all} 个。`
    : `Queries ${range(rows)} meet keys ${range(columns)}: ${held} score${held > 1 ? "s" : ""} in hand, not ${all}.`;
  const kept = compute(state, data), before = data.q.map((_, i) => account(i, columns[0], data));
  const raised = data.q.findIndex((_, i) => i >= rows[0] && i < rows[1] && columns[0] > 0 && kept[i].maximum > before[i].maximum);
  const change = columns[0] === 0
    ? zh ? "这一排的第一块：账从零记起。" : "The first tile of its strip: the account starts from nothing."
    : raised < 0
      ? zh ? "没有更大的分数：旧账不动，新的加进来。" : "No larger score: the old account stays, the new one is added."
      : zh
        ? `查询 ${raised} 来了更大的分数：旧的和先乘 e^(${num(before[raised].maximum)} − ${num(kept[raised].maximum)}) = ${num(Math.exp(before[raised].maximum - kept[raised].maximum))}。`
        : `Query ${raised} meets a larger score: its old sum is first multiplied by e^(${num(before[raised].maximum)} − ${num(kept[raised].maximum)}) = ${num(Math.exp(before[raised].maximum - kept[raised].maximum))}.`;
  if (!last) return [lead, change];
  const whole = attend(data.q, data.k, data.v).output;
  const off = Math.max(...kept.slice(...rows).flatMap(({ output }, i) => output.map((x, c) => Math.abs(x - whole[rows[0] + i][c]))));
  const end = zh ? `这一排看完了，和一次算完差 ${off ? big(off) : 0}。` : `The strip is finished, and ${off ? `off by ${big(off)}` : "equal to computing all at once"}.`;
  return [lead, `${change}${zh ? "" : " "}${end}`];
};

export const text = {
  zh: { scores: "分数", kept: "留下的", max: "最大", sum: "和", output: "输出", size: "一块多大", back: "退一步", on: "进一步", q: "查询", k: "键" },
  en: { scores: "scores", kept: "what is kept", max: "largest", sum: "sum", output: "output", size: "Tile", back: "Step back", on: "Step on", q: "query", k: "key" },
};

export const markup = (lang, data) => {
  const t = text[lang], n = data.q.length, m = data.k.length, y = (i) => i * CELL + CELL / 2 + 6;
  const cells = times(n, (i) => times(m, (j) => `<rect x="${j * CELL}" y="${i * CELL}" width="${CELL}" height="${CELL}" data-ref="s${i}-${j}"/><text class="score" x="${j * CELL + CELL / 2}" y="${y(i)}" data-ref="t${i}-${j}"></text>`));
  const kept = times(n, (i) => `<text x="344" y="${y(i)}" data-ref="m${i}"></text><text x="416" y="${y(i)}" data-ref="l${i}"></text><text x="560" y="${y(i)}" data-ref="o${i}"></text>`);
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<svg viewBox="-26 -30 590 ${n * CELL + 34}" role="presentation"><g class="head"><text x="${(m * CELL) / 2}" y="-14">${t.k} →</text><text transform="translate(-14 ${(n * CELL) / 2}) rotate(-90)">← ${t.q}</text></g><g class="head end"><text x="344" y="-14">${t.max}</text><text x="416" y="-14">${t.sum}</text><text x="560" y="-14">${t.output}</text></g>
${cells}<rect class="tile" data-ref="tile"/><g class="kept">${kept}</g></svg>
<div class="controls"><button type="button" data-act="back" data-ref="back">${t.back}</button><button type="button" data-act="on" data-ref="on">${t.on}</button><button type="button" data-act="play" data-ref="play"></button><span class="seg" role="group" aria-label="${t.size}"><span>${t.size}</span>${SIZES.map((size) => `<button type="button" data-act="z${size}" data-ref="z${size}">${size}×${size}</button>`).join("")}</span></div>
<p class="aloud" aria-live="polite"></p>`;
};
