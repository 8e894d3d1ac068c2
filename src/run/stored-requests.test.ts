import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { storedHeader, reportRun, sliceStarts, storeRun } from './stored-run.fixture.ts';

/** What a run kept is reported again, in this process: two slices, which began two seconds apart. */

const home = mkdtempSync(join(tmpdir(), 'weir-report-'));
afterAll(() => rmSync(home, { recursive: true }));

const stored = (change?: Parameters<typeof storeRun>[1]) => storeRun(home, change);

it('the table of a stored run has each request, at the time of its own slice', async () => {
  const { rows, warned, said, listed, exit } = await reportRun(stored());
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

it('observations that are missing, and a last line that is torn, are named', async () => {
  const one = stored();
  expect((await reportRun(one, undefined, { count: 1 })).warned).toEqual([
    `${one.table} has 2 requests, and the result 3: the observations of others are missing.`,
  ]);
  const torn = stored((lines) => [...lines, '{"requestId":"to']);
  const { warned, rows } = await reportRun(torn);
  expect(warned).toEqual([
    `The last line of ${torn.observations[0]} is not whole, and is left out: the run was killed.`,
  ]);
  expect(rows).toHaveLength(1 + 3);
  const more = stored((lines) => [...lines, lines[1]!]);
  expect((await reportRun(more)).warned).toEqual([
    `${more.table} has 4 requests, and the result 3: the run was killed after its last checkpoint.`,
  ]);
});

it.each<[string, (lines: readonly string[]) => readonly string[], string]>([
  ['no lines', () => [], 'o0.jsonl is empty: expected the observations of a run'],
  ['no header', (lines) => lines.slice(1), 'o0.jsonl, line 1: Expected the header of an'],
  [
    'another plan',
    (lines) => lines.with(0, storedHeader(sliceStarts[0]!, 'other')),
    `o0.jsonl has the observations of another run, which began at ${sliceStarts[0]}: expected those of the run that began at ${sliceStarts[0]}`,
  ],
  [
    'another start',
    (lines) => lines.with(0, storedHeader('2026-07-01T10:20:31.000Z')),
    'which began at 2026-07-01T10:20:31.000Z: expected those of the run that began at 2026-07-01T10:20:30.000Z',
  ],
])('observations with %s make no table', async (_, change, message) => {
  const run = stored(change);
  writeFileSync(run.table, 'an earlier table');
  await expect(reportRun(run)).rejects.toThrow(message);
  expect(readFileSync(run.table, 'utf8')).toBe('an earlier table');
});

it('a line that is none, but for the last, leaves the earlier table as it is, and says which line', async () => {
  const run = stored((lines) => lines.toSpliced(2, 0, '{"requestId":"to'));
  writeFileSync(run.table, 'an earlier table');
  const { exit, warned, rows } = await reportRun(run);
  expect([exit, rows]).toEqual(['unwritten', ['an earlier table']]);
  expect(warned).toEqual([
    expect.stringMatching(/o0\.jsonl, line 3: Expected an observation of format observations\/1/),
  ]);
});

it('observations that are not there are a sentence', async () => {
  const run = stored();
  rmSync(run.observations[1]!);
  await expect(reportRun(run)).rejects.toThrow(
    /^the observations .*o1\.jsonl cannot be read: there is no such file/,
  );
});

it('a file that lies where a report goes is named, but not the report of the same folder', async () => {
  const run = stored();
  writeFileSync(run.table, 'an earlier table');
  const out = join(run.folder, 'again');
  expect((await reportRun(run, out)).said).toEqual([`${run.table} is overwritten.`]);
  expect((await reportRun(run, out)).said).toEqual([
    `${run.table} is overwritten.`,
    `${out} contains an earlier result.json and report.html, which this run overwrites.`,
  ]);
  expect((await reportRun(run)).said).toEqual([`${run.table} is overwritten.`]);
});
