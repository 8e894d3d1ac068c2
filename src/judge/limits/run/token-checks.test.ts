import { describe, expect, it } from 'vitest';
import type { LimiterClass } from '../../../model/limits/limit-log.ts';
import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import { blankChatColumns } from '../../../model/observation/sample-ledger-entry.fixture.ts';
import { minuteLimits, usedUpLimits } from '../facts/explained-refusals.ts';
import { keyEvidence } from '../facts/key-evidence.ts';
import { checkKey } from './key-checks.ts';

/** Ledgers of a key whose chats are known to the token, and what they prove about its limit of 100 tokens a minute. */

const chat = (sent: number, fields: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...blankChatColumns,
  sent,
  answered: sent + 2,
  ended: sent + 3,
  status: 200,
  tokens: 30,
  input: 20,
  characters: 50,
  maxTokens: 10,
  ...fields,
});
const refusal = (sent: number, fields: Partial<LedgerEntry> = {}): LedgerEntry =>
  chat(sent, {
    status: 429,
    tokens: null,
    input: null,
    characters: 5,
    maxTokens: 1,
    form: 'none-429',
    unit: 'tokens',
    ...fields,
  });

interface Terms {
  readonly permitted?: readonly LimiterClass[];
  readonly isOwnKey?: boolean;
  readonly requestsPerMinute?: number | null;
  readonly tokensPerMinute?: number;
}
const check = (
  id: string,
  entries: readonly LedgerEntry[],
  {
    permitted = ['token-bucket'],
    isOwnKey = false,
    requestsPerMinute = null,
    tokensPerMinute = 100,
  }: Terms = {},
) => {
  const evidence = keyEvidence(entries);
  const declared = minuteLimits({ requestsPerMinute, tokensPerMinute }).map((each) => ({
    ...each,
    charges: evidence[each.unit],
  }));
  const usedUp = usedUpLimits(evidence, declared);
  const terms = { permitted, isOwnKey, usedUp };
  return checkKey(evidence, declared, null, terms).find((each) => each.id === id)!;
};

/** Chats that follow each other, each charged before the next one is sent. */
const serial = (count: number, from = 0, gap = 2000): readonly LedgerEntry[] =>
  Array.from({ length: count }, (_, i) => chat(from + gap * i));

describe('tokens above the limit', () => {
  const kept = (count: number, permitted: readonly LimiterClass[]) =>
    check('tokens-kept', serial(count), { permitted });

  it('are a violation once a request is admitted after more than any permitted limiter allows', () => {
    // A log allows 100 in a minute, and a gateway's own count may be 7 % above: the fifth comes after 120.
    expect(kept(3, ['sliding-log'])).toMatchObject({ finding: 'proved', violates: true });
    expect(kept(4, ['sliding-log']).finding).toBe('undecided');
    expect(kept(5, ['sliding-log'])).toMatchObject({
      finding: 'refuted',
      observed:
        '1 requests were admitted after that, one of them after 120 tokens within 59 s, where at most 107 are allowed',
      evidence: ['chat sent at 8.000 s, status 200'],
    });
    expect(kept(8, ['token-bucket']).finding).not.toBe('refuted');
    // A bucket that was full has 200 at most, 214 by its own count: the ninth comes after 240.
    expect(kept(9, ['token-bucket'])).toMatchObject({
      finding: 'refuted',
      observed: expect.stringContaining('after 240 tokens within 59 s, where at most 214'),
    });
    expect(kept(2, ['token-bucket'])).toMatchObject({
      finding: 'proved',
      observed: 'the maximum in a minute was 60',
    });
  });

  it('do not count where they came from a cache, or are still in flight', () => {
    const sent = serial(5).map((each) => ({ ...each, cached: 20 }));
    expect(check('tokens-kept', sent, { permitted: ['sliding-log'] }).finding).not.toBe('refuted');
    const together = serial(5, 0, 1);
    expect(check('tokens-kept', together, { permitted: ['sliding-log'] }).finding).toBe(
      'undecided',
    );
  });
});

describe('a refusal for tokens', () => {
  /** Two minutes after the first chat, some chats and one that is refused. */
  const after = (count: number, fields: Partial<LedgerEntry> = {}) => [
    chat(0),
    ...serial(count, 130_000),
    refusal(150_000, fields),
  ];
  const ids = ['tokens-refused-early', 'tokens-refused-only-when-full'] as const;

  it('is early where the key has certainly used too little', () => {
    expect(check(ids[0], after(0))).toMatchObject({
      finding: 'refuted',
      violates: false,
      observed: expect.stringMatching(/^1 of 1 refusals for tokens came although/),
    });
    expect(check(ids[0], after(0), { isOwnKey: true }).violates).toBe(true);
    expect(check(ids[0], after(3), { isOwnKey: true })).toMatchObject({
      finding: 'undecided',
      violates: false,
      observed: expect.stringMatching(/^0 of 1 refusals for tokens came although/),
    });
  });

  it('is not looked at in the first two minutes, or if it is for requests', () => {
    const unseen = { finding: 'undecided', observed: 'nothing was certainly refused for tokens' };
    expect(check(ids[0], [chat(0), refusal(120_000)])).toMatchObject(unseen);
    expect(check(ids[0], after(0, { unit: 'requests' }))).toMatchObject(unseen);
    // Without a limit of requests, a refusal without a name is for tokens.
    expect(check(ids[0], after(0, { unit: null })).finding).toBe('refuted');
  });

  it('is right where the tokens of the minute before may be used up', () => {
    expect(check(ids[1], after(0))).toMatchObject({
      finding: 'refuted',
      observed: expect.stringMatching(
        /^at least 1 of 1 refusals after the first minute certainly came with tokens/,
      ),
    });
    expect(check(ids[1], after(4)).finding).toBe('proved');
    expect(check(ids[1], [chat(0), refusal(60_900)])).toMatchObject({
      finding: 'undecided',
      observed: expect.stringMatching(/^no 429 for tokens after the first minute; /),
    });
    expect(check(ids[1], [chat(0), refusal(61_000)]).finding).toBe('refuted');
  });
});

describe('the limit that a refusal names', () => {
  const named = (entries: readonly LedgerEntry[]) =>
    check('refusal-names-limit', entries, { requestsPerMinute: 5 });

  it('is wrong if only the other one may be used up', () => {
    const small = Array.from({ length: 5 }, (_, i) =>
      chat(100_000 + i * 2000, { tokens: 2, input: 1, characters: 3, maxTokens: 1 }),
    );
    const asked = { characters: 3, maxTokens: 1 };
    expect(named([chat(0), ...small, refusal(115_000, asked)])).toMatchObject({
      finding: 'refuted',
      observed: expect.stringMatching(/^1 of 1 named the wrong limit/),
    });
    expect(
      named([chat(0), ...small, refusal(115_000, { ...asked, unit: 'requests' })]).finding,
    ).toBe('proved');
    const large = [
      chat(140_000, { tokens: 60, maxTokens: 40 }),
      chat(145_000, { tokens: 60, maxTokens: 40 }),
    ];
    expect(named([chat(0), ...large, refusal(150_000, { unit: 'requests' })]).finding).toBe(
      'refuted',
    );
    expect(named([chat(0), ...large, refusal(150_000)]).finding).toBe('proved');
  });

  it('is unknown where none was named', () => {
    expect(named([chat(0), refusal(150_000, { unit: null })])).toMatchObject({
      finding: 'undecided',
      observed: 'no 429 after the first minute named a limit',
    });
  });
});

describe('a reported rest of tokens', () => {
  const rests = (of: (i: number) => number | null, count = 10, limit = 100) =>
    check(
      'remaining-tokens-fall',
      Array.from({ length: count }, (_, i) => chat(i * 10, { tokens: 6, remainingTokens: of(i) })),
      { tokensPerMinute: limit },
    );

  it('falls, or is a constant, once half of the limit is used in a minute', () => {
    expect(rests((i) => 94 - 6 * i)).toMatchObject({
      finding: 'proved',
      observed: '10 values in 10 responses',
    });
    expect(rests(() => 94)).toMatchObject({
      finding: 'refuted',
      observed: '1 values in 10 responses',
    });
    const few = 'too few tokens were used, or too few responses reported the rest';
    expect(rests(() => 94, 8)).toMatchObject({ finding: 'undecided', observed: few });
    expect(rests(() => 94, 9).finding).toBe('refuted');
    expect(rests((i) => (i === 0 ? 94 : null))).toMatchObject({ observed: few });
    expect(rests((i) => (i < 2 ? 94 : null)).finding).toBe('refuted');
    expect(rests(() => 0).finding).toBe('undecided');
  });

  it('falls by a few at least before it is called a constant', () => {
    const of = (count: number) =>
      check(
        'remaining-tokens-fall',
        Array.from({ length: count }, (_, i) => chat(i * 10, { tokens: 1, remainingTokens: 4 })),
        { tokensPerMinute: 4 },
      ).finding;
    expect([3, 4].map(of)).toEqual(['undecided', 'refuted']);
  });
});
