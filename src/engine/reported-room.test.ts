import { describe, expect, it } from 'vitest';
import { ReportedRoom } from './pace-headers.ts';

describe('what is left of a limit', () => {
  const said = {
    profile: 'p',
    descriptor: 'd',
    unit: 'requests',
    window: 1000,
    limit: 10,
    remaining: 3,
    resetIn: 50,
  };
  const free = Number.NEGATIVE_INFINITY;
  /** Since when a request of `tokens` has room, after one of 5 tokens was answered with these limits at 100. */
  const roomFor = (tokens: number, ...limits: readonly object[]): number => {
    const room = new ReportedRoom();
    const booked = room.book(5);
    room.learn(limits.map((each) => ({ ...said, ...each })) as never, booked, {
      at: 100,
      margin: 7,
    });
    return room.availableAt(tokens);
  };

  it('is kept for as many requests, or as many tokens, until its reset and a margin', () => {
    expect([{}, { remaining: 1 }, { remaining: 0 }].map((each) => roomFor(1, each))).toEqual([
      free,
      free,
      157,
    ]);
    const ofTokens = { unit: 'tokens', limit: 90, remaining: 40 };
    expect([40, 41, 500].map((tokens) => roomFor(tokens, ofTokens))).toEqual([free, 157, 157]);
    // More than the limit waits for the whole of it only.
    expect(roomFor(500, { ...ofTokens, remaining: 90 })).toBe(free);
    expect(roomFor(1, { remaining: 0, resetIn: -20 })).toBe(107);
  });

  it('is known only with a reset, of units that a pace counts', () => {
    const none = [
      { remaining: null },
      { resetIn: null },
      { resetIn: Number.POSITIVE_INFINITY },
      { unit: 'images', remaining: 0 },
      { remaining: -1, limit: null },
    ];
    expect(none.map((each) => roomFor(1, { remaining: 0, ...each }))).toEqual(none.map(() => free));
    expect(roomFor(1, { unit: 'project-requests', remaining: 0 })).toBe(157);
    expect(roomFor(1, { limit: null, remaining: 0 })).toBe(157);
    // Without a limit, no request counts as larger than the whole.
    expect(roomFor(5, { unit: 'tokens', limit: null, remaining: 3 })).toBe(157);
    expect(roomFor(1, { remaining: -1 })).toBe(157);
  });

  it('is kept for 32 limits, of which the latest answer counts', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ descriptor: `d${i}`, remaining: 5 }));
    expect(roomFor(1, ...many(31), { descriptor: 'last', remaining: 0 })).toBe(157);
    expect(roomFor(1, ...many(32), { descriptor: 'last', remaining: 0 })).toBe(free);
    expect(roomFor(1, ...many(32), { descriptor: 'd31', remaining: 0 })).toBe(157);
  });
});
