// What passes between a page and its worker: arrays are packed, a.pack().
import { memoryBuffers } from './buffers.js';
import { deepest } from './lists.js';
import { kindOf } from './words.js';

/** An array of numjit, outside of its module's memory. */
export const isPacked = (value) => value !== null && typeof value === 'object' && value.handle === undefined && Array.isArray(value.shape)
  && ArrayBuffer.isView(value.data);

/** Moves a typed array into the worker instead of copying it: the page's own becomes empty. */
export function transfer(view) {
  if (!ArrayBuffer.isView(view)) throw new TypeError(`transfer: got ${kindOf(view)}, expected a typed array.`);
  if (memoryBuffers.has(view.buffer)) throw new TypeError("transfer: got a view of an array's elements, which can not leave their module. Hint: transfer(a.toTypedArray()).");
  return new Transfer(view);
}
class Transfer {
  constructor(view) {
    this.view = view;
  }
}

/** Values for postMessage: numjit arrays become packed ones, buffers to be moved are collected. */
export function packed(value, moved, depth = 0) {
  if (depth > deepest) throw new TypeError(`numjit: got lists or objects inside each other more than ${deepest} deep (or in a circle), expected what a worker can be sent.`);
  if (value instanceof Transfer) {
    moved.push(value.view.buffer);
    return value.view;
  }
  if (value === null || typeof value !== 'object') return value;
  if (ArrayBuffer.isView(value)) return memoryBuffers.has(value.buffer) ? value.slice() : value;
  if (typeof value.pack === 'function') {
    const whole = value.pack();
    moved.push(whole.data.buffer);
    return whole;
  }
  if (Array.isArray(value)) return value.map((item) => packed(item, moved, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, packed(item, moved, depth + 1)]));
}
