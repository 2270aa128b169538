// The frame of every demo: canvas, switch between the three engines, figures, sliders, and the source that is running.
//
// A demo is a module with: title, about, hint, size [width, height], controls, start(), numjit(np, compiled, state),
// handWritten(state), draw(context, engine, settings) and, where it has them, pointer(engine, at, settings) and jax(jax, state):
// offered where the address says ?peers (./dev demo --peers).
// An engine has step(settings), which may be a promise, and fields(), its state as typed arrays; over arrays of numjit they are views.
import { load } from '../package/numjit.js';

const modes = { compiled: 'compiled', eager: 'eager', js: 'plain JS' };
const jaxAddress = '../peers/@jax-js/jax/dist/index.js';

async function loadJax() {
  const jax = await import(jaxAddress);
  await jax.init('wasm');
  jax.defaultDevice('wasm');
  return jax;
}

/** An element with attributes and children. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** 256 colours between stops such as '#102030', as pixels of ImageData. */
export function palette(...stops) {
  const rgb = stops.map((stop) => [1, 3, 5].map((i) => parseInt(stop.slice(i, i + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (rgb.length - 1), k = Math.min(rgb.length - 2, Math.floor(at));
    const [r, g, b] = rgb[k].map((low, c) => Math.round(low + (rgb[k + 1][c] - low) * (at - k)));
    return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  });
}

/** Paints a field of numbers, low to high, in the colours of a palette. */
export function paint(context, values, low, high, colours) {
  const { width, height } = context.canvas;
  context.image ??= context.createImageData(width, height);
  const pixels = new Uint32Array(context.image.data.buffer), scale = 255 / (high - low);
  for (let i = 0; i < pixels.length; ++i) {
    const level = (values[i] - low) * scale;
    pixels[i] = colours[level > 255 ? 255 : level > 0 ? level | 0 : 0];
  }
  context.putImageData(context.image, 0, 0);
}

/** Numbers in a page's figures: three digits. */
const short = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

/** Comments, strings, numbers and keywords get their colours. */
function highlighted(source) {
  const words = /(\/\/.*|\/\*[^]*?\*\/)|('[^']*'|`[^`]*`)|\b(\d[\d.e+-]*)\b|\b(const|let|for|of|in|if|else|return|function|new|while|import|from|export|do)\b/g;
  const pre = element('pre', { class: 'source', tabindex: 0, 'aria-label': 'source' });
  let end = 0;
  for (const found of source.matchAll(words)) {
    pre.append(source.slice(end, found.index), element('span', { class: 'csnk'[found.slice(1).findIndex(Boolean)] }, found[0]));
    end = found.index + found[0].length;
  }
  pre.append(source.slice(end));
  return pre;
}

/** The part of a demo's source under a heading such as "// ---- numjit ----". */
function section(source, name) {
  const parts = source.split(/^\/\/ -{4} (.*?) -{4}$/m);
  return parts[parts.indexOf(name) + 1].trim().replaceAll(/^export /gm, '');
}

/** How a demo's functions run: eager functions tidy up after each call, compiled ones are recorded. */
function wrapFor(mode, np, tell) {
  if (mode === 'eager') return (fn) => (...args) => np.tidy(() => fn(...args));
  return (fn) => {
    let calls = 0, result;
    const compiled = np.compile((...args) => (result = fn(...args)), { name: fn.name });
    return (...args) => {
      if (++calls !== 6) return compiled(...args);
      tell(fn.name, np.explain(compiled, ...args));
      return result;
    };
  };
}

function controlsOf(demo, settings) {
  return Object.entries(demo.controls ?? {}).map(([name, control]) => {
    if (control.press) return element('button', { onclick: () => control.press(settings) }, control.label);
    const shown = element('output', {}, String(control.value));
    settings[name] = control.value;
    const input = element('input', {
      type: 'range', min: control.min, max: control.max, step: control.step ?? 'any', value: control.value,
      oninput: () => {
        settings[name] = Number(input.value);
        shown.textContent = input.value;
      },
    });
    return element('label', {}, control.label, shown, input);
  });
}

/** Builds the page of a demo and runs it. For tests, its figures stand in `window.figures`. */
export async function show(demo, file) {
  const query = new URLSearchParams(location.search), asked = query.get('engine');
  let np = null, text = '', engine = null, spent = [], times = [], jax = null;
  let wanted = Object.hasOwn(modes, asked) ? asked : 'compiled'; // a click may come before there is anything to run
  const settings = {}, figures = window.figures = { mode: '', frames: 0, fps: 0, ms: 0, graphs: null, breaks: null };
  const canvas = element('canvas', { width: demo.size[0], height: demo.size[1], role: 'img', 'aria-label': demo.title });
  const shown = Object.fromEntries(['fps', 'ms', 'graphs', 'breaks'].map((name) => [name, element('dd', {}, '–')]));
  const offered = demo.jax && query.has('peers') ? { ...modes, jax: 'jax-js' } : modes;
  const buttons = Object.fromEntries(Object.entries(offered).map(([mode, label]) =>
    [mode, element('button', { 'aria-pressed': false, onclick: () => choose(mode) }, label)]));
  const why = element('pre', {}, '');
  const source = element('div');
  const trouble = element('div', { class: 'error', hidden: '' });
  document.body.append(
    element('header', {}, element('h1', {}, demo.title), element('nav', {}, element('a', { href: './' }, 'all demos')),
      element('p', { class: 'about' }, demo.about)),
    element('main', {},
      element('section', { class: 'card stage' }, canvas, element('p', { class: 'hint' }, demo.hint)),
      element('section', { class: 'card' },
        element('div', { class: 'switch', role: 'group', 'aria-label': 'engine' }, ...Object.values(buttons)),
        element('dl', { class: 'figures' },
          element('div', {}, element('dt', {}, 'frames/s'), shown.fps),
          element('div', {}, element('dt', {}, 'compute/frame'), shown.ms),
          element('div', {}, element('dt', {}, 'graphs'), shown.graphs),
          element('div', {}, element('dt', {}, 'breaks'), shown.breaks)),
        trouble,
        element('div', { class: 'controls' }, ...controlsOf(demo, settings)),
        element('details', {}, element('summary', {}, 'What np.explain says'), why),
        source)));
  if (!demo.controls) document.querySelector('.controls').remove();

  const fail = (error) => {
    trouble.hidden = false;
    trouble.textContent = `${error.name}: ${error.message}`;
    console.error(error);
  };
  press(wanted);
  try {
    [np, text] = await Promise.all([load(), fetch(file).then((answer) => answer.text())]);
  } catch (error) {
    fail(error);
    return;
  }
  const context = canvas.getContext('2d', { willReadFrequently: true });

  function press(mode) {
    for (const [name, button] of Object.entries(buttons)) button.setAttribute('aria-pressed', name === mode);
  }

  async function choose(mode) {
    wanted = mode;
    press(mode);
    if (np === null) return;
    if (mode === 'jax') jax ??= await loadJax();
    const state = engine ? Object.fromEntries(Object.entries(engine.fields()).map(([name, data]) => [name, data.slice()])) : demo.start();
    const reports = new Map();
    Object.assign(figures, { mode, frames: 0, graphs: null, breaks: null });
    shown.graphs.textContent = shown.breaks.textContent = '–';
    why.textContent = mode === 'compiled' ? '' : 'Nothing: this engine records no graphs.';
    const tell = (name, report) => {
      reports.set(name, report);
      figures.graphs = [...reports.values()].reduce((sum, r) => sum + r.graph_count, 0);
      figures.breaks = [...reports.values()].reduce((sum, r) => sum + r.graph_break_count, 0);
      shown.graphs.textContent = figures.graphs;
      shown.breaks.textContent = figures.breaks;
      why.textContent = [...reports.values()].map(String).join('\n\n');
    };
    engine?.dispose?.();
    engine = mode === 'js' ? demo.handWritten(state) : mode === 'jax' ? demo.jax(jax, state) : demo.numjit(np, wrapFor(mode, np, tell), state);
    spent = [];
    times = [];
    source.replaceChildren(highlighted(section(text, { js: 'hand-written', jax: 'jax-js' }[mode] ?? 'numjit')));
  }

  function place(event) {
    const box = canvas.getBoundingClientRect();
    return {
      x: ((event.clientX - box.left) / box.width) * canvas.width, y: ((event.clientY - box.top) / box.height) * canvas.height,
      down: event.buttons > 0, first: event.type === 'pointerdown', wheel: event.deltaY ?? 0,
    };
  }
  if (demo.pointer) {
    for (const type of ['pointerdown', 'pointermove', 'wheel']) {
      canvas.addEventListener(type, (event) => {
        if (type === 'wheel') event.preventDefault();
        if (engine && (event.buttons > 0 || type !== 'pointermove')) demo.pointer(engine, place(event), settings);
      }, { passive: false });
    }
  }
  demo.wire?.(canvas, () => engine, settings);

  async function frame(now) {
    try {
      const start = performance.now(), running = engine;
      const pending = running.step(settings);
      if (pending) await pending;
      spent.push(performance.now() - start);
      demo.draw(context, engine, settings);
    } catch (error) {
      fail(error);
      return;
    }
    ++figures.frames;
    times.push(now);
    if (spent.length > 60) spent.shift();
    if (times.length > 60) times.shift();
    if (figures.frames % 12 === 0) {
      figures.fps = (1000 * (times.length - 1)) / Math.max(1e-3, times.at(-1) - times[0]);
      figures.ms = spent.toSorted((a, b) => a - b)[spent.length >> 1];
      shown.fps.textContent = figures.fps.toFixed(0);
      shown.ms.replaceChildren(short(figures.ms), ' ', element('small', {}, 'ms'));
    }
    requestAnimationFrame(frame);
  }
  window.choose = choose;
  await choose(wanted);
  requestAnimationFrame(frame);
}
