import { expect, it } from 'vitest';
import { distancesTo, importsOf, reachingTests } from './reaching-tests.ts';

const importersOf = new Map([
  ['src/a/a.ts', ['src/a/a.test.ts', 'src/b/b.ts']],
  ['src/b/b.ts', ['src/b/b.test.ts', 'src/b/other.test.ts', 'src/a/a.ts']],
]);
const coverage = ['src/b/b.test.ts', 'src/a/a.test.ts', 'src/b/other.test.ts', 'src/c.test.ts'].map(
  (test, index) => ({
    test: `/tree/${test}`,
    seconds: 1,
    loading: index === 0 ? { '/tree/src/a/a.ts': [0, 50, 90, 100] } : {},
    running: index < 2 ? { '/tree/src/a/a.ts': [50, 60] } : {},
  }),
);
const reach = { root: '/tree', coverage, importersOf };

it('imports are found where they are written, static or not', () => {
  const text = `import { a } from './a.ts';
import type { B } from '../b/b.ts';
import { join } from 'node:path';
export const c = async () => (await import('./c.ts')).c;`;
  expect(importsOf('src/x/x.ts', text)).toEqual(['src/x/a.ts', 'src/b/b.ts', 'src/x/c.ts']);
});

it('files are as far as imports lie between, also where they import each other', () => {
  expect([...distancesTo('src/a/a.ts', importersOf)]).toEqual([
    ['src/a/a.ts', 0],
    ['src/a/a.test.ts', 1],
    ['src/b/b.ts', 1],
    ['src/b/b.test.ts', 2],
    ['src/b/other.test.ts', 2],
  ]);
});

it('a place is reached by the tests that run it, the nearest ones first', () => {
  const tests = reachingTests(reach, { path: 'src/a/a.ts', start: 55 });
  expect(tests).toEqual(['src/a/a.test.ts', 'src/b/b.test.ts']);
});

it('a place that runs while its file is loaded is reached by all that import the file', () => {
  const tests = reachingTests(reach, { path: 'src/a/a.ts', start: 10 });
  expect(tests).toEqual(['src/a/a.test.ts', 'src/b/b.test.ts', 'src/b/other.test.ts']);
});

it('a place that nothing ran is reached by no test', () => {
  expect(reachingTests(reach, { path: 'src/a/a.ts', start: 70 })).toEqual([]);
  expect(reachingTests(reach, { path: 'src/b/b.ts', start: 0 })).toEqual([]);
});
