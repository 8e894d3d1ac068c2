// @gate 1 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { watchObjectives } from '../../judge/objectives/abort-watch.ts';
import { judgeObjectives } from '../../judge/objectives/judge-objectives.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { infiniteFigure } from '../../model/result/objective-verdict.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { anyObservations } from '../../record/recorder-suite.fixture.ts';
import {
  refusedWith,
  sampleObservation,
  sampleStream,
} from '../../record/sample-observations.fixture.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { readScenario } from '../../scenario/read-scenario.ts';

const planWith = (objectives: readonly string[], after: string): Plan => {
  const text = JSON.stringify({
    traffic: [
      { kind: 'chat', model: 'publisher/model-8b' },
      { kind: 'chat-stream', model: 'm' },
    ],
    load: { kind: 'constant', rate: '1/s', duration: '30s' },
    keys: [{ name: 'main', key: '${env:KEY}' }],
    perRequest: ['e2e < 150ms', 'ttft < 100ms'],
    objectives: objectives.map((objective) => ({
      objective,
      abort: { after },
      // A count has no samples.
      ...(objective.startsWith('sent') ? {} : { minSamples: 1 }),
    })),
  });
  const reading = readScenario({ text, name: 'f', environment: {} });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const { objectives: compiled, perRequest } = reading.plan;
  return samplePlan({ objectives: compiled, perRequest, warmUp: milliseconds(500) });
};

const verdictOf = (plan: Plan, observations: readonly Observation[]) => {
  const tally = emptyTally(plan);
  for (const observation of observations) recordObservation(tally, observation);
  const facts = sampleFacts([{ index: 0, count: 1 }], { plan, planHash: planHash(plan) });
  const result = toResult(tally, { ...facts, scheduled: milliseconds(25_000), partial: null });
  return judgeObjectives(result, { level: 'valid', evidence: [], figures: [] })[0]!;
};

/** Five arrivals that break every objective below; random lists seldom break some of them. */
const disaster: readonly Observation[] = [
  sampleObservation({ ended: instant(6500) }),
  sampleObservation({
    traffic: 'chat-stream',
    outcome: { kind: 'completed', answer: sampleStream([5150, 5190]) },
  }),
  sampleObservation({
    outcome: {
      kind: 'limited',
      unit: 'requests',
      retryAfter: null,
      resetIn: null,
      refusal: refusedWith('too many', { status: 429 }).refusal,
    },
  }),
  ...Array.from({ length: 2 }, () =>
    sampleObservation({ outcome: { kind: 'broken', cause: 'reset', detail: '', partial: null } }),
  ),
];

describe('the abort check of objectives', () => {
  it.each([
    'e2e.p50 < 100ms',
    'e2e.p95 < 10s',
    'ttft.p50{traffic=chat-stream} < 140ms',
    'e2e.max{traffic=chat} < 1s',
    'ttft.mean < 50ms',
    'errorRate < 40%',
    'goodput > 50%',
    'limitedRate{key=main} < 10%',
    'finish{reason=STOP} < 30%',
    'sent < 1',
  ])('agrees at the end with the judge: %s', (text) => {
    const plan = planWith([text], '0s');
    let breaches = 0;
    fc.assert(
      fc.property(anyObservations, (observations) => {
        const watch = watchObjectives(plan);
        for (const observation of observations) watch.record(observation);
        const breach = watch.breach(instant(25_000));
        if (breach !== null) breaches += 1;
        const verdict = verdictOf(plan, observations);
        if (breach === null) expect(verdict.grounds).not.toBe('broken');
        else {
          // Late starts can have moved the figure, which the watch does not ask.
          expect(['broken', 'within-error']).toContain(verdict.grounds);
          expect(breach.observed).toBe(verdict.observed ?? infiniteFigure);
        }
      }),
      { numRuns: 20, examples: [[disaster]] },
    );
    expect(breaches).toBeGreaterThan(0);
  });

  it('reports no breach before its time or without data, and names it afterwards', () => {
    const watch = watchObjectives(planWith(['e2e.p50 < 100ms', 'errorRate < 1%'], '10s'));
    expect(watch.breach(instant(20_000))).toBeNull();
    watch.record(sampleObservation());
    expect(watch.breach(instant(9999))).toBeNull();
    expect(watch.breach(instant(10_000))).toEqual({
      text: 'e2e.p50 < 100ms',
      at: 10_000,
      observed: 200,
    });
  });

  it('ends a run of which too few arrivals complete, however fast they are', () => {
    const watch = watchObjectives(planWith(['e2e.p50 < 1s'], '1s'));
    watch.record(sampleObservation());
    watch.record(disaster[3]!);
    expect(watch.breach(instant(10_000))).toBeNull();
    watch.record(disaster[4]!);
    expect(watch.breach(instant(10_000))).toMatchObject({ observed: infiniteFigure });
  });

  it('ignores the warm-up', () => {
    const watch = watchObjectives(planWith(['e2e.p50 < 100ms'], '1s'));
    watch.record(sampleObservation({ due: instant(499) }));
    expect(watch.breach(instant(10_000))).toBeNull();
  });

  it('counts a rate over the seconds that have passed', () => {
    const text = JSON.stringify({
      traffic: [{ kind: 'chat', model: 'm' }],
      load: { kind: 'constant', rate: '1/s', duration: '30s' },
      objectives: [{ objective: 'completedRate >= 1/s', abort: { after: '4s' } }],
    });
    const reading = readScenario({ text, name: 'f', environment: {} });
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
    const watch = watchObjectives(samplePlan({ objectives: reading.plan.objectives }));
    // Warm-up is 2 s: by 5 s there are three seconds, by 8 s six.
    for (const second of [2, 3, 4]) {
      watch.record(sampleObservation({ ended: instant(second * 1000 + 500) }));
    }
    expect(watch.breach(instant(5000))).toBeNull();
    expect(watch.breach(instant(8000))).toMatchObject({ observed: 0.5 });
  });
});
