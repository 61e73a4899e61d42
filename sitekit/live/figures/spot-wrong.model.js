// Chapter 15: the same attention twice, right and with one wrong line; the reader says which is which, then mends the line.
// `data` is the cell's: queries, keys, names of the tokens, and the exhibits, each with the side that is wrong.
import { attentionScores, causalMask, hide, softmax } from "./kernel.js";
import { capital, percent, pick, quoted } from "./say.js";

const rows = (scores) => scores.map((row) => softmax(row));
const turned = (matrix) => matrix[0].map((_, j) => matrix.map((row) => row[j]));
const not = (visible) => visible.map((row) => row.map((sees) => !sees));

/** Weights [n_q, n_k] of each exhibit, from the scores as they are and as they are divided by √d. */
const KINDS = {
  axis: { line: ["softmax(scores, axis=0)", "softmax(scores, axis=-1)"], make: (s) => [turned(rows(turned(s))), rows(s)] },
  "no-scale": { line: ["scores = q @ k.T", "scores = q @ k.T / math.sqrt(d)"], make: (s, raw) => [rows(raw), rows(s)] },
  after: {
    line: ["softmax(scores) * mask", "softmax(np.where(mask, scores, -np.inf))"],
    make: (s) => ((mask) => [rows(s).map((row, i) => row.map((w, j) => (mask[i][j] ? w : 0))), rows(hide(s, mask))])(causalMask(s.length)),
  },
  polarity: {
    line: ["np.where(mask, -np.inf, scores)", "np.where(mask, scores, -np.inf)"],
    make: (s) => ((mask) => [rows(hide(s, not(mask))), rows(hide(s, mask))])(causalMask(s.length)),
  },
  "top-left": {
    line: ["np.tri(n_q, n_k)", "np.tri(n_q, n_k, n_k - n_q)"],
    make: (s) => ((late) => [rows(hide(late, causalMask(s.length).slice(0, 2))), rows(hide(late, causalMask(2, s.length)))])(s.slice(1)),
  },
};

export const compute = ({ exhibit }, { queries, keys, exhibits }) => {
  const { kind, side } = exhibits[exhibit];
  const [wrong, right] = KINDS[kind].make(attentionScores(queries, keys), attentionScores(queries, keys, 1));
  return { kind, side, wrong, right, line: KINDS[kind].line };
};

export const first = () => ({ exhibit: 0, choice: null, mend: 0 });
export const numbers = (_, data) => {
  const all = data.exhibits.map((_, exhibit) => compute({ exhibit }, data));
  return { wrong: all.map((one) => one.wrong), right: all.map((one) => one.right) };
};

const sum = (row) => row.reduce((a, b) => a + b, 0);
const SIDES = ["A", "B"];

export const view = (state, lang, data) => {
  const c = compute(state, data), v = {}, N = data.names.map((name) => pick(name, lang)), n = N.length, skip = n - c.right.length, open = state.choice != null;
  SIDES.forEach((name, side) => {
    const wrong = side === c.side, mended = wrong && state.mend > 0.5;
    v[`side${name}`] = { class: `side${open ? (wrong && !mended ? " wrong" : " right") : ""}`, "aria-pressed": String(state.choice === side) };
    v[`mark${name}`] = { text: open ? (wrong && !mended ? "✗" : "✓") : "?" };
    for (let i = 0; i < n; i++) {
      const row = i < skip ? null : c.right[i - skip].map((w, j) => (wrong ? c.wrong[i - skip][j] * (1 - state.mend) + w * state.mend : w));
      v[`name${name}${i}`] = { class: row ? "name" : "name none" };
      for (let j = 0; j < n; j++) {
        const off = open && wrong && row && Math.abs(row[j] - c.right[i - skip][j]) > 0.005;
        v[`w${name}${i}-${j}`] = { class: `w${off ? " off" : ""}${row ? "" : " none"}`, style: `--v:${row ? Math.round(60 * row[j]) : 0}%`, text: row ? `${Math.round(100 * row[j])}` : "" };
      }
      v[`sum${name}${i}`] = { text: row && open ? percent(sum(row)) : "" };
    }
  });
  v.line = { text: open ? c.line[state.mend > 0.5 ? 1 : 0] : "…" };
  data.exhibits.forEach((_, i) => { v[`exhibit${i}`] = { "aria-pressed": String(state.exhibit === i) }; });
  v.mend = { "aria-disabled": String(!open), text: text[lang][state.mend > 0.5 ? "spoil" : "mend"] };
  [v.lead, v.because] = words(state, lang, data).map((line) => ({ text: line }));
  return v;
};

/** Two sentences: which one is wrong, and how one could have seen it. */
export const words = (state, lang, data) => {
  const zh = lang === "zh", c = compute(state, data), N = data.names.map((name) => quoted(pick(name, lang), lang)), wrong = SIDES[c.side];
  if (state.choice == null) {
    const task = {
      axis: zh ? "没有掩码。一行是一个词怎样分它的注意力（%）。" : "No mask. A row is how one word shares out its attention, in percent.",
      "no-scale": zh ? "没有掩码，宽度 2。这一件要想一想，光看看不出。" : "No mask, width 2. Looking isn't enough for this one.",
      after: zh ? "因果掩码：一个词只看得见自己和前面的词。" : "A causal mask: each word sees itself and what came before.",
      polarity: zh ? "还是因果掩码。" : "A causal mask again.",
      "top-left": zh ? `因果掩码，带缓存：只有${N[1]}和${N[2]}在提问，${N[0]}早就算过了。` : `A causal mask with a cache: only ${N[1]} and ${N[2]} ask. ${capital(N[0])} was computed before.`,
    };
    return [zh ? "两份权重，有一份写错了一行代码。哪一份？" : "Two sets of weights. One comes from a wrong line of code. Which?", task[c.kind]];
  }
  const lead = state.mend > 0.5 ? (zh ? "这一行改对了，两边一样。" : "Now the line is right, and the two agree.")
    : state.choice === c.side ? (zh ? `对，${wrong} 是错的。` : `Yes, ${wrong} is the wrong one.`) : zh ? `不是，${wrong} 才是错的。` : `No, the wrong one is ${wrong}.`;
  const top = (matrix) => percent(Math.max(...matrix[1]));
  const why = {
    axis: zh ? `${wrong} 里每一列加起来是 100 %，${N[1]}那一行却是 ${percent(sum(c.wrong[1]))}：分出去的比它有的多。` : `In ${wrong} the columns add up to 100 %, but the row of ${N[1]} adds up to ${percent(sum(c.wrong[1]))}. It gives away more than it has.`,
    "no-scale": zh ? `两边每一行都是 100 %。少除了 √2，${N[1]}最大的一份从 ${top(c.right)} 涨到 ${top(c.wrong)}；要知道分数该是多少，才看得出来。` : `All rows add up to 100 %. Without the division by √2 the largest share of ${N[1]} rises from ${top(c.right)} to ${top(c.wrong)}. To catch it, you need to know what the score should be.`,
    after: zh ? `${N[0]}只看得见自己，该是 100 %，在 ${wrong} 里只剩 ${percent(c.wrong[0][0])}：先分完再划掉，划掉的没有还回来。` : `${capital(N[0])} sees only itself and should keep 100 %. In ${wrong} it has ${percent(c.wrong[0][0])}: shares were handed out first and crossed out later.`,
    polarity: zh ? `${wrong} 的掩码反了：该看的遮住，该遮的看见。${N[2]}在句末，什么也不剩，一行全是 0。` : `The mask of ${wrong} is flipped. ${capital(N[2])} comes last, has nothing after it to see, and gets a row of zeros.`,
    "top-left": zh ? `${wrong} 把最后两个词当成了头两个：${N[1]}连自己也看不见。` : `${wrong} takes the last two words for the first two. ${capital(N[1])} can't even see itself.`,
  };
  return [lead, why[c.kind]];
};

export const text = {
  zh: { exhibits: "展品", choose: (name) => `${name} 是错的`, mend: "把这一行改对", spoil: "再改错" },
  en: { exhibits: "Exhibit", choose: (name) => `${name} is wrong`, mend: "Fix the line", spoil: "Break it again" },
};

export const markup = (lang, data) => {
  const t = text[lang], N = data.names.map((name) => pick(name, lang)), each = (f) => N.map((_, i) => f(i)).join("");
  const side = (name) => `<button type="button" data-act="side${name}" data-ref="side${name}"><span class="title"><b>${name}</b> <i data-ref="mark${name}"></i><small>${t.choose(name)}</small></span>
<span class="grid" style="--n:${N.length}"><span></span>${each((j) => `<span class="head">${N[j]}</span>`)}<span class="tail"></span>${each((i) => `<span data-ref="name${name}${i}">${N[i]}</span>${each((j) => `<span data-ref="w${name}${i}-${j}"></span>`)}<span class="sum" data-ref="sum${name}${i}"></span>`)}</span></button>`;
  return `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<div class="sides">${SIDES.map(side).join("")}</div><p class="line"><code data-ref="line"></code></p>
<div class="controls"><span class="seg" role="group" aria-label="${t.exhibits}"><span>${t.exhibits}</span>${data.exhibits.map((_, i) => `<button type="button" data-act="exhibit${i}" data-ref="exhibit${i}">${i + 1}</button>`).join("")}</span><button type="button" data-act="mend" data-ref="mend"></button></div>
<p class="aloud" aria-live="polite"></p>`;
};
