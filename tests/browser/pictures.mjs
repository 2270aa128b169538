// Makes the index's pictures of the demos anew: node pictures.mjs [DEMO...], with the variables of ./dev test browser.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser, openPage, serve } from './site.mjs';

const { NUMJIT_SITE: folder } = process.env, out = fileURLToPath(new URL('../../wasm/demos/pictures/', import.meta.url));
const { demos } = await import('../../wasm/demos/demos.js');
const site = await serve({ package: join(folder, 'package'), demos: join(folder, 'demos'), docs: join(folder, 'docs') }), browser = await openBrowser();
for (const demo of process.argv.length > 2 ? process.argv.slice(2) : demos) {
  const { page } = await openPage(browser, { viewport: { width: 1280, height: 860 } });
  await page.goto(`${site.url}/demos/${demo}.html`);
  await page.waitForFunction(() => window.figures?.mode === 'compiled' && window.figures.frames > 240, null, { timeout: 60_000 });
  const picture = await page.evaluate(() => {
    const from = document.querySelector('canvas'), to = Object.assign(document.createElement('canvas'), { width: 320, height: 200 });
    const cut = Math.min(from.width / 320, from.height / 200);
    to.getContext('2d').drawImage(from, (from.width - 320 * cut) / 2, (from.height - 200 * cut) / 2, 320 * cut, 200 * cut, 0, 0, 320, 200);
    return to.toDataURL('image/jpeg', 0.7).split(',')[1];
  });
  await writeFile(join(out, `${demo}.jpg`), Buffer.from(picture, 'base64'));
  await page.close();
}
await browser.close();
site.close();
