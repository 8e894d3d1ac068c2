import { describe, expect, it } from 'vitest';
import type { TokenLog, TokenReply } from '../../model/token-log.ts';
import { burstCharge } from './burst-charges.ts';
import { refusedReply, tapReply, tokenLog, tokenReply } from './sample-token-log.fixture.ts';
import {
  areApart,
  type BurstEvidence,
  burstsEvidence,
  burstsOf,
  settleEvidence,
} from './token-bursts.ts';
import type { TokenGuards } from './token-guards.ts';
import { whyNotReached } from './whole-bursts.ts';

const terms = { settle: 1000, ownCount: 1.07, promptSlack: 1.5 };
const rule = { tokens: 20_000, requests: 60, window: 60_000 };

/** A large prompt of a burst, of 4,000 tokens. */
const large = (sent: number, changes: Partial<TokenReply> = {}): TokenReply =>
  tokenReply(sent, {
    phase: 'burst',
    burst: 1,
    prompt: 3999,
    usage: { input: 3999, output: 1 },
    ...changes,
  });
const refused = (sent: number, changes: Partial<TokenReply> = {}): TokenReply =>
  large(sent, { status: 429, unit: 'tokens', usage: null, ...changes });
const tap = (sent: number, remaining: number | null, changes: Partial<TokenReply> = {}) =>
  tapReply(sent, remaining, { phase: 'burst', burst: 1, ...changes });

const evidenceOf = (replies: readonly TokenReply[]): BurstEvidence =>
  burstsEvidence(tokenLog(replies), terms)[0]!;

describe('a burst', () => {
  it('is known by its number, of at most three', () => {
    const replies = [
      large(0),
      large(9, { burst: 3 }),
      large(5, { burst: 4 }),
      large(7, { burst: 0 }),
    ];
    expect(burstsOf(tokenLog(replies)).map((burst) => burst.map(({ sent }) => sent))).toEqual([
      [0],
      [9],
    ]);
  });

  it('has what was admitted, and how much of it at once', () => {
    const replies = [
      large(50),
      large(60, { ended: 170, answered: 170 }),
      refused(70),
      large(150),
      tokenReply(155, { burst: 1, status: 500, usage: null }),
    ];
    expect(evidenceOf(replies)).toEqual({
      begin: 50,
      refused: 1,
      count: 3,
      admitted: 12_000,
      atOnce: 8000,
      requestsAtOnce: 2,
      mostBeforeFirst: 12_840,
      beforeRefusal: 0,
      shareBefore: 0,
      isAheadOfCharges: false,
      exceeded: null,
      isAboveOwnCount: false,
    });
  });

  it('has the most that was charged before a refusal for tokens, and its share of the limit by then', () => {
    const burst = (last: Partial<TokenReply>) =>
      evidenceOf([
        large(0),
        large(0),
        large(1000),
        refused(1099),
        refused(1100),
        refused(5900, last),
      ]);
    // By 6 s a tenth was refilled.
    expect(burst({})).toMatchObject({ beforeRefusal: 12_000, shareBefore: 12_000 / 22_000 });
    expect(burst({ unit: 'requests' })).toMatchObject({
      beforeRefusal: 8000,
      shareBefore: 8000 / (20_000 * (1 + 1200 / 60_000)),
    });
    expect(evidenceOf([large(0), refused(900, { unit: 'requests' })])).toMatchObject({
      beforeRefusal: null,
      mostBeforeFirst: null,
      shareBefore: 0,
    });
    expect(evidenceOf([large(0), refused(900, { unit: null })]).beforeRefusal).toBe(0);
  });

  it('can have been charged what was sent until its first refusal was answered', () => {
    const until = (sent: number) =>
      evidenceOf([large(0), refused(500, { ended: 700, answered: 700 }), large(sent)])
        .mostBeforeFirst;
    expect(until(700)).toBe(2 * 4000 * 1.07);
    expect(until(701)).toBe(4000 * 1.07);
  });

  /** So many large prompts at once, and one more after `since` ms. */
  const above = (count: number, since: number, changes: Partial<TokenReply> = {}) =>
    evidenceOf([...Array.from({ length: count }, () => large(0)), large(since, changes)]).exceeded;

  it('is exceeded by an admission after more than the limit, a step and the refill were charged', () => {
    expect(above(6, 1100)).toMatchObject({ charged: 24_000, mostCounted: Infinity });
    expect(above(6, 1100)?.allowed).toBeCloseTo(1.07 * 20_000 * 1.12, 6);
    expect(above(5, 1100)).toBe(null);
    // What is not certainly charged yet does not count.
    expect(above(6, 1099)).toBe(null);
    // By 1.3 s the refill allows more.
    expect(above(6, 1100 + 1200)).toBe(null);
    expect(above(6, 1100, { status: 429 })).toBe(null);
    expect(above(9, 27_800)).not.toBe(null);
    expect(above(99, 27_899)).not.toBe(null);
    expect(above(99, 27_900)).toBe(null);
  });

  it('shows the admission that is furthest above what is allowed', () => {
    const six = Array.from({ length: 6 }, () => large(0));
    expect(evidenceOf([...six, large(1100), large(1200), large(2300)]).exceeded).toMatchObject({
      charged: 32_000,
      admission: { sent: 2300 },
    });
    expect(evidenceOf([...six, large(1100), large(1150)]).exceeded?.admission.sent).toBe(1100);
  });

  it('is not exceeded if the gateway’s own count was below the limit, and all charges arrive', () => {
    const left = (remaining: number) => ({ reported: { limit: 20_000, remaining } });
    const by = (before: number, last: number, lastStatus = 200) =>
      evidenceOf([
        large(0, left(20_000)),
        ...Array.from({ length: 6 }, () => large(0, left(20_000))),
        large(1000, left(before)),
        large(1200, left(before)),
        tap(5000, last, { status: lastStatus }),
      ]).exceeded;
    expect(by(5000, 0)).toBe(null);
    expect(by(0, 0)).not.toBe(null);
    // Charges arrive if the fall is all that was there, or a quarter of it and small chats are refused.
    expect(by(15_000, 2000)).not.toBe(null);
    expect(by(15_000, 1300)).toBe(null);
    expect(by(15_000, 15_000, 429)).toBe(null);
    expect(by(15_001, 15_001, 429)).not.toBe(null);
    expect(by(15_000, 15_000)).not.toBe(null);
  });

  it('is ahead of charges if one prompt more than the limit was answered', () => {
    const ahead = (count: number, took = 100) =>
      evidenceOf(Array.from({ length: count }, () => large(0, { answered: took, ended: took })))
        .isAheadOfCharges;
    expect(ahead(6)).toBe(false);
    expect(ahead(7)).toBe(true);
    // By half a window half the limit is refilled.
    expect(ahead(9, 30_000)).toBe(false);
    expect(ahead(10, 30_000)).toBe(true);
  });

  it('is above the gateway’s own count if an admission had no room by what remained before', () => {
    const left = (remaining: number, limit = 20_000) => ({ reported: { limit, remaining } });
    const by = (first: Partial<TokenReply>, count: number, last: Partial<TokenReply> = left(0)) =>
      evidenceOf([
        large(0, first),
        ...Array.from({ length: count }, () => large(100)),
        large(1200, last),
      ]).isAboveOwnCount;
    // Seven tenths of each are certainly charged; a tenth and what comes in 1.3 s is refilled.
    expect(by(left(6000), 4)).toBe(true);
    expect(by(left(6000), 3)).toBe(false);
    expect(by(left(8766), 4)).toBe(true);
    expect(by(left(8767), 4)).toBe(false);
    expect(by(left(6000, 19_000), 4)).toBe(false);
    expect(by(left(0), 4)).toBe(false);
    expect(by(left(22_000), 8)).toBe(false);
    expect(by(left(22_000), 9)).toBe(true);
    expect(by({}, 4)).toBe(false);
  });
});

describe('bursts', () => {
  const at = (begin: number, length: number | null): BurstEvidence => ({
    ...evidenceOf([large(0)]),
    begin,
    exceeded:
      length === null
        ? null
        : { admission: large(begin + length - 100), charged: 2, allowed: 1, mostCounted: 1 },
  });

  it('are apart if no phase of a window ends in two of them', () => {
    expect(areApart([at(0, 5000), at(90_000, 5000)], 60_000)).toBe(true);
    expect(areApart([at(0, 29_000), at(90_000, 29_000)], 60_000)).toBe(true);
    expect(areApart([at(0, 29_001), at(90_000, 29_000)], 60_000)).toBe(false);
    expect(areApart([at(0, 29_000), at(90_000, 29_001)], 60_000)).toBe(false);
    expect(areApart([at(90_000, 5000), at(0, 5000)], 60_000)).toBe(true);
    expect(areApart([at(0, 5000), at(120_000, 5000)], 60_000)).toBe(false);
    expect(areApart([at(0, 5000)], 60_000)).toBe(false);
    expect(areApart([at(0, 5000), at(90_000, null)], 60_000)).toBe(false);
  });
});

describe('when usage is charged', () => {
  const evidence = (...replies: readonly TokenReply[]) => settleEvidence(tokenLog(replies), terms);

  it('is shown by the first small chat that is refused after one that was admitted', () => {
    const found = evidence(
      large(0),
      tap(1100, null),
      tap(7000, null, { status: 429, unit: 'tokens', usage: null }),
    );
    expect(found).toEqual({ settle: 7000, isMeasured: true, isLate: true, isLateShown: true });
    expect(
      evidence(large(0), tap(1100, null), tap(6000, null, { status: 429, unit: 'tokens' })),
    ).toEqual({ settle: 6000, isMeasured: true, isLate: false, isLateShown: false });
  });

  it('is not shown by a first small chat, or by a refusal for requests', () => {
    const status = { status: 429, unit: 'tokens' } as const;
    expect(evidence(large(0), tap(9000, null, status))).toEqual({
      settle: 1000,
      isMeasured: true,
      isLate: false,
      isLateShown: false,
    });
    expect(
      evidence(large(0), tap(1100, null), tap(9000, null, { ...status, unit: 'requests' })),
    ).toEqual({ settle: 1000, isMeasured: false, isLate: false, isLateShown: false });
    expect(evidence(large(0), tap(1100, null))).toMatchObject({ isMeasured: false });
    expect(evidence(large(0), tap(1100, null, status), tap(9000, null, status))).toMatchObject({
      settle: 1000,
      isMeasured: true,
    });
  });

  it('is not shown if the small chats may have used up what was left', () => {
    const many = (count: number) =>
      evidence(
        large(0),
        ...Array.from({ length: count }, (_, i) => tap(1100 + i * 1000, null)),
        tap(9000, null, { status: 429, unit: 'tokens' }),
      );
    // Two small chats use 40 tokens, a hundredth of the large prompt.
    expect(many(1)).toMatchObject({ isLate: true, isLateShown: true });
    expect(many(2)).toMatchObject({ isLate: true, isLateShown: false });
  });

  it('may be a refusal that names nothing, unless requests can be its reason', () => {
    const status = { status: 429, unit: null } as const;
    const beside = (count: number) =>
      evidence(
        ...Array.from({ length: count }, () => large(0, { prompt: 1, usage: null })),
        tap(1100, null),
        tap(9000, null, status),
      ).isMeasured;
    expect(beside(57)).toBe(true);
    expect(beside(58)).toBe(false);
    const left = (remaining: number) =>
      evidence(large(0), tap(1100, 500), tap(9000, remaining, status)).isMeasured;
    // The small chat reserves 29.5 tokens.
    expect(left(29)).toBe(true);
    expect(left(30)).toBe(false);
  });

  it('is shown by what remains, if that falls late', () => {
    const falls = (moment: number, ...lefts: readonly number[]) =>
      evidence(
        large(0, { reported: { limit: 20_000, remaining: 20_000 } }),
        large(0),
        large(0),
        ...lefts.map((left, i) => tap(moment + i * 1000, left)),
      );
    expect(falls(7000, 20_000, 8000, 7940)).toMatchInlineSnapshot(`
      {
        "isLate": true,
        "isLateShown": true,
        "isMeasured": false,
        "settle": 6900,
      }
    `);
    expect(falls(7000, 8000, 7940)).toMatchInlineSnapshot(`
      {
        "isLate": false,
        "isLateShown": false,
        "isMeasured": false,
        "settle": 1000,
      }
    `);
    expect(falls(7000, 20_000, 19_000)).toMatchInlineSnapshot(`
      {
        "isLate": false,
        "isLateShown": false,
        "isMeasured": false,
        "settle": 1000,
      }
    `);
    // What remains rises at the end of a window, which hides what was charged before.
    expect(falls(7000, 15_000, 17_001, 7000)).toMatchInlineSnapshot(`
      {
        "isLate": false,
        "isLateShown": false,
        "isMeasured": false,
        "settle": 1000,
      }
    `);
    expect(falls(7000, 15_000, 17_000, 7000)).toMatchInlineSnapshot(`
      {
        "isLate": true,
        "isLateShown": true,
        "isMeasured": false,
        "settle": 7900,
      }
    `);
  });
});

describe('the charge of a burst', () => {
  /** A bucket of which 8,000 tokens were used, and that is refilled with `rate` tokens in a second. */
  const replies = (rate: number, count = 4, from = 8000): readonly TokenReply[] => [
    large(0),
    large(0),
    ...Array.from({ length: count }, (_, i) =>
      tap(2000 + i * 2000, Math.round(20_000 - from + rate * (2 + 2 * i))),
    ),
  ];
  const charge = (burst: readonly TokenReply[], full = 20_000) => {
    const found = burstCharge(burst, { rule, full }, terms);
    return found && `${found.least.toFixed(4)} ${found.refill.toFixed(4)}`;
  };

  it('is what is missing from the full bucket, and what was refilled since', () => {
    expect(charge(replies(333))).toBe('0.9512 0.9826');
    expect(charge(replies(333, 4, 4000))).toBe('0.4525 0.9826');
    expect(charge(replies(333), 22_000)).toBe('1.2006 0.9826');
  });

  it('needs three small chats that show the same refill, of a bucket that is not full', () => {
    expect(charge(replies(333, 2))).toBe(null);
    expect(charge(replies(333, 3))).toMatch(/^0.95/);
    expect(charge(replies(0))).toBe(null);
    expect(charge(replies(-10))).toBe(null);
    const step = replies(333).map((reply, i) =>
      i < 4 || reply.reported === null
        ? reply
        : { ...reply, reported: { ...reply.reported, remaining: reply.reported.remaining + 900 } },
    );
    expect(charge(step)).toBe(null);
    // At 19,000 tokens it may be full.
    expect(charge(replies(333, 3, 2998))).toBe(null);
    expect(charge(replies(333, 3, 2999))).toMatch(/^0\./);
  });

  it('counts small chats that were admitted once all large ones are certainly charged', () => {
    const at = (sent: number) =>
      charge([large(0), large(sent - 1100), ...replies(333).slice(2, 5)]);
    expect(at(2000)).not.toBe(null);
    expect(at(2001)).toBe(null);
    expect(charge(replies(333, 3).with(2, tap(2000, 12_666, { status: 429 })))).toBe(null);
    expect(charge(replies(333, 3).with(2, tap(2000, 0)))).toBe(null);
    expect(charge(replies(333, 3).with(2, tap(2000, null)))).toBe(null);
  });

  it('is a share of all that was used until then, refused requests too', () => {
    const [one, ...others] = replies(333);
    expect(charge([one!, refused(0), ...others])).toBe('0.6202 0.9826');
    expect(charge([one!, large(0, { usage: null, status: 500 }), ...others])).toBe('0.6202 0.9826');
    expect(charge([...replies(333), large(2101, { isTap: true })])).toBe('0.9512 0.9826');
    expect(charge([...replies(333), large(2100, { isTap: true })])).toMatch(/^0.63/);
  });
});

describe('that a limit was reached', () => {
  const burst = (changes: Partial<BurstEvidence> = {}): BurstEvidence => ({
    ...evidenceOf([large(0)]),
    beforeRefusal: 18_000,
    shareBefore: 0.9,
    mostBeforeFirst: 19_000,
    ...changes,
  });
  const why = (
    bursts: readonly BurstEvidence[],
    replies: readonly TokenReply[] = [tap(0, 20_000)],
    hasRemaining = true,
  ): readonly string[] => {
    const log: TokenLog = tokenLog(replies);
    return whyNotReached(log, { hasRemaining } as TokenGuards, bursts);
  };

  it('is shown by two bursts', () => {
    expect(why([burst(), burst()])).toEqual([]);
    expect(why([burst({ beforeRefusal: 17_000 }), burst({ shareBefore: 0.8 })])).toEqual([]);
    const small = [
      'a burst was refused after 16,999 tokens: by a small bucket, or by a lower limit',
    ];
    expect(why([burst(), burst({ beforeRefusal: 16_999 })])).toEqual(small);
    expect(why([burst(), burst({ shareBefore: 0.79 })])).toEqual([
      'a burst was refused after 18,000 tokens: by a small bucket, or by a lower limit',
    ]);
    expect(why([burst(), burst({ beforeRefusal: null })])).toEqual([
      'not two bursts were refused for tokens',
    ]);
    const exceeded = { admission: large(0), charged: 2, allowed: 1, mostCounted: 1 };
    expect(why([burst(), burst({ exceeded })])).toEqual(['not two bursts were refused for tokens']);
  });

  it('is not shown if one was first refused after less', () => {
    expect(why([burst(), burst({ mostBeforeFirst: 16_999 })])).toEqual([
      'a burst was first refused after at most 16,999 tokens: by a small bucket, by a lower limit, or by one of several that share a key',
    ]);
    expect(why([burst(), burst({ mostBeforeFirst: 17_000 })])).toEqual([]);
    expect(why([burst({ mostBeforeFirst: null }), burst({ mostBeforeFirst: null })])).toEqual([]);
  });

  it('is not shown if an idle key has more or less by its headers', () => {
    const two = [burst(), burst()];
    expect(why(two, [tap(0, 20_001)])).toEqual([
      'an idle key has 20,001 tokens by its headers, more than 20,000',
    ]);
    expect(why(two, [tap(0, 17_000)])).toEqual([]);
    expect(why(two, [tap(0, 16_999)])).toEqual([
      'an idle key has 16,999 tokens by its headers: a small bucket, or a lower limit',
    ]);
    expect(why(two, [tap(0, 16_999)], false)).toEqual([]);
    expect(why([burst()], [tap(0, 20_001)])[0]).toMatch(/^an idle key has/);
  });

  it('is not shown if requests ended the bursts', () => {
    const byRequests = refusedReply(5, { burst: 2, unit: 'requests' });
    expect(why([burst()], [byRequests])).toEqual([
      'the limit of requests refused 1 of the bursts before that of tokens',
    ]);
    expect(why([burst()], [{ ...byRequests, burst: 0 }])).toEqual([
      'not two bursts were refused for tokens',
    ]);
    expect(why([burst()], [{ ...byRequests, status: 200 }])).toEqual([
      'not two bursts were refused for tokens',
    ]);
    expect(why([burst()], [{ ...byRequests, unit: 'tokens' }])).toEqual([
      'not two bursts were refused for tokens',
    ]);
  });
});
