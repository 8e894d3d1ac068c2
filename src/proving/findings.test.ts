import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The README's table of what others' software has shown, against the tests that it names. */

const textOf = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const section = textOf('src/proving/README.md').split('\n## What others’ software has shown\n')[1]!;
const findings = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (what was wrong|---) /.test(line))
  .map((line) => {
    const [finding = '', tests = ''] = line.slice(2, -2).split(' | ');
    const named = [...tests.matchAll(/`([^`]+\.test\.ts)`: `([^`]+)`/g)];
    return { finding, tests: named.map(([, path = '', name = '']) => ({ path, name })) };
  });

it('the table is read', () => {
  expect(findings.length).toBeGreaterThan(10);
});

it.for(findings)('$finding: the tests that hold it are there', ({ tests }) => {
  expect(tests.length).toBeGreaterThan(0);
  expect(tests.filter(({ path, name }) => !textOf(path).includes(name))).toEqual([]);
});
