import { expect, it } from 'vitest';
import type { Bills } from '../model/measures/bill.ts';
import type { Observation } from '../model/observation/observation.ts';
import { recordBills, storeBills } from './bills.ts';

const stream = (output: number, cost: number | null = null) => ({
  kind: 'chat-stream',
  tokens: { input: null, output, source: 'events' },
  cost,
});

const attempt = (outcome: object, maxTokens: number | null) => ({
  outcome,
  sent: 1,
  size: { characters: 9, maxTokens },
});

const billsOf = (...observations: readonly object[]): Bills => {
  const bills: Bills = {};
  for (const each of observations)
    recordBills(bills, { traffic: 'chat-stream', earlier: [], ...each } as unknown as Observation);
  return bills;
};

it('what came and what was asked for bounds the chats whose cost nobody reported', () => {
  const cancelled = (partial: object | null) => ({ kind: 'cancelled', bytes: 1, partial });
  const broken = { kind: 'broken', cause: 'reset', detail: '', partial: stream(7) };
  const bills = billsOf(
    attempt(cancelled(stream(5)), 60),
    attempt(cancelled(null), 40),
    attempt(cancelled(stream(9, 12)), 40),
    attempt(cancelled(stream(3)), null),
    {
      ...attempt({ kind: 'completed', answer: stream(30) }, 30),
      earlier: [attempt(broken, 30)],
    },
  );
  expect(bills).toMatchObject({
    cancelled: { known: 1, unknown: 3, unreported: { received: 8, asked: 100, unlimited: 1 } },
    retried: { unknown: 1, unreported: { received: 7, asked: 30, unlimited: 0 } },
    completed: { unknown: 1 },
  });
  expect(bills.completed).not.toHaveProperty('unreported');
});

it('lists of models cost nothing', () => {
  expect(
    billsOf({ ...attempt({ kind: 'completed', answer: stream(5) }, 9), traffic: 'models' }),
  ).toEqual({});
});

it('an estimate by characters is no token that came, and other kinds of traffic have no bounds', () => {
  const estimated = { ...stream(5), tokens: { input: null, output: 5, source: 'characters' } };
  const broken = (partial: object) => ({ kind: 'broken', cause: 'reset', detail: '', partial });
  expect(billsOf(attempt(broken(estimated), 9)).failed).toMatchObject({
    unreported: { received: 0, asked: 9 },
  });
  const speech = billsOf({
    ...attempt(broken({ kind: 'speech', cost: null }), 9),
    size: undefined,
    traffic: 'speech',
  });
  expect(speech.failed).toEqual({ known: 0, unknown: 1, cost: 0 });
});

it('an answer of known cost has its tokens by class, each counted once', () => {
  const answer = (tokens: object, cost: number | null) => ({
    outcome: { kind: 'completed', answer: { kind: 'chat', cost, tokens } },
    sent: 1,
  });
  const plain = { input: 10, output: 5, source: 'usage' };
  const classes = { cached: 3, cacheWrite: 2, audioInput: 1, reasoning: 2, audioOutput: 1 };
  const { completed } = billsOf(
    answer(plain, 7),
    answer({ ...plain, ...classes }, 20),
    answer({ ...plain, input: null }, 1),
    answer(plain, null),
  );
  expect(completed).toEqual({
    known: 3,
    unknown: 1,
    cost: 28,
    tokens: {
      input: 14,
      cachedInput: 3,
      cacheWrite: 2,
      audioInput: 1,
      output: 7,
      reasoning: 2,
      audioOutput: 1,
    },
  });
});

it('only what was sent and not refused may cost something', () => {
  const failed = (kind: string, sent: number | null) => ({
    ...attempt({ kind, cause: '', detail: '', partial: null, bytes: 0 }, 9),
    sent,
  });
  expect(billsOf(failed('broken', 1), failed('malformed', 1)).failed?.unknown).toBe(2);
  for (const kind of ['broken', 'malformed', 'cancelled'])
    expect(billsOf(failed(kind, null))).toEqual({});
  for (const kind of ['refused', 'limited', 'dropped'])
    expect(billsOf(failed(kind, 1))).toEqual({});
  const retried = (each: object) => billsOf({ ...failed('refused', 1), earlier: [each] });
  expect(retried(failed('limited', 1))).toEqual({});
  expect(retried(failed('broken', null))).toEqual({});
  expect(retried(failed('broken', 1)).retried?.unknown).toBe(1);
});

it('bills are stored in the order of their fates, as copies', () => {
  const bill = { known: 1, unknown: 0, cost: 5, tokens: undefined };
  const bills = { cancelled: bill, retried: bill, failed: bill, completed: bill } as never;
  const stored = storeBills(bills);
  expect(Object.keys(stored)).toEqual(['completed', 'failed', 'retried', 'cancelled']);
  expect(stored.failed).not.toBe(bill);
});
