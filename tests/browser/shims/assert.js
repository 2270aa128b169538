// node:assert/strict as tests/wasm uses it, in a page.
const show = (value) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : Object.is(v, -0) ? '-0' : typeof v === 'number' && !Number.isFinite(v) ? String(v) : v));

function fail(message) {
  throw new Error(message);
}

function same(a, b) {
  if (Object.is(a, b)) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/** An error as it was asked for: a pattern of its text, a function that knows it, or an object of fields. */
function check(error, expected) {
  if (typeof expected === 'function') return expected(error) || fail(`got the error ${error}, expected another`);
  if (expected instanceof RegExp) return expected.test(String(error)) || fail(`got the error ${error}, expected ${expected}`);
  for (const [key, value] of Object.entries(expected ?? {}))
    if (value instanceof RegExp ? !value.test(error[key]) : error[key] !== value) fail(`got the ${key} '${error[key]}', expected ${value}`);
  return true;
}

export default {
  ok: (value) => value || fail(`got ${show(value)}, expected something true`),
  equal: (a, b) => Object.is(a, b) || fail(`got ${show(a)}, expected ${show(b)}`),
  deepEqual: (a, b) => same(a, b) || fail(`got ${show(a)}, expected ${show(b)}`),
  match: (text, pattern) => pattern.test(text) || fail(`got '${text}', expected ${pattern}`),
  doesNotMatch: (text, pattern) => !pattern.test(text) || fail(`got '${text}', which matches ${pattern}`),
  throws(run, expected) {
    try {
      run();
    } catch (error) {
      return check(error, expected);
    }
    return fail('got no error');
  },
  async rejects(promise, expected) {
    try {
      await promise;
    } catch (error) {
      return check(error, expected);
    }
    return fail('got no error');
  },
};
