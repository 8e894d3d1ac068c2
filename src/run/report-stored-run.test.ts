import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { instant } from '../model/quantity.ts';
import { observationLine, observationsHeader } from '../record/observation-lines.ts';
import { sampleFacts } from '../record/sample-facts.fixture.ts';
import { answeredChat } from '../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../record/tally.ts';
import { fakeHost } from './fake-host.fixture.ts';
import { reportStored } from './report-stored.ts';

/** What a run kept is reported again. `report-stored.test.ts` has the cases that take longer. */

const home = mkdtempSync(join(tmpdir(), 'weir-report-run-'));
afterAll(() => rmSync(home, { recursive: true }));

const facts = sampleFacts([{ index: 0, count: 1 }]);
const seen = [answeredChat(3000, 200), answeredChat(4000, 250)];
const tally = emptyTally(samplePlan());
for (const observation of seen) recordObservation(tally, observation);
const result = toResult(tally, facts);
const header = observationsHeader({
  ...facts,
  startedAt: facts.slices[0]!.startedAt,
  machineZero: instant(0),
});

/** A folder with the result and a file of observations with these lines. */
const stored = (lines: readonly string[]) => {
  const folder = mkdtempSync(join(home, 'run-'));
  const observations = join(folder, 'o.jsonl');
  writeFileSync(join(folder, 'result.json'), JSON.stringify(result));
  writeFileSync(observations, lines.join('\n'));
  return { folder, observations, table: join(folder, 'requests.csv') };
};
const whole = [header, ...seen.map(observationLine)];

const report = async (
  { folder, observations, table }: ReturnType<typeof stored>,
  {
    out,
    ...more
  }: { readonly out?: string; readonly isStrict?: boolean; readonly time?: number } = {},
) => {
  const fake = fakeHost();
  let now = 0;
  const options = { extraReports: {}, requests: { requests: table, observations: [observations] } };
  const { isStrict, time = 0 } = more;
  const exit = await reportStored(
    folder,
    out,
    { ...options, ...(isStrict === undefined ? {} : { isStrict }) },
    fake.host,
    () => (now += time),
  );
  const rows = readFileSync(table, 'utf8').trimEnd().split('\r\n').slice(1);
  return { ...fake, exit, rows };
};

it('the table of a stored run has each request, and what the observations lack is said', async () => {
  const run = stored([...whole, whole[1]!, '{"requestId":"to']);
  writeFileSync(run.table, 'an earlier table');
  const { rows, warned, said, exit } = await report(run, { time: 300 });
  expect(rows.map((row) => /2026-07-01T10:20:\d\d/.exec(row)?.[0])).toEqual([
    '2026-07-01T10:20:33',
    '2026-07-01T10:20:34',
    '2026-07-01T10:20:33',
  ]);
  expect(warned).toEqual([
    `The last line of ${run.observations} is not whole, and is left out: the run was killed.`,
    `${run.table} has 3 requests, and the result 2: the run was killed after its last checkpoint.`,
  ]);
  expect(said).toEqual([
    `${run.table} is overwritten.`,
    expect.stringMatching(/^after 1 s: writing .*report\.html$/),
    `after 1 s: writing ${run.table}`,
  ]);
  expect(exit).toBe('pass');
});

it('a report in another folder says what it overwrites, and observations that are missing', async () => {
  const run = stored(whole.slice(0, 2));
  const out = join(run.folder, 'again');
  writeFileSync(run.table, '');
  expect((await report(run, { out })).warned).toEqual([
    `${run.table} has 1 requests, and the result 2: the observations of others are missing.`,
  ]);
  const { said } = await report(run, { out });
  expect(said).toEqual([
    `${run.table} is overwritten.`,
    `${out} contains an earlier result.json and report.html, which this run overwrites.`,
  ]);
});

it('a line that is none leaves the earlier table as it is', async () => {
  const run = stored([header, 'none', whole[1]!]);
  writeFileSync(run.table, 'head\r\nan earlier table');
  const { exit, warned, rows } = await report(run);
  expect([exit, rows]).toEqual(['unwritten', ['an earlier table']]);
  expect(warned).toEqual([expect.stringMatching(/o\.jsonl, line 2: Expected an observation of/)]);
});
