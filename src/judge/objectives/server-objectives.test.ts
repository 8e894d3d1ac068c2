import { describe, expect, it } from 'vitest';
import type { Objective } from '../../model/plan/objective.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { ServerMetrics } from '../../model/result/server-metrics.ts';
import { healthyResult } from '../sample-result.fixture.ts';
import { judgeObjectives } from './judge-objectives.ts';
import { sampleObjective } from '../../model/plan/sample-objective.fixture.ts';

const objective = (statistic: 'mean' | 'max' | number, bound: number, minSamples = 1): Objective =>
  sampleObjective({
    text: 'server.waiting < bound',
    figure: { kind: 'server', name: 'waiting', statistic },
    bound,
    minSamples,
  });

/** Returns one reading a second. `null` is a reading that failed, `{}` one without the figure. */
const metricsOf = (values: readonly (number | null | Record<string, never>)[]): ServerMetrics => ({
  address: 'http://host/metrics',
  software: 'vLLM',
  every: milliseconds(1000),
  scrapes: values.length,
  failed: 0,
  lastFailure: null,
  resets: 0,
  samples: values.flatMap((value, second) =>
    value === null
      ? []
      : [
          {
            sent: instant(second * 1000),
            received: instant(second * 1000 + 10),
            values: typeof value === 'number' ? { waiting: value } : value,
          },
        ],
  ),
});

const judged = (server: ServerMetrics | undefined, ...objectives: readonly Objective[]) => {
  // 25 s of load, of which 2 s are warm-up.
  const plan = samplePlan({ objectives: [...objectives], warmUp: milliseconds(2000) });
  const result = healthyResult({
    plan,
    scheduled: milliseconds(25_000),
    ...(server && { server }),
  });
  return judgeObjectives(result, { level: 'valid', evidence: [], figures: [] }).map(
    ({ grounds, observed }) => [grounds, observed],
  );
};

const rising = Array.from({ length: 25 }, (_, second) => second);

describe('an objective on the server’s own figures', () => {
  it('is judged by the readings within the load, without the warm-up', () => {
    const high = [99, 99, ...rising.slice(2)];
    expect(judged(metricsOf(high), objective('max', 25), objective('max', 24))).toEqual([
      ['kept', 24],
      ['broken', 24],
    ]);
    expect(judged(metricsOf(high), objective('mean', 13.5), objective(0.5, 13))).toEqual([
      ['kept', 13],
      ['broken', 13],
    ]);
  });

  it.each([
    ['the run read no metrics', undefined],
    ['nothing could be read', metricsOf([])],
    ['the server does not have the figure', metricsOf(rising.map(() => ({})))],
  ])('is undecided where %s', (_, server) => {
    expect(judged(server, objective('max', 1000))).toEqual([['never-given', null]]);
  });

  it.each([
    ['a quarter of the readings failed', metricsOf(rising.map((s) => (s % 4 === 0 ? null : 0)))],
    [
      'a quarter of the readings lacks the figure',
      metricsOf(rising.map((s) => (s % 4 === 0 ? {} : 0))),
    ],
  ])('never passes where %s', (_, server) => {
    expect(judged(server, objective('max', 1000))).toEqual([['no-data', null]]);
  });

  it('is decided even if some readings failed', () => {
    const some = metricsOf(rising.map((second) => (second % 8 === 0 ? null : 1)));
    expect(judged(some, objective('max', 2))).toEqual([['kept', 1]]);
  });
});
