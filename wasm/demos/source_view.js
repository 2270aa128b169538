// The source of a demo's engine, in colours.
import { element } from './demo.js';

/** Comments, strings, numbers and keywords get their colours. */
export function highlighted(source) {
  const words = /(\/\/.*|\/\*[^]*?\*\/)|('[^']*'|`[^`]*`)|\b(\d[\d.e+-]*)\b|\b(const|let|for|of|in|if|else|return|function|new|while|import|from|export|do)\b/g;
  const pre = element('pre', { class: 'source', tabindex: 0, 'aria-label': 'source' });
  let end = 0;
  for (const found of source.matchAll(words)) {
    pre.append(source.slice(end, found.index), element('span', { class: 'csnk'[found.slice(1).findIndex(Boolean)] }, found[0]));
    end = found.index + found[0].length;
  }
  pre.append(source.slice(end));
  return pre;
}

/** The part of a demo's source under a heading such as "// ---- numjit ----". */
export function section(source, name) {
  const parts = source.split(/^\/\/ -{4} (.*?) -{4}$/m);
  return parts[parts.indexOf(name) + 1].trim().replaceAll(/^export /gm, '');
}
