// ./dev bench wasm: runs the bench page in Chromium; prints a table, writes JSON, a plot and docs/wasm_bench.md.
//   run.mjs [--peers] [--json FILE] [--only WORKLOAD] [--budget MS] [--doc]
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isolation, openBrowser, openPage, serve } from '../../tests/browser/site.mjs';
import { line, measureLine } from './line.mjs';

const labels = {
  compiled: 'numjit compiled', pack: 'numjit pack', compiled_threads: 'compiled, all cores', pack_threads: 'pack, all cores', rerun: 'numjit rerun',
  eager: 'numjit eager', native: 'numjit native', js: 'JavaScript', jax: 'jax-js', tf: 'TensorFlow.js', nts: 'numpy-ts',
};
const own = ['compiled', 'pack', 'compiled_threads', 'pack_threads', 'rerun', 'eager', 'native', 'js'], peers = ['jax', 'tf', 'nts'];
/** Whom the compiled form shall not be slower than. */
const rivals = ['eager', 'js', ...peers];
const root = fileURLToPath(new URL('../../', import.meta.url));

function optionsOf(args) {
  const options = { engines: own, budget: 60 };
  for (let i = 0; i < args.length; ++i) {
    if (args[i] === '--peers') options.engines = [...own, ...peers];
    else if (args[i] === '--doc') options.doc = true;
    else if (['--json', '--only', '--budget', '--from'].includes(args[i]) && args[i + 1]) options[args[i].slice(2)] = args[++i];
    else throw new Error(`unknown argument: got ${args[i]}, expected --peers, --doc, --json FILE, --from FILE, --only WORKLOAD or --budget MS`);
  }
  return options;
}

const patience = 30; // seconds for one engine in one row

/** What the page measures; nothing where it does not come back. */
async function measured(page, args) {
  let timer;
  const late = new Promise((done) => { timer = setTimeout(done, 1000 * patience); });
  const found = await Promise.race([page.evaluate(([w, size, e, b]) => window.measure(w, size, e, b), args).catch((error) => ({ missing: error.message })), late]);
  clearTimeout(timer);
  return found;
}

const run = promisify(execFile);
/** For the native build, which refuses NUMJIT_ variables that it does not know. */
const nativeEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NUMJIT_') || name === 'NUMJIT_CACHE_DIR'));

/** What the native build takes, one thread of SSE4.1: { workload: { n: ms } }, or why there is none. */
async function measureNatively(only) {
  const { NUMJIT_PYTHON: python, NUMJIT_PYTHONPATH: path } = process.env;
  if (!python) return { missing: 'there is no native build' };
  try {
    const { stdout } = await run(python, [join(root, 'wasm/bench/native.py'), ...(only ? [only] : [])], {
      env: { ...nativeEnvironment, PYTHONPATH: path, NUMJIT_THREADS: '1', NUMJIT_TARGET: 'x86-64-v2', NUMJIT_COMPILE: 'sync' }, maxBuffer: 2 ** 24 });
    return JSON.parse(stdout);
  } catch (error) {
    return { missing: `${error.stderr || error.message}`.trim().split('\n').pop() };
  }
}

/** Makes a pack of what the page's compiled functions are made of, in `folder`; tells the page where it lies, or what is wrong. */
async function makePack(page, folder, name) {
  const told = (pack, trouble) => page.evaluate(([p, t]) => Object.assign(window, { pack: p, packTrouble: t }), [pack, trouble]);
  const graphs = join(folder, `${name}.txt`), pack = join(folder, `${name}.wasm`);
  try {
    if (!process.env.NUMJIT_PROGRAM) throw new Error('there is no native program to make packs');
    const text = await page.evaluate(() => window.recorded());
    if (!text.includes('operands')) throw new Error('it has no kernels, so there is nothing to pack');
    await writeFile(graphs, text);
    await run(process.env.NUMJIT_PROGRAM, ['pack', 'build', graphs, '-o', pack], { timeout: 120_000, env: nativeEnvironment });
    await told(`/packs/${name}.wasm`, null);
  } catch (error) {
    await told(null, (error.stderr || error.message).trim().split('\n').pop().slice(0, 200));
  }
}

async function measureAll({ engines, only, budget, json }) {
  const packs = await mkdtemp(join(tmpdir(), 'numjit-packs-'));
  const site = await serve({
    package: join(process.env.NUMJIT_SITE, 'package'), bench: join(root, 'wasm/bench'), peers: process.env.NUMJIT_PEERS ?? '', packs,
  }, isolation);
  const native = engines.includes('native') ? await measureNatively(only) : {};
  let browser, page;
  // A browser for each row: what an engine leaves to be collected (numpy-ts: a minute's work) is not the next row's burden.
  const reopen = async () => {
    await browser?.close();
    browser = await openBrowser();
    const opened = await openPage(browser);
    page = opened.page;
    await page.goto(`${site.url}/bench/`);
    await page.waitForFunction(() => window.ready).catch((error) => { throw new Error(`${error.message}\n${opened.trouble.join('\n')}`); });
  };
  await reopen();
  const rows = [];
  const result = { engines, chromium: browser.version(), machine: `${cpus()[0].model}, ${cpus().length} cores`, rows };
  for (const { name, about, sizes } of await page.evaluate(() => window.workloads)) {
    if (only && only !== name) continue;
    for (const n of sizes) {
      await reopen();
      const row = { workload: name, about, n, ms: {}, missing: {}, difference: {} };
      for (const engine of [...engines, ...engines.filter((e) => e !== 'native')]) { // twice: the better one is less of other work's doing
        if (row.missing[engine]) continue;
        if (engine === 'native') {
          const ms = native[name]?.[n];
          if (ms === undefined) row.missing.native = native.missing ?? 'it was not measured';
          else row.ms.native = ms;
          continue;
        }
        if (engine === 'pack' && row.ms.pack === undefined) await makePack(page, packs, `${name}_${n}`);
        let found = await measured(page, [name, n, engine, Number(budget)]);
        if (!found) { // it may have met what another engine left to be collected: once more, alone
          await reopen();
          found = await measured(page, [name, n, engine, Number(budget)]);
        }
        if (!found) {
          found = { missing: `it did not end within ${patience} s` };
          await reopen();
        }
        if (found.missing) {
          if (row.ms[engine] === undefined) row.missing[engine] = found.missing;
        } else if (!(found.difference < tolerance(name))) row.missing[engine] = `${(100 * found.difference).toFixed(3)}% of its result differ`;
        else {
          row.ms[engine] = Math.min(found.ms, row.ms[engine] ?? Infinity);
          row.difference[engine] = found.difference;
        }
      }
      rows.push(row);
      if (json) await writeFile(json, `${JSON.stringify(result, null, 1)}\n`); // a run that is broken off has left its rows
      console.log(`${name.padEnd(14)} ${String(n).padStart(8)} ${engines.map((e) => (row.ms[e] === undefined ? '-' : shortTime(row.ms[e])).padStart(11)).join('')}`);
    }
  }
  await browser.close();
  site.close();
  await rm(packs, { recursive: true });
  if (!only) result.line = await measureLine(join(process.env.NUMJIT_SITE, 'package'));
  return result;
}

/** Which share of a result may differ: where chaos or ties decide, float32 and JavaScript's float64 part ways. */
const tolerance = (name) => (['mandelbrot', 'kmeans', 'newton'].includes(name) ? 0.03 : 1e-5);

const shortTime = (ms) => (ms >= 1 ? `${ms.toFixed(ms >= 100 ? 0 : ms >= 10 ? 1 : 2)} ms` : `${(1000 * ms).toFixed(ms >= 0.1 ? 0 : ms >= 0.01 ? 1 : 2)} µs`);
const shortSize = (n) => (n >= 1e6 ? `${n / 1e6}e6` : n >= 1e3 ? `${n / 1e3}e3` : String(n));
const mean = (values) => Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);

/** How many times faster than each engine, over workloads and sizes from 1e4 on. */
function ratios(result, engine, filter = () => true) {
  return result.engines.filter((e) => e !== engine).map((other) => {
    const found = result.rows.filter((r) => filter(r) && r.ms[engine] && r.ms[other]).map((r) => r.ms[other] / r.ms[engine]);
    return { other, count: found.length, ratio: found.length ? mean(found) : NaN };
  });
}

/** Where the compiled form is slower than another engine. */
function losses(result) {
  const found = [];
  for (const row of result.rows)
    for (const other of rivals)
      if (row.ms.compiled > 1.05 * row.ms[other]) found.push({ row, other, factor: row.ms.compiled / row.ms[other] });
  return found.sort((a, b) => b.factor - a.factor);
}

/** One small plot a workload: time over size, both axes in powers of ten, a line an engine. */
function plot(result) {
  const colours = { compiled: '#d9541e', eager: '#e8a33d', js: '#5b6472', pack: '#b03a10', compiled_threads: '#f0845a', pack_threads: '#7d2a0c', rerun: '#f2b8a0', native: '#111', jax: '#3b7dd8', tf: '#3a9d6a', nts: '#9a5bc4' };
  const names = [...new Set(result.rows.map((r) => r.workload))], columns = 4, w = 230, h = 190;
  const height = Math.ceil(names.length / columns) * h + 30;
  let out = '';
  names.forEach((name, index) => {
    const rows = result.rows.filter((r) => r.workload === name), times = rows.flatMap((r) => Object.values(r.ms));
    const x0 = (index % columns) * w + 42, y0 = Math.floor(index / columns) * h + 52, pw = w - 60, ph = h - 62;
    const lows = [Math.min(...rows.map((r) => r.n)), Math.min(...times)].map(Math.log10), highs = [Math.max(...rows.map((r) => r.n)), Math.max(...times)].map(Math.log10);
    const x = (n) => x0 + (pw * (Math.log10(n) - lows[0])) / (highs[0] - lows[0] || 1), y = (t) => y0 + ph - (ph * (Math.log10(t) - lows[1])) / (highs[1] - lows[1] || 1);
    out += `<text x="${x0}" y="${y0 - 8}" class="name">${name}</text><rect x="${x0}" y="${y0}" width="${pw}" height="${ph}" class="frame"/>`;
    for (let power = Math.ceil(lows[1]); power <= highs[1]; ++power)
      out += `<path d="M${x0} ${y(10 ** power).toFixed(1)}h${pw}" class="grid"/><text x="${x0 - 4}" y="${(y(10 ** power) + 3).toFixed(1)}" class="tick" text-anchor="end">${shortTime(10 ** power).replace(/\.0+ /, ' ')}</text>`;
    for (const row of rows) out += `<text x="${x(row.n).toFixed(1)}" y="${y0 + ph + 12}" class="tick" text-anchor="middle">${shortSize(row.n)}</text>`;
    for (const engine of result.engines) {
      const points = rows.filter((r) => r.ms[engine] !== undefined).map((r) => `${x(r.n).toFixed(1)},${y(r.ms[engine]).toFixed(1)}`);
      if (points.length) out += `<polyline points="${points.join(' ')}" stroke="${colours[engine]}"/>`;
    }
  });
  const legend = result.engines.map((e, i) => `<path d="M${42 + (i % 6) * 145} ${12 + 14 * Math.floor(i / 6)}h18" stroke="${colours[e]}" stroke-width="3"/><text x="${66 + (i % 6) * 145}" y="${16 + 14 * Math.floor(i / 6)}" class="tick">${labels[e]}</text>`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${columns * w + 10} ${height}" font-family="system-ui, sans-serif">
<style>text{fill:#333}.name{font-size:12px;font-weight:600}.tick{font-size:9px}.frame{fill:none;stroke:#ccc}.grid{stroke:#eee}polyline{fill:none;stroke-width:1.8}
@media(prefers-color-scheme:dark){text{fill:#ccc}.frame{stroke:#444}.grid{stroke:#2b2b2b}}</style>
${legend}${out}</svg>\n`;
}

function page(result) {
  const head = (cells) => `| ${cells.join(' | ')} |\n|${cells.map(() => '---').join('|')}|\n`;
  const table = result.rows.map((row) => {
    const best = Math.min(...Object.entries(row.ms).filter(([e]) => e !== 'native' && !e.endsWith('_threads')).map(([, ms]) => ms));
    return `| ${row.workload} | ${shortSize(row.n)} | ${result.engines.map((e) => (row.ms[e] === undefined ? '–' : row.ms[e] === best ? `**${shortTime(row.ms[e])}**` : shortTime(row.ms[e]))).join(' | ')} |`;
  }).join('\n');
  const stencils = ['chain', 'mandelbrot', 'newton', 'heat', 'gray_scott', 'black_scholes'];
  const summary = (title, filter) => `| ${title} | ${ratios(result, 'compiled', filter).map(({ ratio, count }) => (count ? `${ratio.toFixed(2)}x` : '–')).join(' | ')} |`;
  const others = result.engines.filter((e) => e !== 'compiled');
  const lost = losses(result);
  const missing = result.rows.flatMap((row) => Object.entries(row.missing).map(([e, why]) => `${labels[e]}, ${row.workload} ${shortSize(row.n)}: ${why}`));
  const abouts = [...new Map(result.rows.map((r) => [r.workload, r.about]))].map(([name, about]) => `**${name}** ${about}`).join('; ');
  return `# The bench in a browser

Made by \`./dev bench wasm --peers --doc\` from one run: Chromium ${result.chromium}, ${result.machine}, float32, one thread where nothing else is said. Each engine gets the same data; results are compared before anything is timed. Times are those of one call, allocation and disposal of its result included; the loops in JavaScript write into arrays made beforehand.

**numjit compiled**: \`np.compile(fn, { mode: 'replay', fullgraph: true })\`, kernels made in the page; **pack**: the same with kernels by Halide, of \`numjit pack build\`; **all cores**: both with as many threads as the machine has cores; **rerun**: \`np.compile(fn)\`, whose JavaScript runs at each call; **native**: the same functions in Python on one thread, limited to x86-64-v2 (SSE4).

![time over size](wasm_bench.svg)

## How many times faster the compiled form is

Geometric means.

${head(['', ...others.map((e) => labels[e])])}${summary('elementwise and stencils, 1e4 elements and more', (r) => stencils.includes(r.workload) && r.n >= 1e4)}
${summary('the same, fewer elements', (r) => stencils.includes(r.workload) && r.n < 1e4)}
${summary('everything', () => true)}

${result.line ? `## The first result

From an empty cache, over a line of ${line.latency} ms and ${line.megabits} Mbit/s that Chromium plays, files compressed by brotli: the time from opening the page to the first result of a compiled function, median of ${line.rounds} visits. What a page loads behind that result is counted as well.

| | time | requests | kilobytes |
|---|---|---|---|
${Object.entries({ bundle: '`numjit.bundle.js`, the module preloaded', modules: '`numjit.js` and the modules it imports' }).map(([name, about]) => `| ${about} | ${result.line[name].ms.toFixed(0)} ms | ${result.line[name].requests} | ${result.line[name].kilobytes.toFixed(0)} |`).join('\n')}

` : ''}## All times

${abouts}.

${head(['workload', 'elements (or side)', ...result.engines.map((e) => labels[e])])}${table}

## Where the compiled form loses

${lost.length ? lost.map(({ row, other, factor }) => `- ${row.workload}, ${shortSize(row.n)}: ${labels[other]} is ${factor.toFixed(factor < 10 ? 2 : 0)} times faster (${shortTime(row.ms[other])} against ${shortTime(row.ms.compiled)})`).join('\n') : 'Nowhere in this run.'}
${missing.length ? `\n## Not measured\n\n${[...new Set(missing)].map((m) => `- ${m}`).join('\n')}\n` : ''}`;
}

const options = optionsOf(process.argv.slice(2));
const result = options.from ? JSON.parse(await readFile(options.from, 'utf8')) : await measureAll(options);
console.log('\ncompiled against the others, geometric mean of all rows:');
for (const { other, ratio, count } of ratios(result, 'compiled')) console.log(`  ${labels[other].padEnd(16)} ${ratio.toFixed(2)}x (${count} rows)`);
const lost = losses(result);
console.log(`slower than another engine in ${new Set(lost.map(({ row }) => row)).size} of ${result.rows.length} rows`);
if (options.doc) {
  await writeFile(join(root, 'docs/wasm_bench.md'), page(result));
  await writeFile(join(root, 'docs/wasm_bench.svg'), plot(result));
  await writeFile(join(root, 'docs/wasm_bench.json'), `${JSON.stringify(result)}\n`);
}
