// @gate 1 s
import { describe, expect, it } from 'vitest';
import { fakePlan, constantLoad, startFakeRun } from '../../engine/fake-run.fixture.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Instant, instant, milliseconds } from '../../model/quantity.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { planUntilDecided } from './decided-plan.fixture.ts';
import { Decider } from './decision.ts';

/** Times of answers from 100 to 199 ms, in an order without pattern. */
const timeOf = (index: number): number => 100 + ((index * 37) % 100);

/** Shows a decider 20 arrivals a second, and returns when it was decided, in s; `null` if it was not within ten minutes. */
const decidedAfter = (bound: number, took = timeOf, changed: Partial<Plan> = {}): number | null => {
  const decider = new Decider({ ...planUntilDecided(600_000, bound), ...changed });
  const ends = Array.from({ length: 12_000 }, (_, i) => answeredChat(i * 50, took(i))).toSorted(
    (a, b) => a.ended - b.ended,
  );
  let seen = 0;
  for (let second = 1; second <= 600; second += 1) {
    const now = instant(second * 1000);
    for (; seen < ends.length && ends[seen]!.ended <= now; seen += 1) decider.record(ends[seen]!);
    if (decider.isDecided(now, second * 20)) return second;
  }
  return null;
};

describe('a run that ends when it knows enough', () => {
  it('is decided soon after the first look if the bound is far, whether it is kept or broken', () => {
    expect(decidedAfter(400)).toBe(31);
    expect(decidedAfter(110)).toBe(31);
  });

  it('is decided later if the bound is near, and never if it is the figure itself', () => {
    expect(decidedAfter(197)).toBeGreaterThan(60);
    expect(decidedAfter(195)).toBeNull();
  });

  it('waits for the slow answers of a look, which come last', () => {
    // Each tenth answer takes 20 s, and the others are fast: without those, everything would be kept.
    const slowTenth = (index: number): number => (index % 10 === 3 ? 20_000 : timeOf(index));
    expect(decidedAfter(400, slowTenth)).toBe(49);
  });

  it('leaves out a warm-up that it finds, and never decides while it finds no end', () => {
    const autoWarmUp = { earliest: milliseconds(0), latest: milliseconds(300_000) };
    const found = { warmUp: autoWarmUp.latest, autoWarmUp };
    const cold = (index: number): number => timeOf(index) * (index < 200 ? 10 : 1);
    expect(decidedAfter(400, cold, found)).toBe(61);
    expect(decidedAfter(400, cold)).toBeNull();
    const slower = (index: number): number => timeOf(index) * (1 + index / 400);
    expect(decidedAfter(100, slower, found)).toBeNull();
    expect(decidedAfter(100, slower)).toBe(31);
  });

  it('does not wait for the few that never come', () => {
    const hangs = (index: number): number => (index === 5 ? 900_000 : timeOf(index));
    expect(decidedAfter(400, hangs)).toBe(31);
  });
});

it('the load then ends as if it were planned so: what waits or is in flight has the grace', async () => {
  const { world, running, observations, answerAll } = startFakeRun(
    fakePlan(constantLoad(10, 10_000), {
      grace: milliseconds(5000),
      deadlines: { connect: null, firstToken: null, idle: null, total: null },
    }),
  );
  world.advanceTo(500);
  running.endLoad();
  world.advanceTo(600);
  expect(observations).toHaveLength(0);
  answerAll();
  world.advanceTo(700);
  const loadEnded: Instant = instant(500);
  expect(await running.done).toMatchObject({ stopped: false, loadEnded });
  expect(observations.map(({ outcome }) => outcome.kind)).toEqual(
    Array.from({ length: 6 }, () => 'completed'),
  );
});
