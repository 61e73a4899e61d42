// Takes out of style sheets what none of the given words can select: {words, styles: [css]} -> [css].
const { PurgeCSS } = require("purgecss");

const purge = async ({ words, styles }) => {
  const content = [{ raw: words.join(" "), extension: "txt" }];
  const css = styles.map((raw) => ({ raw }));
  const safelist = { greedy: [/md-search/, /^mark$/] }; // what the theme's script writes once somebody searches
  const purged = await new PurgeCSS().purge({ content, css, safelist, defaultExtractor: (text) => text.split(" ") });
  return purged.map((one) => one.css);
};

let given = "";
process.stdin.on("data", (chunk) => (given += chunk)).on("end", async () => {
  process.stdout.write(JSON.stringify(await purge(JSON.parse(given))));
});
