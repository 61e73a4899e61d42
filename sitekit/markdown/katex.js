// Reads one JSON [formula, isBlock] a line, answers with one JSON {html} or {error} a line.
const katex = require("katex");
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const [tex, displayMode] = JSON.parse(line);
  let answer;
  try {
    answer = { html: katex.renderToString(tex, { displayMode, throwOnError: true, strict: "error", trust: false }) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
