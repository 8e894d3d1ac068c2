import { describe, expect, it } from 'vitest';
import type { TokenReply } from '../../model/token-log.ts';
import {
  areCachedCharged,
  chargedWhen,
  countingEvidence,
  isUsageCharged,
  type MeasuredCharge,
  measuredCharges,
} from './measured-charges.ts';
import { tapReply, tokenReply } from './sample-token-log.fixture.ts';

/** A chat of 1,001 tokens between small chats of 20, and what these say that remains. */
const measured = (
  values: readonly (number | null)[],
  subject: Partial<TokenReply> = {},
): readonly TokenReply[] => {
  const [before = null, ...after] = values;
  return [
    tapReply(0, before),
    tokenReply(1000, subject),
    ...after.map((value, i) => tapReply(2000 + 1000 * i, value)),
  ];
};

const said = (replies: readonly TokenReply[]): readonly string[] =>
  measuredCharges(replies).map(
    ({ kind, charge, isSteady, isUnshared }) =>
      `${kind} ${charge}${isSteady ? ', steady' : ''}${isUnshared ? ', unshared' : ''}`,
  );

describe('the charge of a request', () => {
  it('is what the remaining tokens fell by, without the small chats', () => {
    expect(said(measured([15_000, 13_979, 13_959]))).toEqual(['chat 1001, steady, unshared']);
    expect(said(measured([15_000, 13_979]))).toEqual(['chat 1001']);
    expect(said(measured([15_000, 13_000, 12_980]))).toEqual(['chat 1980, steady, unshared']);
  });

  it('is steady if nothing else fell between the last small chats, but for two tokens', () => {
    const last = (value: number) => said(measured([15_000, 14_000, value]))[0];
    // The last chat itself is charged 20.
    expect(last(13_982)).toMatch(/, steady/);
    expect(last(13_983)).not.toMatch(/steady/);
    expect(last(13_978)).toMatch(/, steady/);
    expect(last(13_977)).toMatch(/^chat \d+, unshared/);
    // It may be charged twice more.
    expect(last(13_938)).toMatch(/, unshared/);
    expect(last(13_937)).not.toMatch(/unshared/);
  });

  it('needs two small chats after its end to be steady', () => {
    const replies = measured([15_000, 13_979, 13_959]);
    const until = (ended: number) => said(replies.with(1, { ...replies[1]!, ended }))[0];
    expect(until(2000)).toMatch(/steady/);
    expect(until(2001)).toBe('chat 1001');
  });

  it('is not shown without the headers or the answers around it', () => {
    expect(said(measured([null, 13_979, 13_959]))).toEqual(['chat null']);
    expect(said(measured([15_000, 13_979, null]))).toEqual(['chat null']);
    expect(said(measured([15_000, null, 13_959]))).toEqual(['chat 1001']);
    const [before, subject, after] = measured([15_000, 13_979]);
    expect(said([{ ...before!, status: 429 }, subject!, after!])).toEqual(['chat null']);
    expect(said([before!, subject!, { ...after!, status: 429 }])).toEqual(['chat null']);
    expect(said([before!, subject!])).toEqual([]);
    expect(said([subject!, after!])).toEqual([]);
    expect(said([{ ...before!, isTap: false }, subject!, after!])).toEqual([]);
  });

  it('is not shown if more remains than before, or nothing was charged to a full key', () => {
    expect(said([tapReply(-9000, 20_000), ...measured([10_000, 9982])])).toEqual(['chat 0']);
    expect(said([tapReply(-9000, 20_000), ...measured([10_000, 9983])])).toEqual(['chat null']);
    expect(said(measured([20_000, 19_980]))).toEqual(['chat null']);
    expect(said(measured([20_000, 19_977]))).toEqual(['chat 3']);
    expect(said([tapReply(-9000, 20_000), ...measured([19_990, 19_970])])).toEqual(['chat 0']);
  });

  it('counts at most three small chats after it, up to the next request', () => {
    const replies = [
      ...measured([15_000, 14_000, 13_500, 13_000, 12_000]),
      tokenReply(7000, { kind: 'stream' }),
      tapReply(8000, 10_000),
    ];
    expect(said(replies)).toEqual(['chat 1940', 'stream 1980']);
  });

  it('is that of the steady measurement, then the largest', () => {
    const later = (replies: readonly TokenReply[]) =>
      [tokenReply(-500, { kind: 'speech' }), ...replies].map((each) => ({
        ...each,
        sent: each.sent + 10_000,
        answered: each.answered + 10_000,
        ended: each.ended + 10_000,
      }));
    const [small, large, steady] = [
      measured([15_000, 14_500]),
      measured([15_000, 14_000]),
      measured([15_000, 14_480, 14_460]),
    ];
    const chats = (replies: readonly TokenReply[]) =>
      said(replies).filter((line) => line.startsWith('chat'));
    expect(chats([...small, ...later(large)])).toEqual(['chat 980']);
    expect(chats([...large, ...later(small)])).toEqual(['chat 980']);
    expect(chats([...large, ...later(steady)])).toEqual(['chat 500, steady, unshared']);
    expect(chats([...steady, ...later(large)])).toEqual(['chat 500, steady, unshared']);
    expect(chats([...measured([null, 3]), ...later(small)])).toEqual(['chat 480']);
    // Of two that show nothing it is the first.
    const unknown = [...measured([null, 3]), ...later(measured([null, 3], { prompt: 7 }))];
    expect(measuredCharges(unknown)[0]).toMatchObject({ kind: 'chat', prompt: 1000 });
  });

  it('is measured while the examination calibrates and accounts', () => {
    const replies = measured([15_000, 13_979]);
    const inPhase = (phase: TokenReply['phase']) =>
      said(replies.map((each) => ({ ...each, phase }))).length;
    expect(
      ['calibration', 'accounting', 'even', 'burst'].map((each) => inPhase(each as 'even')),
    ).toEqual([1, 1, 0, 0]);
  });
});

describe('when the prompt of a stream is charged', () => {
  const when = (
    beside: number | null,
    last: number | null,
    changes: Partial<TokenReply> = {},
    besideChanges: Partial<TokenReply> = {},
  ) =>
    chargedWhen([
      tapReply(0, 15_000),
      tokenReply(1000, { kind: 'stream', answered: 3000, ended: 3000, ...changes }),
      tapReply(1030, beside, besideChanges),
      tapReply(4000, last),
    ]);

  it('is shown by a small chat beside it', () => {
    expect(when(14_499, 14_000)).toBe('admission');
    expect(when(14_500, 14_000)).toBe('later');
    expect(when(15_000, 14_000)).toBe('later');
    expect(when(15_000, 14_500)).toBe(null);
    expect(when(15_000, null)).toBe(null);
    expect(when(15_001, 14_000)).toBe(null);
    expect(when(null, 14_000)).toBe(null);
  });

  it('is shown of streams, by what was answered before their first byte', () => {
    expect(when(14_000, 14_000, { kind: 'chat' })).toBe(null);
    expect(when(14_000, 14_000, { phase: 'accounting' })).toBe(null);
    expect(when(14_000, 14_000, { answered: 1130 })).toBe(null);
    expect(when(14_000, 14_000, { answered: 1131 })).toBe('admission');
    expect(when(14_000, 14_000, {}, { sent: 3000, answered: 2999 })).toBe(null);
  });

  it('is at admission if any shows that', () => {
    const one = (beside: number, from: number): readonly TokenReply[] => [
      tapReply(from, 15_000),
      tokenReply(from + 1000, { kind: 'stream', answered: from + 3000, ended: from + 3000 }),
      tapReply(from + 1030, beside),
      tapReply(from + 4000, 14_000),
    ];
    expect(chargedWhen([...one(15_000, 0), ...one(14_000, 10_000)])).toBe('admission');
    expect(chargedWhen([])).toBe(null);
  });
});

const charged = (
  kind: MeasuredCharge['kind'],
  charge: number | null,
  changes: Partial<MeasuredCharge> = {},
): MeasuredCharge => ({
  kind,
  status: 200,
  prompt: 1000,
  used: 1000,
  charge,
  isSteady: true,
  isUnshared: true,
  ...changes,
});

describe('how a gateway counts', () => {
  const finding = (...charges: readonly MeasuredCharge[]): string => {
    const { finding: found, ratio, isImplausible } = countingEvidence(charges, 1.07);
    return `${found} ${ratio?.toFixed(3)}${isImplausible ? ', implausible' : ''}`;
  };
  const both = (charge: number): string =>
    finding(charged('chat', charge), charged('stream', charge));

  it('is by the usage, near it, more or less', () => {
    expect(both(1000)).toBe('usage 1.000');
    expect(both(1009)).toBe('usage 1.009');
    expect(both(991)).toBe('usage 0.991');
    expect(both(1011)).toBe('near 1.011');
    expect(both(989)).toBe('near 0.989');
    expect(both(1070)).toBe('near 1.070');
    expect(both(1071)).toBe('more 1.071');
    expect(both(935)).toBe('near 0.935');
    expect(both(934)).toBe('less 0.934');
    expect(both(700)).toBe('less 0.700');
    expect(both(699)).toBe('less 0.699, implausible');
    expect(finding(charged('chat', 1000))).toBe('near 1.000');
    expect(finding()).toBe('unknown undefined');
  });

  it('is by what is the furthest from the usage', () => {
    expect(finding(charged('chat', 1000), charged('stream', 500))).toBe('less 0.500, implausible');
    expect(finding(charged('stream', 1300), charged('chat', 1000))).toBe('more 1.300');
    expect(finding(charged('answer', 5000), charged('chat', 1000))).toBe('near 1.000');
  });

  it('is not shown by what was not steady, unless that is more', () => {
    const loose = { isSteady: false };
    expect(finding(charged('chat', 900, loose))).toBe('unknown undefined');
    expect(finding(charged('chat', 1070, loose))).toBe('unknown undefined');
    expect(finding(charged('chat', 1200, loose))).toBe('more 1.200');
    expect(finding(charged('chat', null))).toBe('unknown undefined');
    expect(finding(charged('chat', 900, { used: null }))).toBe('unknown undefined');
  });

  it('is implausible if it is far more, and grows with the prompt', () => {
    const small = (charge: number | null, used = 20): MeasuredCharge =>
      charged('again', charge, { used });
    const far = (charge: number, ...others: readonly MeasuredCharge[]): string =>
      finding(charged('chat', charge), ...others);
    expect(far(1700, small(60))).toBe('more 1.700, implausible');
    expect(far(1600, small(20))).toBe('more 1.600');
    expect(far(1601, small(20))).toBe('more 1.601, implausible');
    expect(far(1700)).toBe('more 1.700');
    // A small prompt that has a fifth of the excess of 1,000 shows a constant.
    expect(far(2000, small(219))).toBe('more 2.000, implausible');
    expect(far(2000, small(220))).toBe('more 2.000');
    // One of a quarter of the prompt may have three eighths of it.
    expect(far(2000, small(624, 250))).toBe('more 2.000, implausible');
    expect(far(2000, small(625, 250))).toBe('more 2.000');
    expect(far(2000, small(340, 333))).toBe('more 2.000, implausible');
    expect(far(2000, small(340, 334))).toBe('more 2.000');
    expect(far(2000, small(null))).toBe('more 2.000');
    expect(far(2000, { ...small(30), status: 400 })).toBe('more 2.000');
    expect(far(2000, { ...small(30), used: null })).toBe('more 2.000');
    expect(far(2000, small(30), small(900))).toBe('more 2.000');
    expect(finding(charged('chat', 2000, { isUnshared: false }), small(30))).toBe('more 2.000');
  });

  it('is as the usage if it is it, or near it', () => {
    const of = (found: 'usage' | 'near' | 'more' | 'less' | 'unknown') =>
      isUsageCharged({ finding: found, ratio: null, isImplausible: false });
    expect([of('usage'), of('near'), of('more'), of('less'), of('unknown')]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('cached input', () => {
  const charges = (changes: Partial<MeasuredCharge> = {}, charge: number | null = 1001) => [
    charged('again', charge, { used: 1001, ...changes }),
  ];
  const again = (cached?: number): readonly TokenReply[] => [
    tokenReply(0),
    tokenReply(1000, {
      kind: 'again',
      usage: { input: 1000, output: 1, ...(cached === undefined ? {} : { cached }) },
    }),
  ];

  it('is charged in full if a prompt that mostly came from a cache was', () => {
    expect(areCachedCharged(again(500), charges())).toBe(true);
    expect(areCachedCharged(again(499), charges())).toBe(false);
    expect(areCachedCharged(again(), charges())).toBe(false);
    expect(areCachedCharged(again(900), charges({}, 1011))).toBe(true);
    expect(areCachedCharged(again(900), charges({}, 1012))).toBe(false);
    expect(areCachedCharged(again(900), charges({}, 990))).toBe(false);
  });

  it('is not shown without a steady charge that nobody shares, or an answer', () => {
    expect(areCachedCharged(again(900), charges({ isSteady: false }))).toBe(false);
    expect(areCachedCharged(again(900), charges({ isUnshared: false }))).toBe(false);
    expect(areCachedCharged(again(900), charges({ used: null }))).toBe(false);
    expect(areCachedCharged(again(900), [])).toBe(false);
    expect(areCachedCharged([], charges())).toBe(false);
    expect(
      areCachedCharged(
        again(900).map((each) => ({ ...each, status: 500 })),
        charges(),
      ),
    ).toBe(false);
  });
});
