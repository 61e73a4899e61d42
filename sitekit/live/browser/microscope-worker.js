// What the worker does for the microscope: fetch a model part by part, hand the parts to Python, and its answers to the
// page. Names of parts carry their hashes, so what was fetched once is kept for good, and never fetched again.
const CACHE = "models";
const TOGETHER = 8; // requests at a time
const AHEAD = 12e6; // bytes on their way or waiting for Python to take them: more would only fill the memory

class Failure extends Error {
  constructor(why, what) {
    super(what);
    this.why = why;
  }
}

// What the host sends, in one buffer: chunks would be left to the collector, which lets a whole model of them pile up.
const read = async (answer, size, tell) => {
  let reader;
  try {
    reader = answer.body.getReader({ mode: "byob" });
  } catch {
    const bytes = new Uint8Array(await answer.arrayBuffer()); // this browser reads no other way into one
    tell(bytes.length);
    return bytes;
  }
  let [buffer, at] = [new ArrayBuffer(size), 0];
  while (at < size) {
    const { value, done } = await reader.read(new Uint8Array(buffer, at));
    buffer = value.buffer;
    if (done) break;
    at += value.length;
    tell(value.length);
  }
  const { done } = await reader.read(new Uint8Array(1));
  return new Uint8Array(buffer, 0, done ? at : 0); // longer than it should be: none of it
};

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const base64 = (text) => btoa(String.fromCharCode(...text.match(/../g).map((two) => parseInt(two, 16))));

export const open = async ({ started, send, again, files }) => {
  const { subtle } = crypto; // only over HTTPS or on this machine; elsewhere the browser checks, all at once
  const kept = self.caches ? await caches.open(CACHE).catch(() => null) : null; // blocked: then without
  const models = new Map(); // name -> { manifest, have, done }
  let session = null;

  const address = (model, part, hash) => new URL(`../models/${model}/${part}.${hash.slice(0, 12)}.bin`, location).href;

  // One part of a model, from the cache or the host; `tell` hears how many bytes have come.
  const get = async (model, part, [size, hash], tell = () => {}) => {
    const url = address(model, part, hash);
    const found = again ? null : await kept?.match(url);
    if (found) {
      const bytes = new Uint8Array(await found.arrayBuffer());
      tell(bytes.length);
      return bytes;
    }
    let bytes;
    try {
      const answer = await send(url, subtle ? {} : { integrity: `sha256-${base64(hash)}` });
      if (!answer.ok) throw new Failure("missing", `${part}: ${answer.status}`);
      bytes = await read(answer, size, tell);
    } catch (error) {
      throw error.why ? error : new Failure("unreachable", part);
    }
    const sum = subtle ? hex(new Uint8Array(await subtle.digest("SHA-256", bytes))) : hash;
    if (bytes.length !== size || sum !== hash) throw new Failure("changed_file", part);
    await kept?.put(url, new Response(bytes)).catch(() => {}); // full: then without
    return bytes;
  };

  // Files of an earlier version of the model are nobody's any more.
  const tidy = async (model, { manifest, parts }) => {
    const current = new Set([address(model, "manifest", manifest[1])]);
    for (const [part, [, hash]] of Object.entries(parts)) current.add(address(model, part, hash));
    for (const { url } of (await kept?.keys()) ?? [])
      if (url.includes(`/models/${model}/`) && !current.has(url)) await kept.delete(url);
  };

  const take = (model, part, bytes) => {
    const buffer = session.python.toPy(bytes);
    session.it.take(model, part, buffer);
    buffer.destroy?.();
    bytes.buffer.transfer?.(0); // gives its memory back now; the collector would let a whole model pile up
    models.get(model).have.add(part);
  };

  const begin = async () => {
    const python = await started;
    session ??= { python, it: python.pyimport("sitekit.live.session").Session() };
  };

  const load = async ({ id, model, about }) => {
    const manifest = JSON.parse(new TextDecoder().decode(await get(model, "manifest", about.manifest)));
    models.set(model, { manifest: about.manifest, parts: manifest, have: new Set() });
    const names = Object.keys(manifest).filter((part) => !part.startsWith("words") || part === "words0000");
    let done = 0;
    const tell = (bytes) => postMessage({ kind: "fetching", id, done: (done += bytes), all: about.start });
    const coming = new Map();
    let failed;
    const failure = new Promise((_, fail) => (failed = fail));
    failure.catch(() => {});
    let [sent, waiting] = [0, 0];
    const fetch_ahead = () => {
      while (sent < names.length && waiting < AHEAD) {
        const part = names[sent++];
        waiting += manifest[part][0];
        coming.set(part, get(model, part, manifest[part], tell));
        coming.get(part).catch(failed);
      }
    };
    fetch_ahead();
    await Promise.race([begin(), failure]);
    const start = performance.now();
    for (const part of names) {
      take(model, part, await coming.get(part)); // each is unpacked while others may still be on their way
      coming.delete(part);
      waiting -= manifest[part][0];
      fetch_ahead();
    }
    const urls = [...files, ...["worker.js", "microscope-worker.js"].map((name) => new URL(name, location).href)];
    postMessage({ kind: "opened", id, model, ms: performance.now() - start, urls });
    await tidy(model, models.get(model));
  };

  // Parts of the word table, a few at a time.
  const bring = async (model, parts, tell) => {
    const left = parts.filter((part) => !models.get(model).have.has(part));
    const one = async () => {
      for (let part = left.shift(); part; part = left.shift()) take(model, part, await get(model, part, models.get(model).parts[part], tell));
    };
    await Promise.all(Array.from({ length: TOGETHER }, one));
  };

  const fetch_all = async ({ id, model }) => {
    const { parts } = models.get(model);
    const words = Object.keys(parts).filter((part) => part.startsWith("words"));
    const all = words.reduce((sum, part) => sum + parts[part][0], 0);
    let done = 0;
    try {
      await bring(model, words, (bytes) => postMessage({ kind: "fetching", id, done: (done += bytes), all }));
    } catch (error) {
      if (error.why !== "unreachable") throw error;
      return postMessage({ kind: "fetched", id, failed: true });
    }
    postMessage({ kind: "fetched", id });
  };

  let latest = 0;
  let before = Promise.resolve();
  const ask = async ({ id, model, asked }) => {
    if (id !== latest) return; // a newer question waits already
    const start = performance.now();
    const question = JSON.stringify(asked);
    const needed = JSON.parse(session.it.needed(model, question));
    try {
      await bring(model, Object.keys(needed));
    } catch (error) {
      if (error.why !== "unreachable") throw error;
      const gone = Object.keys(needed).filter((part) => !models.get(model).have.has(part)).flatMap((part) => needed[part]);
      const sentence = Math.min(...gone.map(([number]) => number));
      const words = gone.filter(([number]) => number === sentence).map(([, word]) => word);
      return postMessage({ kind: "answer", id, problem: { why: "out_of_reach", sentence, words: words.join(" ") } });
    }
    const proxy = session.it.answer(model, question);
    const [told, arrays] = [proxy.get(0), proxy.get(1)];
    const out = {};
    for (const name of arrays.keys()) {
      const array = arrays.get(name);
      const view = array.getBuffer("f32");
      out[name] = new Float32Array(view.data); // a copy outside Python's memory, handed over without another
      view.release();
      array.destroy();
    }
    arrays.destroy();
    proxy.destroy();
    const news = { kind: "answer", id, ...JSON.parse(told), arrays: out, ms: performance.now() - start, heap: session.python._module.HEAPU8.length };
    postMessage(news, Object.values(out).map((array) => array.buffer));
  };

  // One after the other; of questions that wait the newest alone is answered.
  const WAYS = { load, fetch_all, ask };
  return (job) => {
    if (job.kind === "ask") latest = job.id;
    const done = before.then(() => WAYS[job.kind](job));
    before = done.catch(() => {});
    return done;
  };
};
