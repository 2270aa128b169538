// The native program, for tests of what it makes for pages: graphs to packs, and the development server.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** build/bin/numjit with its code generator; ./dev test wasm builds it. */
export const program = process.env.NUMJIT_PROGRAM;
/** For tests that need it: a reason where there is none. */
export const skip = program ? false : 'NUMJIT_PROGRAM names no native program';

/** Without the variables of the tests, which the program would take for misspelt settings. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NUMJIT_') || name === 'NUMJIT_CACHE_DIR'));

/** A folder that goes when the test ends. */
export async function scratch(t) {
  const folder = await mkdtemp(join(tmpdir(), 'numjit-wasm-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the program: { status, stdout, stderr }. */
export async function run(...args) {
  try {
    return { status: 0, ...(await promisify(execFile)(program, args, { env })) };
  } catch (error) {
    return { status: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

/** The bytes of the pack of these graphs. */
export async function buildPack(t, graphs, target = 'simd') {
  const folder = await scratch(t), file = join(folder, 'graphs.txt'), pack = join(folder, 'pack.wasm');
  await writeFile(file, graphs);
  const { status, stderr } = await run('pack', 'build', file, '-o', pack, '--target', target);
  if (status !== 0) throw new Error(`pack build: status ${status}: ${stderr}`);
  return readFile(pack);
}

/** A server on any port: { address, lines, stop() }. */
export async function serve(t, folder, ...args) {
  const child = spawn(program, ['serve', folder, '--port', '0', ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = [];
  const ended = new Promise((resolve) => { child.on('exit', (code, signal) => resolve(code ?? signal)); });
  const stop = (signal = 'SIGINT') => {
    child.kill(signal);
    return ended;
  };
  t.after(() => stop('SIGKILL'));
  const output = createInterface({ input: child.stdout });
  const address = await new Promise((resolve, reject) => {
    output.on('line', (line) => {
      lines.push(line);
      const found = /serving at (http:\S+)\//.exec(line);
      if (found) resolve(found[1]);
    });
    ended.then((code) => reject(new Error(`numjit serve ended: ${code}`)));
  });
  return { address, lines, stop };
}
