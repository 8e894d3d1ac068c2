import { describe, expect, it } from 'vitest';
import type { DeclaredPace } from './pace-headers.ts';
import { Pacer, type PaceRule } from './pacer.ts';

describe('what a gateway declares', () => {
  const rule = {
    requests: 10,
    tokens: 100,
    window: 1000,
    margin: 0,
    charged: 'ended',
    burst: 10,
  } as const;
  const follows = ['requests', 'tokens'] as const;
  const none: DeclaredPace = { requests: null, tokens: null, atOnce: null };
  /** When another request of a token may go, after one was answered with a declaration, and as many as fit. */
  const after = (
    declared: Partial<typeof none> | Readonly<Record<string, number>>,
    changes: Partial<PaceRule> = {},
  ) => {
    const pacer = new Pacer({ ...rule, follows, ...changes }, 1);
    const booking = pacer.book(0, 0, 1);
    booking.onSent(0);
    booking.onHeaders(0, { declared: { ...none, ...declared }, reported: [] });
    booking.onFinished(0, 1);
    let fit = 0;
    for (; fit < 50 && pacer.earliestRelease(0, 1, 0).at <= 0; fit += 1)
      pacer.book(0, 0, 1).onSent(0);
    return { fit, tokens: pacer.tokensToReserve(1000) };
  };

  it('lowers a limit that it may lower, and never raises one', () => {
    expect(after({})).toEqual({ fit: 9, tokens: 100 });
    expect(after({ requests: 4 })).toEqual({ fit: 3, tokens: 100 });
    expect(after({ requests: 40, tokens: 400 })).toEqual({ fit: 9, tokens: 100 });
    expect(after({ tokens: 7 })).toEqual({ fit: 6, tokens: 7 });
    expect(after({ requests: 4, tokens: 7 }, { follows: [] })).toEqual({ fit: 9, tokens: 100 });
    expect(after({ requests: 4, tokens: 7 }, { follows: ['tokens'] })).toEqual({
      fit: 6,
      tokens: 7,
    });
    expect(after({ requests: 4, tokens: 7 }, { follows: ['requests'] })).toEqual({
      fit: 3,
      tokens: 100,
    });
    expect(after({ requests: 4 }, { follows: undefined })).toEqual({ fit: 9, tokens: 100 });
  });

  it('bounds what goes at once, from the next request on, if it is less than before', () => {
    expect(after({ requests: 10, atOnce: 2 }).fit).toBe(2);
    expect(after({ requests: 10, atOnce: 2 }, { burst: 3 }).fit).toBe(2);
    expect(after({ requests: 10, atOnce: 3 }, { burst: 3 }).fit).toBe(2);
    expect(after({ requests: 10, atOnce: 8 }, { burst: 3 }).fit).toBe(2);
    expect(after({ atOnce: 2 }).fit).toBe(9);
  });
});

it('thousands of requests that became free are forgotten, and the pace stays that of the limit', () => {
  const pacer = new Pacer(
    { requests: 1, tokens: null, window: 1, margin: 0, charged: 'ended', burst: 1 },
    1,
  );
  const waits = new Set<number>();
  for (let now = 0; now < 2500; now += 1) {
    if (pacer.earliestRelease(now, 1, 0).at > now) waits.add(-1);
    const booking = pacer.book(now, 0, 1);
    booking.onSent(now);
    waits.add(pacer.earliestRelease(now, 1, 0).at - now);
    booking.onFinished(now, 0);
  }
  expect([...waits]).toEqual([1]);
});
