// Scripts to take away. The file that a link names stands alone; what goes to the clipboard is shorter, unless the reader
// chooses otherwise: it installs the package and imports from it.

// The script with an import in place of what it has from the package, and no import that nothing uses any more.
const shorten = (script, install) => {
  const block = /^# From the package, .*\n# (from attention import .*)\n[^]*?^# End of what is from the package\.\n/m;
  const [whole, line] = script.match(block) ?? [];
  if (!whole) return script;
  const [top, rest] = script.split(whole);
  const used = (name) => new RegExp(`\\b${name}\\b`).test(rest + top.replace(/^(import|from) .*$/gm, ""));
  const lines = top.trimEnd().split("\n").filter((one) => !/^(import|from) /.test(one) || used(one.split(" ").at(-1)));
  const last = lines.findLastIndex((one) => /^(import|from) /.test(one));
  lines.splice(last + 1, 0, ...(last < 0 ? [] : [""]), line);
  return `# ${install}\n${lines.join("\n")}\n\n${rest.trimStart()}`;
};

// How to install the package: from this site; a site served by the reader's own machine stands in a clone.
const installation = (wheel, hostname) =>
  /^((.*\.)?localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname)
    ? "In a clone of the site: pip install ."
    : `pip install ${wheel}`;

if (typeof document !== "undefined") {
  const { wheel } = document.currentScript.dataset;
  const choice = () => document.querySelector("input[name=alone]");

  // A script is a download; where there is a clipboard, it goes there instead.
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a.take");
    if (!link || self.asFile || !navigator.clipboard) return;
    event.preventDefault();
    const alone = choice()?.checked ?? localStorage.getItem("alone");
    try {
      const answer = await fetch(link.href);
      if (!answer.ok) throw new Error(answer.status);
      const script = await answer.text();
      const install = installation(new URL(wheel, location.href).href, location.hostname);
      await navigator.clipboard.writeText(alone ? script : shorten(script, install));
    } catch {
      location.assign(link.href); // the browser downloads it, or says why not
      return;
    }
    const status = link.nextElementSibling;
    const { cell } = link.closest(".cell"); // what cells.js knows of it: the reader may have changed the code
    status.textContent = cell && cell.code !== cell.original ? status.dataset.own : status.dataset.done;
    setTimeout(() => (status.textContent = ""), 4000);
  });

  document.addEventListener("DOMContentLoaded", () => {
    const box = choice();
    if (!box || self.asFile) return;
    box.closest(".choice").hidden = false;
    box.checked = Boolean(localStorage.getItem("alone"));
    box.addEventListener("change", () =>
      box.checked ? localStorage.setItem("alone", "yes") : localStorage.removeItem("alone"),
    );
  });
}
