// What the laboratory computes from its state, head by head.
import { attend, causalMask, entropy, slidingWindowMask } from "./kernel.js";

export const computeHeads = ({ q, k, v, root_d, temperature, causal, window, heads }) => {
  const visible = window ? slidingWindowMask(q.length, k.length, window, causal) : causal ? causalMask(q.length, k.length) : undefined;
  return Array.from({ length: heads }, (_, head) => {
    const columns = (rows) => ((width) => rows.map((row) => row.slice(head * width, (head + 1) * width)))(rows[0].length / heads);
    const [Q, K, V] = [q, k, v].map(columns);
    const scale = (root_d ? 1 / Math.sqrt(Q[0].length) : 1) / temperature;
    const { scores, weights, output } = attend(Q, K, V, { scale, visible });
    return { q: Q, k: K, v: V, scale, scores, weights, output, bits: weights.map(entropy) };
  });
};

/** As a table of the page writes it: two digits, or per cent with one. */
export const written = (x, percent = false) => {
  if (x === -Infinity) return "−∞";
  const text = percent ? (100 * x).toFixed(1) : x.toFixed(2);
  return (Number(text) ? text.replace("-", "−") : text.replace("-", "")) + (percent ? " %" : "");
};
