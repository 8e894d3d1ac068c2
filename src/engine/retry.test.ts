import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../model/draw.ts';
import { brokenCauses } from '../model/exchange.ts';
import type { Outcome } from '../model/observation.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { type Retry, retryClasses } from '../model/retry.ts';
import { afterAttempt, type Next, type Tried } from './retry.ts';

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
  tried: Partial<Tried>,
  { retry = policy, patienceEnds = Number.POSITIVE_INFINITY } = {},
): Next =>
  afterAttempt(
    retry,
    { outcome: status(429), isHeaded: true, hint: null, ended: instant(1000), made: 1, ...tried },
    patienceEnds,
    () => drawFrom(1, 0, 7, tried.made ?? 1),
  );

describe('what is tried again', () => {
  it('is nothing without a policy', () => {
    const tried = { outcome: status(429), isHeaded: true, hint: null, ended: instant(0), made: 1 };
    expect(afterAttempt(null, tried, 1e9, () => drawFrom(1))).toEqual({
      again: false,
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
    ['a break in mid-answer', broken('reset'), false],
    [
      'a broken contract',
      { kind: 'malformed', issue: 'stream-error', detail: '', partial: null } as const,
      false,
    ],
  ])('with %s is decided by the policy', (_, outcome, again) => {
    const isHeaded = outcome.kind !== 'broken' || outcome.cause === 'reset';
    expect(decide({ outcome, isHeaded }).again).toBe(again);
    expect(decide({ outcome }, { retry: { ...policy, on: [] as never } }).again).toBe(false);
  });

  it('is, with all classes, every break before the head that another attempt may mend', () => {
    const all = { ...policy, on: [...retryClasses] };
    const mended = (isHeaded: boolean) =>
      brokenCauses.filter(
        (cause) => decide({ outcome: broken(cause), isHeaded }, { retry: all }).again,
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

  it('ends with the last of the attempts, which says so', () => {
    expect(decide({ made: 2 }).again).toBe(true);
    expect(decide({ made: 3 })).toEqual({ again: false, gaveUp: 'attempts' });
  });

  it('ends where the wait would pass the total deadline', () => {
    const hint = { wait: milliseconds(60_000), by: 'retry-after' } as const;
    expect(decide({ hint }, { patienceEnds: 61_000 }).again).toBe(true);
    expect(decide({ hint }, { patienceEnds: 60_999 })).toEqual({
      again: false,
      gaveUp: 'patience',
    });
  });
});

describe('the wait before a further attempt', () => {
  it('is what the server said, whatever the cap', () => {
    const hint = { wait: milliseconds(60_000), by: 'retry-after' } as const;
    expect(decide({ hint })).toMatchObject({ wait: 60_000, waitBy: 'retry-after' });
  });

  it('is else uniform up to min(cap, base·2^n)', () => {
    const waits = (made: number): number[] =>
      Array.from({ length: 2000 }, (_, index) => {
        const next = afterAttempt(
          { ...policy, attempts: 10 },
          {
            outcome: status(429),
            isHeaded: true,
            hint: null,
            ended: instant(0),
            made,
          },
          1e9,
          () => drawFrom(1, 0, index, made),
        );
        return next.again ? next.wait : Number.NaN;
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
      fc.property(fc.nat(9), fc.nat(99), fc.integer({ min: 1, max: 2 }), (seed, index, made) => {
        const once = () =>
          afterAttempt(
            policy,
            { outcome: status(503), isHeaded: true, hint: null, ended: instant(0), made },
            1e9,
            () => drawFrom(seed, 0, index, made),
          );
        expect(once()).toEqual(once());
      }),
      { numRuns: 30 },
    );
  });
});
