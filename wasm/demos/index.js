// The index: a card for each demo, with a picture of it. Nothing is computed here, so that the page is there at once.
import { element } from './demo.js';
import { demos } from './demos.js';

const gallery = document.querySelector('.gallery');
const pages = await Promise.all(demos.map((name) => import(`./${name}.js`)));
for (const [i, { title, about }] of pages.entries()) {
  gallery.append(element('li', {}, element('a', { class: 'card', href: `${demos[i]}.html` },
    element('img', { src: `pictures/${demos[i]}.jpg`, alt: '', width: 320, height: 200, ...(i > 5 ? { loading: 'lazy' } : {}) }), element('h2', {}, title), element('p', {}, about))));
}
document.body.dataset.ready = 'yes';
