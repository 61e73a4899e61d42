// The texts of the page that stand out from what is behind them by less than 4.5 to 1.
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const remember = (work, key) => {
    const known = new Map();
    return (...given) => {
      if (!known.has(key(...given))) known.set(key(...given), work(...given));
      return known.get(key(...given));
    };
  };
  const over = remember((under, colour) => {
    canvas.fillStyle = `rgb(${under.join(" ")})`;
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, (...given) => given.join());
  const backdrop = remember((node) => {
    const behind = node.parentElement ? backdrop(node.parentElement) : [255, 255, 255];
    return over(behind, getComputedStyle(node).backgroundColor);
  }, (node) => node);
  const luminance = (colour) => {
    const linear = colour.map((part) => part / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const faint = [];
  const texts = document.createTreeWalker(document.querySelector(".md-container"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.textContent.trim();
    const node = texts.currentNode.parentElement;
    if (!text || node.closest("annotation, .headerlink, .md-search, [hidden]")) continue;
    if (!node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const behind = backdrop(node);
    const [dark, light] = [behind, over(behind, getComputedStyle(node).color)].map(luminance).sort((a, b) => a - b);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${node.tagName} ${node.className}: ${text.slice(0, 30)}`);
  }
  return faint;
};
