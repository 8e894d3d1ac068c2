import type { Outcome } from '../model/observation/outcome.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../model/workload/draw.ts';
import { brokenCauses } from '../model/observation/exchange.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { type Retry, retryClasses } from '../model/plan/retry.ts';
import {
  decideRetry,
  type EndedAttempt,
  endUnsent,
  type RequestLifecycle,
  type RetryDecision,
} from './request-lifecycle.ts';

const policy: Retry = {
  attempts: 3,
  base: milliseconds(500),
  cap: milliseconds(3000),
  on: ['limited', 'server-error', 'connect'],
};
const refusal = { form: 'empty', type: null, code: null, message: '' } as const;
const status = (code: number): Outcome =>
  code === 429
    ? {
        kind: 'limited',
        refusal: { ...refusal, status: code },
        unit: null,
        retryAfter: null,
        resetIn: null,
      }
    : { kind: 'refused', refusal: { ...refusal, status: code } };
const broken = (cause: (typeof brokenCauses)[number]): Outcome => ({
  kind: 'broken',
  cause,
  detail: '',
  partial: null,
});

const decide = (
  tried: Partial<EndedAttempt>,
  { retry = policy, patienceEnds = Number.POSITIVE_INFINITY } = {},
): RetryDecision =>
  decideRetry(
    retry,
    {
      outcome: status(429),
      hasHead: true,
      hint: null,
      ended: instant(1000),
      attemptsMade: 1,
      ...tried,
    },
    patienceEnds,
    () => drawFrom(1, 0, 7, tried.attemptsMade ?? 1),
  );

it('a request that is not sent again ends as its last attempt did, with all before it', () => {
  const [first, second, third] = [1, 2, 3].map((ended) => ({
    outcome: status(ended === 3 ? 503 : 429),
    ended,
    wait: 5,
    waitBy: 'backoff',
  }));
  const ending = (earlier: readonly unknown[], cause: 'run-ended' | 'saturated') =>
    endUnsent({ due: 7, earlier } as unknown as RequestLifecycle, instant(9), 'k', cause);
  expect(ending([first, second, third], 'run-ended')).toEqual({
    facts: { ended: 3 },
    earlier: [first, second],
    gaveUp: 'run-ended',
    outcome: status(503),
  });
  expect(ending([], 'run-ended')).toMatchObject({
    facts: { key: 'k', released: 7, begun: 9, ended: 9, sent: null },
    earlier: [],
    gaveUp: null,
    outcome: { kind: 'dropped', cause: 'run-ended' },
  });
});

describe('the decision to retry', () => {
  it('is no without a retry policy', () => {
    const tried = {
      outcome: status(429),
      hasHead: true,
      hint: null,
      ended: instant(0),
      attemptsMade: 1,
    };
    expect(decideRetry(null, tried, 1e9, () => drawFrom(1))).toEqual({
      willRetry: false,
      gaveUp: null,
    });
  });

  it.each([
    ['429', status(429), true],
    ['500', status(500), true],
    ['503', status(503), true],
    ['400', status(400), false],
    ['402', status(402), false],
    ['404', status(404), false],
    ['no connection', broken('connect-refused'), true],
    ['a break before the answer was complete', broken('reset'), false],
    [
      'a broken contract',
      { kind: 'malformed', issue: 'stream-error', detail: '', partial: null } as const,
      false,
    ],
  ])('with %s is decided by the policy', (_, outcome, again) => {
    const hasHead = outcome.kind !== 'broken' || outcome.cause === 'reset';
    expect(decide({ outcome, hasHead }).willRetry).toBe(again);
    expect(decide({ outcome }, { retry: { ...policy, on: [] as never } }).willRetry).toBe(false);
  });

  it('is yes, with all classes, for every failure before the head that another attempt can fix', () => {
    const all = { ...policy, on: [...retryClasses] };
    const mended = (hasHead: boolean) =>
      brokenCauses.filter(
        (cause) => decide({ outcome: broken(cause), hasHead }, { retry: all }).willRetry,
      );
    expect(mended(true)).toEqual([]);
    expect(mended(false)).toEqual([
      'connect-refused',
      'connect-unreachable',
      'connect-reset',
      'name-not-resolved',
      'proxy',
      'deadline-connect',
      'deadline-first-token',
      'reset',
      'closed-early',
      'closed-on-reuse',
    ]);
  });

  it('is no after the last attempt, with the reason', () => {
    expect(decide({ attemptsMade: 2 }).willRetry).toBe(true);
    expect(decide({ attemptsMade: 3 })).toEqual({ willRetry: false, gaveUp: 'attempts' });
  });

  it('is no if the wait would exceed the total deadline', () => {
    const hint = { wait: milliseconds(60_000), by: 'retry-after' } as const;
    expect(decide({ hint }, { patienceEnds: 61_000 }).willRetry).toBe(true);
    expect(decide({ hint }, { patienceEnds: 60_999 })).toEqual({
      willRetry: false,
      gaveUp: 'patience',
    });
  });
});

describe('the wait before a retry', () => {
  it('is the time that the server asks for, even above the cap', () => {
    const hint = { wait: milliseconds(60_000), by: 'retry-after' } as const;
    expect(decide({ hint })).toMatchObject({ wait: 60_000, waitBy: 'retry-after' });
    const passed = { wait: milliseconds(0), by: 'retry-after' } as const;
    expect(decide({ hint: passed })).toMatchObject({ waitBy: 'backoff' });
  });

  it('waits as it chooses if the policy ignores the server', () => {
    const hint = { wait: milliseconds(60_000), by: 'retry-after' } as const;
    const ignored = decide({ hint }, { retry: { ...policy, ignoresWaits: true } });
    expect(ignored).toEqual(decide({ hint: null }));
    expect(ignored).toMatchObject({ willRetry: true, waitBy: 'backoff' });
  });

  it('is uniform up to min(cap, base·2^n) where the server names none', () => {
    const waits = (attemptsMade: number): number[] =>
      Array.from({ length: 2000 }, (_, index) => {
        const next = decideRetry(
          { ...policy, attempts: 10 },
          {
            outcome: status(429),
            hasHead: true,
            hint: null,
            ended: instant(0),
            attemptsMade,
          },
          1e9,
          () => drawFrom(1, 0, index, attemptsMade),
        );
        return next.willRetry ? next.wait : Number.NaN;
      });
    for (const [made, most] of [
      [1, 500],
      [2, 1000],
      [3, 2000],
      [4, 3000],
      [9, 3000],
    ] as const) {
      const drawn = waits(made);
      expect(Math.max(...drawn)).toBeLessThan(most);
      expect(Math.max(...drawn)).toBeGreaterThan(most * 0.99);
      expect(Math.min(...drawn)).toBeLessThan(most * 0.01);
      const mean = drawn.reduce((sum, wait) => sum + wait, 0) / drawn.length;
      expect(Math.abs(mean / most - 0.5)).toBeLessThan(0.03);
    }
  });

  it('is the same for the same seed, arrival and attempt', () => {
    fc.assert(
      fc.property(
        fc.nat(9),
        fc.nat(99),
        fc.integer({ min: 1, max: 2 }),
        (seed, index, attemptsMade) => {
          const once = () =>
            decideRetry(
              policy,
              { outcome: status(503), hasHead: true, hint: null, ended: instant(0), attemptsMade },
              1e9,
              () => drawFrom(seed, 0, index, attemptsMade),
            );
          expect(once()).toEqual(once());
        },
      ),
      { numRuns: 30 },
    );
  });
});
