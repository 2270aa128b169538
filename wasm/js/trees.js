// Trees of arrays: lists and plain objects, inside each other, with anything else as leaves.
import { wrong } from './checks.js';
import { errors } from './errors.js';
import { deepest } from './lists.js';
import { Complex, Float } from './numbers.js';
import { isOptions } from './slots.js';
import { kindOf } from './words.js';

/** The parts of a list or plain object, or null for a leaf. */
export function partsOf(value) {
  if (Array.isArray(value)) return value;
  return isOptions(value) ? Object.values(value) : null;
}

/** Leaves in order, and what makes the tree again of as many others: { leaves, structure }. `name`: who asks, for errors. */
export function flatten(value, name = 'tree') {
  const leaves = [];
  const look = (part, depth) => {
    if (depth > deepest) throw wrong(name, `got lists or objects inside each other more than ${deepest} deep (or in a circle).`);
    const parts = partsOf(part);
    if (parts !== null) return { keys: Array.isArray(part) ? null : Object.keys(part), parts: Array.from(parts, (item) => look(item, depth + 1)) };
    leaves.push(part);
    return null;
  };
  const structure = look(value, 0);
  return { leaves, structure };
}

/** The tree of this structure with these leaves. */
export function unflatten(structure, leaves) {
  let at = 0;
  const build = (part) => {
    if (part === null) return leaves[at++];
    const parts = part.parts.map(build);
    return part.keys === null ? parts : Object.fromEntries(part.keys.map((key, i) => [key, parts[i]]));
  };
  return build(structure);
}

const namesIn = (keys, count) => (keys === null ? Array.from({ length: count }, (_, i) => `[${i}]`) : keys.map((key) => `['${key}']`));

/** The leaves of a tree in the order of another one's structure; what stands in a leaf's place is one, whatever it is. */
export function flattenLike(structure, value) {
  const leaves = [];
  const look = (like, part, name) => {
    if (like === null) return leaves.push(part);
    const { keys, parts } = like, steps = namesIn(keys, parts.length), given = partsOf(part), isList = Array.isArray(part);
    const alike = given !== null && isList === (keys === null) && given.length === parts.length && (isList || keys.every((key) => Object.hasOwn(part, key)));
    if (!alike) {
      const got = given === null ? kindOf(part) : `entries ${namesIn(isList ? null : Object.keys(part), given.length).join(', ') || 'none'}`;
      throw new errors.ValueError(`the tree${name} has ${got}, expected entries ${steps.join(', ') || 'none'}.`);
    }
    return parts.forEach((item, i) => look(item, part[keys === null ? i : keys[i]], `${name}${steps[i]}`));
  };
  look(structure, value, '');
  return leaves;
}

/** Where each leaf stands: "['w'][2]". */
export function namesOf(structure) {
  const names = [];
  const look = (part, name) => {
    if (part === null) names.push(name);
    else namesIn(part.keys, part.parts.length).forEach((step, i) => look(part.parts[i], name + step));
  };
  look(structure, '');
  return names;
}

/** How a plain leaf changes: not at all. */
function noChange(leaf) {
  switch (typeof leaf) {
    case 'number': return 0;
    case 'bigint': return 0n;
    case 'boolean': return false;
    default: return leaf instanceof Float ? new Float(0) : leaf instanceof Complex ? new Complex(0, 0) : leaf;
  }
}

/** What stands at some leaves of a tree, such as its arrays. */
export class Part {
  /** `wanted(leaf)`: is it one of them? */
  constructor(name, value, wanted) {
    const { leaves, structure } = flatten(value, name);
    this.structure = structure;
    this.places = leaves.flatMap((leaf, i) => (wanted(leaf) ? [i] : []));
    this.given = this.places.map((place) => leaves[place]);
    /** The others; the arrays themselves are not held. */
    this.others = leaves;
    for (const place of this.places) leaves[place] = null;
  }

  get count() { return this.places.length; }

  /** The same where these are changes. */
  withChanges(parts) { return this.with(parts, this.others.map(noChange)); }

  /** What stands in the same places of a tree of the same structure. `what`: 'the cotangent', for errors. */
  matched(name, what, value) {
    let leaves;
    try {
      leaves = flattenLike(this.structure, value);
    } catch (error) {
      throw new errors.ValueError(`[${name}] ${what} has another structure: ${error.message}`);
    }
    return this.places.map((place) => leaves[place]);
  }

  /** The tree with these in their places. */
  with(parts, leaves = [...this.others]) {
    this.places.forEach((place, i) => { leaves[place] = parts[i]; });
    return unflatten(this.structure, leaves);
  }
}

/** np.tree. */
export const tree = {
  leaves: (value) => flatten(value, 'tree.leaves').leaves,
  /** { leaves, structure }; np.tree.unflatten(structure, leaves) makes the tree again. */
  flatten: (value) => flatten(value, 'tree.flatten'),
  flattenLike,
  unflatten(structure, leaves) {
    const needed = namesOf(structure).length;
    if (!Array.isArray(leaves) || leaves.length !== needed)
      throw wrong('tree.unflatten', `got ${Array.isArray(leaves) ? `${leaves.length} leaves` : kindOf(leaves)}, expected a list of ${needed}.`);
    return unflatten(structure, leaves);
  },
  /** The tree with run(leaf, ...) in place of its leaves; further trees of the same structure give further arguments. */
  map(run, value, ...more) {
    if (typeof run !== 'function') throw wrong('tree.map', `got ${kindOf(run)}, expected a function.`);
    const { leaves, structure } = flatten(value, 'tree.map');
    let others;
    try {
      others = more.map((other) => flattenLike(structure, other));
    } catch (error) {
      throw new errors.ValueError(`[tree.map] ${error.message}`);
    }
    return unflatten(structure, leaves.map((leaf, i) => run(leaf, ...others.map((other) => other[i]))));
  },
};
