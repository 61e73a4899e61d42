import { Figure, calm } from "./base.js";
import "./guess.js";

self.figures = { Figure, calm }; // for the scripts of all figures, so that none brings them again

// Fetches a figure's script when the figure comes near the screen. A plain script, so that it works from a file, too.
const folder = document.currentScript.src.replace(/[^/]*$/, "");
const wake = ({ target }) => {
  near.unobserve(target);
  const name = target.dataset.figure;
  if (document.querySelector(`script[data-for="${name}"]`)) return;
  const script = document.createElement("script");
  script.src = `${folder}${name}.js`;
  script.dataset.for = name;
  document.head.append(script);
};
const near = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach(wake), {
  rootMargin: "600px",
});
addEventListener("DOMContentLoaded", () => document.querySelectorAll("[data-figure]").forEach((one) => near.observe(one)));
