// What the module's functions take, as it names them (../core/call.h), and their arguments, by position or by name.
import { unexpectedOption } from './hints.js';
import { isOptions } from './slots.js';
import { readLines } from './text.js';
import { kindOf } from './words.js';

const isTruth = (value) => value === null || !['string', 'symbol', 'function', 'object'].includes(typeof value) || value.handle !== undefined;

/** Of one function: `names` in order, how many of them have no default, how many go by position, which one takes all that are left. */
export class Parameters {
  names = [];
  places = new Map();
  flags = new Set(); // places of those that are true or false
  rest = -1;

  constructor(owner, text) {
    this.owner = owner;
    for (const word of text.split(' ').filter(Boolean)) {
      const { length } = this.names, name = word.replaceAll(/^\*|\?$/g, '');
      if (word === '=') this.required ??= length;
      else if (word === '*') this.positional = length;
      else {
        if (word[0] === '*') this.rest = this.required = length;
        if (word.endsWith('?')) this.flags.add(length);
        this.places.set(name, length);
        this.names.push(name);
      }
    }
    this.required ??= this.names.length;
    this.positional ??= this.rest < 0 ? this.names.length : this.rest;
  }

  error(text) { return new TypeError(`[${this.owner}] ${text}`); }

  checked(place, value) {
    if (this.flags.has(place) && !isTruth(value)) throw this.error(`${this.names[place]}: got ${kindOf(value)}, expected true or false.`);
    return value;
  }

  /** Writes the arguments of a call: those by position; an options object at the end becomes arguments by name. */
  write(slots, args) {
    let count = args.length;
    const options = count > 0 && isOptions(args[count - 1]) ? args[--count] : null, { positional, rest, flags } = this;
    if (count > positional && rest < 0) {
      const hint = positional < this.names.length ? ` Hint: { ${this.names[positional]}: ... } is an option.` : '';
      throw this.error(`takes ${positional} arguments, got more.${hint}`);
    }
    let placed = Math.min(count, positional);
    for (let i = 0; i < placed; ++i) slots.add(flags.size > 0 ? this.checked(i, args[i]) : args[i]);
    if (placed === rest) writeRest(slots, args.slice(placed++, count));
    if (options !== null) this.writeOptions(slots, options, placed);
    if (count < this.required) for (const name of this.names.slice(count, this.required))
      if (options?.[name] === undefined) throw this.error(`missing argument '${name}'.`);
  }

  writeOptions(slots, options, count) {
    for (const [name, value] of Object.entries(options)) {
      if (value === undefined) continue;
      const place = this.places.get(name);
      if (place === undefined) throw this.error(unexpectedOption(name, this.names));
      if (place < count) throw this.error(`got two values of '${name}'.`);
      slots.named(place, this.checked(place, value));
    }
  }
}

/** Arguments in any number: each of them, or one list of arrays. A list of lists alone is one of them, as in NumPy. */
function writeRest(slots, values) {
  const [first] = values, isArray = (item) => item?.handle !== undefined || ArrayBuffer.isView(item);
  slots.add(values.length === 1 && Array.isArray(first) && first.some(isArray) ? first : values);
}

/** The module's functions, [name, parameters] in order, and its other names of functions. */
export function functionsOf(module) {
  const lines = readLines(module, module.nj_function_names());
  return {
    functions: lines.filter(([, , other]) => other === undefined).map(([name, text]) => [name, new Parameters(name, text ?? '')]),
    aliases: new Map(lines.filter(([, , other]) => other !== undefined).map(([name, , other]) => [name, other])),
  };
}
