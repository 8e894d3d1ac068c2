import { describe, expect, it } from 'vitest';
import type { CountingEvidence } from './measured-charges.ts';
import type { ExceededBurst, SettleEvidence } from './token-bursts.ts';
import {
  excuse,
  isTooMuchByAnyCount,
  latenessText,
  type TokenGuards,
  whyLeastIsUnsure,
  whyMostIsUnsure,
  whyOthersMayCause,
} from './token-guards.ts';
import { tokenReply } from './sample-token-log.fixture.ts';

const none = { spent: 0, remembered: 0 };

const guarded = (changes: Partial<TokenGuards> = {}): TokenGuards => ({
  charges: [],
  when: null,
  counting: { finding: 'usage', ratio: 1, isImplausible: false },
  settling: { settle: 1000, isLate: false, isLateShown: false, isMeasured: true },
  hasRemaining: true,
  hasUsage: true,
  hidden: none,
  hiddenFromAnswers: none,
  allowance: 1,
  terms: { settle: 1000, ownCount: 1.07, promptSlack: 1.5 },
  ...changes,
});

const counting = (
  finding: CountingEvidence['finding'],
  ratio: number | null = null,
  isImplausible = false,
): Partial<TokenGuards> => ({ counting: { finding, ratio, isImplausible } });

const late: SettleEvidence = { settle: 7340, isLate: true, isLateShown: true, isMeasured: true };
const [alone, promised] = [{ isPromised: false }, { isPromised: true }];

const noRemaining =
  'no header reports the remaining tokens (--yes-tokens says that the key is idle and that usage is charged)';
const unknown =
  'the remaining tokens do not show what is charged (--yes-tokens says that it is the usage)';
const noUsage = 'no answer reports its usage, so nothing shows how many tokens were sent';

it('usage is late, or may be', () => {
  expect(latenessText(late)).toBe('usage is charged as late as 7.3 s after an answer');
  expect(latenessText({ ...late, isLateShown: false })).toBe(
    'usage may be charged as late as 7.3 s after an answer, unless the small chats used up what was left of the limit',
  );
});

describe('the least that was charged', () => {
  const why = (changes: Partial<TokenGuards>, terms = alone) =>
    whyLeastIsUnsure(guarded(changes), terms);

  it('is sure if usage is charged in time', () => {
    expect(why({})).toBe(null);
    expect(why(counting('near', 1.02))).toBe(null);
    expect(why(counting('more', 1.3))).toBe(null);
  });

  it('is unsure without usage, or if it is late', () => {
    expect(why({ hasUsage: false, settling: late })).toBe(noUsage);
    expect(why({ hasUsage: false }, promised)).toBe(noUsage);
    expect(why({ settling: late }, promised)).toMatch(/^usage is charged as late as 7.3 s/);
  });

  it('is unsure if less is charged, but not implausibly little', () => {
    expect(why(counting('less', 0.834))).toBe('only 0.83 of the usage is charged');
    expect(why(counting('less', 0.834), promised)).toBe('only 0.83 of the usage is charged');
    expect(why(counting('less', 0.5, true))).toBe(null);
  });

  it('is unsure if nothing shows it, unless the operator says so', () => {
    expect(why(counting('unknown'))).toBe(unknown);
    expect(why({ ...counting('unknown'), hasRemaining: false })).toBe(noRemaining);
    expect(why(counting('unknown'), promised)).toBe(null);
  });
});

describe('the most that was charged', () => {
  const why = (changes: Partial<TokenGuards>, terms = alone) =>
    whyMostIsUnsure(guarded(changes), terms);

  it('is unsure without usage, and sure if usage is charged', () => {
    expect(why({})).toBe(null);
    expect(why({ hasUsage: false })).toBe(noUsage);
    expect(why(counting('less', 0.8))).toBe(null);
  });

  it('is unsure if more is charged, but not implausibly much', () => {
    expect(why(counting('more', 1.256))).toBe('1.26 times the usage is charged');
    expect(why(counting('more', 1.8, true))).toBe(null);
    expect(why(counting('more', 1.601))).toBe('1.60 times the usage is charged');
    // No count of the texts is so high, if nobody else uses the key.
    expect(why(counting('more', 1.601), promised)).toBe(null);
    expect(why(counting('more', 1.6), promised)).toBe('1.60 times the usage is charged');
  });

  it('is unsure if others use the key', () => {
    const fell =
      'the remaining tokens fell by more than the requests can have used (--yes-tokens says that nobody else uses the key)';
    expect(why({ hidden: { spent: 1.01, remembered: 0 } })).toBe(fell);
    expect(why({ hidden: { spent: 1, remembered: 1 } })).toBe(null);
    expect(why({ hidden: { spent: 1.01, remembered: 0 }, allowance: 1.01 })).toBe(null);
    expect(why({ hidden: { spent: 0, remembered: 1.01 } })).toBe(
      'more of the limit was used than the requests of two windows can have used (--yes-tokens says that nobody else uses the key)',
    );
  });

  it('allows twice as much if the operator says that nobody does, by answers alone', () => {
    const hidden = { spent: 9, remembered: 9 };
    const by = (spent: number, remembered: number, allowance = 1) =>
      why({ hidden, hiddenFromAnswers: { spent, remembered }, allowance }, promised);
    expect(by(2, 2)).toBe(null);
    expect(by(2.01, 0)).toBe('the remaining tokens fell by more than the requests can have used');
    expect(by(0, 2.01)).toBe(
      'more of the limit was used than the requests of two windows can have used',
    );
    expect(by(3, 3, 3)).toBe(null);
  });

  it('is unsure if nothing shows it, unless it is late anyway', () => {
    expect(why(counting('unknown'))).toBe(unknown);
    expect(why({ ...counting('unknown'), settling: late })).toBe(null);
    expect(why(counting('unknown'), promised)).toBe(null);
  });
});

describe('others', () => {
  it('may cause a refusal if nothing shows what remains', () => {
    expect(whyOthersMayCause(guarded(), alone)).toBe(null);
    expect(whyOthersMayCause(guarded({ hasRemaining: false }), alone)).toBe(noRemaining);
    expect(whyOthersMayCause(guarded({ hasRemaining: false }), promised)).toBe(null);
    const hidden = { spent: 1.5, remembered: 0 };
    expect(whyOthersMayCause(guarded({ hidden }), alone)).toMatch(/^the remaining tokens fell/);
  });
});

describe('an excuse', () => {
  it('is missing only by the promise, or without it too', () => {
    const by = (changes: Partial<TokenGuards>, terms: typeof alone) =>
      excuse(whyOthersMayCause, guarded(changes), terms);
    expect(by({}, alone)).toEqual({ why: null, restsOnPromise: false });
    expect(by({}, promised)).toEqual({ why: null, restsOnPromise: false });
    expect(by({ hasRemaining: false }, promised)).toEqual({ why: null, restsOnPromise: true });
    expect(by({ hasRemaining: false }, alone)).toEqual({ why: noRemaining, restsOnPromise: false });
  });
});

describe('too much by any count of the texts', () => {
  const exceeded = (charged: number): ExceededBurst => ({
    admission: tokenReply(0),
    charged,
    allowed: 10_700,
    mostCounted: Infinity,
  });
  const isTooMuch = (
    changes: Partial<TokenGuards>,
    burst: ExceededBurst | null = exceeded(14_286),
    isAboveOwnCount = false,
  ) =>
    isTooMuchByAnyCount(guarded({ ...counting('unknown'), ...changes }), {
      exceeded: burst,
      isAboveOwnCount,
    });

  it('is more than allowed though seven tenths of it were charged', () => {
    expect(isTooMuch({})).toBe(true);
    expect(isTooMuch({}, exceeded(14_285))).toBe(false);
    const least = { finding: 'unknown', ratio: null, isImplausible: false, least: 0.8 } as const;
    expect(isTooMuch({ counting: least }, exceeded(12_501))).toBe(true);
    expect(isTooMuch({ counting: least }, exceeded(12_499))).toBe(false);
    expect(isTooMuch({ counting: { ...least, least: 0.6 } }, exceeded(14_285))).toBe(false);
  });

  it('needs usage, headers, charges in time, and no known count, or the gateway’s own', () => {
    expect(isTooMuch({}, null)).toBe(false);
    expect(isTooMuch({ hasUsage: false })).toBe(false);
    expect(isTooMuch({ hasRemaining: false })).toBe(false);
    expect(isTooMuch({ settling: late })).toBe(false);
    expect(isTooMuch(counting('usage'))).toBe(false);
    expect(isTooMuch({ settling: late }, exceeded(1), true)).toBe(true);
    expect(isTooMuch({ ...counting('usage') }, exceeded(1), true)).toBe(true);
    expect(isTooMuch({ hasUsage: false }, exceeded(1), true)).toBe(false);
  });
});
