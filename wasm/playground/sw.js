// Keeps the playground and the package for times without a network: what was fetched once is there, newer files are taken where they come.
const name = 'numjit-playground';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

/** Files that pages and workers have loaded before this worker was there. */
self.addEventListener('message', (event) => {
  event.waitUntil(caches.open(name).then((cache) => Promise.all(event.data.files.map(async (file) => {
    if (new URL(file).origin === self.location.origin && !await cache.match(file)) await cache.add(file).catch(() => {});
  }))));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(fetch(request).then(async (response) => {
    if (response.ok) {
      const copy = response.clone();
      event.waitUntil(caches.open(name).then((cache) => cache.put(request, copy)));
    }
    return response;
  }).catch(async (error) => {
    const kept = await caches.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }));
});
