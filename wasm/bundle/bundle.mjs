// Writes numjit.bundle.js, the package's JavaScript in one minified script: node bundle.mjs PACKAGE NODE_MODULES. The .wasm files stay
// beside it. It may be a script of a page, of a worker, or a module: it asks the stack where it lies, as only modules are told.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder, modules] = process.argv.slice(2), here = fileURLToPath(new URL('.', import.meta.url));
const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
const place = String.raw`globalThis.document?.currentScript?.src ?? /(?:\(|@|at )((?:https?|file|blob):[^\s()]+?):\d+:\d+/.exec(new Error().stack)?.[1]`;

await createRequire(join(modules, 'x.js'))('esbuild').build({
  entryPoints: [join(here, 'main.js')], outfile: join(folder, 'numjit.bundle.js'), bundle: true, minify: true, format: 'iife', target: 'es2022', logLevel: 'warning',
  banner: { js: `/* numjit ${version}, ${license} licence */\nvar numjitPlace = ${place};` }, define: { 'import.meta.url': 'numjitPlace' },
  external: ['node:fs', 'node:url', 'node:worker_threads', 'node:fs/promises'],
  plugins: [{ name: 'spawn', setup: (build) => build.onResolve({ filter: /\/spawn\.js$/ }, ({ importer }) => (importer.includes('/js/') ? { path: join(here, 'spawn.js') } : undefined)) }],
});
