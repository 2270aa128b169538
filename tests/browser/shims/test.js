// node:test as tests/wasm uses it, in a page: tests run one after the other.
const results = [];
let last = Promise.resolve();

export function test(name, body) {
  last = last.then(async () => {
    try {
      await body();
      results.push({ name });
    } catch (error) {
      results.push({ name, error: `${error.name}: ${error.message}\n${error.stack}` });
    }
  });
}
export const finished = () => last.then(() => results);
