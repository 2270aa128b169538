// The demos' engines: what the compiled one computes is what the one written by hand does, at each of the sizes that are quick enough.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { load } = await import(new URL('numjit.js', pathToFileURL(`${process.env.NUMJIT_PACKAGE}/`)));
const place = new URL('../../wasm/demos/', import.meta.url);
const { demos } = await import(new URL('demos.js', place));
const { stepTime, wrapFor } = await import(new URL('engines.js', place));
const np = await load();

/** How far an element may be off, and the share of elements that may be further: sums in other orders, and places where steps decide. */
const tolerances = { newton: [1e-3, 0.01], spectrum: [2e-3, 0], march: [1e-3, 0.001], options: [1e-3, 0] };

const settingsOf = (demo) => Object.fromEntries(Object.entries(demo.controls ?? {}).filter(([, control]) => control.value !== undefined).map(([name, { value }]) => [name, value]));

/** The state that a demo begins with; fields that are nothing but zero, of which nothing would come, get something. */
function stateOf(demo) {
  const state = demo.start();
  for (const field of Object.values(state)) if (field.every((value) => value === 0)) field.forEach((_, i) => { field[i] = 0.3 * Math.sin(0.37 * i); });
  return state;
}

for (const name of demos) {
  test(`${name}: compiled as by hand`, async () => {
    const demo = await import(new URL(`${name}.js`, place)), settings = settingsOf(demo), [near, share] = tolerances[name] ?? [1e-4, 0];
    assert.ok(demo.sizes.values.includes(demo.sizes.value) && demo.title && demo.about && demo.hint);
    for (const size of demo.sizes.values.slice(0, 2)) {
      demo.resize(size);
      const state = stateOf(demo), copy = Object.fromEntries(Object.entries(state).map(([key, values]) => [key, values.slice()]));
      const reports = new Map();
      const engine = demo.numjit(np, wrapFor('compiled', np, (of, report) => reports.set(of, report)), state), byHand = demo.handWritten(copy);
      for (let k = 0; k < 6; ++k) {
        engine.step({ ...settings });
        byHand.step({ ...settings });
      }
      const made = engine.fields(), expected = byHand.fields();
      for (const [field, values] of Object.entries(expected)) {
        if (name === 'spectrum' && field === 'power') continue; // logarithms of what is rounded away, too
        let off = 0;
        values.forEach((value, i) => { if (!(Math.abs(made[field][i] - value) <= near)) ++off; });
        assert.ok(off <= share * values.length, `${name} at ${size}: ${off} of ${values.length} elements of ${field}`);
      }
      assert.ok([...reports.values()].every((report) => report.graph_break_count === 0), 'a graph breaks');
    }
    demo.resize(demo.sizes.value);
  });
}

test('times of a step are taken on a state of its own, which ends', async () => {
  const demo = await import(new URL('wave.js', place)), before = np.liveArrays();
  demo.resize(128);
  for (const mode of ['compiled', 'eager', 'js']) assert.ok(stepTime(demo, mode, np, settingsOf(demo)) > 0, mode);
  assert.equal(np.liveArrays(), before);
  demo.resize(demo.sizes.value);
});
