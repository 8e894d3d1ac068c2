import { describe, expect, it } from 'vitest';
import type { LimitLog, ProbeReply, RefusalDetails } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import {
  decisionsToReplay,
  evenlyDecided,
  firstKeyHistory,
  limiterDecisions,
  otherRequests,
  tokenRefusals,
  undecidedChats,
  wrongRefusals,
} from './limiter-decisions.ts';
import { sampleReply } from './sample-reply.fixture.ts';

const logOf = (replies: readonly ProbeReply[], limit = 20): LimitLog => ({
  declared: { requests: { limit, window: milliseconds(10_000) }, tokens: null, permitted: [] },
  replies,
  unanswered: [],
  cut: null,
});

const refusedFor = (unit: RefusalDetails['unit']): Partial<ProbeReply> => ({
  status: 429,
  admitted: false,
  refusal: { form: 'error', unit, resetAt: null, message: '' },
});

const many = (count: number, from: number, changes: Partial<ProbeReply>): readonly ProbeReply[] =>
  Array.from({ length: count }, (_, i) => sampleReply(from + i, changes));

/** So many chats below the limit, of which some failed, and so many under load. */
const loaded = (
  [calm, calmFailed]: readonly [number, number],
  [busy, busyFailed]: readonly [number, number],
  failure: Partial<ProbeReply> = { status: 503 },
): LimitLog =>
  logOf([
    ...many(calm - calmFailed, 0, {}),
    ...many(calmFailed, 100, failure),
    ...many(busy - busyFailed, 1000, { phase: 'sustained' }),
    ...many(busyFailed, 2000, { phase: 'sustained', ...failure }),
  ]);

describe('failures that are refusals', () => {
  it('are at least three, a tenth of the load', () => {
    expect(wrongRefusals(loaded([5, 0], [10, 3]))).toEqual(['503']);
    expect(wrongRefusals(loaded([5, 0], [10, 2]))).toEqual([]);
    expect(wrongRefusals(loaded([5, 0], [30, 3]))).toEqual(['503']);
    expect(wrongRefusals(loaded([5, 0], [31, 3]))).toEqual([]);
  });

  it('are four times as frequent as below the limit', () => {
    expect(wrongRefusals(loaded([10, 1], [10, 4]))).toEqual(['503']);
    expect(wrongRefusals(loaded([9, 1], [10, 4]))).toEqual([]);
    expect(wrongRefusals(loaded([5, 5], [10, 10]))).toEqual([]);
  });

  it('can be errors with a status of success, and never a 429', () => {
    const failure = { holdsError: true } as const;
    expect(wrongRefusals(loaded([5, 0], [10, 3], failure))).toEqual([
      '200 with an error in its body',
    ]);
    expect(wrongRefusals(loaded([5, 0], [10, 3], refusedFor(null)))).toEqual([]);
  });

  it('are compared with the first third of the limit if nothing was calm', () => {
    const burst = (answered: number, failed: number): LimitLog =>
      logOf([
        ...many(answered, 0, { phase: 'provocation' }),
        ...many(failed, 1000, { phase: 'provocation', status: 500 }),
      ]);
    expect(wrongRefusals(burst(6, 4))).toEqual(['500']);
    expect(wrongRefusals(burst(0, 20))).toEqual([]);
    expect(wrongRefusals(burst(5, 4))).toEqual(['500']);
    expect(wrongRefusals(burst(2, 12))).toEqual([]);
  });

  it('are only those of the first key’s small chats in a phase that decides', () => {
    const without = (changes: Partial<ProbeReply>): readonly string[] =>
      wrongRefusals(loaded([5, 0], [10, 3], { status: 503, ...changes }));
    expect(without({ key: 'second' })).toEqual([]);
    expect(without({ request: 'long-prompt' })).toEqual([]);
    expect(without({ phase: 'exhausted' })).toEqual([]);
  });
});

describe('the decisions of a limiter', () => {
  const idsOf = (replies: readonly ProbeReply[]): readonly string[] =>
    replies.map(({ requestId, admitted }) => `${requestId} ${admitted}`);

  it('are answers and refusals of small chats, but not those for tokens', () => {
    const log = logOf([
      sampleReply(0),
      sampleReply(1, refusedFor('requests')),
      sampleReply(2, refusedFor(null)),
      sampleReply(3, refusedFor('tokens')),
      sampleReply(4, { status: 500 }),
      sampleReply(5, { request: 'long-prompt' }),
      sampleReply(6, { request: 'longer-answer' }),
      sampleReply(7, { request: 'chat-stream' }),
      sampleReply(8, { request: 'chat-stream', status: 500 }),
      sampleReply(9, { request: 'models' }),
      sampleReply(10, { request: 'speech' }),
      sampleReply(11, { request: 'speech', status: 429 }),
      sampleReply(12, { request: 'wrong-key', status: 401 }),
      sampleReply(13, { request: 'unknown-path', status: 404 }),
      sampleReply(14, { request: 'long-prompt', phase: 'exhausted' }),
    ]);
    const small = ['r-0 true', 'r-1 false', 'r-2 false'];
    expect(idsOf(limiterDecisions(log))).toEqual(small);
    expect(idsOf(decisionsToReplay(log))).toEqual([...small, 'r-5 true', 'r-6 true', 'r-7 true']);
    expect(idsOf(tokenRefusals(log))).toEqual(['r-3 false']);
    expect(idsOf(undecidedChats(log))).toEqual(['r-4 true']);
    expect(idsOf(otherRequests(log).usual)).toEqual(['r-10 true']);
    expect(idsOf(otherRequests(log).all)).toEqual(['r-9 true', 'r-10 true', 'r-13 true']);
    expect(idsOf(evenlyDecided(log))).toMatchInlineSnapshot(`
      [
        "r-0 true",
        "r-1 false",
        "r-2 false",
        "r-5 true",
        "r-6 true",
        "r-7 true",
        "r-9 true",
        "r-10 true",
        "r-11 false",
      ]
    `);
  });

  it('are those of a cap only if nothing else was refused', () => {
    const capped = sampleReply(1, refusedFor('in-flight'));
    expect(idsOf(limiterDecisions(logOf([sampleReply(0), capped])))).toEqual([
      'r-0 true',
      'r-1 false',
    ]);
    const refused = sampleReply(2, refusedFor(null));
    expect(idsOf(limiterDecisions(logOf([sampleReply(0), capped, refused])))).toEqual([
      'r-0 true',
      'r-2 false',
    ]);
  });
});

describe('the history of the first key', () => {
  const limitOf = (limit: number | null, remaining: number | null): Partial<ProbeReply> => ({
    told: [
      { profile: 'x', descriptor: 'api_key', unit: 'requests', limit, remaining, resetIn: null },
    ],
  });
  const before = (changes: Partial<ProbeReply>): string => {
    const { isIdleBefore, isFreshBefore } = firstKeyHistory(logOf([sampleReply(0, changes)]));
    return `${isIdleBefore} ${isFreshBefore}`;
  };

  it('was idle before if the first answer reports only itself as used, and fresh with two more', () => {
    expect(before(limitOf(20, 19))).toBe('true true');
    expect(before(limitOf(20, 20))).toBe('true true');
    expect(before(limitOf(20, 18))).toBe('false true');
    expect(before(limitOf(20, 17))).toBe('false true');
    expect(before(limitOf(20, 16))).toBe('false false');
    expect(before(limitOf(null, 19))).toBe('false false');
    expect(before(limitOf(20, null))).toBe('false false');
    expect(before({ ...limitOf(20, 19), status: 500 })).toBe('false false');
    expect(before({})).toBe('false false');
    expect(firstKeyHistory(logOf([])).isFreshBefore).toBe(false);
  });

  it('has each request until its answer, an aborted one for as long as the longest of its phase', () => {
    const log = logOf([
      sampleReply(0),
      sampleReply(100, { answered: instant(350) }),
      sampleReply(500, { status: 0, answered: instant(510) }),
      sampleReply(600, { status: 0, answered: instant(900) }),
      sampleReply(700, { status: 0, answered: instant(705), phase: 'even' }),
      sampleReply(800, { key: 'second' }),
    ]);
    expect(firstKeyHistory(log).requests).toEqual([
      { from: 0, until: 30 },
      { from: 100, until: 350 },
      { from: 500, until: 750 },
      { from: 600, until: 900 },
      { from: 700, until: 705 },
    ]);
  });
});
