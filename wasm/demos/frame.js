// The frame of every demo: canvas, switch between the engines with the times of all three, sliders, and the source that is running.
//
// A demo is a module with: title, about, hint, size [width, height], controls, start(), numjit(np, compiled, state),
// handWritten(state), draw(context, engine, settings) and, where it has them: sizes { label, values, value } of the problem with
// resize(value), pointer(engine, at, settings), wire(canvas, engine, settings), tools(canvas), which gives elements of its own, and
// jax(jax, state), offered where the address says ?peers (./dev demo --peers).
// An engine has step(settings), which may be a promise, and fields(), its state as typed arrays; over arrays of numjit they are views.
import { element } from './demo.js';
import { demos } from './demos.js';
import { stepTime, wrapFor } from './engines.js';
import { highlighted, section } from './source_view.js';

const modes = { compiled: 'compiled', eager: 'eager', js: 'plain JS' };
const packageAddress = '../package/numjit.js', jaxAddress = '../peers/@jax-js/jax/dist/index.js';

async function loadJax() {
  const jax = await import(jaxAddress);
  await jax.init('wasm');
  jax.defaultDevice('wasm');
  return jax;
}

/** Numbers in a page's figures: three digits. */
const short = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

function controlsOf(demo, settings, changed) {
  return Object.entries(demo.controls ?? {}).map(([name, control]) => {
    if (control.press) return element('button', { onclick: () => control.press(settings) }, control.label);
    const shown = element('output', {}, String(control.value));
    settings[name] = control.value;
    const input = element('input', {
      type: 'range', min: control.min, max: control.max, step: control.step ?? 'any', value: control.value,
      oninput: () => {
        settings[name] = Number(input.value);
        shown.textContent = input.value;
        changed();
      },
    });
    return element('label', {}, control.label, shown, input);
  });
}

/** The slider of the problem's size: from one that is nothing to one that plain JavaScript can't do in a frame. */
function sizeControl({ sizes }, change) {
  if (!sizes) return [];
  const shown = element('output', {}, String(sizes.value)), input = element('input', {
    type: 'range', min: 0, max: sizes.values.length - 1, step: 1, value: sizes.values.indexOf(sizes.value), id: 'size', 'aria-valuetext': String(sizes.value),
    oninput: () => {
      const value = sizes.values[Number(input.value)];
      shown.textContent = String(value);
      input.setAttribute('aria-valuetext', String(value));
      change(value);
    },
  });
  return [element('label', { class: 'size' }, `problem size: ${sizes.label}`, shown, input)];
}

/** Links to the other pages. */
function navigation(name) {
  const at = demos.indexOf(name), beside = (step) => demos[(at + step + demos.length) % demos.length];
  const links = [['all demos', './'], ['previous', `${beside(-1)}.html`], ['next', `${beside(1)}.html`], ['edit this', `../playground/#e=demo-${name}`], ['source', `${name}.js`], ['docs', '../docs/wasm.md']];
  return element('nav', { 'aria-label': 'pages' }, ...links.flatMap(([label, href], i) => [...(i > 0 ? [' · '] : []), element('a', { href }, label)]));
}

/** The elements of the page. */
class View {
  constructor(demo, name, offered, { settings, choose, changed, resize, toggle }) {
    this.canvas = element('canvas', { width: demo.size[0], height: demo.size[1], role: 'img', 'aria-label': `${demo.title}. ${demo.hint}`, tabindex: 0 });
    this.shown = Object.fromEntries(['fps', 'ms', 'graphs', 'breaks'].map((key) => [key, element('dd', {}, '–')]));
    this.buttons = Object.fromEntries(Object.entries(offered).map(([mode, label]) => [mode, element('button', { 'aria-pressed': false, onclick: () => choose(mode) }, label)]));
    this.times = Object.fromEntries(Object.keys(offered).map((mode) => [mode, element('div', {}, '–')]));
    this.why = element('pre', {}, '');
    this.source = element('div');
    this.trouble = element('div', { class: 'error', hidden: '' });
    this.state = element('span', { role: 'status' }, 'Loading numjit; plain JavaScript runs meanwhile.');
    this.pause = element('button', { class: 'button', onclick: toggle, title: 'P' }, 'Pause');
    const figures = [['frames/s', 'fps'], ['compute/frame', 'ms'], ['graphs', 'graphs'], ['breaks', 'breaks']];
    const tools = [...sizeControl(demo, resize), ...controlsOf(demo, settings, changed), ...(demo.tools?.(this.canvas) ?? [])];
    document.body.append(
      element('header', {}, element('h1', {}, demo.title), navigation(name), element('p', { class: 'about' }, demo.about)),
      element('main', {},
        element('section', { class: 'card stage', 'aria-label': 'picture' }, this.canvas, element('p', { class: 'hint' }, demo.hint, demo.pointer ? ' Keyboard: arrows move, space presses.' : ''),
          element('p', { class: 'bar' }, this.pause, this.state)),
        element('section', { class: 'card', 'aria-label': 'engines' },
          element('div', { class: 'switch', role: 'group', 'aria-label': 'engine' }, ...Object.values(this.buttons)),
          element('div', { class: 'times', role: 'group', 'aria-label': 'milliseconds a frame of each engine' }, ...Object.values(this.times)),
          element('dl', { class: 'figures' }, ...figures.map(([label, key]) => element('div', {}, element('dt', {}, label), this.shown[key]))),
          this.trouble,
          ...(tools.length > 0 ? [element('div', { class: 'controls' }, ...tools)] : []),
          element('details', {}, element('summary', {}, 'What np.explain says'), this.why),
          this.source)));
  }

  fail(error) {
    this.trouble.hidden = false;
    this.trouble.textContent = `${error.name}: ${error.message}`;
    console.error(error);
  }

  press(mode) {
    for (const [name, button] of Object.entries(this.buttons)) button.setAttribute('aria-pressed', name === mode);
  }

  /** Times side by side, with how many times as long plain JavaScript takes. */
  compare(times) {
    for (const [mode, ms] of Object.entries(times)) {
      if (this.times[mode] === undefined || ms === undefined) continue;
      const ratio = times.js === undefined || mode === 'js' ? '' : times.js >= ms ? `${short(times.js / ms)}x as fast as JS` : `JS is ${short(ms / times.js)}x as fast`;
      this.times[mode].replaceChildren(`${short(ms)} ms`, element('small', {}, ratio));
    }
  }
}

/** Pointer and keyboard as one: calls use({ x, y, down, first, wheel }) in the canvas's pixels. */
function listen(canvas, use) {
  const at = { x: canvas.width / 2, y: canvas.height / 2 };
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    Object.assign(at, { x: ((event.clientX - box.left) / box.width) * canvas.width, y: ((event.clientY - box.top) / box.height) * canvas.height });
    return { ...at, down: event.buttons > 0, first: event.type === 'pointerdown', wheel: event.deltaY ?? 0 };
  };
  for (const type of ['pointerdown', 'pointermove', 'wheel']) {
    canvas.addEventListener(type, (event) => {
      if (type === 'wheel') event.preventDefault();
      if (event.buttons > 0 || type !== 'pointermove') use(place(event));
    }, { passive: false });
  }
  canvas.addEventListener('keydown', (event) => {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], ' ': [0, 0] }[event.key] ?? [];
    if (dx === undefined) return;
    event.preventDefault();
    at.x = Math.min(canvas.width - 1, Math.max(0, at.x + (dx * canvas.width) / 40));
    at.y = Math.min(canvas.height - 1, Math.max(0, at.y + (dy * canvas.height) / 40));
    use({ ...at, down: true, first: event.key === ' ' && !event.repeat, wheel: 0 });
  });
}

/** A demo that runs: its engine, its frames, its figures, which stand in `window.figures` for tests. */
class Show {
  constructor(demo, name) {
    const query = new URLSearchParams(location.search), asked = query.get('engine');
    Object.assign(this, { demo, name, np: null, text: '', engine: null, spent: [], times: [], jax: null, waiting: 0, scheduled: false, mode: '' });
    this.settings = {};
    this.figures = window.figures = { mode: '', frames: 0, fps: 0, ms: 0, graphs: null, breaks: null, times: {} };
    this.wanted = Object.hasOwn(modes, asked) ? asked : 'compiled'; // a click may come before there is anything to run
    const offered = demo.jax && query.has('peers') ? { ...modes, jax: 'jax-js' } : modes;
    this.view = new View(demo, name, offered, { settings: this.settings, choose: (mode) => this.choose(mode), changed: () => this.measureSoon(), resize: (value) => this.resize(value), toggle: () => this.toggle() });
    this.context = this.view.canvas.getContext('2d', { willReadFrequently: true });
    this.running = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.view.press(this.wanted);
    if (demo.pointer) listen(this.view.canvas, (at) => this.engine && demo.pointer(this.engine, at, this.settings));
    demo.wire?.(this.view.canvas, () => this.engine, this.settings);
    document.addEventListener('keydown', (event) => {
      if (event.key === 'p' && !event.ctrlKey && !event.metaKey && !['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement?.tagName)) this.toggle();
    });
  }

  async start() {
    this.text = await fetch(`./${this.name}.js`).then((answer) => answer.text());
    await this.use('js', this.demo.start());
    this.next();
    try {
      const { load } = await import(packageAddress);
      this.np = await load();
    } catch (error) {
      this.view.state.textContent = '';
      this.view.fail(error);
      return;
    }
    this.view.state.textContent = this.running ? '' : 'Paused, as less motion is wanted.';
    await this.choose(this.wanted);
  }

  async choose(mode) {
    this.wanted = mode;
    this.view.press(mode);
    if (this.np === null) return;
    if (mode === 'jax') this.jax ??= await loadJax();
    await this.use(mode, Object.fromEntries(Object.entries(this.engine.fields()).map(([name, data]) => [name, data.slice()])));
    this.measureSoon();
  }

  /** Puts an engine to work from a state. */
  async use(mode, state) {
    const { demo, np, view, figures } = this, reports = new Map();
    Object.assign(figures, { mode, frames: 0, graphs: null, breaks: null });
    view.shown.graphs.textContent = view.shown.breaks.textContent = '–';
    view.why.textContent = mode === 'compiled' ? '' : 'Nothing: this engine records no graphs.';
    const tell = (name, report) => {
      reports.set(name, report);
      figures.graphs = [...reports.values()].reduce((sum, r) => sum + r.graph_count, 0);
      figures.breaks = [...reports.values()].reduce((sum, r) => sum + r.graph_break_count, 0);
      view.shown.graphs.textContent = figures.graphs;
      view.shown.breaks.textContent = figures.breaks;
      view.why.textContent = [...reports.values()].map(String).join('\n\n');
    };
    this.engine?.dispose?.();
    this.engine = mode === 'js' ? demo.handWritten(state) : mode === 'jax' ? demo.jax(this.jax, state) : demo.numjit(np, wrapFor(mode, np, tell), state);
    this.mode = mode;
    this.spent = [];
    this.times = [];
    view.source.replaceChildren(highlighted(section(this.text, { js: 'hand-written', jax: 'jax-js' }[mode] ?? 'numjit')));
    if (!this.running) this.once();
  }

  async resize(value) {
    this.demo.resize(value);
    Object.assign(this.view.canvas, { width: this.demo.size[0], height: this.demo.size[1] });
    this.context.image = undefined;
    if (this.engine) await this.use(this.mode, this.demo.start());
    this.measureSoon();
  }

  /** Measures the engines one after the other when the page has been left alone for a while, and is being looked at. */
  measureSoon() {
    clearTimeout(this.waiting);
    const left = ['compiled', 'eager', 'js'], found = {};
    const next = () => {
      if (document.hidden || this.np === null) return;
      const mode = left.shift();
      try {
        found[mode] = stepTime(this.demo, mode, this.np, this.settings);
      } catch (error) {
        this.view.fail(error);
        return;
      }
      this.figures.times = { ...found };
      this.view.compare(found);
      if (left.length > 0) this.waiting = setTimeout(next, 100);
    };
    this.waiting = setTimeout(next, 1500);
  }

  toggle() {
    this.running = !this.running;
    this.view.pause.textContent = this.running ? 'Pause' : 'Go on';
    this.view.state.textContent = '';
    if (this.running) this.next();
  }

  next() {
    this.view.pause.textContent = this.running ? 'Pause' : 'Go on';
    if (!this.running || this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame((now) => {
      this.scheduled = false;
      if (this.running) this.frame(now);
    });
  }

  /** One frame, where the page is paused. */
  async once() {
    await this.engine.step(this.settings);
    this.demo.draw(this.context, this.engine, this.settings);
  }

  async frame(now) {
    const { figures, view } = this;
    try {
      const start = performance.now(), pending = this.engine.step(this.settings);
      if (pending) await pending;
      this.spent.push(performance.now() - start);
      this.demo.draw(this.context, this.engine, this.settings);
    } catch (error) {
      view.fail(error);
      return;
    }
    ++figures.frames;
    this.times.push(now);
    if (this.spent.length > 60) this.spent.shift();
    if (this.times.length > 60) this.times.shift();
    if (figures.frames % 12 === 0) {
      figures.fps = (1000 * (this.times.length - 1)) / Math.max(1e-3, this.times.at(-1) - this.times[0]);
      figures.ms = this.spent.toSorted((a, b) => a - b)[this.spent.length >> 1];
      view.shown.fps.textContent = figures.fps.toFixed(0);
      view.shown.ms.replaceChildren(short(figures.ms), ' ', element('small', {}, 'ms'));
    }
    this.next();
  }
}

/** Builds the page of a demo and runs it. */
export async function show(demo, file) {
  const shown = new Show(demo, /(\w+)\.js$/.exec(file)[1]);
  window.choose = (mode) => shown.choose(mode);
  await shown.start();
}
