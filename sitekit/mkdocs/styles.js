// Takes out of style sheets what none of the given words can select: {words, off, style} -> what is printed.
const { PurgeCSS } = require("purgecss");

const purge = async ({ words, off, style }) => {
  const content = [{ raw: words.join(" "), extension: "txt" }];
  const css = [{ raw: style }];
  const safelist = { greedy: [/md-search/, /^mark$/] }; // what the theme's script writes once somebody searches
  const blocklist = off.map((name) => new RegExp(name)); // what the theme's script writes for no page of this site
  const options = { content, css, safelist, blocklist, defaultExtractor: (text) => text.split(" ") };
  const purged = await new PurgeCSS().purge(options);
  return purged[0].css;
};

let given = "";
process.stdin.on("data", (chunk) => (given += chunk)).on("end", async () => {
  process.stdout.write(await purge(JSON.parse(given)));
});
