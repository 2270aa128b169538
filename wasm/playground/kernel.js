// The kernels of compiled functions: WebAssembly's text beside the lines of the program it came from, with what its loop does for an element.
import { element } from '../demos/demo.js';
import { kernelOf, parsed } from './graph.js';

const dtypes = { '?': 'bool', b: 'int8', h: 'int16', i: 'int32', l: 'int64', B: 'uint8', H: 'uint16', I: 'uint32', L: 'uint64', e: 'float16', f: 'float32', d: 'float64', F: 'complex64', D: 'complex128' };

/** What a graph's text says: { schedule, operands, outputs, ops }. */
export function specOf(text) {
  const lines = text.split('\n');
  return {
    schedule: /^schedule (\w+)/.exec(lines[0])?.[1] ?? '', operands: [...(/^operands ?(\S*)/m.exec(text)?.[1] ?? '')].map((letter) => dtypes[letter] ?? letter),
    outputs: (/^outputs (.*)$/m.exec(text)?.[1] ?? '').trim().split(/\s+/).filter(Boolean).length,
    ops: lines.map((line) => /^%\d+ = ([\w]+)\./.exec(line)?.[1]).filter(Boolean),
  };
}

/**
 * The loop of vectors in a module's text, that which holds the most instructions on them of those without loops inside: { from, to, lanes, loads, stores }, lines and counts
 * of one round; null where there is none.
 */
export function hotLoop(lines) {
  const open = [];
  let best = null;
  lines.forEach((line, i) => {
    const word = line.trim().split(/\s+/)[0];
    if (word === 'loop' || word === 'block' || word === 'if') open.push({ kind: word, from: i, inner: false });
    if (word !== 'end' || open.length === 0) return;
    const { kind, from, inner } = open.pop();
    if (kind !== 'loop') return;
    for (const outer of open) outer.inner = true;
    if (inner) return;
    const body = lines.slice(from, i + 1), count = (pattern) => body.filter((text) => pattern.test(text)).length;
    const shapes = body.flatMap((text) => /\b[if](?:8x(16)|16x(8)|32x(4)|64x(2))\./.exec(text)?.slice(1).filter(Boolean) ?? []).map(Number);
    const vectors = count(/\bv128\.|\b[if]\d+x\d+\./);
    if (vectors > 0 && (best === null || vectors > best.vectors))
      best = { from, to: i, vectors, lanes: shapes.length > 0 ? Math.min(...shapes) : 0, loads: count(/\bv128\.load/), stores: count(/\bv128\.store/) };
  });
  return best;
}

function textView(text) {
  const lines = text.split('\n'), hot = hotLoop(lines);
  const pre = element('pre', { tabindex: 0, 'aria-label': 'WebAssembly of the kernel' });
  lines.forEach((line, i) => {
    const memory = /\b(v128|[if]\d+)\.(load|store)/.test(line), inside = hot !== null && i >= hot.from && i <= hot.to;
    pre.append(element('span', { class: `${memory ? 'memory' : ''} ${inside ? 'hot' : ''}` }, `${line}\n`));
  });
  return { pre, hot };
}

/** What one kernel's loop does, in words. */
export function summary({ schedule, operands, outputs }, hot) {
  const parts = [schedule, `reads ${operands.length} (${operands.join(', ') || 'nothing'}) and stores ${outputs} an element${schedule === 'elementwise' ? '' : ' of its space'}`];
  if (hot !== null) parts.push(`${hot.lanes} lanes; a round of its loop loads ${hot.loads} and stores ${hot.stores} vectors`);
  else parts.push('no vectors');
  return parts.join('; ');
}

/** Kernels of the functions with the source lines of their operations. `wabt`: resolves to the library. */
export async function kernelView(functions, kernels, source, wabt) {
  if (kernels.length === 0) return element('p', {}, 'No kernels were made.');
  const { readWasm } = await wabt(), sources = source.split('\n');
  const views = [], used = new Set();
  const view = (title, spec, bytes, lines) => {
    const module = readWasm(bytes, { simd: true, relaxed_simd: true, threads: true, exceptions: true });
    const { pre, hot } = textView(module.toText({ foldExprs: false, inlineExport: true }));
    module.destroy();
    const origin = lines.length > 0 ? lines.map((line) => `${String(line).padStart(3)}  ${sources[line - 1] ?? ''}`).join('\n') : spec.ops.join(', ');
    views.push(element('section', {}, element('h2', {}, title), element('p', {}, `${summary(spec, hot)}; ${bytes.length} bytes.`),
      element('div', { class: 'beside' }, element('pre', { tabindex: 0, 'aria-label': 'lines of the program' }, origin), pre)));
  };
  for (const { name, report } of functions) {
    for (const [g, operations] of (report?.operations ?? []).entries()) {
      const nodes = operations.map(({ text, line }) => ({ ...parsed(text), line })).filter(({ id }) => id), owners = kernelOf(nodes, report.graphs[g].kernels);
      report.graphs[g].kernels.forEach((kernel, k) => {
        const match = kernels.findIndex(({ text }, i) => {
          const spec = specOf(text);
          return !used.has(i) && spec.schedule === kernel.schedule && [...kernel.ops].sort().join() === [...spec.ops].sort().join();
        });
        if (match < 0) return;
        used.add(match);
        const lines = [...new Set(nodes.filter((node, i) => owners[i] === k && node.line !== null).map(({ line }) => line))].sort((a, b) => a - b);
        view(`${name}: ${kernel.ops.join(', ')}`, specOf(kernels[match].text), kernels[match].bytes, lines);
      });
    }
  }
  for (const [i, { text, bytes }] of kernels.entries()) {
    if (used.has(i)) continue;
    const spec = specOf(text);
    view(`outside of compiled functions: ${spec.ops.join(', ') || 'a copy'}`, spec, bytes, []);
  }
  return element('div', {}, ...views);
}
