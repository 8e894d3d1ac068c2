import { expect, it } from 'vitest';
import { instant, milliseconds } from '../../model/quantity.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { planUntilDecided } from './decided-plan.fixture.ts';
import { Decider, decisionNotes } from './decision.ts';

/** 20 chats a second, which take from 100 to 199 ms in an order without pattern. */
const chats = Array.from({ length: 1200 }, (_, i) => answeredChat(i * 50, 100 + ((i * 37) % 100)));

const resultOf = (...bounds: readonly number[]) => {
  const plan = planUntilDecided(60_000, ...bounds);
  const tally = emptyTally(plan);
  for (const chat of chats) recordObservation(tally, chat);
  return toResult(
    tally,
    sampleFacts([{ index: 0, count: 1 }], { plan, scheduled: milliseconds(60_000) }),
  );
};

it('a run that ends when it knows enough says when, and what it is not sure of', () => {
  const [sure, near] = [resultOf(400), resultOf(400, 195)];
  expect(decisionNotes(sure, null)).toEqual([
    'The run lasted as long as it may, 60 s; every objective is sure by its samples.',
  ]);
  expect(decisionNotes(near, null)).toEqual([
    'The run lasted as long as it may, 60 s, and it is not sure of e2e.p95 < 195ms.',
  ]);
  expect(decisionNotes(sure, instant(31_000))).toEqual([
    'The run ended after 31 s, since every objective was sure by its samples. A change after that was not seen.',
  ]);
  expect(decisionNotes(near, instant(31_000))).toEqual([
    'The run ended after 31 s, since every objective was sure by its samples; with the last answers it is not sure of e2e.p95 < 195ms.',
  ]);
  const { until: _, ...usual } = sure.plan;
  expect(decisionNotes({ ...sure, plan: usual }, null)).toEqual([]);
  expect(decisionNotes({ ...sure, partial: 'stopped' }, null)).toEqual([]);
});

it('a look waits for the arrivals that were due before it, and for no later one', () => {
  const decider = new Decider(planUntilDecided(60_000, 400));
  const ended = chats.toSorted((a, b) => a.ended - b.ended);
  const firstHalf = ended.filter(({ due }) => due < 30_000);
  const last = firstHalf.splice(-3);
  for (const chat of firstHalf) decider.record(chat);
  // Before the first look nothing is decided, and a look does not count three that have not ended.
  expect(decider.isDecided(instant(29_000), 600)).toBe(false);
  expect(decider.isDecided(instant(30_000), 600)).toBe(false);
  for (const chat of ended.filter(({ due }) => due >= 30_001 && due < 31_000)) decider.record(chat);
  expect(decider.isDecided(instant(31_000), 620)).toBe(false);
  for (const chat of last) decider.record(chat);
  expect(decider.isDecided(instant(31_100), 622)).toBe(true);
  // The next look comes later, and has what ended meanwhile.
  expect(decider.isDecided(instant(32_000), 640)).toBe(false);
});
