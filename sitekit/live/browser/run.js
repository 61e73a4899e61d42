// Puts the buttons beside code that can be run. What they do is in cells.js, which is loaded with its style, run.css,
// when a reader touches one.
(() => {
  const HERE = document.currentScript.src;
  const WORDS = {}; // the build puts in: language -> the words of the buttons, and what to say where nothing comes
  const CHECK = /^def \w+\(/m; // the first function of an exercise's check

  const languageOf = (box) => {
    const { lang } = box.closest("[lang]");
    return [lang, lang.split("-")[0]].find((code) => WORDS[code]) || "en";
  };
  const node = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const button = (textContent) => node("button", { type: "button", textContent });

  const put = (box) => {
    const language = languageOf(box);
    const words = WORDS[language];
    const [run, edit, reset, answer] = ["run", "edit", "reset", "answer"].map((name) => button(words[name]));
    const said = node("span", { className: "said" });
    const clock = node("span", { className: "clock" }); // for the eye: nobody wants to hear each second
    const tools = box.querySelector(".tools");
    const name = box.dataset.cell.split(".")[1];
    run.className = "run";
    reset.hidden = true;
    said.setAttribute("role", "status");
    clock.setAttribute("aria-hidden", "true");
    tools.setAttribute("role", "group");
    tools.setAttribute("aria-label", name);
    tools.prepend(run, edit, reset, said, clock);
    const check = name.startsWith("check-") && CHECK.test(box.querySelector("pre code").textContent);
    if (check) tools.prepend(answer);
    return { box, language, run, edit, reset, answer, said, clock };
  };

  // A plain script, so that it works from a file, too; cells.js takes over the cells that wait in self.cells.
  const bring = (tag, properties) =>
    new Promise((onload, reject) => {
      const one = node(tag, { ...properties, onload });
      one.onerror = () => (one.remove(), reject());
      document.head.append(one);
    });
  const address = (file) => new URL(file, HERE).href;
  const load = () =>
    Promise.all([
      bring("link", { rel: "stylesheet", href: address("run.css") }),
      bring("script", { src: address("cells.js") }),
    ]);
  let loading = null;
  const wake = () => (loading ??= load().catch(() => Promise.reject((loading = null))));
  const warm = () => wake().catch(() => {}); // a click says that it did not come

  self.cells = [...document.querySelectorAll("[data-run]")].filter((box) => box.querySelector(".tools")).map(put);
  for (const { box, language, said } of self.cells) {
    // A click that comes before the script does is made again once it is there.
    const touch = async (event) => {
      if (box.cell || !event.target.closest("button, pre code")) return;
      box.classList.add("busy");
      const came = await wake().then(() => true, () => false);
      box.classList.remove("busy");
      if (!came) return (said.textContent = WORDS[language].unreachable.replace("{what}", "cells.js"));
      event.target.dispatchEvent(new PointerEvent(event.type, event));
    };
    box.addEventListener("click", touch);
    for (const near of ["pointerover", "focusin"]) box.addEventListener(near, warm, { once: true });
  }
  if (document.querySelector("[data-cell='lab.apple']")) warm();
})();
