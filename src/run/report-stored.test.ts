// @gate 1 s
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import type { Observation } from '../model/observation/observation.ts';
import { instant } from '../model/quantity.ts';
import { observationLine, observationsHeader } from '../record/observation-lines.ts';
import { sampleFacts } from '../record/sample-facts.fixture.ts';
import { answeredChat } from '../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../record/tally.ts';
import { fakeHost } from './fake-host.fixture.ts';
import { reportStored } from './report-stored.ts';

/** What a run kept is reported again, in this process: two slices, which began two seconds apart. */

const home = mkdtempSync(join(tmpdir(), 'weir-report-'));
afterAll(() => rmSync(home, { recursive: true }));

const starts = ['2026-07-01T10:20:30.000Z', '2026-07-01T10:20:32.000Z'];
const facts = sampleFacts([
  { index: 0, count: 2 },
  { index: 1, count: 2 },
]);
const slices = facts.slices.map((slice, index) => ({ ...slice, startedAt: starts[index]! }));
const seen: readonly (readonly Observation[])[] = [
  [answeredChat(3000, 200), answeredChat(4000, 250)],
  [{ ...answeredChat(5000, 300), requestId: 'run-1-1' }],
];

const tally = emptyTally(samplePlan());
for (const observation of seen.flat()) recordObservation(tally, observation);
const result = toResult(tally, { ...facts, slices });

const headerOf = (startedAt: string, planHash = result.planHash): string =>
  observationsHeader({
    weir: facts.weir,
    runId: facts.runId,
    planHash,
    startedAt,
    machineZero: instant(0),
  });
const linesOf = (index: number): readonly string[] => [
  headerOf(starts[index]!),
  ...seen[index]!.map(observationLine),
];

/** A folder with the result and two files of observations; `change` alters the lines of the first. */
const stored = (change: (lines: readonly string[]) => readonly string[] = (lines) => lines) => {
  const folder = mkdtempSync(join(home, 'run-'));
  const observations = [0, 1].map((index) => join(folder, `o${index}.jsonl`));
  writeFileSync(join(folder, 'result.json'), JSON.stringify(result));
  writeFileSync(observations[0]!, change(linesOf(0)).join('\n'));
  writeFileSync(observations[1]!, `${linesOf(1).join('\n')}\n`);
  return { folder, observations, table: join(folder, 'requests.csv') };
};

const report = async (
  { folder, observations, table }: ReturnType<typeof stored>,
  out?: string,
  { count = 2, now = () => 0 }: { readonly count?: number; readonly now?: () => number } = {},
) => {
  const fake = fakeHost();
  const requests = { requests: table, observations: observations.slice(0, count) };
  const exit = await reportStored(folder, out, { extraReports: {}, requests }, fake.host, now);
  const rows = readFileSync(table, 'utf8').trimEnd().split('\r\n');
  return { ...fake, exit, rows };
};

it('the table of a stored run has each request, at the time of its own slice', async () => {
  const { rows, warned, said, listed, exit } = await report(stored());
  const [head = '', ...requests] = rows;
  const due = head.split(',').indexOf('due_at');
  expect(due).toBeGreaterThanOrEqual(0);
  expect(requests.map((row) => row.split(',')[due])).toEqual([
    '2026-07-01T10:20:33.000Z',
    '2026-07-01T10:20:34.000Z',
    '2026-07-01T10:20:37.000Z',
  ]);
  expect([warned, said]).toEqual([[], []]);
  expect(listed.join('\n')).toContain('requests.csv');
  expect(exit).toBe('pass');
});

it('a file that lies where a report goes is named, but not the report of the same folder', async () => {
  const run = stored();
  writeFileSync(run.table, 'an earlier table');
  const out = join(run.folder, 'again');
  expect((await report(run, out)).said).toEqual([`${run.table} is overwritten.`]);
  expect((await report(run, out)).said).toEqual([
    `${run.table} is overwritten.`,
    `${out} contains an earlier result.json and report.html, which this run overwrites.`,
  ]);
  expect((await report(run)).said).toEqual([`${run.table} is overwritten.`]);
});

it('a report that takes more than a second says what it does, and how far a long table is', async () => {
  const run = stored((lines) => [...lines, ...Array<string>(6000).fill(lines[1]!)]);
  let time = 0;
  const { said } = await report(run, undefined, { now: () => (time += 600) });
  const seconds = said.map((line) => Number(/^after (\d+) s: /.exec(line)?.[1]));
  expect(said.map((line) => line.replace(/^after \d+ s: /, ''))).toEqual([
    'judging the result',
    `writing ${join(run.folder, 'result.json')}`,
    `writing ${join(run.folder, 'report.html')}`,
    `writing ${run.table}`,
    `5,000 requests in ${run.table}`,
  ]);
  expect(seconds).toEqual([1, 1, 2, 3, 6]);
});

it('the reading of a long result says that it is checked, before it is', async () => {
  const run = stored();
  let time = 0;
  const { said } = await report(run, undefined, { now: () => (time += 1000) });
  expect(said.slice(0, 2)).toEqual([
    `after 1 s: checking ${join(run.folder, 'result.json')}`,
    'after 2 s: judging the result',
  ]);
});

it('observations that are missing, and a last line that is torn, are named', async () => {
  const one = stored();
  expect((await report(one, undefined, { count: 1 })).warned).toEqual([
    `${one.table} has 2 requests, and the result 3: the observations of others are missing.`,
  ]);
  const torn = stored((lines) => [...lines, '{"requestId":"to']);
  const { warned, rows } = await report(torn);
  expect(warned).toEqual([
    `The last line of ${torn.observations[0]} is not whole, and is left out: the run was killed.`,
  ]);
  expect(rows).toHaveLength(1 + 3);
  const more = stored((lines) => [...lines, lines[1]!]);
  expect((await report(more)).warned).toEqual([
    `${more.table} has 4 requests, and the result 3: the run was killed after its last checkpoint.`,
  ]);
});

it.each<[string, (lines: readonly string[]) => readonly string[], string]>([
  ['no lines', () => [], 'o0.jsonl is empty: expected the observations of a run'],
  ['no header', (lines) => lines.slice(1), 'o0.jsonl, line 1: Expected the header of an'],
  [
    'another plan',
    (lines) => lines.with(0, headerOf(starts[0]!, 'other')),
    `o0.jsonl has the observations of another run, which began at ${starts[0]}: expected those of the run that began at ${starts[0]}`,
  ],
  [
    'another start',
    (lines) => lines.with(0, headerOf('2026-07-01T10:20:31.000Z')),
    'which began at 2026-07-01T10:20:31.000Z: expected those of the run that began at 2026-07-01T10:20:30.000Z',
  ],
])('observations with %s make no table', async (_, change, message) => {
  const run = stored(change);
  writeFileSync(run.table, 'an earlier table');
  await expect(report(run)).rejects.toThrow(message);
  expect(readFileSync(run.table, 'utf8')).toBe('an earlier table');
});

it('a line that is none, but for the last, leaves the earlier table as it is, and says which line', async () => {
  const run = stored((lines) => lines.toSpliced(2, 0, '{"requestId":"to'));
  writeFileSync(run.table, 'an earlier table');
  const { exit, warned, rows } = await report(run);
  expect([exit, rows]).toEqual(['unwritten', ['an earlier table']]);
  expect(warned).toEqual([
    expect.stringMatching(/o0\.jsonl, line 3: Expected an observation of format observations\/1/),
  ]);
});

it('observations that are not there are a sentence', async () => {
  const run = stored();
  rmSync(run.observations[1]!);
  await expect(report(run)).rejects.toThrow(
    /^the observations .*o1\.jsonl cannot be read: there is no such file/,
  );
});
