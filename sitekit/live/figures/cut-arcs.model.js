// Chapter 8: arcs from one word to those it may look at, cut by a mask or by hand. `data` is the cell's: words, scores
// without a mask, and how wide the window and how long the sentence without padding is.
import { causalMask, hide, paddingMask, slidingWindowMask, softmax } from "./kernel.js";
import { arc, places } from "./line.js";
import { capital, percent, pick, quoted } from "./say.js";

const THIN = "\u202f";

export const KINDS = ["all", "causal", "window", "padding"];
export const maskOf = (kind, { scores, window, length }) => {
  const n = scores.length;
  const make = { causal: () => causalMask(n), window: () => slidingWindowMask(n, n, window), padding: () => paddingMask(length, n) };
  return make[kind]?.() ?? scores.map((row) => row.map(() => true));
};

export const first = (data) => ({ kind: "causal", visible: maskOf("causal", data), row: data.row });
export const compute = ({ visible }, { scores }) => hide(scores, visible).map((row) => softmax(row));
export const numbers = (state, data) => ({ weights: compute(state, data) });

const W = 640, BASE = 152;
const r = (x) => Math.round(x * 10) / 10;

export const view = (state, lang, data) => {
  const weights = compute(state, data), v = {}, N = data.words.map((word) => pick(word, lang)), zh = lang === "zh";
  const at = places(N, W), row = weights[state.row], from = at[state.row].mid;
  N.forEach((_, j) => {
    const sees = state.visible[state.row][j], self = j === state.row;
    v[`word${j}`] = { text: N[j], class: `word${self ? " it" : sees ? "" : " gone"}` };
    v[`arc${j}`] = self ? { opacity: 0 } : { d: arc(from, at[j].mid, BASE - 34, BASE - 53), "stroke-width": r(Math.max(1, 26 * row[j])), opacity: sees ? 1 : 0 };
    v[`pc${j}`] = { y: self ? BASE + 23 : BASE - 36, text: sees ? `${Math.round(100 * row[j])}${THIN}%` : "" };
    v[`row${j}`] = { "aria-pressed": String(self) };
    N.forEach((_, k) => {
      const open = state.visible[j][k];
      v[`cell${j}-${k}`] = {
        "aria-pressed": String(open), style: `--v:${r(60 * weights[j][k])}%`, text: open ? String(Math.round(100 * weights[j][k])) : "·",
        tabindex: (state.focus ?? "0-0") === `${j}-${k}` ? 0 : -1,
        "aria-label": zh ? `${quoted(N[j], lang)}看${quoted(N[k], lang)}：${open ? percent(weights[j][k]) : "看不见"}` : `${N[j]} looks at ${N[k]}: ${open ? percent(weights[j][k]) : "hidden"}`,
      };
    });
  });
  for (const kind of KINDS) v[kind] = { "aria-pressed": String(state.kind === kind) };
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

/** Two sentences: what the chosen word sees, and what the mask does. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", N = data.words.map((word) => pick(word, lang)), Q = N.map((name) => quoted(name, lang));
  const i = state.row, row = compute(state, data)[i], sees = state.visible[i].filter(Boolean).length;
  const top = row.indexOf(Math.max(...row)), who = top === i ? (zh ? "自己" : "itself") : Q[top];
  const lead = !sees
    ? zh ? `${Q[i]}什么也看不见：权重全是 0。` : `${capital(N[i])} sees nothing: all its weights are 0.`
    : sees === 1 ? zh ? `${Q[i]}只看得见${who}：100${THIN}%。` : `${capital(N[i])} sees only ${who}: 100${THIN}%.`
    : zh ? `${Q[i]}看得见 ${sees} 个词，${who}得最多，${percent(row[top])}。` : `${capital(N[i])} sees ${sees} words, and ${who} gets most: ${percent(row[top])}.`;
  const cut = state.visible[i].length - sees;
  const why = {
    all: zh ? "编码器：谁都可以看谁。" : "An encoder: everyone may look at everyone.",
    causal: zh ? "因果：只看自己和前面的词。线剪断了，份额在剩下的词里重新分。" : "Causal: itself and what came before. Cut an arc, and its share goes to the words that are left.",
    window: zh ? `窗口 ${data.window}：只看自己和前面 ${data.window - 1} 个词。` : `A window of ${data.window}: itself and the ${data.window - 1} words before.`,
    padding: zh ? `填充：只有前 ${data.length} 个词是真的，后面补上的，谁也不看。` : `Padding: only the first ${data.length} words are real, and nobody looks at the rest.`,
    painted: zh ? `你的掩码：这一行剪断了 ${cut} 条线，剩下的按原来的比例分。` : `Your own mask: ${cut} ${cut === 1 ? "arc" : "arcs"} cut in this row. The others keep their proportions.`,
  };
  return [lead, why[state.kind]];
};

export const text = {
  zh: { all: "谁都可以看", causal: "因果", window: "窗口", padding: "填充", mask: "选一种掩码", grid: "掩码：一行一个提问的词，数是权重（%），点一格就剪断或接上", corner: "谁在看 ↓ 看谁 →", hint: "点一格：剪断，或者接上" },
  en: { all: "Everyone", causal: "Causal", window: "Window", padding: "Padding", mask: "Choose a mask", grid: "The mask: a row for each word that looks, with weights in per cent; press a cell to cut or join", corner: "looks ↓ at →", hint: "Press a cell to cut it, or to join it again" },
};

export const markup = (lang, data) => {
  const t = text[lang], N = data.words.map((word) => pick(word, lang)), at = places(N, W), each = (f) => N.map((_, i) => f(i)).join("");
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<svg viewBox="0 0 ${W} 176" role="presentation">${each((j) => `<path class="thread" data-ref="arc${j}"/>`)}
${each((j) => `<g data-act="row${j}"><rect x="${r(at[j].x)}" y="${BASE - 38}" width="${r(at[j].w)}" height="62"/><text x="${r(at[j].mid)}" y="${BASE + 3}" data-ref="word${j}"></text><text class="pc" x="${r(at[j].mid)}" data-ref="pc${j}"></text></g>`)}</svg>
<div class="mask" role="group" aria-label="${t.grid}" style="--n:${N.length}"><span class="corner">${t.corner}</span>${each((k) => `<span class="col">${N[k]}</span>`)}
${each((i) => `<button type="button" class="who" data-act="row${i}" data-ref="row${i}">${N[i]}</button>${each((k) => `<button type="button" class="cell-of" data-at="${i}-${k}" data-ref="cell${i}-${k}"></button>`)}`)}</div>
<div class="controls"><span class="seg" role="group" aria-label="${t.mask}">${KINDS.map((kind) => `<button type="button" data-act="${kind}" data-ref="${kind}">${t[kind]}</button>`).join("")}</span><small class="hint">${t.hint}</small></div>
<p class="aloud" aria-live="polite"></p>`;
};
