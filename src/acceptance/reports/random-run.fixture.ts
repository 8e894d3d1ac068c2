import * as fc from 'fast-check';
import type { Observation } from '../../model/observation/observation.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { anyObservation } from '../../record/recorder-suite.fixture.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { validTrust } from '../../report/fixtures/sample-trust.fixture.ts';
import { openRequestsTable, requestLines, tableFormatOf } from '../../run/input/requests-table.ts';
import { summarized } from '../../run/output/run-summary.ts';

/** Runs of random observations: their results, and their tables of requests. */

/** With a warm-up that some of the observations are in. */
const plan = { ...samplePlan(), warmUp: milliseconds(300) };

/** Texts of servers and users that mean something to a spreadsheet, to CSV, or to nobody. */
export const hostileTexts = [
  '=HYPERLINK("http://evil.example";"x")',
  '+1',
  '-1+1',
  '@cf/meta/llama',
  '＝1',
  '\tx',
  'a "quoted", text',
  'two\r\nlines',
  "'",
  '',
  'ünïcödé ✓',
] as const;

const hostile = fc.constantFrom(...hostileTexts);

/** Observations with such texts where a server or a user can put them. */
export const anyHostileObservations = (
  maxLength: number,
  minLength = 1,
): fc.Arbitrary<readonly Observation[]> =>
  fc.array(
    fc
      .record({ observation: anyObservation, entry: hostile, serverId: hostile })
      .map(({ observation, entry, serverId }) => ({
        ...observation,
        entry: `entry ${entry}`,
        head: observation.head === null ? null : { ...observation.head, serverId },
      })),
    { minLength, maxLength },
  );

/** The result of observations, with its summary. */
export const resultOf = (observations: readonly Observation[]) => {
  const tally = emptyTally(plan);
  for (const observation of observations) recordObservation(tally, observation);
  const result = toResult(tally, sampleFacts([{ index: 0, count: 1 }], { plan }));
  return summarized({ result, trust: validTrust }).result;
};

/** Writes the table of observations, as a run does. */
export const writeRequestsTable = async (
  path: string,
  observations: readonly Observation[],
): Promise<void> => {
  const table = await openRequestsTable(path);
  const zero = Date.parse('2026-07-01T10:20:30.000Z');
  observations.map(requestLines(tableFormatOf(path), { plan, zero })).forEach(table.add);
  await table.complete();
};
