import { describe, expect, it } from 'vitest';
import type { LimiterClass } from '../../../model/limits/limit-log.ts';
import type { LimitsPerMinute } from '../../../model/plan/limits-per-minute.ts';
import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import { blankChatColumns } from '../../../model/observation/sample-ledger-entry.fixture.ts';
import { minuteLimits, usedUpLimits } from '../facts/explained-refusals.ts';
import { keyEvidence, keyRefusals } from '../facts/key-evidence.ts';
import { checkKey, fullestMinute } from './key-checks.ts';

/** Ledgers of a key, written by hand, and what they prove about its limits. */

const entry = (sent: number, fields: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...blankChatColumns,
  sent,
  answered: sent + 2,
  ended: sent + 3,
  status: 200,
  tokens: 30,
  ...fields,
});
const refusal = (sent: number, fields: Partial<LedgerEntry> = {}): LedgerEntry =>
  entry(sent, { status: 429, tokens: null, form: 'none-429', ...fields });
const chats = (count: number, from: number, gap = 10): readonly LedgerEntry[] =>
  Array.from({ length: count }, (_, i) => entry(from + gap * i));

interface Terms {
  readonly limits?: Partial<LimitsPerMinute>;
  readonly permitted?: readonly LimiterClass[];
  readonly isOwnKey?: boolean;
}
const ofRequests = { requestsPerMinute: 10 };
const ofTokens = { tokensPerMinute: 100 };

const checksOf = (
  entries: readonly LedgerEntry[],
  { limits = ofRequests, permitted = ['token-bucket'], isOwnKey = false }: Terms = {},
) => {
  const evidence = keyEvidence(entries);
  const declared = minuteLimits({ requestsPerMinute: null, tokensPerMinute: null, ...limits }).map(
    (each) => ({ ...each, charges: evidence[each.unit] }),
  );
  const usedUp = usedUpLimits(evidence, declared);
  return checkKey(evidence, declared, keyRefusals(evidence), { permitted, isOwnKey, usedUp });
};
const check = (id: string, entries: readonly LedgerEntry[], terms?: Terms) =>
  checksOf(entries, terms).find((each) => each.id === id);
const found = (...words: Parameters<typeof check>) => {
  const { finding, observed } = check(...words)!;
  return [finding, observed];
};

describe('the most requests in a minute', () => {
  const most = (entries: readonly LedgerEntry[]) => found('most-requests', entries);

  it('are at most the limit, or not', () => {
    expect(most([])).toEqual(['proved', 'the maximum was 0']);
    expect(most(chats(10, 0))).toEqual(['proved', 'the maximum was 10']);
    expect(most(chats(11, 0))).toEqual(['refuted', 'the maximum was 11']);
  });

  it('are undecided where a window could be a second longer or shorter', () => {
    const eleventh = (at: number) => most([...chats(10, 0, 0), entry(at)])[0];
    expect(eleventh(58_990)).toBe('refuted');
    expect(eleventh(59_010)).toBe('undecided');
    expect(eleventh(60_990)).toBe('undecided');
    expect(eleventh(61_010)).toBe('proved');
  });

  it('may have been charged or not if they failed or were no chats', () => {
    const models = entry(200, { traffic: 'models', tokens: null });
    expect(most([...chats(10, 0), models])).toEqual([
      'undecided',
      'the maximum was between 10 and 11',
    ]);
    expect(most([...chats(10, 0), entry(200, { status: 500 })])[0]).toBe('undecided');
    // Nobody charges what was limited, or came with an unknown key.
    expect(most([...chats(10, 0), refusal(200), entry(200, { status: 401 })])[0]).toBe('proved');
  });

  it('are at least so many where an amount is unknown', () => {
    const { tokens } = keyEvidence([entry(0), entry(10, { tokens: null })]);
    expect(fullestMinute(tokens)).toEqual({ least: 30, most: null });
    expect(
      found('most-tokens', [entry(0), entry(10, { tokens: null })], { limits: ofTokens }),
    ).toEqual(['undecided', 'the maximum was at least 30']);
  });
});

describe('what a limiter admits in any span', () => {
  const kept = (count: number, permitted: readonly LimiterClass[]) =>
    check('requests-kept', chats(count, 0), { permitted });

  it('is one limit of a log, and two of what may do so at a boundary or from a full bucket', () => {
    expect(kept(10, ['sliding-log'])).toMatchObject({
      finding: 'proved',
      observed: 'the maximum in a minute was 10',
      violates: true,
    });
    expect(kept(11, ['sliding-log'])).toMatchObject({
      finding: 'refuted',
      observed: '11 within 59 s, where at most 10 are admitted',
    });
    expect(kept(11, ['sliding-log', 'in-flight'])?.finding).toBe('refuted');
    expect(kept(20, ['sliding-log', 'token-bucket'])?.finding).toBe('proved');
    expect(kept(21, ['token-bucket'])?.finding).toBe('refuted');
  });

  it('is not bounded by a cap on requests in flight alone', () => {
    expect(kept(99, ['in-flight'])).toBeUndefined();
  });
});

describe('a request that is refused with room left', () => {
  const room = (before: number, terms: Terms = {}, fields: Partial<LedgerEntry> = {}) =>
    check(
      'refused-only-when-full',
      [entry(0), ...chats(before, 70_000), refusal(70_500, fields)],
      terms,
    );

  it('is found after the first minute only, and shown', () => {
    expect(room(10)).toMatchObject({
      finding: 'proved',
      violates: true,
      observed:
        '0 of 1 refusals after the first minute came with room left, if no one else used the key',
      evidence: [],
    });
    expect(room(9)).toMatchObject({
      finding: 'refuted',
      violates: true,
      observed:
        '1 of 1 refusals after the first minute came with room left, if no one else used the key',
      evidence: ['chat sent at 70.500 s, status 429'],
    });
    const early = check('refused-only-when-full', [entry(0), refusal(60_900)]);
    expect(early).toMatchObject({ finding: 'undecided', violates: false });
    expect(early?.observed).toMatch(/^no 429 for requests after the first minute; /);
  });

  it('is undecided where a window may have been shorter', () => {
    const entries = [entry(0), entry(11_200), ...chats(9, 70_000), refusal(71_000)];
    expect(check('refused-only-when-full', entries)?.finding).toBe('undecided');
  });

  it('violates a limit only if each permitted class refuses only a full window', () => {
    const of = (...permitted: readonly LimiterClass[]) => room(9, { permitted })?.violates;
    expect(of('fixed-any-phase', 'sliding-log', 'token-bucket', 'stepped-bucket')).toBe(true);
    expect(of('token-bucket', 'burst-bucket')).toBe(false);
    for (const name of ['sliding-counter', 'leaky-queue', 'sliding-log-counting-refusals'] as const)
      expect(of(name)).toBe(false);
  });

  it('is not one that another limit explains', () => {
    expect(room(9, {}, { unit: 'tokens' })?.finding).toBe('undecided');
    expect(room(9, {}, { unit: 'requests' })?.finding).toBe('refuted');
    const both = { limits: { ...ofRequests, ...ofTokens } };
    expect(room(9, both)?.finding).toBe('undecided');
    expect(room(9, both, { unit: 'requests' })?.finding).toBe('refuted');
  });
});

describe('what the headers say', () => {
  it('is missing where an answer lacks one of a declared limit', () => {
    const complete = { limitRequests: 10, remainingRequests: 9 };
    const entries = [
      entry(0, complete),
      entry(10, { ...complete, remainingRequests: null }),
      refusal(20),
      entry(30, { status: 0 }),
      entry(40, { status: 401 }),
    ];
    expect(check('headers-present', entries)).toMatchObject({
      finding: 'refuted',
      observed: '2 of 3 responses did not have all: chat, 429',
    });
    expect(found('headers-present', entries.slice(0, 1))).toEqual([
      'proved',
      'all 1 responses had them',
    ]);
    expect(found('headers-present', entries.slice(3))[0]).toBe('undecided');
    const both = { limits: { ...ofRequests, ...ofTokens } };
    expect(check('headers-present', entries.slice(0, 1), both)).toMatchObject({
      claim: 'Every response has the limit headers of requests and tokens.',
      finding: 'refuted',
    });
    const none = { limits: { requestsPerMinute: null } };
    expect(check('headers-present', entries, none)).toBeUndefined();
  });

  it('is another limit than the declared one', () => {
    const naming = (...limits: readonly (number | null)[]) =>
      limits.map((limitRequests, i) => entry(i * 10, { limitRequests }));
    expect(found('limit-requests', naming(10, null, 10))).toEqual(['proved', 'named: 10']);
    expect(found('limit-requests', naming(2000, 10, 9))).toEqual([
      'refuted',
      'named: 9, 10, 2,000',
    ]);
    expect(found('limit-requests', naming(null))).toEqual(['undecided', 'no header named a limit']);
    const tokens = [entry(0, { limitTokens: 100, limitRequests: 7 })];
    expect(found('limit-tokens', tokens, { limits: ofTokens })).toEqual(['proved', 'named: 100']);
  });
});

describe('refusals', () => {
  const forms = (...given: readonly LedgerEntry['form'][]) =>
    found(
      'refusal-body',
      given.map((form, i) => refusal(i * 10, { form })),
    );

  it('have a documented form, or not', () => {
    expect(forms('error', 'none-429', 'error')).toEqual(['proved', 'forms: error 2, none-429 1']);
    expect(forms('error', 'detail')).toEqual(['refuted', 'forms: error 1, detail 1']);
    expect(checksOf([entry(0)]).map(({ id }) => id)).not.toContain('refusal-body');
  });

  /** A key that is refused from 0 s to 10 s and admitted at 20 s. */
  const waits = (first: number | null, last: number | null, more: readonly LedgerEntry[] = []) => [
    refusal(0, { retryAfter: first, resetIn: last }),
    refusal(10_000, { retryAfter: last, resetIn: first }),
    entry(20_000),
    ...more,
  ];

  it.each([
    [20_000, 10_000, 'proved', '2 exact'],
    [10_000, 10_000, 'proved', '2 exact'],
    [8998, 10_000, 'proved', '2 exact'],
    [8997, 10_000, 'refuted', '1 exact, 1 deceptive'],
    [21_001, 10_000, 'proved', '1 exact, 1 conservative'],
    [21_000, 11_000, 'proved', '2 exact'],
    [21_001, null, 'proved', '1 conservative, 1 absent'],
    [null, null, 'undecided', '2 absent'],
  ] as const)('with waits of %j and %j ms give %s: %s', (first, last, finding, observed) => {
    expect(found('retry-after', waits(first, last))).toEqual([finding, observed]);
  });

  it('that no admission follows have a wait of which nothing is known', () => {
    const more = [refusal(30_000, { retryAfter: 5, resetIn: null })];
    expect(found('retry-after', waits(20_000, 10_000, more))).toEqual([
      'undecided',
      '2 exact, 1 unknown',
    ]);
    expect(found('reset-time', waits(20_000, 10_000, more))[1]).toBe(
      '1 exact, 1 conservative, 1 absent',
    );
  });

  it('are counted, with the stretches that they make', () => {
    const evidence = keyEvidence([
      ...waits(null, null),
      refusal(30_000, { unit: 'tokens', form: 'detail' }),
      entry(31_000),
      refusal(40_000),
    ]);
    expect(keyRefusals(evidence)).toMatchObject({
      count: 4,
      first: 2,
      last: 40_002,
      units: { none: 3, tokens: 1 },
      forms: { 'none-429': 3, detail: 1 },
      stretches: 3,
      longestStretch: 20_002,
    });
    expect(keyRefusals(keyEvidence([refusal(0)]))).toMatchObject({
      stretches: 1,
      longestStretch: null,
    });
    expect(keyRefusals(keyEvidence([entry(0)]))).toBeNull();
  });
});
