// The arithmetic of attention, equal to the package's. A matrix is an array of rows. The conventions are the package's:
// `visible` is true where a query may attend; a hidden key scores -Infinity; a row without a visible key gives zeros.

export const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

/** [n_q, d], [n_k, d] -> [n_q, n_k]; the scale is 1/√d where it is left out. */
export const attentionScores = (Q, K, scale = 1 / Math.sqrt(K[0].length)) =>
  Q.map((q) => K.map((k) => scale * dot(q, k)));

/** [n_q, n_k] -> [n_q, n_k]: replaced, not added to, so that NaN in a hidden key does not stay. */
export const hide = (scores, visible) =>
  visible ? scores.map((row, i) => row.map((s, j) => (visible[i][j] ? s : -Infinity))) : scores;

/** [n] -> [n]: the exponentials divided by the largest of them, so that none overflows. */
export const exps = (scores, temperature = 1) => {
  const largest = Math.max(...scores);
  return scores.map((s) => (s === -Infinity ? 0 : Math.exp((s - largest) / temperature)));
};

/** [n] -> [n]: none is negative, and they sum to 1, unless all is hidden. */
export const softmax = (scores, temperature = 1) => {
  const powers = exps(scores, temperature);
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / (sum || 1));
};

/** [n_k], [n_k, d_v] -> [d_v]: a value without weight changes nothing, even if it is NaN. */
export const blend = (weights, V) =>
  V[0].map((_, c) => weights.reduce((sum, w, j) => (w ? sum + w * V[j][c] : sum), 0));

/** [n_q, d_k], [n_k, d_k], [n_k, d_v] -> scores [n_q, n_k], weights [n_q, n_k], output [n_q, d_v] */
export const attend = (Q, K, V, { scale, visible, temperature } = {}) => {
  const scores = hide(attentionScores(Q, K, scale), visible);
  const weights = scores.map((row) => softmax(row, temperature));
  return { scores, weights, output: weights.map((row) => blend(row, V)) };
};

// Masks, [n_q, n_k]: the last query and the last key are the same token (bottom-right alignment).
const mask = (nQ, nK, sees) =>
  Array.from({ length: nQ }, (_, i) => Array.from({ length: nK }, (_, j) => sees(nK - nQ + i, j)));

export const causalMask = (nQ, nK = nQ) => mask(nQ, nK, (query, key) => key <= query);

/** The window includes the token itself; without `causal` it reaches as far ahead as back. */
export const slidingWindowMask = (nQ, nK, window, causal = true) =>
  mask(nQ, nK, (query, key) => key > query - window && key <= query + (causal ? 0 : window - 1));

export const paddingMask = (length, nQ, nK = nQ) => mask(nQ, nK, (_, key) => key < length);

export const both = (a, b) => a.map((row, i) => row.map((sees, j) => sees && b[i][j]));

/** [n] -> bits: 0 where one takes all, log2(n) where all get the same. */
export const entropy = (weights) => weights.reduce((bits, w) => (w > 0 ? bits - w * Math.log2(w) : bits), 0);
