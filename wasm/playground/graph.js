// The graph of a compiled function: operations as boxes in layers, fused ones of a kernel beside each other in its colour; where it
// breaks, in red, with the line and the page that says more.
import { element } from '../demos/demo.js';
import { svg } from './plot.js';

const wide = 158, high = 40, gapX = 26, gapY = 34;
const pages = '../docs/breaks/';
const tints = ['#c2491d', '#2f86d6', '#2c9a5b', '#9a5bd0', '#b8860b', '#c23b6a'];

/** '%3 = add(%1, $0:float64) : float64[?]  -> output' as { id, op, inputs, type, output }. */
export function parsed(text) {
  const found = /^(%\d+) = (.*?) : (\S+?\[[^\]]*\])\s*(-> output)?/.exec(text);
  if (!found) return null;
  const [, id, expression, type, output] = found;
  return { id, label: expression.replace(/%\d+(, )?/g, '').replace(/\(\)$|\(, /, (part) => (part === '(, ' ? '(' : '')), op: /^\w+/.exec(expression)[0],
    inputs: [...new Set(expression.match(/%\d+/g) ?? [])], type, output: Boolean(output) };
}

/** Which kernel of the report each operation is in: an index, or -1. Kernels list their operations in order. */
export function kernelOf(nodes, kernels) {
  const left = kernels.map(({ ops }) => [...ops]);
  return nodes.map(({ op }) => {
    const at = left.findIndex((ops) => ops.includes(op));
    if (at >= 0) left[at].splice(left[at].indexOf(op), 1);
    return at;
  });
}

function drawing(operations, kernels, goTo) {
  const nodes = operations.map(({ text, line }) => ({ ...parsed(text), line })).filter(({ id }) => id), byId = new Map(nodes.map((node) => [node.id, node]));
  const layers = [], owners = kernelOf(nodes, kernels);
  nodes.forEach((node, i) => {
    node.layer = Math.max(0, ...node.inputs.map((id) => (byId.get(id)?.layer ?? -1) + 1));
    node.kernel = owners[i];
    node.column = (layers[node.layer] ??= []).push(node) - 1;
  });
  const width = Math.max(...layers.map((layer) => layer.length)) * (wide + gapX) + gapX, height = layers.length * (high + gapY) + gapY;
  const x = (node) => gapX + node.column * (wide + gapX), y = (node) => gapY / 2 + node.layer * (high + gapY);
  const edges = nodes.flatMap((node) => node.inputs.filter((id) => byId.has(id)).map((id) => {
    const from = byId.get(id), [x1, y1, x2, y2] = [x(from) + wide / 2, y(from) + high, x(node) + wide / 2, y(node)];
    return svg('path', { d: `M${x1} ${y1}C${x1} ${y1 + gapY / 2} ${x2} ${y2 - gapY / 2} ${x2} ${y2}` });
  }));
  const boxes = nodes.map((node) => {
    const link = svg('a', { class: node.output ? 'output' : '', ...(node.line === null ? {} : { href: `#line-${node.line}` }),
      'aria-label': `${node.id} ${node.label} of ${node.inputs.join(', ') || 'nothing'}, ${node.type}${node.line === null ? '' : `, line ${node.line}`}` },
    svg('rect', { x: x(node), y: y(node), width: wide, height: high }),
    ...(node.kernel >= 0 ? [svg('rect', { x: x(node), y: y(node), width: 6, height: high, style: `fill: ${tints[node.kernel % tints.length]}; stroke: none` })] : []),
    svg('text', { x: x(node) + 12, y: y(node) + 17 }, node.label.slice(0, 20)), svg('text', { class: 'soft', x: x(node) + 12, y: y(node) + 33 }, `${node.type}${node.line === null ? '' : `  line ${node.line}`}`.slice(0, 24)));
    if (node.line !== null) link.addEventListener('click', (event) => {
      event.preventDefault();
      goTo(node.line);
    });
    return link;
  });
  return svg('svg', { class: 'graph', width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': `graph of ${nodes.length} operations` }, ...edges, ...boxes);
}

function breakView({ id, reason, explanation, hint, hits, file, line }, lineOf, goTo) {
  const at = lineOf(`${file}:${line}`);
  return element('li', {}, element('strong', {}, reason), ` (`, element('a', { href: `${pages}${id}.md` }, id), `), times: ${hits}`,
    ...(at === null ? [] : [' ', element('button', { class: 'button', onclick: () => goTo(at) }, `line ${at}`)]),
    element('div', {}, explanation), element('div', {}, `Hint: ${hint}`));
}

/** All graphs of the functions that a program compiled. */
export function graphView(functions, lineOf, goTo) {
  const known = functions.filter(({ report }) => report);
  if (known.length === 0) return element('p', {}, functions.length > 0 ? 'The compiled functions were not called, or ran eagerly.' : 'The program compiles no function: np.compile(f) records one.');
  return element('div', {}, ...known.flatMap(({ name, report }) => [
    element('h2', {}, `${name}: graphs ${report.graph_count}, breaks ${report.graph_break_count}, operations ${report.op_count}`),
    ...(report.break_reasons.length > 0 ? [element('ul', { class: 'breaks' }, ...report.break_reasons.map((reason) => breakView(reason, lineOf, goTo)))] : []),
    ...report.operations.map((operations, i) => drawing(operations, report.graphs[i].kernels, goTo)),
    element('details', {}, element('summary', {}, 'What np.explain says'), element('pre', {}, report.text)),
  ]));
}
