// What several drawings need.

/** Tenths of a pixel are enough. */
export const r = (x) => Math.round(x * 10) / 10;

export const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** A share as recordings write it: per cent, a letter each. */
export const share = (letters, i) => ((c) => c - 35 - (c > 92 ? 1 : 0))(letters.charCodeAt(i));

export const times = (n, f) => Array.from({ length: n }, (_, i) => f(i)).join("");

/** A slider with its name before it and where it is after it. */
export const range = (name, part, max, value) =>
  `<label class="layers"><span>${name}</span><input type="range" min="0" max="${max}" step="1" value="${value}" data-part="${part}" data-ref="${part}"><output data-ref="${part}Now"></output></label>`;
