// Runs before Material's own script.

// Material fetches the search index with every page. Here it waits until somebody turns to the search field.
const send = XMLHttpRequest.prototype.send;
const open = XMLHttpRequest.prototype.open;
XMLHttpRequest.prototype.open = function (method, address, ...rest) {
  this.waits = String(address).endsWith("search/search_index.json");
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

// Material searches when a key comes up. Text also arrives without a key: pasted, dictated, written by hand.
document.addEventListener("input", (event) => {
  if (event.target.matches(".md-search__input") && !event.isComposing) event.target.dispatchEvent(new Event("keyup"));
});
