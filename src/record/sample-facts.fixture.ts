import type { Slice } from '../model/workload/arrival.ts';
import { milliseconds } from '../model/quantity.ts';
import { planHash } from '../model/plan/plan-hash.ts';
import { withoutPrompts } from '../model/plan/without-prompts.ts';
import type { ResultFacts, SliceRun } from '../model/result/result.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';

/** Returns the facts of a slice of the sample plan's run. */
export const sampleSliceRun = ({ index, count }: Slice): SliceRun => ({
  index,
  count,
  startedAt: '2026-07-01T10:20:30.000Z',
  baseUrl: 'http://127.0.0.1:8080/v1',
  machine: { node: 'v24.0.0', platform: 'linux', cpu: 'a processor', cores: 2 },
  generator: [],
});

/**
 * Returns the facts of a run of these slices of the sample plan. Any field can be changed. The hash is that of the
 * whole plan, as in a run.
 */
export const sampleFacts = (
  slices: readonly Slice[],
  differing: Partial<ResultFacts> = {},
): ResultFacts => ({
  weir: '0.1.0',
  runId: 'run',
  plan: withoutPrompts(samplePlan()),
  planHash: planHash(samplePlan()),
  slices: slices.map(sampleSliceRun),
  scheduled: milliseconds(25_000),
  partial: null,
  notes: [],
  gatewayCounters: null,
  ...differing,
});
