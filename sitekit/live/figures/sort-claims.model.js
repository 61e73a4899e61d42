// Chapter 16: a square for each claim, in the order of the page, and a verdict to sort them by. `data` is the page's: the
// verdict and the place of each claim, and the verdicts' names and marks.
export const first = () => ({ show: "all" });

const count = (verdict, { claims }) => claims.filter((one) => verdict === "all" || one.verdict === verdict).length;
export const numbers = (_, data) => ({ counts: data.verdicts.map(({ verdict }) => count(verdict, data)) });

export const view = (state, lang, data) => {
  const v = { all: { "aria-pressed": String(state.show === "all") } };
  for (const { verdict } of data.verdicts) v[verdict] = { "aria-pressed": String(state.show === verdict) };
  data.claims.forEach(({ verdict }, i) => {
    v[`claim${i}`] = { class: `square ${verdict}${state.show === "all" || state.show === verdict ? "" : " gone"}` };
  });
  [v.lead, v.because] = words(state, lang, data).map((text) => ({ text }));
  return v;
};

const WHY = {
  zh: {
    all: "一格是一条说法，按清单的次序。选一种判断，只留下这一种。",
    holds: "照原样说就对。",
    condition: "要加上条件才对：换一个条件，就不对了。",
    rounding: "算法没有错，只是先舍入、再相加，末位就差了一点。这和说错了不是一回事。",
    fails: "和算出来的相反。每一条都写了为什么。",
    open: "能判定它的东西这里没有，所以不说对，也不说错。",
  },
  en: {
    all: "Each square is a claim, in the order of the list. Choose a verdict to keep only those.",
    holds: "Right as it stands.",
    condition: "Right under a condition, and wrong without it.",
    rounding: "The method is right. The last digit is off, because the terms were rounded before they were added. That isn't the same as being wrong.",
    fails: "The computation says the opposite. Each note says why.",
    open: "What would settle it is not here, so we call it neither right nor wrong.",
  },
};

export const words = ({ show }, lang, data) => {
  const zh = lang === "zh", all = data.claims.length, n = count(show, data), name = data.verdicts.find((one) => one.verdict === show)?.name;
  const lead = show === "all" ? (zh ? `${all} 条说法，` : `${all} claims. `) + (zh ? `照原样就对的有 ${count("holds", data)} 条。` : `${count("holds", data)} of them hold as they stand.`)
    : zh ? `${all} 条里有 ${n} 条：${name}。` : `${n} of ${all}: ${name}.`;
  return [lead, WHY[lang][show]];
};

export const markup = (lang, data) => `<div class="said"><p class="lead" data-ref="lead"></p><p class="because" data-ref="because"></p></div>
<div class="squares">${data.claims.map(({ id, mark, title }, i) => `<a href="#claim-${id}" title="${title}" data-ref="claim${i}">${mark}</a>`).join("")}</div>
<div class="verdicts" role="group" aria-label="${lang === "zh" ? "选一种判断" : "Choose a verdict"}"><button type="button" data-act="all" data-ref="all">${lang === "zh" ? "全部" : "All"} ${data.claims.length}</button>${data.verdicts.map(({ verdict, name, mark }) => `<button type="button" class="${verdict}" data-act="${verdict}" data-ref="${verdict}"><i>${mark}</i> ${name} ${count(verdict, data)}</button>`).join("")}</div>
<p class="aloud" aria-live="polite"></p>`;
