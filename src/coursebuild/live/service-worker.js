/* Keeps what a reader has seen, so that it opens and runs again without a network.

   Kept are whole answers of this site alone: status 200, not redirected, not a part. Files in a folder that is named by the
   version of what is in it come from the cache first, as they never change. All others come from the network as long as
   there is one. Every build has a cache of its own and the others are deleted as soon as it takes over; the addresses of styles
   and scripts change with their bytes. So a page is never put together from two builds. */

/* The press writes these two (src/coursebuild/offline.py). */
const BUILD = "";
const LASTING = [];

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const HOME = worker.registration.scope;
/* Other sites may share this origin, and see its caches: the names say whose they are. */
const OURS = `course ${HOME} `;
const PAGES = `${OURS}build ${BUILD}`;

/** @param {string} address @returns {string} the cache that an address of this site is kept in */
function cacheOf(address) {
  const folder = LASTING.find((name) => address.startsWith(HOME + name));
  return folder ? `${OURS}${folder}` : PAGES;
}

/** @param {Request} request @returns {string} what a request is kept under: a page is the same whatever is searched for in it */
function keyOf({ url, mode }) {
  const address = new URL(url);
  address.hash = "";
  if (mode === "navigate") address.search = "";
  return address.href;
}

/** @param {Response} answer @returns {boolean} whether it is a whole file of this site */
function isWhole({ status, type, redirected }) {
  return status === 200 && type === "basic" && !redirected;
}

/** Pages and what scripts fetch keep their address when they change, so the browser's own cache may not answer for the site.
 * @param {Request} request @returns {boolean} */
function isNamed({ destination }) {
  return destination !== "document" && destination !== "";
}

/** A body that breaks off is no whole file either: the cache then refuses it. */
async function keep(key, answer) {
  try {
    const cache = await caches.open(cacheOf(key));
    await cache.put(key, answer);
  } catch {
    // without room nothing is kept
  }
}

/** @returns {Promise<Response | undefined>} nothing also where the browser has no room for a cache */
async function kept(key) {
  try {
    const cache = await caches.open(cacheOf(key));
    return await cache.match(key);
  } catch {
    return undefined;
  }
}

/** @param {FetchEvent} event */
async function answer(event) {
  const { request } = event;
  const key = keyOf(request);
  const lasting = cacheOf(key) !== PAGES;
  const known = lasting && (await kept(key));
  if (known) return known;
  try {
    const found = await fetch(request, isNamed(request) ? {} : { cache: "no-cache" });
    if (isWhole(found)) event.waitUntil(keep(key, found.clone()));
    return found;
  } catch (error) {
    const copy = await kept(key);
    if (copy) return copy;
    throw error;
  }
}

worker.addEventListener("fetch", (event) => {
  const { method, url, headers } = event.request;
  if (method !== "GET" || !url.startsWith(HOME) || headers.has("range")) return;
  event.respondWith(answer(event));
});

worker.addEventListener("install", () => worker.skipWaiting());

worker.addEventListener("activate", (event) => {
  const current = new Set([PAGES, ...LASTING.map((folder) => OURS + folder)]);
  const clear = async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(OURS) && !current.has(name));
    await Promise.all(old.map((name) => caches.delete(name)));
    await worker.clients.claim();
  };
  event.waitUntil(clear());
});

/* A page that was there first says what it has loaded: one visit is enough. */
worker.addEventListener("message", (event) => {
  if (!Array.isArray(event.data)) return;
  const addresses = event.data.filter((address) => typeof address === "string" && address.startsWith(HOME));
  const fill = async (address) => {
    const key = keyOf(new Request(address));
    if (await kept(key)) return;
    const found = await fetch(key, { cache: "no-cache" }).catch(() => undefined);
    if (found && isWhole(found)) await keep(key, found);
  };
  event.waitUntil(Promise.all(addresses.map(fill)));
});
