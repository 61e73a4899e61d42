// Words in a line, and arcs between them: the same in every figure.
import { r } from "./draw.js";

const width = (letter) =>
  letter > "\u2e80" ? 1 : /[A-Z]/.test(letter) ? 0.68 : /[ilt.]/.test(letter) ? 0.32 : /[mw]/.test(letter) ? 0.8 : 0.53;
const ems = (word) => [...word].reduce((sum, letter) => sum + width(letter), 0);

/** Where each word of a centred line begins, how wide it is, and its middle. */
export const places = (words, wide) => {
  const widths = words.map((word) => Math.max(50, ems(word) * 31 + 16));
  const all = widths.reduce((a, b) => a + b);
  const gap = Math.min(12, (wide - all) / words.length);
  let x = (wide - all - gap * (words.length - 1)) / 2;
  return widths.map((w) => {
    const place = { x, w, mid: x + w / 2 };
    x += w + gap;
    return place;
  });
};

/** An arc over the line, from one middle to another, higher the farther they are apart. */
export const arc = (from, to, foot, head) => {
  const top = r(foot - 26 - Math.abs(from - to) * 0.3);
  return `M${r(from)} ${foot}C${r(from)} ${top} ${r(to)} ${top} ${r(to)} ${head}`;
};
