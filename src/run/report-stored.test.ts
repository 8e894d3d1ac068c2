// @gate 1 s
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { reportRun, storeRun } from './stored-run.fixture.ts';

/** What the report of a stored run says while it is written. */

const home = mkdtempSync(join(tmpdir(), 'weir-report-'));
afterAll(() => rmSync(home, { recursive: true }));

const stored = (change?: Parameters<typeof storeRun>[1]) => storeRun(home, change);

it('a report that takes more than a second says what it does, and how far a long table is', async () => {
  const run = stored((lines) => [...lines, ...Array<string>(6000).fill(lines[1]!)]);
  let time = 0;
  const { said } = await reportRun(run, undefined, { now: () => (time += 600) });
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
  const { said } = await reportRun(run, undefined, { now: () => (time += 1000) });
  expect(said.slice(0, 2)).toEqual([
    `after 1 s: checking ${join(run.folder, 'result.json')}`,
    'after 2 s: judging the result',
  ]);
});
