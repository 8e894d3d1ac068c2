import { describe, expect, it } from 'vitest';
import type { TokenReply } from '../../model/token-log.ts';
import {
  areAnswersUnseen,
  chargeRows,
  checkAccounting,
  checkSettling,
  caveatsText,
  seconds,
  whyAnswersAreUnseen,
} from './check-accounting.ts';
import { checkReportedTokens, otherLimits } from './check-token-headers.ts';
import { chargingOf } from './learned-charging.ts';
import type { MeasuredCharge } from './measured-charges.ts';
import { refusedReply, tapReply, tokenLog, tokenReply } from './sample-token-log.fixture.ts';
import { chargesOf, usualChargeTerms } from './token-charges.ts';
import type { TokenGuards } from './token-guards.ts';

const charged = (
  kind: MeasuredCharge['kind'],
  charge: number | null,
  changes: Partial<MeasuredCharge> = {},
): MeasuredCharge => ({
  kind,
  status: 200,
  prompt: 900,
  used: 1000,
  charge,
  isSteady: true,
  isUnshared: true,
  ...changes,
});

const guarded = (...charges: readonly MeasuredCharge[]) => ({ charges }) as unknown as TokenGuards;

it('a time is rounded to tenths of a second', () => {
  expect([seconds(60_000), seconds(1049), seconds(1051)]).toEqual(['60 s', '1 s', '1.1 s']);
});

describe('a charge in words', () => {
  const words = (charge: number | null, changes: Partial<MeasuredCharge> = {}): string =>
    chargeRows([charged('chat', charge, changes)])[0]!.words;

  it('is the usage, but for two tokens and a fiftieth', () => {
    expect(words(1000)).toBe('its usage');
    expect([words(1022), words(978)]).toEqual(['its usage', 'its usage']);
    expect([words(1023), words(977)]).toEqual(['1.02 times its usage', '0.98 times its usage']);
    expect(words(1000, { status: 400 })).toBe('prompt');
  });

  it('is the prompt, or nothing', () => {
    expect(words(920)).toBe('prompt');
    expect(words(921)).toBe('0.92 times its usage');
    expect(words(880)).toBe('prompt');
    expect(words(2)).toBe('nothing');
    expect(words(3)).toBe('0.00 times its usage');
    expect(words(null)).toBe('not shown');
  });

  it('is a number where no usage is known', () => {
    expect(words(1234.6, { used: null })).toBe('1,235 tokens');
    expect(words(900, { used: null })).toBe('prompt');
  });

  it('is at least what was seen, if something may have been refilled', () => {
    const loose = { isSteady: false };
    expect(words(500, loose)).toBe('at least 500 tokens');
    expect(words(1000, loose)).toBe('its usage');
    expect(words(1500, loose)).toBe('1.50 times its usage');
    expect(words(2, loose)).toBe('nothing');
    expect(words(3, loose)).toBe('at least 3 tokens');
    expect(words(900, loose)).toBe('at least 900 tokens');
    expect(words(899, { ...loose, used: null })).toBe('prompt');
    expect(words(800, { ...loose, used: null })).toBe('at least 800 tokens');
  });
});

describe('that usage is charged', () => {
  const claim = (...charges: readonly MeasuredCharge[]): string => {
    const { finding, observed } = checkAccounting(guarded(...charges));
    return `${finding}: ${observed}`;
  };
  const failed = charged('bad-parameter', 0, { status: 400, used: null });

  it('is proved by a chat, a stream and an error', () => {
    const all = [charged('chat', 1000), charged('stream', 1000), failed];
    expect(claim(...all)).toBe('proved: true of chat, stream, bad-parameter');
    expect(claim(all[0]!, all[2]!)).toBe(
      'undecided: true of chat, bad-parameter; not shown of stream',
    );
    expect(claim(all[1]!)).toBe('undecided: true of stream; not shown of chat, errors');
    expect(claim()).toBe('undecided: the remaining tokens do not show what is charged');
    expect(claim(charged('again', 1000))).toMatch(/do not show/);
    expect(claim({ ...failed, status: 399 })).toMatch(/not shown of chat, stream, errors|do not/);
  });

  it('is refuted by a charge that is more', () => {
    expect(claim(charged('chat', 1100))).toBe('refuted: chat: 1.10 times its usage');
    expect(claim(charged('chat', 1022))).toMatch(/^undecided: true of chat/);
    expect(claim({ ...failed, charge: 900 })).toBe('refuted: bad-parameter: prompt');
    expect(claim(charged('chat', 1100, { used: null }))).toBe('refuted: chat: 1,100 tokens');
    expect(claim(charged('chat', 901, { used: null }))).toMatch(/^undecided/);
  });

  it('is refuted by a charge that is less only if another is charged the same share', () => {
    const half = charged('chat', 500);
    expect(claim(half)).toMatch(/^undecided/);
    expect(claim(half, charged('stream', 519))).toBe(
      'refuted: chat: 0.50 times its usage, stream: 0.52 times its usage',
    );
    expect(claim(half, charged('stream', 530))).toMatch(/^undecided/);
    expect(claim(half, charged('stream', 500, { isSteady: false }))).toMatch(/^undecided/);
  });

  it('cannot be expected of what is cut, repeated or no chat', () => {
    for (const kind of ['cut-answering', 'cut-sent', 'again', 'speech', 'transcription'] as const)
      expect(claim(charged(kind, 5000)), kind).toMatch(/^undecided/);
    expect(claim(charged('answer', 5000))).toMatch(/^refuted/);
  });
});

describe('that answers are charged', () => {
  const answer = (charge: number | null, changes: Partial<MeasuredCharge> = {}): MeasuredCharge =>
    charged('answer', charge, { prompt: 100, used: 120, ...changes });
  const isUnseen = (...charges: readonly MeasuredCharge[]): boolean =>
    areAnswersUnseen(guarded(...charges), {});

  it('is seen by a charge of the usage, or of half the answer', () => {
    expect(isUnseen(answer(120))).toBe(false);
    expect(isUnseen(answer(119))).toBe(false);
    expect(isUnseen(answer(121))).toBe(false);
    expect(isUnseen(answer(122))).toBe(true);
    expect(isUnseen(answer(110))).toBe(false);
    expect(isUnseen(answer(109))).toBe(true);
    expect(isUnseen(answer(null))).toBe(true);
    expect(isUnseen(answer(120, { status: 400 }))).toBe(true);
    expect(isUnseen(answer(120, { used: null }))).toBe(true);
    // More than any count of the prompt alone.
    expect(isUnseen(answer(106, { used: 106 }))).toBe(true);
    expect(isUnseen(answer(107, { used: 107 }))).toBe(false);
    expect(isUnseen(answer(24, { prompt: 20, used: 24 }))).toBe(false);
    expect(isUnseen(answer(23, { prompt: 20, used: 24 }))).toBe(false);
    expect(isUnseen(answer(21, { prompt: 20, used: 25 }))).toBe(true);
  });

  it('is a matter of limits of all tokens', () => {
    expect(areAnswersUnseen(guarded(), { unit: 'input-tokens' })).toBe(false);
    expect(areAnswersUnseen(guarded(), {})).toBe(true);
  });

  it('must be shown for whole and for streamed answers', () => {
    const why = (...charges: readonly MeasuredCharge[]): readonly string[] =>
      whyAnswersAreUnseen(guarded(...charges), {}, { isPromised: false });
    const said = (what: string): readonly string[] => [
      `the bursts are of prompts, and nothing shows that the tokens of ${what} are charged (--yes-tokens says that usage is)`,
    ];
    const stream = (charge: number): MeasuredCharge => ({
      ...answer(charge),
      kind: 'stream-answer',
    });
    expect(why()).toEqual(said('answers'));
    expect(why(answer(100), stream(100))).toEqual(said('answers'));
    expect(why(answer(120), stream(100))).toEqual(said('streamed answers'));
    expect(why(answer(100), stream(120))).toEqual(said('whole answers'));
    expect(why(answer(120), stream(120))).toEqual([]);
    expect(why(answer(120))).toEqual([]);
  });

  it('is contradicted, whatever is promised, by answers beside which the prompt alone was charged', () => {
    const why = (each: MeasuredCharge, unit?: 'input-tokens', isPromised = true) =>
      whyAnswersAreUnseen(guarded(each), unit === undefined ? {} : { unit }, { isPromised });
    const free = [
      'beside an answer of 20 tokens (answer) the remaining tokens fell by the prompt alone',
    ];
    expect(why(answer(100))).toEqual(free);
    expect(why(answer(101))).toEqual(free);
    expect(why(answer(99))).toEqual(free);
    expect(why(answer(102))).toEqual([]);
    expect(why(answer(98))).toEqual([]);
    expect(why(answer(null))).toEqual([]);
    expect(why(answer(100, { used: 105 }))).toHaveLength(1);
    expect(why(answer(100, { used: 104 }))).toEqual([]);
    expect(why(answer(100, { used: null }))).toEqual([]);
    expect(why(answer(100, { status: 400 }))).toEqual([]);
    expect(why(answer(100), 'input-tokens')).toEqual([]);
    expect(why(answer(100), undefined, false)[0]).toMatch(/^the bursts are of prompts/);
  });

  it('names what is charged nothing, since more than the limit can be used by it', () => {
    const paid = answer(120);
    const again = { ...paid, kind: 'again', charge: 1 } as const;
    expect(caveatsText(guarded(paid, again), {})).toBe(
      '; the same long prompt again is charged nothing',
    );
    expect(caveatsText(guarded(paid, { ...again, charge: 100 }), {})).toBe('');
    expect(caveatsText(guarded(paid, { ...again, status: 429 }), {})).toBe('');
    expect(caveatsText(guarded(paid, { ...again, kind: 'speech' }), {})).toBe('');
  });

  it('rests on the promise otherwise', () => {
    expect(caveatsText(guarded(), {})).toBe(
      '; that the tokens of answers are charged rests on --yes-tokens, since the bursts are of prompts',
    );
    expect(caveatsText(guarded(answer(120)), {})).toBe('');
  });
});

it('usage is charged soon, late or unseen', () => {
  const claim = (isLate: boolean, isLateShown: boolean, isMeasured: boolean): string => {
    const settling = { settle: 2640, isLate, isLateShown, isMeasured };
    const { finding, observed } = checkSettling({ settling } as TokenGuards);
    return `${finding}: ${observed}`;
  };
  expect(claim(false, false, true)).toBe('proved: within 2.6 s in these bursts');
  expect(claim(false, false, false)).toBe('undecided: no small chat after a burst was refused');
  expect(claim(true, false, true)).toMatch(/^undecided: usage may be charged as late as 2.6 s/);
  expect(claim(true, true, true)).toBe(
    'refuted: usage is charged as late as 2.6 s after an answer',
  );
});

describe('the reported remaining tokens', () => {
  const terms = { settle: 1000, ownCount: 1, promptSlack: 1.5 };
  const claim = (
    replies: readonly TokenReply[],
    finding: TokenGuards['counting']['finding'] = 'usage',
    hasRemaining = true,
  ): string => {
    const counting = { finding, ratio: 1, isImplausible: false };
    const check = checkReportedTokens(tokenLog(replies), { counting, hasRemaining, terms });
    return `${check.finding}: ${check.observed}`;
  };
  const reply = (sent: number, remaining: number, changes: Partial<TokenReply> = {}): TokenReply =>
    tokenReply(sent, { reported: { limit: 20_000, remaining }, ...changes });

  it('are true if they fell by half the limit and show the usage', () => {
    expect(claim([reply(0, 20_000), reply(9, 10_000)])).toBe('proved: 2 answers');
    expect(claim([reply(0, 20_000), reply(9, 10_000)], 'near')).toBe('proved: 2 answers');
    expect(claim([reply(0, 20_000), reply(9, 10_001)])).toBe(
      'undecided: 2 answers, but it only fell by 9,999 tokens, since it was seldom reported',
    );
    for (const finding of ['more', 'less', 'unknown'] as const)
      expect(claim([reply(0, 20_000), reply(9, 0)], finding)).toBe(
        'undecided: 2 answers, but it does not show the charge of single chats',
      );
    expect(claim([reply(0, 20_000), reply(9, 0)], 'usage', false)).toBe(
      'undecided: 2 answers, but most answers have none',
    );
    expect(claim([tokenReply(0)])).toBe('undecided: no header reports the remaining tokens');
  });

  it('are wrong if they never fall while more than half the limit is used in a burst', () => {
    const burst = (input: number, changes: Partial<TokenReply> = {}): string =>
      claim([
        reply(0, 20_000, { burst: 1, usage: { input: 5000, output: 0 } }),
        reply(9, 20_000, { burst: 1, usage: { input, output: 0 }, ...changes }),
      ]);
    expect(burst(5001)).toBe('refuted: it never fell, while more than half the limit was used');
    expect(burst(5000)).toMatch(/^undecided/);
    expect(burst(5001, { burst: 2 })).toMatch(/^undecided/);
    expect(burst(5001, { reported: { limit: 20_000, remaining: 19_999 } })).toMatch(/^undecided/);
    expect(burst(5001, { status: 500 })).toMatch(/^undecided/);
  });

  it('are wrong if chats are refused though more remained than can have been charged', () => {
    // A chat of 1,001 tokens reserves 1,501; both may be charged between the report and the refusal.
    const refused = (remaining: number, changes: Partial<TokenReply> = {}): string =>
      claim([
        reply(0, 20_000),
        reply(5000, 0),
        reply(50_000, remaining),
        refusedReply(50_200, { usage: null, ...changes }),
      ]);
    expect(refused(3003)).toBe('refuted: 1 refused although enough remained');
    expect(refused(3002)).toBe('proved: 3 answers');
    expect(refused(3003, { unit: null })).toBe('proved: 3 answers');
    expect(refused(3003, { sent: 50_100 })).toMatch(/^refuted/);
    expect(refused(3003, { sent: 50_099 })).toMatch(/^proved/);
    expect(claim([reply(0, 20_000), reply(9, 9, { status: 500 }), refusedReply(300)])).toMatch(
      /^refuted: 1/,
    );
    expect(claim([reply(0, 0), reply(9, 20_000, { status: 500 }), refusedReply(300)])).toMatch(
      /^proved/,
    );
  });

  it('are of another limit', () => {
    const other = reply(9, 5, { reported: { limit: 30_000, remaining: 5 } });
    const none = reply(19, 5, { reported: { limit: null, remaining: 5 } });
    expect(claim([reply(0, 20_000), other, other, none])).toBe(
      'refuted: it says a limit of 30,000',
    );
    expect(otherLimits(tokenLog([reply(0, 1), other, none, tapReply(1, 1)]))).toEqual([30_000]);
  });
});

describe('what a pace learns', () => {
  const learned = (
    chargedAt: Parameters<typeof chargingOf>[1],
    finding: TokenGuards['counting']['finding'],
    ratio: number | null,
  ) =>
    chargingOf(
      {
        counting: { finding, ratio, isImplausible: false },
        settling: { settle: 1500 },
      } as TokenGuards,
      chargedAt,
    );

  it('is when prompts are charged, how late, and how many times', () => {
    expect(learned('reserved', 'usage', 1)).toEqual({ charged: 'sent', settle: 1500, times: 1 });
    expect(learned('admission', 'more', 1.4)).toEqual({
      charged: 'prompt-sent',
      settle: 1500,
      times: 1.4,
    });
    expect(learned('end', 'less', 0.4)).toEqual({ charged: 'ended', settle: 1500, times: 1 });
    expect(learned(null, 'near', 1.05)).toEqual({ charged: 'ended', settle: 1500, times: 1 });
    expect(learned(null, 'more', null).times).toBe(1);
  });
});

describe('what a request can be charged', () => {
  const terms = usualChargeTerms(60_000, 4);
  const of = (reply: TokenReply, changes: Partial<typeof terms> = {}) =>
    chargesOf([reply], { ...terms, ...changes })[0]!;

  it('is its usage at least, and what it asks for by the gateway’s own count at most', () => {
    expect(terms).toEqual({ settle: 1000, ownCount: 1.07, promptSlack: 1.5 });
    expect(usualChargeTerms(30_000, 5.7)).toEqual({ settle: 500, ownCount: 1.07, promptSlack: 2 });
    expect(usualChargeTerms(60_000, null).promptSlack).toBe(1.5);
    expect(of(tokenReply(0, { ended: 300 }))).toEqual({
      sent: 0,
      answered: 100,
      settled: 1300,
      fate: 'admitted',
      names: null,
      least: 1001,
      most: 1.07 * 1001,
      reserved: 1501,
    });
    expect(of(tokenReply(0, { answered: 700 })).settled).toBe(1700);
    expect(of(tokenReply(0, { maxTokens: 500 })).most).toBe(1.07 * 1500);
    expect(of(tokenReply(0, { maxTokens: 500, kind: 'two-answers' }))).toMatchObject({
      most: 1.07 * 2000,
      reserved: 2500,
    });
    expect(of(tokenReply(0, { usage: { input: 3000, output: 1 } })).most).toBe(1.07 * 3001);
  });

  it('is less by what a cache held, unless that is proved to be charged', () => {
    const reply = tokenReply(0, { usage: { input: 1000, output: 1, cached: 900 } });
    expect(of(reply).least).toBe(101);
    expect(of(reply, { chargesCached: true }).least).toBe(1001);
    expect(of(tokenReply(0, { usage: { input: 1, output: 1, cached: 9 } })).least).toBe(0);
  });

  it('is nothing at least of a refusal or an error, and unknown without an answer', () => {
    expect(of(refusedReply(0))).toMatchObject({ fate: 'refused', names: 'tokens', least: 0 });
    expect(of(tokenReply(0, { status: 500 }))).toMatchObject({ fate: 'other', least: 0 });
    expect(of(tokenReply(0, { status: 0 }))).toMatchObject({ most: Infinity, reserved: Infinity });
    expect(of(tokenReply(0, { status: 0, kind: 'cut-sent' }))).toMatchObject({ reserved: 1501 });
  });
});
