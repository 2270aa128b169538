// Fails where a module imports what nothing will provide: check_imports.mjs module.wasm imports.txt. Undefined symbols
// become imports when a module is linked, so that a misspelt function would be missed only when a page loads it.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

const [module, list] = process.argv.slice(2);
const names = (await readFile(list, 'utf8')).split('\n').filter((line) => line && !line.startsWith('#'));
/** Of a name: * stands for any end of it, ? for one letter. */
const patterns = names.map((name) => new RegExp(`^${name.replace('*', '\\w*').replace('?', '[a-z]')}$`));
const compiled = new WebAssembly.Module(await readFile(module));
const imports = WebAssembly.Module.imports(compiled).filter((wanted) => wanted.module !== 'placeholder'); // see split.mjs
const strange = imports.map(({ name }) => name).filter((name) => !patterns.some((pattern) => pattern.test(name)));
for (const name of strange) console.error(`${basename(module)} imports ${name}, which nothing defines and ${basename(list)} does not name. Hint: is it spelt right?`);
process.exitCode = strange.length > 0 ? 1 : 0;
