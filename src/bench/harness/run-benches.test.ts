import { expect, it } from 'vitest';
import type { Bench, BenchRow } from './bench.ts';
import { runBenches } from './run-benches.ts';

const row: BenchRow = {
  what: 'a figure',
  value: 2,
  unit: '×',
  bound: { kind: 'at least', value: 1 },
};
const bench = (name: string, run: () => readonly BenchRow[]): Bench => ({
  name,
  about: `what ${name} is`,
  parts: [async () => run()],
});
const steady = bench('steady', () => [row]);

const runAll = async (...benches: readonly Bench[]) => {
  const printed: string[] = [];
  const said: string[] = [];
  const output = {
    print: (text: string) => printed.push(text),
    say: (text: string) => said.push(text),
  };
  return { ...(await runBenches(benches, output)), printed: printed.join('\n'), said };
};

it('an error in one bench neither stops the others nor loses their figures', async () => {
  const broken = bench('broken', () => {
    throw new Error('the server went away');
  });
  const { results, isPassed, printed } = await runAll(steady, broken, { ...steady, name: 'last' });
  expect(results).toEqual({ steady: [row], last: [row] });
  expect(isPassed).toBe(false);
  expect(printed).toContain('broken\nnot measured: the server went away\n');
});

it('each bench announces what it measures', async () => {
  const { said, isPassed } = await runAll(steady, { ...steady, name: 'last' });
  expect(said).toEqual(['steady (1 of 2): what steady is', 'last (2 of 2): what steady is']);
  expect(isPassed).toBe(true);
});

it('a broken bound and a missing figure fail, an inconclusive one is explained', async () => {
  const runRow = (changes: Partial<BenchRow>) =>
    runAll(bench('one', () => [{ ...row, ...changes }]));
  expect((await runRow({ value: 0.5 })).isPassed).toBe(false);
  const none = await runRow({ value: Number.POSITIVE_INFINITY, bound: null });
  expect(none).toMatchObject({ isPassed: false, printed: 'one\na figure  –      not measured\n' });
  const inconclusive = await runRow({ value: 0.5, reference: 0.4 });
  expect(inconclusive.isPassed).toBe(true);
  expect(inconclusive.printed).toContain('the bare reference broke the bound too');
});
