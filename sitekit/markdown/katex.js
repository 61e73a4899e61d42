// Reads one JSON [formula, isBlock] a line, answers with one JSON {html} or {error} a line.
const katex = require("katex");
// What KaTeX does not do for a stranger (\href, \includegraphics) it shows in red; here that is an error as well.
const RED = "#bad0bad";
const refusing = { throwOnError: true, strict: "error", trust: false, maxExpand: 200, maxSize: 20, errorColor: RED };
const options = { output: "mathml", ...refusing };
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const [tex, displayMode] = JSON.parse(line);
  let answer;
  try {
    const html = katex.renderToString(tex, { displayMode, ...options });
    answer = html.includes(RED) ? { error: "KaTeX shows a command of it in red, for no page may hold that" } : { html };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
