// Stands for ../js/spawn.js in the bundle: a worker is the bundle itself.
export function moduleWorker(create, file) {
  const script = `numjitRole = ${JSON.stringify(file)}; importScripts(${JSON.stringify(import.meta.url)});`;
  return new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
}
