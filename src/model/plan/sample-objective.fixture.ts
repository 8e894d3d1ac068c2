import type { Objective } from './objective.ts';

/** Returns an objective: the p95 of the end to end time is below 300 ms. `changes` overrides fields. */
export const sampleObjective = (changes: Partial<Objective> = {}): Objective => ({
  text: 'endToEnd.p95 < 300ms',
  figure: { kind: 'measure', name: 'endToEnd', statistic: 0.95 },
  scope: { traffic: null, model: null, key: null, stages: null },
  comparison: '<',
  bound: 300,
  minSamples: 1,
  severity: 'fail',
  abortAfter: null,
  ...changes,
});
