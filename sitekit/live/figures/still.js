// Reads [figure, languages], writes {language: {data, still}}: the still is the markup with the first view filled in. The build runs
// this; the browser never loads it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Without JavaScript nothing can be pressed, so nothing says that it can; the element puts these in when it wakes.
const inert = (tag, name) => /^(role|tabindex|aria-(?!hidden))/.test(name) && !(tag === "button" && name === "aria-pressed");
const text = (value) => String(value).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");

export const fill = (markup, view) => {
  const missing = new Set(Object.keys(view));
  const filled = markup.replace(/<(\w+)([^>]*?) data-ref="([\w-]+)"([^>]*?)(\/?)>/g, (_, tag, before, ref, after, close) => {
    missing.delete(ref);
    const { text: content = "", ...attributes } = view[ref] ?? {};
    let own = before + after; // HTML takes the first of two equal attributes
    for (const name in attributes) own = own.replace(new RegExp(` ${name}="[^"]*"`), "");
    const set = Object.entries(attributes).filter(([name]) => !inert(tag, name));
    return `<${tag}${own} data-ref="${ref}"${set.map(([name, value]) => ` ${name}="${text(value)}"`).join("")}${close}>${text(content)}`;
  });
  if (missing.size) throw new Error(`the markup has no part ${[...missing].join(", ")}`);
  return filled;
};

/** Refuse a first state that does not show what the cell computed. */
export const check = (shown, computed, name) => {
  if (!Object.keys(computed).length) throw new Error(`${name}: the cell says no numbers to hold the figure to`);
  for (const key in computed) {
    if (!(key in shown)) throw new Error(`${name}: the figure has no ${key}; it has ${Object.keys(shown).join(", ")}`);
    const [ours, theirs] = [shown[key], computed[key]].map((value) => [value].flat(Infinity));
    const same = ours.length === theirs.length && ours.every((x, i) => Math.abs(x - theirs[i]) <= 1e-9 * Math.max(1, Math.abs(theirs[i])));
    if (!same) throw new Error(`${name}: the figure shows ${key} ${JSON.stringify(ours)}, the cell computed ${JSON.stringify(theirs)}`);
  }
};

/** Where every language has data of its own, that of the page's language is what the figure gets. */
const of = (value, lang, languages) => (Object.keys(value).every((key) => languages.includes(key)) ? value[lang] : value);

export const still = (model, { name, data, numbers }, languages) => {
  const one = (lang) => {
    const given = of(data, lang, languages);
    const known = model.open ? model.open(given) : given;
    const state = model.first(known);
    check(model.numbers(state, known), of(numbers, lang, languages), name);
    return [lang, { data: given, still: fill(model.markup(lang, known), model.view(state, lang, known)) }];
  };
  return Object.fromEntries(languages.map(one));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [figure, languages] = JSON.parse(readFileSync(0, "utf8"));
  try {
    const model = await import(`./${figure.name}.model.js`);
    process.stdout.write(JSON.stringify(still(model, figure, languages)));
  } catch (error) {
    process.stderr.write(error.message);
    process.exit(1);
  }
}
