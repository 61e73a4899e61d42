// The worker: the only place that touches Python. Whatever it needs it fetches here, next to this file.
const FILES = {}; // the build puts in: path -> [bytes, about how many come over the wire, SHA-256 in base64]

const again = new URL(location).searchParams.has("again"); // a file was not what it should be: trust no cache
const send = fetch.bind(self);
const at = (path) => new URL(path, location).href;
const core = Object.keys(FILES).filter((path) => !path.startsWith("lessons/"));
const address = (path) => at(path.startsWith("pyodide") ? path : `${path}?${FILES[path][2].slice(0, 6)}`);
const pyodide = core.find((path) => path.endsWith("/pyodide.js"));

class Failure extends Error {
  constructor(why, what) {
    super(what);
    this.why = why;
  }
}

// loadPyodide() never settles if WebAssembly fails inside it, so failures are told from wherever they show first.
const fail = (error) => {
  const why = error.why || (/memory|allocat/i.test(error) ? "memory" : "broken");
  postMessage({ kind: "failed", why, what: error.why ? error.message : String(error) });
};

let forbidden = false;
addEventListener("securitypolicyviolation", () => (forbidden = true));

let done = 0;
const progress = (bytes) => {
  done += bytes;
  postMessage({ kind: "loading", done, all: core.reduce((sum, path) => sum + FILES[path][1], 0) });
};

// Python itself, NumPy, the package: on a slow machine each takes long, and what has begun is told.
const step = (number) => postMessage({ kind: "starting", step: number });

// Fetch one file, tell how it goes, and accept it only if it is what the build has seen.
const get = async (path) => {
  const [size, wire, hash] = FILES[path];
  const { subtle } = crypto; // only over HTTPS or on this machine; elsewhere the browser checks, all at once
  const options = { cache: again ? "reload" : "default", ...(subtle ? {} : { integrity: `sha256-${hash}` }) };
  const bytes = new Uint8Array(size);
  let read = 0;
  try {
    const answer = await send(address(path), options);
    if (!answer.ok) throw new Failure("missing", `${path}: ${answer.status}`);
    for (const reader = answer.body.getReader(); ; ) {
      const { value, done } = await reader.read();
      if (done) break;
      if (read + value.length > size) throw new Failure("changed_file", path);
      bytes.set(value, read);
      read += value.length;
      if (core.includes(path)) progress((value.length * wire) / size);
    }
  } catch (error) {
    if (error.why) throw error;
    await new Promise((then) => setTimeout(then, 20)); // for the news that a policy forbids it
    throw new Failure(forbidden ? "blocked" : "unreachable", path);
  }
  const sum = subtle ? btoa(String.fromCharCode(...new Uint8Array(await subtle.digest("SHA-256", bytes)))) : hash;
  if (read !== size || sum !== hash) throw new Failure("changed_file", path);
  return bytes;
};

// WebAssembly that fails says so, to whoever is listening.
for (const name of ["instantiate", "instantiateStreaming"]) {
  const real = WebAssembly[name];
  WebAssembly[name] = (...given) =>
    real(...given).catch((error) => {
      fail(error);
      throw error;
    });
}

const boot = async () => {
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); // the smallest there is
  } catch {
    throw new Failure("blocked", "WebAssembly");
  }
  const got = new Map(await Promise.all(core.map(async (path) => [at(path), await get(path)])));
  // Pyodide asks for its files by fetch and gets what is here and checked already.
  self.fetch = async (address) => {
    const bytes = got.get(String(address));
    const type = String(address).endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return bytes ? new Response(bytes, { headers: { "Content-Type": type } }) : new Response("", { status: 404 });
  };
  step(1);
  const { loadPyodide } = await import(at(pyodide));
  const python = await loadPyodide({
    indexURL: at(pyodide.replace("pyodide.js", "")),
    env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0" },
  });
  step(2);
  await python.loadPackage("numpy", { messageCallback() {} });
  python.pyimport("numpy").destroy();
  step(3);
  for (const path of core) {
    if (path.startsWith("attention")) python.unpackArchive(got.get(at(path)), "wheel");
    if (!path.endsWith(".py")) continue;
    python.FS.mkdirTree(`/home/pyodide/${path.slice(0, path.lastIndexOf("/"))}`);
    python.FS.writeFile(`/home/pyodide/${path}`, got.get(at(path)));
  }
  got.clear();
  return python;
};

const started = boot();
const ready = started.then((python) => python.pyimport("sitekit.live.bridge").Session());
ready.then(() => postMessage({ kind: "ready" }), fail);

const lessons = new Map();
const lessonText = async (name) => {
  if (!lessons.has(name)) lessons.set(name, new TextDecoder().decode(await get(`lessons/${name}.json`)));
  return lessons.get(name);
};

// What is printed is handed on a few times a second: a message for every line would drown the page.
const printer = (id) => {
  let [cell, text, last] = ["", "", performance.now()];
  const flush = () => {
    if (text) postMessage({ kind: "printed", id, cell, text });
    [text, last] = ["", performance.now()];
  };
  const emit = (where, more) => {
    if (where !== cell) flush();
    [cell, text] = [where, text + more];
    if (performance.now() - last > 100) flush();
  };
  return { emit };
};

// The microscope's questions are answered by a module of its own, which nobody else fetches.
let scope;
const look = async (job) => {
  scope ??= import(at("microscope-worker.js")).then(({ open }) => open({ started, send, again, files: core.map(address) }));
  try {
    await (await scope)(job);
  } catch (error) {
    const why = error.why || (/memory|allocat/i.test(error) ? "memory" : "broken");
    postMessage({ kind: "failed", id: job.id, why, what: error.why ? error.message : String(error) });
  }
};

onmessage = async ({ data: job }) => {
  if (job.model) return look(job);
  try {
    const [bridge, lesson] = [await ready, await lessonText(job.lesson)];
    postMessage({ kind: "started", id: job.id });
    const start = performance.now();
    const answer = JSON.parse(bridge.run(lesson, JSON.stringify(job), printer(job.id).emit));
    postMessage({ kind: "done", id: job.id, ms: performance.now() - start, ...answer });
  } catch (error) {
    ready.then(() => fail(error), () => {}); // where Python did not start, that has been told
  }
};
