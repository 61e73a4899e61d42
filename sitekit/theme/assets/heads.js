// The head explorer: choose a sentence, a layer and a head, see the weights. Nothing is fetched before a choice.
(() => {
  const root = document.querySelector(".heads");
  const explorer = root.querySelector(".explorer");
  const { sentence, layer, head } = Object.fromEntries([...explorer.querySelectorAll("select")].map((s) => [s.name, s]));
  const button = explorer.querySelector("button");
  const said = explorer.querySelector(".said");
  const shown = explorer.querySelector(".shown");
  const grid = root.querySelector(".scroll");
  const maps = [...root.querySelectorAll(".map")];
  const words = root.dataset;
  const [layers, heads] = [layer.options.length, head.options.length];
  const recorded = new Map(); // sentence -> its weights, once fetched

  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const node = (tag, attributes, ...inside) => {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...inside);
    return made;
  };
  const cell = (scope, token) => {
    const made = node("th", { scope }, token);
    made.lang = "en";
    return made;
  };

  // Weights are never negative: 5 bits of exponent, 10 of fraction, no sign.
  const half = (bits) => {
    const exponent = bits >> 10;
    const fraction = (bits & 1023) / 1024;
    return exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction;
  };

  const weightsOf = async (key) => {
    if (!recorded.has(key)) {
      const answer = await fetch(`${words.folder}${key}.f16`);
      if (!answer.ok) throw new Error(String(answer.status));
      const view = new DataView(await answer.arrayBuffer());
      recorded.set(key, Float64Array.from({ length: view.byteLength / 2 }, (_, i) => half(view.getUint16(2 * i, true))));
    }
    return recorded.get(key);
  };

  const table = (rows, tokens, title) => {
    const peak = Math.max(...rows.flat());
    const made = node("table", { className: "matrix weights" }, node("caption", {}, title));
    const corner = node("td", { className: "corner" }, words.corner);
    made.createTHead().append(node("tr", {}, corner, ...tokens.map((token) => cell("col", token))));
    made.createTBody().append(
      ...rows.map((row, i) => {
        const numbers = row.map((weight) => {
          const number = node("td", {}, (100 * weight).toFixed(1));
          number.style.setProperty("--v", `${Math.round((45 * weight) / peak)}%`);
          return number;
        });
        return node("tr", {}, cell("row", tokens[i]), ...numbers);
      }),
    );
    return made;
  };

  // Which token most rows look at most, and the largest weight of all.
  const finding = (rows, tokens) => {
    const best = rows.map((row) => row.indexOf(Math.max(...row)));
    const count = tokens.map((_, at) => best.filter((b) => b === at).length);
    const often = count.indexOf(Math.max(...count));
    const peaks = rows.map((row, i) => row[best[i]]);
    const top = peaks.indexOf(Math.max(...peaks));
    return {
      count: count[often], rows: rows.length, token: tokens[often],
      from: tokens[top], to: tokens[best[top]], share: (100 * peaks[top]).toFixed(1),
    };
  };

  const mark = () => maps.forEach((map, at) => map.classList.toggle("chosen", at === heads * layer.value + +head.value));

  let latest = 0;
  const show = async () => {
    mark();
    if (self.asFile) return (said.textContent = self.asFile);
    const mine = ++latest;
    const option = sentence.selectedOptions[0];
    const tokens = JSON.parse(option.dataset.tokens);
    const name = { layer: layer.value, head: head.value, sentence: option.text };
    if (!recorded.has(option.value)) said.textContent = words.waiting;
    try {
      const weights = await weightsOf(option.value);
      if (mine !== latest) return; // another choice has been made meanwhile
      const n = tokens.length;
      const start = (heads * name.layer + +name.head) * n * n;
      const rows = tokens.map((_, i) => [...weights.subarray(start + i * n, start + (i + 1) * n)]);
      const title = fill(words.title, name);
      const box = shown.firstChild || shown.appendChild(node("div", { className: "scroll", tabIndex: 0 }));
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", title);
      box.replaceChildren(table(rows, tokens, title));
      said.textContent = fill(words.finding, { ...name, ...finding(rows, tokens) });
      const pressed = document.activeElement === button;
      button.hidden = true;
      if (pressed) box.focus(); // rather than nowhere
    } catch {
      if (mine !== latest) return;
      shown.replaceChildren();
      said.textContent = words.failed;
      button.textContent = words.again;
      button.hidden = false;
    }
  };

  const choose = (at) => {
    layer.value = Math.floor(at / heads);
    head.value = at % heads;
    show();
  };

  const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  grid.addEventListener("keydown", (event) => {
    const move = moves[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const to = (value, step, count) => (value + step + count) % count;
    choose(heads * to(+layer.value, move[0], layers) + to(+head.value, move[1], heads));
  });
  grid.addEventListener("click", (event) => {
    const at = maps.indexOf(event.target.closest(".map"));
    if (at >= 0) choose(at);
  });
  explorer.addEventListener("change", show);
  button.addEventListener("click", show);

  grid.setAttribute("aria-description", words.arrows);
  root.classList.add("live");
  explorer.hidden = false;
  mark();
})();
