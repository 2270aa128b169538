// Sorting by digits: the order is JavaScript's, for all kinds of keys and lengths around those where the way changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const np = await load({ threads: 1, complete: true });
const kinds = [Float32Array, Float64Array, Int8Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array];
const lengths = [0, 1, 63, 64, 255, 256, 257, 4095, 4096, 20000];

let state = 1;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

/** Numbers all over the range, few different ones, rising ones; floats with NaN, infinities and negative zeros. */
function values(Kind, length, form) {
  const isFloat = Kind === Float32Array || Kind === Float64Array, isBig = Kind === BigInt64Array || Kind === BigUint64Array;
  return Kind.from({ length }, (_, i) => {
    const number = [(random() - 0.5) * 2 ** 32, Math.floor(5 * random()), i][form];
    if (isBig) return BigInt(Math.floor(number)) * (form === 0 ? 2147483659n : 1n);
    if (isFloat && random() < 0.05) return [NaN, -0, 0, -Infinity, Infinity][Math.floor(5 * random())];
    return isFloat ? number : Math.floor(number);
  });
}

for (const Kind of kinds) {
  test(`sort and argsort of ${Kind.name}`, () => {
    for (const length of lengths) {
      for (const form of [0, 1, 2]) {
        const given = values(Kind, length, form), expected = given.slice().sort();
        np.tidy(() => {
          const a = np.array(given), sorted = np.sort(a).toTypedArray();
          const differs = sorted.findIndex((v, i) => v !== expected[i] && (v === v || expected[i] === expected[i]));
          assert.equal(differs, -1, `${length} values, form ${form}: at ${differs}`);
          const places = Array.from(np.argsort(a).toTypedArray(), Number);
          const wrong = places.findIndex((place, i) => {
            if (i === 0) return false;
            const [p, q] = [given[places[i - 1]], given[place]];
            if (p !== p || q !== q) return p !== p && (q === q || places[i - 1] > place);
            return p > q || (p === q && places[i - 1] > place);
          });
          assert.equal(wrong, -1, `argsort of ${length} values, form ${form}: at ${wrong}`);
        });
      }
    }
  });
}
