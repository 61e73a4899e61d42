// Prints {language: {glyph: SVG}}: the signs that all figures share, drawn with what the figures draw with. The build runs it for
// the page on style; the browser never loads it.
import { softmax } from "./kernel.js";
import { arc, places } from "./line.js";
import { percent } from "./say.js";

const W = 300, WORDS = { zh: ["买", "了", "一个", "苹果"], en: ["bought", "an", "apple"] };
const shares = softmax([2, 1, 0]);
const svg = (height, inside) => `<svg viewBox="0 0 ${W} ${height}" width="${W}" height="${height}" style="min-width:220px" aria-hidden="true">${inside}</svg>`;
const paint = (fill, more = "") => `style="fill:${fill};${more}"`;
const serif = "font:700 22px var(--heading-font);text-anchor:middle";
const label = (x, y, text, fill = "currentColor") => `<text x="${x}" y="${y}" ${paint(fill, "font-size:14px;font-weight:600;text-anchor:middle")}>${text}</text>`;
const line = (x1, y1, x2, y2, stroke, width) => `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" style="stroke:${stroke};stroke-width:${width};stroke-linecap:round"/>`;
const arrow = (x, y, role) => `${line(20, 90, x, y, `var(--${role})`, 3.5)}<circle cx="${x}" cy="${y}" r="5" ${paint(`var(--${role})`)}/>`;

const glyphs = (lang) => {
  const words = WORDS[lang], at = places(words.map((word) => word.slice(0, 3)), W), it = words.length - 1;
  const word = (i, style) => `<text x="${at[i].mid}" y="30" style="${serif};${style}">${words[i]}</text>`;
  return {
    token: svg(48, words.map((_, i) => word(i, i === it ? "fill:var(--query)" : i === 0 ? "fill:currentColor;opacity:.3" : "fill:currentColor;font-weight:400") + (i === 0 ? line(at[0].x, 23, at[0].x + at[0].w, 23, "var(--muted)", 2) : line(at[i].x + 6, 40, at[i].x + at[i].w - 6, 40, "var(--rule)", 2))).join("")),
    arc: svg(104, shares.map((share, i) => `<path d="${arc(40, 120 + 65 * i, 84, 84)}" style="fill:none;stroke:var(--weights);stroke-width:${(26 * share).toFixed(1)};stroke-linecap:round;stroke-opacity:.85"/>${label(120 + 65 * i, 102, percent(share), "var(--weights)")}`).join("")),
    share: svg(72, shares.map((share, i) => `<rect x="0" y="${4 + 24 * i}" width="220" height="14" rx="2" ${paint("var(--rule)", "opacity:.5")}/><rect x="0" y="${4 + 24 * i}" width="${(220 * share).toFixed(1)}" height="14" rx="2" ${paint("var(--weights)")}/>${label(262, 16 + 24 * i, percent(share))}`).join("")),
    score: svg(48, `<rect x="0" y="18" width="${W}" height="14" rx="2" ${paint("var(--rule)", "opacity:.5")}/><rect x="75" y="18" width="150" height="14" rx="2" ${paint("var(--scores)")}/>${line(75, 12, 75, 38, "var(--muted)", 1)}${label(245, 14, "6")}${label(75, 10, "0")}`),
    arrows: svg(100, `${line(20, 90, W, 90, "var(--rule)", 1)}${line(20, 0, 20, 90, "var(--rule)", 1)}${arrow(150, 46, "query")}${arrow(64, 12, "key")}${arrow(230, 68, "value")}<circle cx="180" cy="56" r="7" ${paint("var(--output)")}/>`),
    handle: svg(48, `${line(0, 24, W, 24, "var(--rule)", 6)}<circle cx="180" cy="24" r="8" style="fill:var(--md-default-bg-color);stroke:var(--scores);stroke-width:2.5"/>${line(110, 14, 110, 34, "currentColor", 2)}`),
  };
};

process.stdout.write(JSON.stringify(Object.fromEntries(Object.keys(WORDS).map((lang) => [lang, glyphs(lang)]))));
