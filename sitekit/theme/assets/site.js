// Material searches when a key comes up. Text also arrives without a key: pasted, dictated, written by hand.
document.querySelector(".md-search__input")?.addEventListener("input", (event) => {
  if (!event.isComposing) event.target.dispatchEvent(new Event("keyup"));
});
