// What is typed into the search field, as the index knows it. To lunr, which searches it, some signs are commands; typed by
// a reader they are text, and the index is cut at them. A formula is spelled as markdown/katex.py spells it, TeX too.
// Of a formula only what is longer than a letter: every page has a T.
const toQuery = (text) => {
  const words = text
    .replace(/[０-９Ａ-Ｚａ-ｚ]/g, (letter) => letter.normalize("NFKC"))
    .replace(/\\?sqrt\b\s*[({]?|√\s*[({]/g, "√")
    .replace(/_\{/g, "_")
    .replace(/\\[a-z]+|\\./gi, (command) => (/^\\(?!frac|top|left|right|text|operatorname|q?quad)[a-z]/.test(command) ? ` ${command.slice(1)} ` : " "))
    .replace(/\p{sc=Han}(?=[a-z\d])|[a-z\d](?=\p{sc=Han})/giu, "$& ") // two words to the index
    .split(/[\s^~:*+\-⊤ᵀ\\(){}/$]+/)
    .filter(Boolean);
  const long = words.filter((word) => word.length > 1);
  return (/[√^⊤ᵀ\\]/.test(text) && long.length ? long : words).join(" ");
};
