// Chapter 3: turn the query and watch scores, weights and output follow. `data` is the cell's: keys, values and names of
// three tokens, the third of which can be added, and what the two axes mean.
import { dot, exps, blend, softmax } from "./kernel.js";
import { big, capital, num, percent, pick, quoted, times, vec } from "./say.js";

export const LOW = [-1.5, -1.5], HIGH = [4.3, 4.3]; // where the query can go
const norm = (a) => Math.sqrt(dot(a, a));

export const first = ({ keys }) => ({ ask: 0, q: keys[0], scaled: 0, third: 0, event: "start", before: null });

/** `scaled` and `third` run from 0 to 1, in between only while they move: a token half there has half its exponential. */
export const compute = ({ q, scaled, third }, { keys, values }) => {
  const scale = 1 / (1 + scaled * (Math.SQRT2 - 1));
  const scores = keys.map((k) => dot(q, k) * scale);
  const seen = scores.map((s, j) => (j < 2 ? s : s + Math.log(third)));
  const weights = softmax(seen);
  const length = norm(q);
  return {
    scores, weights, length,
    bars: exps(seen),
    raw: scores.map(Math.exp),
    sum: scores.reduce((sum, s, j) => sum + (j < 2 ? 1 : third) * Math.exp(s), 0),
    output: blend(weights, values),
    angles: keys.map((k) => (length ? (Math.acos(Math.max(-1, Math.min(1, dot(q, k) / length / norm(k)))) * 180) / Math.PI : 0)),
    feet: keys.map((k) => (length ? q.map((x) => (x * dot(q, k)) / length ** 2) : [0, 0])),
  };
};

/** What the cell computed, for the tokens that are there. */
export const numbers = (state, data) => {
  const c = compute(state, data);
  const there = (row) => row.slice(0, state.third ? 3 : 2);
  return { scores: there(c.scores), weights: there(c.weights), output: c.output };
};

// Plane of queries and keys; plane of values. Units of the drawings.
export const U = 39, OX = 70, OY = 184, SIDE = 244;
export const at = ([x, y]) => [OX + x * U, OY - y * U];
export const back = (px, py) => [(px - OX) / U, (OY - py) / U];
const UV = 23.4, VX = 22, VY = 206;
export const atV = ([x, y]) => [VX + x * UV, VY - y * UV];
const ZERO = 58, POINT = 2.9, E0 = 122, ES = 60, W0 = 197, WS = 65, ROW = 56, TOP = 54, THICK = 17;

const r = (x) => Math.round(x * 100) / 100;
const line = ([x1, y1], [x2, y2]) => ({ x1: r(x1), y1: r(y1), x2: r(x2), y2: r(y2) });
const toward = (a, b, gap) => {
  const d = Math.hypot(b[0] - a[0], b[1] - a[1]);
  return d < gap + 1 ? a : [b[0] - ((b[0] - a[0]) * gap) / d, b[1] - ((b[1] - a[1]) * gap) / d];
};
const arc = (from, to, radius) => {
  let turn = to - from;
  if (turn > Math.PI) turn -= 2 * Math.PI;
  if (turn < -Math.PI) turn += 2 * Math.PI;
  const p = (a) => [r(OX + radius * Math.cos(a)), r(OY - radius * Math.sin(a))];
  const [a, b] = [p(from), p(from + turn)];
  return { d: `M${a}A${radius} ${radius} 0 0 ${turn > 0 ? 0 : 1} ${b}`, mid: from + turn / 2, size: Math.abs(turn) };
};

/** { name: { attribute: value } } for everything that moves; "text" is the text, "on" a class. */
export const view = (state, lang, data) => {
  const { keys: K, values: V } = data, N = data.names.map((name) => pick(name, lang));
  const c = compute(state, data);
  const { q, third, ask, before } = state;
  const tip = at(q), v = {};
  const o = at([0, 0]);
  v.query = line(o, toward(o, tip, 11));
  v.handle = { transform: `translate(${r(tip[0])} ${r(tip[1])})` };
  const far = norm(q) ? 12 / norm(q) : 0;
  v.ray = line(o, at(q.map((x) => x * far)));
  const facing = Math.atan2(q[1], q[0]);
  K.forEach((k, j) => {
    const there = j < 2 ? 1 : third;
    v[`drop${j}`] = { ...line(at(k), at(c.feet[j])), opacity: r(0.75 * there) };
    v[`foot${j}`] = { cx: r(at(c.feet[j])[0]), cy: r(at(c.feet[j])[1]), opacity: there };
    v[`key${j}`] = { opacity: there };
    v[`shaft${j}`] = { "stroke-width": r(2.2 + 6 * c.weights[j]) }; // as thick as its share, like every line of these figures
  });
  const wide = c.angles[0] > c.angles[1] ? 0 : 1;
  const a = arc(facing, Math.atan2(K[wide][1], K[wide][0]), 34);
  v.arc = { d: a.d, opacity: c.length > 0.3 ? 1 : 0 };
  v.degrees = { x: r(OX + 49 * Math.cos(a.mid)), y: r(OY - 49 * Math.sin(a.mid) + 4), text: `${c.angles[wide].toFixed(0)}°`, opacity: c.length > 0.3 && a.size > 0.25 ? 1 : 0 };

  K.forEach((_, j) => {
    const there = j < 2 ? 1 : third, s = c.scores[j] * POINT;
    v[`row${j}`] = { opacity: r(0.28 + 0.72 * there) };
    v[`angle${j}`] = { text: there ? `${c.angles[j].toFixed(0)}°` : "" };
    v[`score${j}`] = { x: r(ZERO + Math.min(0, s)), width: r(Math.max(0.8, Math.abs(s)) * (there ? 1 : 0)) };
    v[`scoreN${j}`] = { text: there ? num(c.scores[j], Number.isInteger(r(c.scores[j])) ? 0 : 2) : "" };
    v[`exp${j}`] = { width: r(ES * c.bars[j]) };
    v[`expN${j}`] = { text: there ? big(c.raw[j]) : "" };
    v[`share${j}`] = { width: r(WS * c.weights[j]) };
    v[`shareN${j}`] = { text: there ? percent(c.weights[j]) : "" };
    const was = before ? before.weights[j] : c.weights[j];
    v[`was${j}`] = { ...line([W0 + WS * was, TOP + j * ROW - 2], [W0 + WS * was, TOP + j * ROW + THICK + 2]), opacity: Math.abs(was - c.weights[j]) > 0.015 ? 1 : 0 };
  });
  v.sum = { text: big(c.sum) };

  const out = atV(c.output);
  v.out = { transform: `translate(${r(out[0])} ${r(out[1])})` };
  v.outX = line(out, [out[0], VY]);
  v.outY = line(out, [VX, out[1]]);
  v.output = { text: vec(c.output) };
  const was = before ? atV(before.output) : out;
  v.ghost = { cx: r(was[0]), cy: r(was[1]), opacity: Math.hypot(was[0] - out[0], was[1] - out[1]) > 6 ? 1 : 0 };
  V.forEach((x, j) => {
    v[`pull${j}`] = { ...line(atV(x), out), "stroke-width": r(0.5 + 8 * c.weights[j]), opacity: c.weights[j] > 0.0005 ? 1 : 0 };
    v[`value${j}`] = { opacity: j < 2 ? 1 : third };
  });
  const corner = atV([0, 1].map((d) => (V[0][d] + V[1][d]) / 2 + third * (V[2][d] - (V[0][d] + V[1][d]) / 2)));
  v.reach = { points: [atV(V[0]), atV(V[1]), corner].map((p) => p.map(r).join(",")).join(" ") };

  v.pullme = { opacity: state.event === "start" && !before ? 1 : 0 };
  v.qnum = { text: `q = ${vec(q)}` };
  const said = words(state, c, lang, N);
  v.lead = { text: said[0] };
  v.because = { text: said[1] };
  v.ask0 = { "aria-pressed": String(ask === 0) };
  v.ask1 = { "aria-pressed": String(ask === 1) };
  v.scaled = { "aria-pressed": String(state.scaled > 0.5) };
  v.third = { "aria-pressed": String(third > 0.5) };
  v.grip = { role: "slider", tabindex: 0, "aria-valuemin": -180, "aria-valuemax": 180, "aria-valuetext": `${vec(q)}`, "aria-valuenow": Math.round((facing * 180) / Math.PI), "aria-label": lang === "zh" ? `“${N[ask]}”的查询，方向键移动` : `the query of ${N[ask]}, move it with the arrow keys` };
  return v;
};

/** Two sentences: what is, and why. */
export const words = ({ ask, third, event, before }, c, lang, N) => {
  const zh = lang === "zh";
  const n = third > 0.5 ? 3 : 2;
  const order = [0, 1, 2].slice(0, n).sort((a, b) => c.weights[b] - c.weights[a]);
  const [top, next] = order, p = (j) => percent(c.weights[j]);
  const Q = N.map((name) => quoted(name, lang)), self = (j) => (j !== ask ? Q[j] : zh ? "自己" : "itself");
  const even = c.weights[top] - c.weights[next] < 0.015;
  const lead = even && n === 2
    ? zh ? `${Q[ask]}把注意力对半分：${p(0)} 和 ${p(1)}。` : `${capital(N[ask])} splits its attention: ${p(0)} and ${p(1)}.`
    : zh ? `${Q[ask]}把 ${p(top)} 给${self(top)}，${order.slice(1).map((j) => `${p(j)} 给${self(j)}`).join("，")}。`
      : `${capital(N[ask])} gives ${p(top)} to ${self(top)}, ${order.slice(1).map((j) => `${p(j)} to ${self(j)}`).join(", ")}.`;
  const short = (x) => num(x, Number.isInteger(r(x)) ? 0 : 2), s = (j) => short(c.scores[j]);
  const difference = c.scores[top] - c.scores[next], gap = short(difference), factor = times(Math.exp(difference));
  const general = zh
    ? `${Q[top]}得 ${s(top)} 分，${Q[next]}得 ${s(next)} 分：多 ${gap} 分，就是 ${factor} 倍。`
    : `${capital(N[top])} scores ${s(top)}, ${N[next]} ${s(next)}: a lead of ${gap} makes the weight ${factor} times as large.`;
  let why = general;
  if (event === "add") why = zh
    ? `${Q[2]}得 ${s(2)} 分，分走 ${p(2)}。${Q[0]}与${Q[1]}之比没有变：${times(c.raw[0] / c.raw[1])} 比 1。`
    : `${capital(N[2])} scores ${s(2)} and takes ${p(2)}. The ratio of ${N[0]} to ${N[1]} hasn't changed: ${times(c.raw[0] / c.raw[1])} to 1.`;
  else if (event === "remove") why = zh ? `${Q[2]}走了，它的份额按原来的比例还给了大家。` : `${capital(N[2])} is gone, and the others share its part in the proportion they had.`;
  else if (event === "scaled") why = zh
    ? `每个分数都除以 √2，差距缩到 ${gap} 分，只剩 ${factor} 倍：份额温和了。`
    : `Every score is divided by √2. The lead shrinks to ${gap}, a factor of ${factor}: milder shares.`;
  else if (event === "unscaled") why = zh ? `不除了。${general}` : `No division. ${general}`;
  else if (c.length < 0.25) why = zh ? "查询几乎是零：什么也没问，人人得 0 分，于是平分。" : "The query is almost zero. It asks for nothing, every key scores 0, and all get the same.";
  else if (even && n === 2) why = zh ? "两个键在查询的方向上伸得一样远：分数相等，份额相等。" : "Both keys reach equally far along the query: equal scores, equal shares.";
  else if (c.scores.slice(0, n).every((x) => x < 0)) why = zh
    ? `分数全是负的，照样分得出来：softmax 只看差，差 ${gap} 分就是 ${factor} 倍。`
    : `Every score is negative, and softmax doesn't mind: it sees differences only. ${gap} apart is a factor of ${factor}.`;
  else if (event === "drag" && before) {
    const grown = c.length / (before.length || 0.01), turned = Math.abs(c.angles[0] - before.angles[0]);
    if (turned < 4 && grown > 1.15) why = zh ? `方向没变，箭头长了：差距拉大到 ${gap} 分，赢的赢得更多。` : `Same direction, longer arrow: the lead grows to ${gap}, and the winner wins by more.`;
    else if (turned < 4 && grown < 0.87) why = zh ? `方向没变，箭头短了：差距缩小到 ${gap} 分，份额靠近平分。` : `Same direction, shorter arrow: the lead shrinks to ${gap}, and the shares move together.`;
    else if (top !== before.top) why = zh ? `查询转向了${Q[top]}的键：它在这个方向上伸得最远，所以得分最高。` : `The query has turned towards the key of ${N[top]}, which now reaches farthest along it.`;
  }
  return [lead, why];
};

export const text = {
  zh: { drag: "拖我", plane: "转动查询", bars: "分数 → 份额", out: "输出", score: "分数", exp: "指数", share: "份额", sum: "总和", asks: "谁在问", scaled: "除以 √2", add: (name) => `加上“${name}”`, reset: "还原", hint: "也可以用方向键", desc: "查询与键的平面、分数条、值的平面" },
  en: { drag: "drag me", plane: "Turn the query", bars: "Scores → shares", out: "Output", score: "score", exp: "exp", share: "share", sum: "sum", asks: "Who asks?", scaled: "Divide by √2", add: (name) => `Add “${name}”`, reset: "Reset", hint: "or arrow keys", desc: "The plane of query and keys, bars of the scores, the plane of values" },
};

const ticks = (n, f) => Array.from({ length: n }, (_, i) => f(i)).join("");
const bar = (j, name) => {
  const y = TOP + j * ROW;
  return `<g data-ref="row${j}"><text class="glyph name" x="0" y="${y + 13}">${name}</text><text class="small" x="0" y="${y + 31}" data-ref="angle${j}"></text>
<rect class="scores" y="${y}" height="${THICK}" rx="2" data-ref="score${j}"/><text class="n" x="${ZERO}" y="${y - 5}" data-ref="scoreN${j}"></text>
<rect class="track" x="${E0}" y="${y}" width="${ES}" height="${THICK}" rx="2"/><rect class="exp" x="${E0}" y="${y}" height="${THICK}" rx="2" data-ref="exp${j}"/><text class="n" x="${E0}" y="${y - 5}" data-ref="expN${j}"></text>
<rect class="track" x="${W0}" y="${y}" width="${WS}" height="${THICK}" rx="2"/><rect class="weights" x="${W0}" y="${y}" height="${THICK}" rx="2" data-ref="share${j}"/><line class="was" data-ref="was${j}"/><text class="n strong" x="${W0}" y="${y - 5}" data-ref="shareN${j}"></text></g>`;
};
const LABEL = { zh: [[16, 15], [0, -16], [-15, -9]], en: [[20, 17], [6, -17], [-26, -10]] };
const VALUE_LABEL = { zh: [[14, 6], [15, -8], [3, -13]], en: [[3, -15], [17, -9], [4, -13]] };
/** The drawing without its numbers; `fill` puts the first state in. */
export const markup = (lang, { keys: K, values: V, names, axes }) => {
  const t = text[lang], end = TOP + 3 * ROW, N = names.map((name) => pick(name, lang)), [across, up] = axes.map((axis) => pick(axis, lang));
  const key = (j) => {
    const [x, y] = at(K[j]), [tx, ty] = toward(at([0, 0]), [x, y], 9);
    return `<g data-ref="key${j}"><line class="key" data-ref="shaft${j}" x1="${OX}" y1="${OY}" x2="${r(tx)}" y2="${r(ty)}" marker-end="url(#drag-query-key)"/><text class="glyph key" x="${r(x + LABEL[lang][j][0])}" y="${r(y + LABEL[lang][j][1] + 5)}">${N[j]}</text></g>`;
  };
  const value = (j) => {
    const [x, y] = atV(V[j]), d = VALUE_LABEL[lang][j];
    return `<g data-ref="value${j}"><circle class="value" cx="${r(x)}" cy="${r(y)}" r="5"/><text class="glyph value" x="${r(x + d[0])}" y="${r(y + d[1])}">${N[j]}</text></g>`;
  };
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<div class="panels">
<div class="panel plane"><p class="title"><i class="q"></i>${t.plane}<small class="hint">${t.hint}</small></p>
<svg viewBox="0 0 ${SIDE} ${SIDE}" role="group" aria-label="${t.desc}"><defs><marker id="drag-query-key" markerUnits="userSpaceOnUse" viewBox="0 0 10 10" refX="3" refY="5" markerWidth="13" markerHeight="13" orient="auto"><path class="head-key" d="M0 0 10 5 0 10z"/></marker><marker id="drag-query-q" viewBox="0 0 10 10" refX="4" refY="5" markerWidth="3.6" markerHeight="3.6" orient="auto"><path class="head-q" d="M0 0 10 5 0 10z"/></marker><clipPath id="drag-query-clip"><rect width="${SIDE}" height="${SIDE}" rx="6"/></clipPath></defs>
<rect class="paper" width="${SIDE}" height="${SIDE}" rx="6"/><g clip-path="url(#drag-query-clip)">
<g class="grid">${ticks(6, (i) => `<path d="M${OX + (i - 1) * U} 0V${SIDE}M0 ${OY - (i - 1) * U}H${SIDE}"/>`)}</g>
<path class="axis" d="M0 ${OY}H${SIDE}M${OX} 0V${SIDE}"/><g class="tick">${ticks(4, (i) => `<text x="${OX + (i + 1) * U}" y="${OY + 14}">${i + 1}</text><text x="${OX - 8}" y="${OY - (i + 1) * U + 4}">${i + 1}</text>`)}</g>
<line class="ray" data-ref="ray"/>${[2, 1, 0].map(key).join("")}
${[0, 1, 2].map((j) => `<line class="drop" data-ref="drop${j}"/>`).join("")}<path class="arc" data-ref="arc"/><text class="degrees" data-ref="degrees"></text>
<line class="query" data-ref="query" marker-end="url(#drag-query-q)"/>${[0, 1, 2].map((j) => `<circle class="foot" r="3.4" data-ref="foot${j}"/>`).join("")}</g>
<g class="grip" data-ref="handle"><g data-ref="grip"><circle class="touch" r="22"/><circle class="ring" r="10"/><circle class="dot" r="3.5"/></g><text class="pullme" y="-17" data-ref="pullme">${t.drag}</text></g>
<g class="meaning"><text x="238" y="${OY + 29}" text-anchor="end">${across} →</text><text x="${OX - 8}" y="16" text-anchor="end">${up} ↑</text></g>
<text class="qnum" x="234" y="233" data-ref="qnum"></text></svg></div>
<div class="panel bars"><p class="title"><i class="s"></i>${t.bars}</p>
<svg viewBox="0 0 262 ${SIDE}" role="presentation"><g class="headrow"><text class="s" x="${ZERO}" y="24">${t.score}</text><text x="${E0}" y="24">${t.exp}</text><text class="w" x="${W0}" y="24">${t.share}</text></g>
<path class="axis" d="${[0, 1, 2].map((j) => `M${ZERO} ${TOP + j * ROW - 1}v${THICK + 2}`).join("")}"/>${[0, 1, 2].map((j) => bar(j, N[j])).join("")}
<path class="rule" d="M${E0} ${end - 19}H${E0 + ES}M${W0} ${end - 19}H${W0 + WS}"/><text class="n" x="${E0}" y="${end}" data-ref="sum"></text><text class="small" x="${ZERO}" y="${end}">${t.sum}</text><text class="n strong" x="${W0}" y="${end}">100${"\u202f"}%</text></svg></div>
<div class="panel out"><p class="title"><i class="o"></i>${t.out}<b data-ref="output"></b></p>
<svg viewBox="0 0 194 ${SIDE}" role="presentation"><rect class="paper" width="194" height="${SIDE}" rx="6"/>
<path class="axis" d="M${VX} ${VY}H194M${VX} 0V${VY}"/><g class="tick">${[2, 4, 6].map((i) => `<text x="${VX + i * UV}" y="${VY + 14}">${i}</text><text x="${VX - 8}" y="${VY - i * UV + 4}">${i}</text>`).join("")}</g>
<g class="meaning"><text x="188" y="${VY + 30}" text-anchor="end">${across} →</text><text x="${VX + 7}" y="16">${up} ↑</text></g>
<polygon class="reach" data-ref="reach"/><line class="guide" data-ref="outX"/><line class="guide" data-ref="outY"/>${[0, 1, 2].map((j) => `<line class="pull" data-ref="pull${j}"/>`).join("")}
${[0, 1, 2].map(value).join("")}<circle class="ghost" r="7" data-ref="ghost"/><g data-ref="out"><circle class="output" r="7.5"/></g></svg></div>
</div>
<div class="controls"><span class="seg" role="group" aria-label="${t.asks}"><span>${t.asks}</span><button type="button" data-act="ask0" data-ref="ask0">${N[0]}</button><button type="button" data-act="ask1" data-ref="ask1">${N[1]}</button></span>
<button type="button" class="switch" data-act="scaled" data-ref="scaled">${t.scaled}</button><button type="button" class="switch" data-act="third" data-ref="third">${t.add(N[2])}</button><button type="button" class="plain" data-act="reset">${t.reset}</button></div>
<p class="aloud" aria-live="polite"></p>`;
};
