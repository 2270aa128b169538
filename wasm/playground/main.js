// The page: editor, switches, tabs, and the worker that runs programs.
import { element } from '../demos/demo.js';
import { makeEditor } from './editor.js';
import { graphView } from './graph.js';
import { kernelView } from './kernel.js';
import { lineIn } from './observe.js';
import { packedText, unpackedText } from './share.js';
import { callsView, raceView } from './time.js';
import { errorView, memoryView, valueView } from './views.js';

const byId = (id) => document.getElementById(id);
const controls = Object.fromEntries(['run', 'stop', 'examples', 'build', 'mode', 'fullgraph', 'trace', 'share', 'status'].map((id) => [id, byId(id)]));
const tabs = ['Result', 'Graph', 'Kernel', 'Time', 'Memory'];
const say = (text) => { controls.status.textContent = text; };

/** The tabs as buttons and panels; arrow keys go from one to the next. */
function makeTabs(list, holder) {
  const panels = {}, buttons = {};
  const select = (name) => {
    for (const each of tabs) {
      buttons[each].setAttribute('aria-selected', each === name);
      buttons[each].tabIndex = each === name ? 0 : -1;
      panels[each].hidden = each !== name;
    }
    panels[name].dispatchEvent(new Event('shown'));
  };
  tabs.forEach((name, i) => {
    buttons[name] = element('button', { role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}`, onclick: () => select(name),
      onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = tabs[(i + step + tabs.length) % tabs.length];
        select(next);
        buttons[next].focus();
      } }, name);
    panels[name] = element('div', { class: 'panel', role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}`, tabindex: 0 });
    list.append(buttons[name]);
    holder.append(panels[name]);
  });
  select('Result');
  return { panels, select };
}

/** A worker with numjit in it; `listen` hears what it says. */
function makeWorker(build, listen) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.postMessage({ type: 'load', options: { build } });
  worker.onmessage = ({ data }) => listen(worker, data);
  worker.onerror = (event) => listen(worker, { type: 'error', name: 'Error', message: event.message || 'the worker could not be loaded', line: null });
  return worker;
}

const { panels } = makeTabs(document.querySelector('[role=tablist]'), byId('panels'));
const [functions, programs] = await Promise.all(['functions.json', 'programs.json'].map(async (file) => (await fetch(file)).json()));
const asked = /^#e=(.+)$/.exec(location.hash)?.[1]; // an example by its name, as the demos' pages link to
const first = programs.find(({ name }) => name === asked) ?? programs.find(({ name }) => name === 'heat') ?? programs[0], linked = location.hash.startsWith('#p=') ? await unpackedText(location.hash.slice(3)) : null;
const editor = makeEditor(byId('editor'), linked?.code ?? first.code, functions, { run: () => run(), stop: () => stop() });
const state = { worker: null, spare: null, running: false, measuring: null, source: '' };

for (const group of new Set(programs.map((program) => program.group)))
  controls.examples.append(element('optgroup', { label: group }, ...programs.filter((program) => program.group === group).map(({ name, title }) => element('option', { value: name }, title))));
controls.examples.value = first.name;
controls.examples.addEventListener('change', () => {
  editor.setText(programs.find(({ name }) => name === controls.examples.value).code);
  run();
});
if (linked) {
  if (['simd', 'scalar'].includes(linked.build)) controls.build.value = linked.build;
  if (['compiled', 'replay', 'eager'].includes(linked.mode)) controls.mode.value = linked.mode;
  controls.fullgraph.checked = linked.fullgraph === true;
}

/** The one that is there already, if it is of the build wanted. */
function takeWorker() {
  const build = controls.build.value;
  if (state.spare?.build !== build) {
    state.spare?.worker.terminate();
    state.spare = { build, worker: makeWorker(build, hear) };
  }
  const { worker } = state.spare;
  state.spare = null;
  return worker;
}

/** The program with its last expression shown. */
function programText() {
  const { text } = editor, last = editor.lastExpression();
  return last === null ? text : `${text.slice(0, last.from)}show(${text.slice(last.from, last.to)})${text.slice(last.to)}`;
}

function setRunning(running) {
  state.running = running;
  controls.run.disabled = running;
  controls.stop.disabled = !running && state.measuring === null;
  document.body.dataset.running = running ? 'yes' : 'no';
}

function run() {
  stop();
  for (const panel of Object.values(panels)) panel.replaceChildren();
  editor.markLine(null);
  state.source = editor.text;
  state.worker = takeWorker();
  setRunning(true);
  say('running ...');
  state.worker.postMessage({ type: 'run', code: programText(), settings: { mode: controls.mode.value, fullgraph: controls.fullgraph.checked, trace: controls.trace.checked } });
}

function stop() {
  if (state.worker === null) return;
  state.worker.terminate();
  state.worker = null;
  state.measuring?.({ error: 'stopped' });
  state.measuring = null;
  if (state.running) say('stopped');
  setRunning(false);
}

const measure = (n) => new Promise((resolve) => {
  if (state.worker === null) return resolve({ error: 'the program was stopped' });
  state.measuring = resolve;
  controls.stop.disabled = false;
  return state.worker.postMessage({ type: 'time', n });
});

let wabt = null;
const disassembler = () => (wabt ??= import('./wabt.js').then(({ default: make }) => make()));

/** Fills a panel when it is looked at first. */
function whenShown(panel, make) {
  const fill = async () => {
    panel.removeEventListener('shown', fill);
    try {
      panel.replaceChildren(await make());
    } catch (error) {
      panel.replaceChildren(errorView({ name: error.name, message: error.message, line: null }));
    }
  };
  if (panel.hidden) panel.addEventListener('shown', fill);
  else fill();
}

function finished({ ended, ms, functions: compiled, kernels, memory, races, twin, address }) {
  setRunning(false);
  say(ended ? `ran in ${ms.toFixed(1)} ms; compiled functions: ${compiled.length}, kernels: ${kernels.length}` : 'ended with an error');
  if (panels.Result.childElementCount === 0) panels.Result.append(element('p', {}, 'Nothing was shown: show(value) does, and so does the last expression.'));
  panels.Graph.append(graphView(compiled, (place) => lineIn(place, address), editor.goTo));
  whenShown(panels.Kernel, () => kernelView(compiled, kernels, state.source, disassembler));
  panels.Memory.append(memoryView(memory, compiled, editor.goTo));
  if (compiled.length > 0) panels.Time.append(element('h2', {}, 'Calls of the program'), callsView(compiled));
  if (!races) {
    panels.Time.append(element('p', {}, 'race({ inputs: (n) => [...], numjit: (...arrays) => ..., js: (...typedArrays) => ... }) measures a function of any size here.'));
    return;
  }
  const race = raceView(measure, twin);
  panels.Time.prepend(race.view);
  if (panels.Time.hidden) panels.Time.addEventListener('shown', race.start, { once: true });
  else race.start();
}

function hear(worker, message) {
  if (message.type === 'ready') {
    navigator.serviceWorker?.ready.then(({ active }) => active?.postMessage({ files: [...message.files, ...performance.getEntriesByType('resource').map(({ name }) => name), location.href.split('#')[0],
      new URL('./wabt.js', import.meta.url).href, new URL('./worker.js', import.meta.url).href] }));
    document.body.dataset.ready = 'yes';
  }
  if (worker !== state.worker) return;
  if (message.type === 'show') panels.Result.append(valueView(message.value, message.as));
  else if (message.type === 'log') panels.Result.append(element('pre', { class: message.level === 'log' || message.level === 'info' ? '' : 'warn' }, message.text));
  else if (message.type === 'error') {
    panels.Result.append(errorView(message, editor.goTo));
    editor.markLine(message.line);
  } else if (message.type === 'done') {
    finished(message);
    state.spare ??= { build: controls.build.value, worker: makeWorker(controls.build.value, hear) };
  } else if (message.type === 'times') {
    const { measuring } = state;
    state.measuring = null;
    controls.stop.disabled = !state.running;
    measuring?.(message);
  }
}

controls.run.addEventListener('click', () => run());
controls.stop.addEventListener('click', () => stop());
controls.share.addEventListener('click', async () => {
  const { build, mode, fullgraph } = controls;
  history.replaceState(null, '', `#p=${await packedText({ code: editor.text, build: build.value, mode: mode.value, fullgraph: fullgraph.checked })}`);
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  say('The link stands in the address bar.');
});
if ('serviceWorker' in navigator) navigator.serviceWorker.register('./sw.js').catch(() => {}); // without it there is no offline, and all else
run();
