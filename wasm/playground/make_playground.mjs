// Puts the playground together: node make_playground.mjs OUT PACKAGE NODE_MODULES. Copies the pages, bundles the editor, and writes
// functions.json (what completion and hovering know) and programs.json (the examples).
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { functionDocs } from '../function_docs.mjs';

const [out, packageFolder, modules] = process.argv.slice(2), here = fileURLToPath(new URL('.', import.meta.url));
const require = createRequire(join(modules, 'x.js'));

/** What the editor knows: by what stands before the dot. */
async function functions() {
  const folder = pathToFileURL(`${packageFolder}/`), docs = await functionDocs();
  const { load } = await import(new URL('numjit.js', folder));
  const { loadModule } = await import(new URL('module.js', folder)), { readLines } = await import(new URL('text.js', folder));
  const { functionsOf, Parameters } = await import(new URL('parameters.js', folder));
  const module = await loadModule({ base: folder }), np = await load({ base: folder });
  const parameters = new Map(functionsOf(module).functions);
  for (const [name, , arity] of readLines(module, module.nj_ufunc_names())) parameters.set(name, new Parameters(name, 'a b c'.slice(0, 2 * Number(arity) - 1)));
  const list = (object, prefix, skip) => Object.getOwnPropertyNames(object).filter((name) => /^[a-z]\w*$/.test(name) && name !== 'constructor').map((name) => {
    const known = prefix + name, { names, required } = parameters.get(known) ?? {};
    const signature = names && `${name}(${names.map((p, i) => (i < required ? p : `${p}?`)).slice(skip).join(', ')})`;
    return { name, signature, text: docs.get(known) ?? '' };
  }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    np: list(np, '', 0), 'np.linalg': list(np.linalg, 'linalg.', 0), 'np.fft': list(np.fft, 'fft.', 0), 'np.random': list(np.random, 'random.', 1),
    array: [...list(np.NDArray.prototype, '', 1), ...list(np.random.Generator.prototype, 'random.', 1).filter(({ name }) => !(name in np.NDArray.prototype))],
    globals: [{ name: 'np', text: "NumPy's functions." }, { name: 'show', signature: 'show(value, { as }?)', text: "Shows a value; as: 'table', 'picture', 'plot' or 'text'." },
      { name: 'race', signature: 'race({ inputs, numjit, js })', text: 'Measures a function of arrays beside its twin in plain JavaScript: inputs(n) makes its arguments.' }],
  };
}

/** The demo's engine, run for some steps. */
const demoProgram = (name, title) => `// ${title}: the demo's own code, some steps of it.
const demo = await import(new URL('../demos/${name}.js', place));
const settings = Object.fromEntries(Object.entries(demo.controls ?? {}).filter(([, c]) => c.value !== undefined).map(([key, c]) => [key, c.value]));
const engine = demo.numjit(np, (fn, options) => np.compile(fn, options), demo.start());
for (let i = 0; i < 20; ++i) engine.step(settings);
for (const name of Object.keys(engine.fields())) {
  show(name);
  show(np.array(engine.fields()[name])); // taken anew: memory may have grown
}
`;

async function programs() {
  const folder = join(here, 'programs'), names = (await readdir(folder)).filter((name) => name.endsWith('.js')).sort();
  const own = await Promise.all(names.map(async (name) => {
    const code = await readFile(join(folder, name), 'utf8');
    return { group: 'Programs', name: name.replace(/\.js$/, ''), title: /^\/\/ (.*?)[.:]/.exec(code)[1], code };
  }));
  const page = await readFile(join(here, '../../docs/wasm.md'), 'utf8');
  const documented = [...page.matchAll(/```js\n(.*?)```\n```output\n/gs)].map(([, code], i) => ({
    group: 'docs/wasm.md', name: `docs-${i + 1}`, title: /^#+ (.*)$/m.exec(page.slice(0, page.indexOf(code)).split('\n').filter((line) => line.startsWith('#')).at(-1))[1],
    code: code.replace(/^import .*\n/m, '').replace(/^const np = .*\n/m, ''),
  })).filter(({ code }) => !code.includes('load('));
  const demos = (await readdir(join(here, '../demos'))).filter((name) => name.endsWith('.html') && name !== 'index.html').map((file) => file.slice(0, -5));
  const shown = await Promise.all(demos.map(async (name) => {
    const [, title] = /^export const title = '(.*)';$/m.exec(await readFile(join(here, `../demos/${name}.js`), 'utf8'));
    return { group: 'Demos', name: `demo-${name}`, title, code: demoProgram(name, title) };
  }));
  return [...own, ...documented, ...shown];
}

await mkdir(out, { recursive: true });
for (const name of await readdir(here)) if (/\.(js|css|html)$/.test(name) && name !== 'editor.js') await cp(join(here, name), join(out, name));
await require('esbuild').build({
  entryPoints: [join(here, 'editor.js')], bundle: true, minify: true, format: 'esm', outfile: join(out, 'editor.js'), nodePaths: [modules], logLevel: 'warning', legalComments: 'inline',
});
await require('esbuild').build({
  stdin: { contents: "import wabt from 'wabt';\nexport default wabt;\n", resolveDir: here }, bundle: true, minify: true, format: 'esm', outfile: join(out, 'wabt.js'), nodePaths: [modules],
  platform: 'browser', external: ['fs', 'path', 'crypto'], logLevel: 'error', legalComments: 'inline',
});
await writeFile(join(out, 'functions.json'), JSON.stringify(await functions()));
await writeFile(join(out, 'programs.json'), JSON.stringify(await programs()));
process.exit(0);
