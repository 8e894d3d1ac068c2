import { expect, it } from 'vitest';
import { readScenario } from '../read-scenario.ts';
import { problemsText } from './scenario-problem.ts';

const problemLines = (more: string): readonly string[] => {
  const text = `target: mock\ntraffic: [{kind: models}]\nload: {kind: constant, rate: 5/s, duration: 30s}\n${more}`;
  const reading = readScenario({ text, name: 'f.yaml', environment: {} });
  return reading.ok ? [] : problemsText(reading.problems, 'f.yaml').split('\n');
};

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

it('of a thousand unknown keys the first twenty are explained, and the others counted', () => {
  const shown = problemLines(lines(1000, (index) => `bogus${index}: 1\n`));
  expect(shown).toHaveLength(21);
  expect(shown[0]).toContain('f.yaml:4:1: unknown key "bogus0"');
  expect(shown.at(-1)).toBe('f.yaml:24:1: and 980 more unknown keys');
  expect(problemLines(lines(21, (index) => `bogus${index}: 1\n`)).at(-1)).toBe(
    'f.yaml:24:1: and 1 more unknown key',
  );
});

it('of a thousand problems the first forty are shown, and the others counted', () => {
  const shown = problemLines(`objectives:\n${lines(1000, (index) => ` - p${index} ! 1\n`)}`);
  expect(shown).toHaveLength(41);
  // An unreadable objective and the whole list are two kinds of problems.
  expect(shown.at(-1)).toMatch(/^and 96\d more problems; mend these first$/);
  const problem = { message: 'no', hint: null, path: 'a', place: null, flag: null };
  const all = (count: number) => Array.from({ length: count }, () => problem as never);
  expect(problemsText(all(40), 'f.yaml').split('\n')).toHaveLength(40);
  expect(problemsText(all(41), 'f.yaml').split('\n').at(-1)).toBe(
    'and 1 more problem; mend these first',
  );
});

it('an unknown key of 100,000 characters is named by its beginning', () => {
  const shown = problemLines(`load: { kind: constant, ${'x'.repeat(100_000)}: 1 }\n`);
  const named = shown.find((line) => line.includes('xxx')) ?? '';
  expect(named).toMatch(/"x{40}…" is not a key of the kind "constant"/);
  expect(named.length).toBeLessThan(500);
});
