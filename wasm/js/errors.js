// Errors by NumPy's names.
import { dotted, readText } from './text.js';

/** JavaScript's own errors stand where they mean the same. */
export class NumjitError extends Error {}
const errorClasses = { TypeError, MemoryError: RangeError };
const bases = { AxisError: 'ValueError', LinAlgError: 'ValueError' };
for (const name of ['ValueError', 'IndexError', 'AxisError', 'OverflowError', 'ZeroDivisionError', 'FloatingPointError',
  'LinAlgError', 'NotImplementedError', 'OSError', 'GraphBreakError', 'RecompileError', 'InternalError', 'AssertionError']) {
  errorClasses[name] = { [name]: class extends (errorClasses[bases[name]] ?? NumjitError) {} }[name];
  errorClasses[name].prototype.name = name;
}
export const errors = errorClasses;

/** Throws the error that the module's last call ended with. */
export function throwLast(module) {
  const name = readText(module, module.nj_error_class());
  throw new (errorClasses[name] ?? NumjitError)(dotted(readText(module, module.nj_error_text())));
}
