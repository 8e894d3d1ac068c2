// @gate 1 s
import { expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { emptySecond } from '../../model/measures/outcome-counts.ts';
import { uniformFrom } from '../../model/measures/processes.fixture.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { healthyResult, sampleGroup } from '../sample-result.fixture.ts';
import { observeObjective } from './judge-objectives.ts';

const seconds = 60;
const [perSecond, load] = [10, 0.8];

/** A minute in which 30 requests per second take independent times, and 10 wait in a separate queue. */
const measure = (run: number) => {
  const draw = uniformFrom(4242 + run * 7919);
  const exponential = (mean: number): number => -mean * Math.log(1 - draw());
  const own = { steady: emptyHistogram(), queue: emptyHistogram() };
  const all = Array.from({ length: seconds }, () => emptyHistogram(2));
  for (let i = 0; i < 30 * seconds; i += 1) {
    const took = exponential(100);
    own.steady.record(took);
    all[Math.floor(i / 30)]!.record(took);
  }
  const service = (1000 * load) / perSecond;
  let wait = draw() < load ? exponential(service / (1 - load)) : 0;
  for (let at = 0; at < seconds * 1000;) {
    const took = wait + exponential(service);
    own.queue.record(took);
    all[Math.floor(at / 1000)]!.record(took);
    const gap = exponential(1000 / perSecond);
    wait = Math.max(0, took - gap);
    at += gap;
  }
  const plan = samplePlan({ warmUp: milliseconds(0) });
  const names = ['steady', 'queue'] as const;
  const [stage] = plan.stages;
  const curve = [{ from: 20, to: 20, duration: milliseconds(seconds * 1000) }];
  const result = healthyResult({
    plan: {
      ...plan,
      stages: names.map((name) => ({
        ...stage!,
        name,
        population: name,
        load: { kind: 'open', curve, spacing: 'even' },
      })),
      populations: names.map((name) => ({ name, after: milliseconds(0), retry: null })),
    } as typeof plan,
    groups: names.map((name) => {
      const group = sampleGroup(own[name].count, {
        distributions: { endToEnd: own[name].toJSON() },
      });
      return { ...group, labels: { ...group.labels, stage: name, population: name } };
    }),
    timeline: all.map((samples, second) => ({
      ...emptySecond(second),
      due: samples.count,
      latency: { chat: { endToEnd: samples.toJSON() } },
    })),
    scheduled: milliseconds(seconds * 1000),
  });
  return observeObjective(result, {
    text: 'endToEnd.p50 < 1s',
    figure: { kind: 'measure', name: 'endToEnd', statistic: 0.5 },
    scope: { traffic: null, model: null, key: null, stages: ['queue'] },
    comparison: '<',
    bound: 1000,
    minSamples: 20,
    severity: 'fail',
    abortAfter: null,
  }).observed;
};

it('gives the percentile of a population with its own queue an interval that contains the true value', () => {
  const truth = (Math.log(2) * ((1000 * load) / perSecond)) / (1 - load);
  const held = Array.from({ length: 100 }, (_, run) => measure(run)).filter(
    ({ low, high }) => (low ?? 0) <= truth && truth <= (high ?? Infinity),
  );
  // Of 100 runs 59 held it with the dependence of all requests.
  expect(held.length).toBeGreaterThan(94);
});
