import { describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Result } from '../model/result/result.ts';
import { mergeResults } from './merge-results.ts';
import { sampleFacts } from './sample-facts.fixture.ts';
import { answeredChat } from './sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from './tally.ts';

const length = 60_000;
/** Twenty chats a second for a minute, which take five times as long until the server is warm. */
const chats = (coldUntil: number): readonly Observation[] =>
  Array.from({ length: length / 50 }, (_, i) =>
    answeredChat(i * 50, (100 + ((i * 37) % 100)) * (i * 50 < coldUntil ? 5 : 1)),
  );

const plan: Plan = samplePlan({
  warmUp: milliseconds(30_000),
  autoWarmUp: { earliest: milliseconds(0), latest: milliseconds(30_000) },
});

const resultOf = (
  observations: readonly Observation[],
  ofPlan: Plan,
  { slices = [{ index: 0, count: 1 }], scheduled = length } = {},
): Result => {
  const tally = emptyTally(ofPlan);
  for (const each of observations) recordObservation(tally, each);
  return toResult(tally, sampleFacts(slices, { plan: ofPlan, scheduled: milliseconds(scheduled) }));
};

describe('a run that finds the end of its warm-up', () => {
  it('has the very figures of a run whose scenario sets that warm-up', () => {
    const found = resultOf(chats(8000), plan);
    expect(found.warmUp).toEqual({
      end: 8000,
      isSteady: true,
      measures: ['endToEnd'],
      excluded: 160,
    });
    expect(found.plan.warmUp).toBe(8000);
    const set = resultOf(chats(8000), samplePlan({ warmUp: milliseconds(8000) }));
    expect(JSON.stringify(found.groups)).toBe(JSON.stringify(set.groups));
  });

  it('leaves nothing out if nothing changes', () => {
    const { warmUp, groups } = resultOf(chats(0), plan);
    expect(warmUp).toMatchObject({ end: 0, isSteady: true, excluded: 0 });
    expect(groups.map(({ labels }) => labels.warmUp)).toEqual([false]);
  });

  it('finds it by all slices together, and leaves out the longest possible one if some are missing', () => {
    const observations = chats(8000);
    const whole = resultOf(observations, plan);
    const parts = [0, 1].map((index) =>
      resultOf(
        observations.filter((_, i) => i % 2 === index),
        plan,
        { slices: [{ index, count: 2 }] },
      ),
    );
    expect(parts[0]).not.toHaveProperty('warmUp');
    expect(parts[0]!.plan.warmUp).toBe(30_000);
    const merging = mergeResults(parts);
    if (!merging.ok) throw new Error(merging.message);
    const { warmUp, groups, plan: merged } = merging.result;
    expect([warmUp, groups, merged]).toEqual([whole.warmUp, whole.groups, whole.plan]);
    expect(mergeResults([whole])).toMatchObject({ result: { warmUp, groups } });
  });

  it('looks only at the first half of a run that ended early', () => {
    const { warmUp } = resultOf(chats(8000).slice(0, 400), plan, { scheduled: 20_000 });
    expect(warmUp!.end).toBeLessThanOrEqual(10_000);
    const short = resultOf(chats(0).slice(0, 200), plan, { scheduled: 10_000 });
    expect(short.warmUp).toMatchObject({ isSteady: false });
  });
});
