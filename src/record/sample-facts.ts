import type { Slice } from '../model/arrival.ts';
import { milliseconds } from '../model/quantity.ts';
import type { ResultFacts, SliceRun } from '../model/result.ts';
import { samplePlan } from '../model/sample-plan.ts';

/** What a slice of the sample plan's run would know of itself, for tests. */
export const sampleSlice = ({ index, count }: Slice): SliceRun => ({
  index,
  count,
  startedAt: '2026-07-01T10:20:30.000Z',
  machine: { node: 'v24.0.0', platform: 'linux', cpu: 'a processor', cores: 2 },
  generator: [],
});

/** The facts of a run of these slices of the sample plan, for tests; any of them can be another. */
export const sampleFacts = (
  slices: readonly Slice[],
  differing: Partial<ResultFacts> = {},
): ResultFacts => ({
  weir: '0.1.0',
  runId: 'run',
  plan: samplePlan(),
  baseUrl: 'http://127.0.0.1:8080/v1',
  slices: slices.map(sampleSlice),
  scheduled: milliseconds(25_000),
  partial: null,
  notes: [],
  witness: null,
  ...differing,
});
