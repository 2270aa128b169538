// What load() needs: its options in order, WebAssembly and leave to compile it, the folder that the package's files lie in.

import { unexpectedOption } from './hints.js';
import { kindOf } from './words.js';

/** The least module there is. */
const leastModule = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
const known = ['build', 'base', 'threads', 'complete', 'integers', 'fresh'];
const nodeUrls = 'node:url'; // kept from bundlers

/** Throws where modules can not be made: an Error that says what is missing. */
export function needWebAssembly() {
  if (typeof globalThis.WebAssembly?.Module !== 'function')
    throw new Error('numjit: WebAssembly is missing here. Browsers have it since 2017, unless a setting (such as the Lockdown Mode of '
      + 'iOS) turns it off; Node has it unless it was started with --jitless.');
  try {
    new WebAssembly.Module(leastModule);
  } catch (error) {
    throw new Error(`numjit: WebAssembly must not be compiled here: ${error.message}. Hint: a page with a Content-Security-Policy needs `
      + "'wasm-unsafe-eval' among its sources of scripts: script-src 'self' 'wasm-unsafe-eval'.", { cause: error });
  }
}

/** The options, if they are ones: TypeError for others. */
export function checkedOptions(options = {}) {
  if (options === null || typeof options !== 'object') throw new TypeError(`load: got ${options}, expected an object of options: load({ build: 'simd' }).`);
  for (const name of Object.keys(options))
    if (!known.includes(name)) throw new TypeError(`load: ${unexpectedOption(name, known)}`);
  return options;
}

/** What an address in a program is relative to: a page, a worker's script; null in Node. */
function placeOfProgram() {
  const place = globalThis.document?.baseURI ?? globalThis.location?.href;
  if (!place) return null;
  return /^(blob|data):/.test(place) ? globalThis.location.origin : place; // a worker whose script has no place of its own
}

/**
 * The URL that `base` stands for: a URL, or a text as in a page's links, in Node also a path. Folders end in a slash, which may be left
 * out; of a script or a page it is the folder that this lies in.
 */
export async function resolved(base, what = 'load: base') {
  if (typeof base !== 'string' && !(base instanceof URL)) throw new TypeError(`${what}: got ${kindOf(base)}, expected a URL or a text.`);
  const text = String(base), place = placeOfProgram();
  try {
    if (place !== null || /^[a-z][a-z\d+.-]+:/i.test(text)) return new URL(text, place ?? undefined);
  } catch {
    throw new TypeError(`${what}: got '${text}', which is no address${place ? ` as seen from ${place}` : ''}.`);
  }
  return (await import(/* webpackIgnore: true */ nodeUrls)).pathToFileURL(text);
}

/** A folder's URL, with a slash at its end. */
export async function folderAt(base) {
  const url = await resolved(base);
  url.search = url.hash = '';
  if (!/(\/|\.m?js|\.html?)$/i.test(url.pathname)) url.pathname += '/';
  return url;
}
