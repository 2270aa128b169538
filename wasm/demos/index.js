// The index: a card for each demo, with a picture that numjit has just made of it.
import { load } from '../package/numjit.js';
import { element } from './demo.js';

const names = ['gray_scott', 'network', 'newton', 'wave', 'kmeans', 'nbody', 'options', 'spectrum', 'heat'];
const started = performance.now();
const np = await load();
const loaded = performance.now() - started;
const gallery = document.querySelector('.gallery');
const pause = () => new Promise((go) => setTimeout(go));

document.querySelector('footer').append(
  `This page loaded the ${np.build} build in ${loaded.toFixed(0)} ms. `, 'Sources: ', element('code', {}, 'wasm/demos'), '.');

const cards = [];
for (const name of names) {
  const demo = await import(`./${name}.js`);
  const canvas = element('canvas', { width: demo.size[0], height: demo.size[1] });
  canvas.style.objectFit = 'cover';
  gallery.append(element('li', {}, element('a', { class: 'card', href: `${name}.html` }, canvas,
    element('h2', {}, demo.title), element('p', {}, demo.about))));
  cards.push({ demo, canvas });
}
for (const { demo, canvas } of cards) {
  await pause(); // the page stays alive between the pictures
  const settings = Object.fromEntries(Object.entries(demo.controls ?? {}).map(([key, control]) => [key, control.value]));
  const engine = demo.numjit(np, (fn) => (...args) => np.tidy(() => fn(...args)), demo.start());
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const until = performance.now() + 250;
  for (let frame = 0; frame < 60 && (frame < 3 || performance.now() < until); ++frame) {
    engine.step(settings);
    demo.draw(context, engine, settings);
  }
}
document.body.dataset.ready = 'yes';
