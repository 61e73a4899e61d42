// Lets the microscope open without a connection: a reader who has fetched a model keeps its pages and what they load.
// It stands at the root of the site. Parts of models are kept by the worker that fetches them, not here.
const CACHE = "microscope";

// Whether an address has always the same content: it carries a hash or a version.
const isPinned = (url) => {
  const { search, pathname } = new URL(url);
  return /^\?[\w+/-]{6}$/.test(search) || /\/pyodide-[\d.]+\//.test(pathname);
};

addEventListener("install", () => skipWaiting());

// Keep these addresses; an older version of the same file goes.
const keep = async (urls) => {
  const cache = await caches.open(CACHE);
  await Promise.all(
    urls.map(async (url) => {
      if (isPinned(url) && (await cache.match(url))) return;
      const answer = await fetch(url);
      if (!answer.ok) throw new Error(url);
      await cache.delete(url, { ignoreSearch: true });
      await cache.put(url, answer);
    }),
  );
};
addEventListener("message", (event) => {
  const [port] = event.ports;
  event.waitUntil(keep(event.data.urls).then(() => port.postMessage(true), () => port.postMessage(false)));
});

// What may change comes from the host as long as it answers.
const answer = async (request) => {
  const kept = async () => (await caches.open(CACHE)).match(request);
  if (isPinned(request.url)) return (await kept()) ?? fetch(request);
  try {
    return await fetch(request);
  } catch (error) {
    const found = await kept();
    if (found) return found;
    throw error;
  }
};
addEventListener("fetch", (event) => {
  const { method, cache, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || cache === "reload" || origin !== location.origin || pathname.includes("/assets/models/")) return;
  event.respondWith(answer(event.request));
});
