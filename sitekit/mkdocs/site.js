// Runs before Material's own script.

// Where site data is blocked, to ask for it throws, which Material does not expect: search, copy buttons and colours would
// all be dead. There a choice is kept as long as the page.
const inMemory = () => {
  const items = new Map();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, String(value)),
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  };
};
for (const name of ["localStorage", "sessionStorage"]) {
  try {
    self[name].setItem("probe", "");
    self[name].removeItem("probe");
  } catch {
    Object.defineProperty(self, name, { value: inMemory() });
  }
}

// Material fetches the search index with every page. Here it waits until somebody turns to the search field, unless the
// page was found by a search: then the index says how its words are cut, so that Material can mark them.
const found = new URLSearchParams(location.search).get("h");
const send = XMLHttpRequest.prototype.send;
const open = XMLHttpRequest.prototype.open;
XMLHttpRequest.prototype.open = function (method, address, ...rest) {
  this.waits = String(address).endsWith("search/search_index.json") && !found;
  return open.call(this, method, address, ...rest);
};
XMLHttpRequest.prototype.send = function (...body) {
  if (!this.waits) return send.apply(this, body);
  const turn = ({ target }) => {
    if (!target.matches(".md-search__input")) return;
    document.removeEventListener("focusin", turn);
    send.apply(this, body);
  };
  document.addEventListener("focusin", turn);
};

// Nor is the worker that searches the index fetched before there is something for it to do.
const Eager = self.Worker;
self.Worker = new Proxy(Eager, {
  construct(kind, [address, ...rest]) {
    if (!/\/workers\/search\./.test(address)) return new Eager(address, ...rest);
    let worker;
    const proxy = new EventTarget();
    proxy.postMessage = (message) => {
      if (!worker) {
        worker = new Eager(address, ...rest);
        worker.onmessage = ({ data }) => proxy.dispatchEvent(new MessageEvent("message", { data }));
      }
      worker.postMessage(message);
    };
    return proxy;
  },
});

// Material searches when a key comes up. Text also arrives without a key: pasted, dictated, written by hand.
document.addEventListener("input", (event) => {
  if (event.target.matches(".md-search__input") && !event.isComposing) event.target.dispatchEvent(new Event("keyup"));
});

// What is typed stays as it is; the search worker gets it as the index knows it. A page opened as a file has another kind
// of worker, set up later.
const apart = ({ target }) => {
  const kind = Worker.prototype;
  if (!target.matches?.(".md-search__input") || kind.apart) return;
  const post = kind.postMessage;
  kind.apart = true;
  kind.postMessage = function (message, ...rest) {
    if (message.type === 2) message.data = toQuery(message.data);
    return post.call(this, message, ...rest);
  };
};
document.addEventListener("focusin", apart);

// A page that was found by no whole word has none to mark, and no empty ?h= in its address.
for (const type of ["click", "auxclick", "contextmenu"])
  document.addEventListener(type, ({ target }) => {
    const link = target.closest?.(".md-search-result__link");
    if (link?.search === "?h=") link.search = "";
  });

// What Material leaves without a name: the dialog of the search; and the landmark that it makes of each copy button is none.
addEventListener("DOMContentLoaded", () => {
  const field = document.querySelector(".md-search__input");
  field?.closest("[role=dialog]").setAttribute("aria-label", field.getAttribute("aria-label"));
  const unmark = () => {
    document.querySelectorAll(".md-code__nav:not([role])").forEach((nav) => nav.setAttribute("role", "none"));
    for (const wide of document.querySelectorAll(":is(.md-typeset__scrollwrap, .math.long):not([tabindex])"))
      if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0; // so that keys can scroll it
  };
  unmark();
  new MutationObserver(unmark).observe(document.body, { childList: true, subtree: true });
});

// The language switch keeps section and state: ids are the same in every language. What was searched for is not.
const keep = ({ target }) => {
  const link = target.closest?.(".md-select__link");
  if (!link) return;
  const state = new URLSearchParams(location.search);
  state.delete("h");
  link.search = state;
  link.hash = location.hash;
};
for (const type of ["click", "auxclick", "contextmenu"]) document.addEventListener(type, keep);

// A reader whose browser prefers another language of the site is offered it in one line, until they dismiss it. This comes
// before the page is drawn, so that nothing moves.
const root = document.documentElement;
const primary = (tag) => tag.toLowerCase().split("-")[0];
const offered = document.currentScript.dataset.languages.split(" ");
const preferred = navigator.languages.map(primary).find((tag) => offered.includes(tag));
if (preferred && preferred !== primary(root.lang) && !localStorage.getItem("offer"))
  root.style.setProperty(`--offer-${preferred}`, "block");
document.addEventListener("click", ({ target }) => {
  if (!target.closest?.(".offer button")) return;
  localStorage.setItem("offer", "dismissed");
  root.style.removeProperty(`--offer-${preferred}`);
});

// Terms in both languages, if the reader wants them.
const both = document.querySelector("input[name=both-terms]");
if (both) {
  const show = () => document.documentElement.classList.toggle("both-terms", both.checked);
  both.checked = localStorage.getItem("both-terms") === "true";
  both.parentElement.hidden = false;
  both.addEventListener("change", () => (localStorage.setItem("both-terms", both.checked), show()));
  show();
}

// Browsers copy MathML as a letter a line. Copied it is TeX, and MathML where that can be pasted.
const formulaAt = (place) => (place instanceof Element ? place : place.parentElement)?.closest(".math");
document.addEventListener("copy", (event) => {
  const selection = getSelection();
  if (selection.isCollapsed || event.target.matches?.("input, textarea")) return;
  const range = selection.getRangeAt(0).cloneRange();
  const [first, last] = [formulaAt(range.startContainer), formulaAt(range.endContainer)];
  if (first) range.setStartBefore(first); // half a formula is none
  if (last) range.setEndAfter(last);
  const [text, html] = [range.cloneContents(), range.cloneContents()];
  const formulas = text.querySelectorAll(".math");
  if (!formulas.length) return;
  for (const formula of formulas) {
    const sign = formula.matches("div") ? "$$" : "$";
    formula.replaceWith(`${sign}${formula.querySelector("annotation").textContent.trim()}${sign}`);
  }
  for (const formula of html.querySelectorAll(".math")) formula.replaceChildren(formula.querySelector("math"));
  for (const part of [text, html]) for (const button of part.querySelectorAll(".headerlink, button")) button.remove();
  const box = document.createElement("div");
  box.append(html);
  event.clipboardData.setData("text/plain", text.textContent);
  event.clipboardData.setData("text/html", box.innerHTML);
  event.preventDefault();
});

// Paper has nothing to open: what is folded is printed unfolded.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const fold of folded) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of folded) fold.open = false;
});
