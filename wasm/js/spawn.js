// Workers of modules.

const folder = (import.meta.url ?? '').replace(/[^/]*$/, '');

/** A module worker, as `create` makes it. One of another origin (a CDN) is refused: then one of the page's own imports it. */
export function moduleWorker(create, file) {
  try {
    return create();
  } catch (error) {
    if (error.name !== 'SecurityError') throw error;
    const script = new Blob([`import ${JSON.stringify(folder + file)};`], { type: 'text/javascript' });
    return new Worker(URL.createObjectURL(script), { type: 'module' });
  }
}
