import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import type { Observation } from '../model/observation/observation.ts';
import { instant } from '../model/quantity.ts';
import { observationLine, observationsHeader } from '../record/observation-lines.ts';
import { sampleFacts } from '../record/sample-facts.fixture.ts';
import { answeredChat } from '../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../record/tally.ts';
import { fakeHost } from './fake-host.fixture.ts';
import { reportStored } from './report-stored.ts';

/** Test support: what a run of two slices kept, which began two seconds apart; and its report. */

export const sliceStarts = ['2026-07-01T10:20:30.000Z', '2026-07-01T10:20:32.000Z'];
const facts = sampleFacts([
  { index: 0, count: 2 },
  { index: 1, count: 2 },
]);
const slices = facts.slices.map((slice, index) => ({ ...slice, startedAt: sliceStarts[index]! }));
const seen: readonly (readonly Observation[])[] = [
  [answeredChat(3000, 200), answeredChat(4000, 250)],
  [{ ...answeredChat(5000, 300), requestId: 'run-1-1' }],
];

const tally = emptyTally(samplePlan());
for (const observation of seen.flat()) recordObservation(tally, observation);
const result = toResult(tally, { ...facts, slices });

export const storedHeader = (startedAt: string, planHash = result.planHash): string =>
  observationsHeader({
    weir: facts.weir,
    runId: facts.runId,
    planHash,
    startedAt,
    machineZero: instant(0),
  });
const linesOf = (index: number): readonly string[] => [
  storedHeader(sliceStarts[index]!),
  ...seen[index]!.map(observationLine),
];

/** A folder below `home` with the result and two files of observations; `change` alters the lines of the first. */
export const storeRun = (
  home: string,
  change: (lines: readonly string[]) => readonly string[] = (lines) => lines,
) => {
  const folder = mkdtempSync(join(home, 'run-'));
  const observations = [0, 1].map((index) => join(folder, `o${index}.jsonl`));
  writeFileSync(join(folder, 'result.json'), JSON.stringify(result));
  writeFileSync(observations[0]!, change(linesOf(0)).join('\n'));
  writeFileSync(observations[1]!, `${linesOf(1).join('\n')}\n`);
  return { folder, observations, table: join(folder, 'requests.csv') };
};

export const reportRun = async (
  { folder, observations, table }: ReturnType<typeof storeRun>,
  out?: string,
  { count = 2, now = () => 0 }: { readonly count?: number; readonly now?: () => number } = {},
) => {
  const fake = fakeHost();
  const requests = { requests: table, observations: observations.slice(0, count) };
  const exit = await reportStored(folder, out, { extraReports: {}, requests }, fake.host, now);
  const rows = readFileSync(table, 'utf8').trimEnd().split('\r\n');
  return { ...fake, exit, rows };
};
