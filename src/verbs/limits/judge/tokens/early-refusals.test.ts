import { describe, expect, it } from 'vitest';
import type { LimitUse } from '../../../../judge/limits/facts/token-uses.ts';
import type { TokenReply } from '../../model/token-log.ts';
import { lostLevels, refusedWithRoom } from './refused-with-room.ts';
import { refusedReply, tokenLog, tokenReply } from './sample-token-log.fixture.ts';
import {
  evenOutcome,
  refusedAfterIdle,
  tokenRuleOf,
  tokensExceeded,
  tokensRefusedEarly,
  wronglyNamed,
} from './token-refusals.ts';

const terms = { settle: 1000, ownCount: 1, promptSlack: 1 };
const rule = { tokens: 20_000, requests: 60, window: 60_000 };

const use = (sent: number, most: number, changes: Partial<LimitUse> = {}): LimitUse => ({
  sent,
  answered: sent + 100,
  settled: sent + 1000,
  fate: 'admitted',
  names: null,
  least: most,
  most,
  reserved: most,
  ...changes,
});
const refusal = (sent: number, reserved = 100): LimitUse =>
  use(sent, 0, { fate: 'refused', reserved, least: 0 });

describe('what a bucket can lack', () => {
  it('is what was charged as late as possible, less the refill of the longest window', () => {
    // 20,000 tokens in 61 s.
    const levels = lostLevels([use(0, 8000), use(500, 4000)], [900, 1001, 1501, 7600], rule);
    expect(levels.map(Math.round)).toEqual([0, 8000, 11_836, 9836]);
    expect(lostLevels([], [5], rule)).toEqual([0]);
  });
});

describe('a refusal with room', () => {
  const isFound = (uses: readonly LimitUse[], each = refusal(100_000)): boolean =>
    refusedWithRoom([each], [...uses, each], rule).length === 1;

  it('is one for which a bucket of 3,000 tokens has room', () => {
    expect(isFound([])).toBe(true);
    expect(isFound([], refusal(100_000, 3000))).toBe(true);
    expect(isFound([], refusal(100_000, 3001))).toBe(false);
    // What is charged just before is lacking, but for the refill of 20,000 tokens in 61 s.
    expect(isFound([use(98_999, 2900)])).toBe(true);
    expect(isFound([use(98_999, 2901)])).toBe(false);
    expect(isFound([use(92_899, 4900)])).toBe(true);
    expect(isFound([use(92_899, 4901)])).toBe(false);
  });

  it('is none beside what is in flight, or what nobody knows', () => {
    const inFlight = (reserved: number) => isFound([use(99_990, 10, { reserved })]);
    expect(inFlight(2900)).toBe(true);
    expect(inFlight(2901)).toBe(false);
    const unknown = (sent: number) =>
      isFound([use(sent, Infinity, { reserved: Infinity, settled: sent + 1 })]);
    expect(unknown(100_100)).toBe(false);
    expect(unknown(100_101)).toBe(true);
    expect(unknown(5)).toBe(false);
  });

  /** So many uses of a number of tokens, one each 5 s until a moment. */
  const evenly = (count: number, moment: number, each: number): readonly LimitUse[] =>
    Array.from({ length: count }, (_, i) => use(moment - 5000 * (i + 1), each));

  it('counts a charge of the same moment once, and a charge of the previous window by its weight', () => {
    const free = { reserved: 0 };
    // What is charged at 100 s is whole; 61 s before, the weight of the first phase is 49 of 48.
    expect(isFound([use(99_000, 19_900, free)])).toBe(true);
    expect(isFound([use(99_000, 19_901, free)])).toBe(false);
    const before = (settled: number): boolean =>
      isFound([use(settled, 19_500, { ...free, settled })]);
    expect(before(39_000)).toBe(false);
    expect(before(38_999)).toBe(true);
    // What is sent until the answer may be counted, and what is sent later may not.
    expect(isFound([use(100_100, 20_000, free)])).toBe(false);
    expect(isFound([use(100_101, 20_000, free)])).toBe(true);
  });

  it('is none if a weighted counter may have counted the limit', () => {
    const most = (pause: number, each: number): number =>
      [...Array(40).keys()].findLast((count) =>
        isFound(evenly(count, 300_000 - pause, each), refusal(300_000)),
      )!;
    // Of an older window a share counts.
    const rows = [0, 2000, 5000, 10_000, 20_000, 30_000, 45_000].map((pause) =>
      [1600, 1900, 2200, 2600, 3500].map((each) => most(pause, each)).join(' '),
    );
    expect(rows).toMatchInlineSnapshot(`
      [
        "12 9 4 2 1",
        "39 10 5 3 1",
        "39 10 7 4 2",
        "39 10 8 6 3",
        "39 35 16 7 4",
        "39 39 22 12 5",
        "39 39 30 18 9",
      ]
    `);
  });
});

const even = (sent: number, changes: Partial<TokenReply> = {}): TokenReply =>
  tokenReply(sent, { phase: 'even', prompt: 400, usage: { input: 400, output: 1 }, ...changes });
const refusedEven = (sent: number, unit: TokenReply['unit'] = 'tokens'): TokenReply =>
  refusedReply(sent, { phase: 'even', prompt: 400, unit });

describe('an even pace', () => {
  it('has what was admitted, refused and lost', () => {
    const replies = [
      even(0),
      refusedEven(1000),
      even(2000, { status: 500, usage: null }),
      tokenReply(2500, { phase: 'burst' }),
    ];
    expect(evenOutcome(tokenLog(replies), terms)).toEqual({
      sent: 3,
      admitted: 1,
      refused: 0,
      others: 1,
    });
  });

  it('counts refusals once the burst before it is forgotten: two longest windows and a second', () => {
    const after = (sent: number) =>
      evenOutcome(
        tokenLog([tokenReply(0, { phase: 'burst', ended: 400 }), even(500), refusedEven(sent)]),
        terms,
      ).refused;
    expect(after(123_400)).toBe(1);
    expect(after(123_399)).toBe(0);
    expect(evenOutcome(tokenLog([refusedEven(122_999)]), terms).refused).toBe(0);
    expect(evenOutcome(tokenLog([refusedEven(123_000)]), terms).refused).toBe(1);
  });
});

describe('a refusal for tokens', () => {
  const early = (replies: readonly TokenReply[], isRemainingTrue = false): readonly number[] =>
    tokensRefusedEarly(tokenLog(replies), terms, isRemainingTrue).map(({ sent }) => sent);

  it('is early once earlier use is forgotten, or at once if what remains shows an idle key', () => {
    expect(early([even(0), refusedEven(123_000)])).toContain(123_000);
    expect(early([even(0), refusedEven(122_999)])).toEqual([]);
    const earlyAfter = (remaining: number, limit = 20_000) =>
      early([even(0, { reported: { limit, remaining } }), refusedEven(5000)], true);
    expect(earlyAfter(19_599)).toContain(5000);
    expect(earlyAfter(19_598)).toEqual([]);
    expect(earlyAfter(20_000, 19_000)).toEqual([]);
    expect(
      early([even(0, { reported: { limit: 20_000, remaining: 20_000 } }), refusedEven(5000)]),
    ).toEqual([]);
  });

  it('is one that names tokens or nothing', () => {
    expect(early([even(0), refusedEven(130_000, null)])).toContain(130_000);
    expect(early([even(0), refusedEven(130_000, 'requests')])).toEqual([]);
  });

  it('is not early after a burst that may have left a bucket in debt', () => {
    const burst = (count: number): readonly number[] =>
      early([
        ...Array.from({ length: count }, () =>
          tokenReply(0, { phase: 'burst', prompt: 3999, usage: { input: 3999, output: 1 } }),
        ),
        even(124_000),
        refusedEven(125_000),
      ]);
    expect([9, 10, 11, 40].map(burst)).toMatchInlineSnapshot(`
      [
        [
          125000,
        ],
        [
          125000,
        ],
        [],
        [],
      ]
    `);
  });
});

describe('a refusal of an idle key', () => {
  const idle = (...replies: readonly TokenReply[]): readonly number[] =>
    refusedAfterIdle(tokenLog(replies), terms).map(({ sent }) => sent);

  it('came after two longest windows and a second in which nothing was in flight', () => {
    expect(idle(tokenReply(0), refusedReply(123_100))).toEqual([123_100]);
    expect(idle(tokenReply(0), refusedReply(123_099))).toEqual([]);
    expect(idle(tokenReply(0, { ended: 200 }), tokenReply(50), refusedReply(123_199))).toEqual([]);
    expect(idle(refusedReply(123_100))).toEqual([]);
  });

  it('came before any admission can have been decided', () => {
    expect(idle(tokenReply(0), refusedReply(130_000), tokenReply(130_101))).toEqual([130_000]);
    expect(idle(tokenReply(0), refusedReply(130_000), tokenReply(130_100))).toEqual([]);
    expect(
      idle(tokenReply(0), refusedReply(130_000), refusedReply(130_050), tokenReply(130_200)),
    ).toEqual([130_000, 130_050]);
    const byRequests = refusedReply(130_000, { unit: 'requests' });
    expect(idle(tokenReply(0), byRequests, refusedReply(130_050))).toEqual([]);
    expect(idle(tokenReply(0), refusedReply(130_000, { unit: null }))).toEqual([130_000]);
  });

  it('is small, and not of a bucket in debt', () => {
    const large = (prompt: number) => idle(tokenReply(0), refusedReply(130_000, { prompt }));
    expect(large(2999)).toEqual([130_000]);
    expect(large(3000)).toEqual([]);
    const debt = (input: number) =>
      idle(tokenReply(0, { usage: { input, output: 0 } }), refusedReply(130_000, { prompt: 0 }));
    expect(debt(45_000)).toEqual([130_000]);
    expect(debt(46_000)).toEqual([]);
  });
});

it('a limit is exceeded by the whole log, or by the load alone', () => {
  const load = (count: number, phase: TokenReply['phase']) =>
    tokensExceeded(
      tokenLog(
        Array.from({ length: count }, (_, i) =>
          tokenReply(i * 2000, { phase, prompt: 3999, usage: { input: 3999, output: 1 } }),
        ),
      ),
      terms,
    ).length;
  expect([load(12, 'burst'), load(13, 'burst'), load(13, 'sustained'), load(20, 'sustained')])
    .toMatchInlineSnapshot(`
    [
      0,
      1,
      2,
      16,
    ]
  `);
});

describe('a refusal that names requests', () => {
  const named = (sent: number) => refusedReply(sent, { unit: 'requests' });
  const wrong = (...replies: readonly TokenReply[]) =>
    wronglyNamed(tokenLog(replies)).map(({ sent }) => sent);

  it('is wrong two longest windows after the first request, if nothing was sent before it', () => {
    expect(wrong(tokenReply(0), named(122_000))).toEqual([122_000]);
    expect(wrong(tokenReply(0), named(121_999))).toEqual([]);
    expect(wrong(tokenReply(0), { ...named(122_000), unit: 'tokens' })).toEqual([]);
    expect(wrong(tokenReply(0), { ...named(122_000), status: 200 })).toEqual([]);
    const none = tokenLog([tokenReply(0), named(122_000)], { rule: { ...rule, requests: null } });
    expect(wronglyNamed(none)).toEqual([]);
  });

  it('is not wrong just after another request, for a ninth of a window or the time of two', () => {
    const after = (sent: number) => wrong(tokenReply(0), tokenReply(sent), named(200_000));
    expect(after(200_000 - 100 - 6667)).toEqual([200_000]);
    expect(after(200_000 - 100 - 6666)).toEqual([]);
    const few = tokenLog([tokenReply(0), tokenReply(189_900), named(200_000)], {
      rule: { ...rule, requests: 10 },
    });
    expect(wronglyNamed(few)).toEqual([]);
  });

  it('is not wrong if the limit was sent in two windows', () => {
    const lately = (count: number) =>
      wrong(
        tokenReply(0),
        ...Array.from({ length: count }, (_, i) => tokenReply(100_000 + i)),
        named(200_000),
      );
    expect(lately(58)).toEqual([200_000]);
    expect(lately(59)).toEqual([]);
  });
});

it('a rule of tokens is a rule of its limit', () => {
  expect(tokenRuleOf(rule)).toEqual({ limit: 20_000, window: 60_000 });
});
