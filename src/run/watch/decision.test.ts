import { describe, expect, it } from 'vitest';
import { fakePlan, constantLoad, startFakeRun } from '../../engine/fake-run.fixture.ts';
import { type Instant, instant, milliseconds } from '../../model/quantity.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { decidedAfter, timeOf } from './decided-after.fixture.ts';
import { planUntilDecided } from './decided-plan.fixture.ts';
import { Decider } from './decision.ts';

describe('a run that ends when it knows enough', () => {
  it('is decided soon after the first look if the bound is far, whether it is kept or broken', () => {
    expect(decidedAfter(400)).toBe(31);
    expect(decidedAfter(110)).toBe(31);
  });

  it('waits for the slow answers of a look, which come last', () => {
    // Each tenth answer takes 20 s, and the others are fast: without those, everything would be kept.
    const slowTenth = (index: number): number => (index % 10 === 3 ? 20_000 : timeOf(index));
    expect(decidedAfter(400, slowTenth)).toBe(49);
  });

  it('waits for what was due until the look, also at its very instant', () => {
    const decider = new Decider(planUntilDecided(600_000, 400));
    const late = new Set([597, 598, 600]);
    const at = (i: number): void => decider.record(answeredChat(i * 50, timeOf(i)));
    for (let i = 0; i < 600; i += 1) if (!late.has(i)) at(i);
    expect(decider.isDecided(instant(30_000), 601)).toBe(false);
    at(600);
    expect(decider.isDecided(instant(31_000), 621)).toBe(false);
    at(597);
    // Of those that the look asks for, one may be missing.
    expect(decider.isDecided(instant(32_000), 641)).toBe(true);
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
