// Where in the user's JavaScript a call stands, read from a stack trace. It costs some 50 microseconds, so it is asked
// for only when an op is recorded for the first time, a break is reported, or leaks are looked for.

const here = import.meta.url ?? '', folder = here.replace(/[^/]*$/, ''); // no new URL(): bundlers take its files for assets
const own = new Set(['array.js', 'check_grads.js', 'checks.js', 'compile.js', 'creation.js', 'custom.js', 'errors.js', 'files.js', 'frames.js', 'hints.js', 'host.js', 'images.js', 'lists.js', 'memory.js', 'module.js', 'numjit.bundle.js', 'numjit.js', 'places.js',
  'random.js', 'replay.js', 'shown.js', 'slots.js', 'text.js', 'transforms.js', 'trees.js', 'ufunc_methods.js', 'ufunc_options.js', 'vmap.js'].map((file) => folder + file));
// In a bundle the package's functions lie in the user's file: there they are known by their names.
const ownFunctions = /(^|\.)(ufunc|ufuncOut|call|general|with|use|method|inPlace|draw|at|set|lengthsOf|elementsOf|filled|beyondSlots|compiled|hostPlace|placeIn|placeHere|NDArray|makeArray|inCall|withGradients|recorded|over)\b/;

/** One line of a stack trace: "at f (file:1:2)" of V8, "f@file:1:2" of Firefox and Safari. */
const frame = /^(?:\s*at (?:(?:async )?(.*?) \(|(?:async )?)|([^@]*)@)((?!.*wasm-function).*?):(\d+):\d+\)?$/;

/** The first place in `stack` that is neither the package's nor the module's: { file, name, line }, or null. */
export function placeIn(stack) {
  for (const text of stack.split('\n')) {
    const found = frame.exec(text);
    if (!found) continue;
    const [, nameV8, nameOther, file, line] = found;
    const name = nameV8 ?? nameOther ?? '';
    if (own.has(file) || file.startsWith('node:') || file === '<anonymous>' || (ownFunctions.test(name) && file === here)) continue;
    return { file, name: name.replace(/ \[as .*\]$/, ''), line: Number(line) };
  }
  return null;
}

/** The same of V8's frames: one after the other is made a text, until it is found. */
function placeAmong(frames) {
  for (const site of frames) {
    const file = site.getFileName();
    if (own.has(file) || file?.startsWith('wasm:')) continue;
    const place = placeIn(`    at ${site}`);
    if (place) return place;
  }
  return null;
}

const usual = 24, most = 64; // frames; the module's own are many

function placeWithin(limit) {
  const { stackTraceLimit, prepareStackTrace } = Error;
  // Node translates places of sources that were compiled, in texts only.
  const asFrames = !globalThis.process?.sourceMapsEnabled;
  Error.stackTraceLimit = limit;
  if (asFrames) Error.prepareStackTrace = (_, frames) => frames;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  if (asFrames) Error.prepareStackTrace = prepareStackTrace;
  return Array.isArray(stack) ? placeAmong(stack) : placeIn(stack ?? '');
}

/** The place of the user's call that is running. */
export function placeHere() {
  return placeWithin(usual) ?? placeWithin(most);
}
