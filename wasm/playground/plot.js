// Pictures of numbers: lines over an axis, linear or logarithmic, as SVG with words for screen readers.

const space = 'http://www.w3.org/2000/svg';

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const palette = ['var(--accent)', '#2f86d6', '#2c9a5b', '#9a5bd0'];
export const short = (value) => (value === 0 ? '0' : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3))));

/** Places of about five marks between two numbers. */
function ticks(low, high, log) {
  if (log) return Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, i) => Math.ceil(low) + i);
  const raw = (high - low || 1) / 4, unit = 10 ** Math.floor(Math.log10(raw)), step = unit * [1, 2, 5, 10].find((k) => k * unit >= raw);
  return Array.from({ length: Math.floor((high - low) / step + 1e-9) + 1 }, (_, i) => (Math.ceil(low / step - 1e-9) + i) * step).filter((at) => at <= high + step * 1e-6);
}

/** Lines of points: lines = [{ name, points: [[x, y], ...] }]. */
export function plotOf(lines, { log = false, x: xName = '', y: yName = '', width = 520, height = 280 } = {}) {
  const at = (value) => (log ? Math.log10(value) : value), right = { left: 58, top: 12, bottom: 38, right: 12 };
  const points = lines.flatMap((line) => line.points).filter(([x, y]) => Number.isFinite(at(x)) && Number.isFinite(at(y)));
  const range = (which) => {
    const values = points.map((point) => at(point[which]));
    const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    return low < high ? [low, high] : [low - 0.5, low + 0.5];
  };
  if (points.length === 0) return svg('svg', { class: 'plot', viewBox: '0 0 10 1' });
  const [xLow, xHigh] = range(0), [yLow, yHigh] = range(1);
  const px = (x) => right.left + ((x - xLow) / (xHigh - xLow)) * (width - right.left - right.right);
  const py = (y) => height - right.bottom - ((y - yLow) / (yHigh - yLow)) * (height - right.top - right.bottom);
  const label = (value) => short(log ? 10 ** value : value);
  const parts = [];
  for (const x of ticks(xLow, xHigh, log)) {
    parts.push(svg('line', { class: 'grid', x1: px(x), x2: px(x), y1: right.top, y2: height - right.bottom }),
      svg('text', { class: 'soft', x: px(x), y: height - right.bottom + 14, 'text-anchor': 'middle' }, label(x)));
  }
  for (const y of ticks(yLow, yHigh, log)) {
    parts.push(svg('line', { class: 'grid', x1: right.left, x2: width - right.right, y1: py(y), y2: py(y) }),
      svg('text', { class: 'soft', x: right.left - 6, y: py(y) + 4, 'text-anchor': 'end' }, label(y)));
  }
  lines.forEach((line, i) => {
    const path = line.points.filter(([x, y]) => Number.isFinite(at(x)) && Number.isFinite(at(y))).map(([x, y], k) => `${k === 0 ? 'M' : 'L'}${px(at(x)).toFixed(1)} ${py(at(y)).toFixed(1)}`).join('');
    parts.push(svg('path', { d: path, fill: 'none', stroke: palette[i % palette.length], 'stroke-width': 2 }));
    if (line.points.length < 20) parts.push(...line.points.map(([x, y]) => svg('circle', { cx: px(at(x)), cy: py(at(y)), r: 3, fill: palette[i % palette.length] })));
    if (lines.length > 1) parts.push(svg('text', { x: right.left + 8, y: right.top + 14 + 15 * i, style: `fill: ${palette[i % palette.length]}` }, line.name));
  });
  parts.push(svg('path', { class: 'axis', d: `M${right.left} ${right.top}V${height - right.bottom}H${width - right.right}` }),
    svg('text', { class: 'soft', x: width - right.right, y: height - 6, 'text-anchor': 'end' }, xName),
    svg('text', { class: 'soft', x: right.left + 4, y: right.top - 2 }, yName));
  const words = `Plot of ${lines.map((line) => line.name).join(', ')}: ${xName} from ${label(xLow)} to ${label(xHigh)}, ${yName} from ${label(yLow)} to ${label(yHigh)}.`;
  return svg('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words }, ...parts);
}
