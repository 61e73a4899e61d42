// Ask the built site's own search worker under node; answer with the places it lists, and the words it marks there.
const vm = require("vm");
const { readFileSync, readdirSync } = require("fs");
const [assets, index, script, ...queries] = process.argv.slice(2);
const workers = `${assets}/javascripts/workers`;
const name = readdirSync(workers).find((file) => /^search\..*\.js$/.test(file));
const read = (path) => readFileSync(path, "utf-8");
const posted = [];
const warnings = [];
let hear;
const self = {
  URL,
  console: { warn: (what) => warnings.push(String(what)) },
  location: new URL(`https://host.example/assets/javascripts/workers/${name}`),
  addEventListener: (_, listener) => (hear = listener),
  postMessage: (message) => posted.push(message),
  importScripts: (...files) => files.forEach((file) => vm.runInContext(read(`${workers}/${file}`), context)),
};
self.self = self;
const context = vm.createContext(self);
vm.runInContext(read(`${workers}/${name}`), context);
const toQuery = vm.runInContext(`${read(script)}; toQuery`, context);
const send = async (type, data) => {
  const before = posted.length;
  hear({ data: { type, data } });
  while (posted.length === before) await new Promise((then) => setTimeout(then, 1));
  return posted[before].data;
};
const main = async () => {
  await send(0, { ...JSON.parse(read(index)), options: { suggest: false } });
  const answers = {};
  for (const query of queries) answers[query] = (await send(2, toQuery(query))).items.map(([first]) => first.location);
  process.stdout.write(JSON.stringify({ answers, warnings }));
};
main();
