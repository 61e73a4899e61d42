// Chapter 1: words come into the sentence and pull the word towards them. `data` is the cell's: the table, one row a word; which
// word is pulled, the two that its vector is held against, the words that can be added, and two sentences of them.
import { blend, dot, softmax } from "./kernel.js";
import { r, times } from "./draw.js";
import { capital, num, percent, pick, quoted } from "./say.js";

export const SENTENCES = ["bought", "released"];
const presence = (words, data) => data.context.map((word) => (words.includes(word) ? 1 : 0));
export const sentence = (name, data) => presence(data.sentences[name] ?? [], data);

export const first = (data) => ({ there: sentence("alone", data), event: "start", last: 0, before: null });

const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
const against = (row, data) => data.poles.map((pole) => cosine(row, data.rows[pole]));

/** A word that is only half there, on its way in or out, has half its exponential. */
export const compute = ({ there }, data) => {
  const present = data.context.map((_, i) => i).filter((i) => there[i] > 0);
  const x = [data.word, ...present.map((i) => data.context[i])].map((word) => data.rows[word].map((entry) => entry / data.divisor));
  const scale = 1 / Math.sqrt(x[0].length);
  const scores = x.map((key, j) => scale * dot(x[0], key) + (j ? Math.log(there[present[j - 1]]) : 0));
  const [own, ...shares] = softmax(scores), context = data.context.map(() => 0);
  present.forEach((i, j) => (context[i] = shares[j]));
  return { own, context, cosines: against(blend([own, ...shares], x), data) };
};

export const numbers = (state, data) => ({
  now: compute(state, data).cosines,
  ...Object.fromEntries(SENTENCES.map((name) => [name, compute({ there: sentence(name, data) }, data).cosines])),
});

const X0 = 34, Y0 = 346, UNIT = 300, THICK = 34;
const place = ([toFruit, toFirm]) => [r(X0 + UNIT * toFruit), r(Y0 - UNIT * toFirm)];

export const view = (state, lang, data) => {
  const v = {}, c = compute(state, data), [x, y] = place(c.cosines), [x0, y0] = place(against(data.rows[data.word], data));
  v.point = { transform: `translate(${x} ${y})` };
  v.own = { x1: x0, y1: y0, x2: x, y2: y, "stroke-width": r(THICK * c.own) };
  data.context.forEach((word, i) => {
    const [x1, y1] = place(against(data.rows[word], data)), share = c.context[i];
    v[`pull${i}`] = { x1, y1, x2: x, y2: y, "stroke-width": r(THICK * share), opacity: state.there[i] ? 1 : 0 };
    v[`add${i}`] = { "aria-pressed": String(state.there[i] > 0.5) };
    v[`dot${word}`] = { class: state.there[i] > 0.5 ? "in" : "" };
  });
  for (const name of ["alone", ...SENTENCES])
    v[name] = { "aria-pressed": String(sentence(name, data).every((one, i) => one === Math.round(state.there[i]))) };
  c.cosines.forEach((value, k) => {
    const was = state.before?.[k] ?? value;
    v[`number${k}`] = { text: num(value) };
    v[`bar${k}`] = { style: `width:${r(100 * value)}%` };
    v[`was${k}`] = { style: `left:${r(100 * was)}%;opacity:${Math.abs(was - value) > 0.004 ? 1 : 0}` };
  });
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: which way the word has gone, and what moved it there. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", there = state.there.map(Math.round), c = compute({ there }, data), [a, b] = c.cosines;
  const name = (word) => pick(data.names[word], lang), it = quoted(name(data.word), lang), [fruit, firm] = data.poles.map(name);
  const n = there.filter(Boolean).length, near = Math.abs(a - b) < 0.05 ? null : a > b ? fruit : firm;
  if (!n) return zh
    ? [`${it}旁边没有词：停在${fruit}和${firm}中间。`, `这就是查到的那一行，余弦 ${num(a)} 对 ${num(b)}。给它加一个邻居。`]
    : [`Alone, ${it} sits between ${fruit} and ${firm}.`, `The row as looked up: ${num(a)} against ${num(b)}. Give it a neighbour.`];
  const lead = zh
    ? near ? `${it}靠向${near}：余弦 ${num(a)} 对 ${num(b)}。` : `${it}两边不靠：余弦 ${num(a)} 对 ${num(b)}。`
    : near ? `${capital(it)} leans towards ${near}: ${num(a)} against ${num(b)}.` : `${capital(it)} leans neither way: ${num(a)} against ${num(b)}.`;
  const word = name(data.context[state.last]), was = state.before;
  if (was && (state.event === "add" || state.event === "remove")) {
    const added = state.event === "add";
    return [lead, zh
      ? `${added ? "加上" : "拿走"}“${word}”，与${fruit}的余弦从 ${num(was[0])} 到 ${num(a)}，与${firm}的从 ${num(was[1])} 到 ${num(b)}。`
      : `${added ? "Adding" : "Removing"} “${word}” moved ${fruit} from ${num(was[0])} to ${num(a)}, ${firm} from ${num(was[1])} to ${num(b)}.`];
  }
  const top = c.context.indexOf(Math.max(...c.context)), most = name(data.context[top]);
  return [lead, zh
    ? `${n} 个邻居一起拉，“${most}”最用力，权重 ${percent(c.context[top])}；自己留 ${percent(c.own)}。`
    : `${n} neighbours pull, “${most}” hardest with a weight of ${percent(c.context[top])}; ${percent(c.own)} stays its own.`];
};

export const text = {
  zh: { alone: "一个词", bought: "买了一个", released: "发布了", sentences: "选一句", add: "或者自己加减邻居", toward: (pole) => `与${pole}`, axis: (pole) => `更像${pole}` },
  en: { alone: "Alone", bought: "Bought", released: "Released", sentences: "Choose a sentence", add: "Or add and remove neighbours", toward: (pole) => `to ${pole}`, axis: (pole) => `more like ${pole}` },
};

export const markup = (lang, data) => {
  const t = text[lang], names = data.names.map((name) => pick(name, lang)), all = data.context, [fruit, firm] = data.poles.map((pole) => names[pole]);
  const [x0, y0] = place(against(data.rows[data.word], data));
  const label = (word) => {
    if (word === data.word) return "";
    const [x, y] = place(against(data.rows[word], data));
    const [dx, dy, anchor] = Math.hypot(x - x0, y - y0) < 20 ? [-8, 14, "end"] : [9, 4, "start"]; // beside the word, out of its way
    return `<g${data.poles.includes(word) ? ' class="pole"' : ""}><circle cx="${x}" cy="${y}" r="${data.poles.includes(word) ? 5 : 3.5}"${all.includes(word) ? ` data-ref="dot${word}"` : ""}/><text x="${r(x + dx)}" y="${r(y + dy)}" text-anchor="${anchor}">${names[word]}</text></g>`;
  };
  const bar = (pole, k) => `<div class="reading"><span>${t.toward(names[pole])}</span><div class="track"><i class="bar" data-ref="bar${k}"></i><i class="was" data-ref="was${k}"></i></div><b data-ref="number${k}"></b></div>`;
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<div class="panels"><svg viewBox="0 20 400 356" role="presentation"><path class="axes" d="M${X0} ${Y0 - UNIT - 22}V${Y0}H${X0 + UNIT + 22}M${X0} ${Y0 - UNIT}A${UNIT} ${UNIT} 0 0 1 ${X0 + UNIT} ${Y0}"/>
<text class="axis" x="${X0 + UNIT}" y="${Y0 + 24}" text-anchor="end">${t.axis(fruit)} →</text><text class="axis" transform="translate(${X0 - 14} ${Y0 - UNIT}) rotate(-90)" text-anchor="end">${t.axis(firm)} →</text>
<g class="pulls">${times(all.length, (i) => `<line data-ref="pull${i}"/>`)}<line data-ref="own"/></g>
<circle class="start" cx="${x0}" cy="${y0}" r="10"/>${times(names.length, label)}
<g data-ref="point"><circle class="it" r="9"/><text class="name" x="15" y="-10">${names[data.word]}</text></g></svg>
<div class="side"><div class="readings">${data.poles.map(bar).join("")}</div>
<div class="controls"><span class="seg" role="group" aria-label="${t.sentences}">${["alone", ...SENTENCES].map((name) => `<button type="button" data-act="${name}" data-ref="${name}">${t[name]}</button>`).join("")}</span></div>
<p class="hint">${t.add}</p><div class="controls chips" role="group" aria-label="${t.add}">${times(all.length, (i) => `<button type="button" data-act="add${i}" data-ref="add${i}">${names[all[i]]}</button>`)}</div></div></div>
<p class="aloud" aria-live="polite"></p>`;
};
