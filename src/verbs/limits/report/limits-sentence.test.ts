import { describe, expect, it } from 'vitest';
import type { LimitReport, LimitVerdict } from '../model/limit-report.ts';
import type { TokenReport } from '../model/token-report.ts';
import { limitsAdvice, limitsSentence } from './limits-sentence.ts';

const requests = (verdict: LimitVerdict, { admitted = 60, limiter = 'fixed-aligned' } = {}) =>
  ({
    log: {
      declared: {
        requests: { limit: 60, window: 60_000 },
        tokens: { limit: 2_000_000, window: 60_000 },
      },
      replies: [],
      cut: null,
    },
    judgement: {
      verdict,
      requests: verdict,
      tokens: { verdict: 'not examined', reasons: [] },
      facts: { mostAdmitted: { least: admitted, most: admitted } },
      identification: { best: { limiter }, ties: [] },
    },
  }) as unknown as LimitReport;

/** What was charged of an answer of 40 tokens beside a prompt of 100. */
const answerCharge = {
  kind: 'answer',
  status: 200,
  prompt: 100,
  used: 140,
  charge: 140,
  words: 'its usage',
};

const tokens = (
  verdict: LimitVerdict,
  findings: Partial<TokenReport['findings']> = {},
  window = 60_000,
) =>
  ({
    log: {
      rule: { tokens: 2_000_000, requests: 60, window },
      replies: [],
      cut: null,
      isQuick: false,
    },
    findings: { verdict, chargedAt: null, atOnce: null, charges: [answerCharge], ...findings },
  }) as unknown as TokenReport;

describe('the sentence over both limits', () => {
  it('says what a customer and an owner need: which limits are kept, and what passes at once', () => {
    const findings = {
      requests: requests('kept'),
      tokens: tokens('kept', { chargedAt: 'end', atOnce: { requests: 55, limits: 4.6 } }),
    };
    expect(limitsSentence(findings)).toBe(
      '60 requests and 2,000,000 tokens a minute are kept; streams are charged at their end, so 55 at once can use 4.6 minutes’ worth.',
    );
  });

  it.each([
    ['nothing was seen', []],
    ['its prompt alone was charged', [{ ...answerCharge, charge: 100 }]],
    ['no more was charged than a count of its prompt', [{ ...answerCharge, charge: 106 }]],
  ])('says that a limit is kept by what prompts show, if of an answer %s', (_, charges) => {
    expect(
      limitsSentence({ requests: null, tokens: tokens('kept', { charges, isPromised: true }) }),
    ).toBe(
      '2,000,000 tokens a minute are kept; that the tokens of answers are charged was not seen, but promised.',
    );
    expect(limitsSentence({ requests: null, tokens: tokens('kept', { charges }) })).toMatch(
      / was not seen\.$/,
    );
    const undecided = tokens('undecided', { charges });
    expect(limitsSentence({ requests: null, tokens: undecided })).not.toContain('answers');
  });

  it('says that a fixed window admits more across its boundary only where more was certainly admitted', () => {
    const said = (admitted: number, limiter?: string) =>
      limitsSentence({ requests: requests('kept', { admitted, limiter }), tokens: null });
    expect([said(112), said(60), said(64, 'sliding-log')]).toStrictEqual([
      '60 requests a minute are kept; 112 were admitted in 60 s: a fixed window may admit twice its limit across its boundary.',
      '60 requests a minute are kept.',
      '60 requests a minute are kept; 64 were admitted in 60 s.',
    ]);
  });

  it.each([
    [
      'kept',
      'violated',
      '60 requests a minute are kept, and 2,000,000 tokens a minute are NOT kept.',
    ],
    [
      'undecided',
      'kept',
      'It is undecided whether 60 requests a minute are kept, and 2,000,000 tokens a minute are kept.',
    ],
    [
      'undecided',
      'undecided',
      'It is undecided whether 60 requests and 2,000,000 tokens a minute are kept.',
    ],
    ['violated', 'violated', '60 requests and 2,000,000 tokens a minute are NOT kept.'],
  ] as const)('has the verdict on each limit: %s and %s', (ofRequests, ofTokens, sentence) => {
    const findings = { requests: requests(ofRequests), tokens: tokens(ofTokens) };
    expect(limitsSentence(findings)).toBe(sentence);
  });

  it('loses no violation of tokens that the examination of requests shows', () => {
    const { judgement, ...report } = requests('kept');
    const violated = { verdict: 'violated', reasons: [] } as const;
    expect(
      limitsSentence({
        requests: { ...report, judgement: { ...judgement, tokens: violated } },
        tokens: tokens('kept'),
      }),
    ).toBe('60 requests a minute are kept, and 2,000,000 tokens a minute are NOT kept.');
  });

  it('says where the two examinations are of different days or models', () => {
    const at = (startedAt: string, model: string) => ({ startedAt, model });
    const said = (one: object, other: object) =>
      limitsSentence({
        requests: { ...requests('kept'), ...one },
        tokens: { ...tokens('kept'), ...other },
      }).replace('60 requests and 2,000,000 tokens a minute are kept', '');
    const [old, today] = ['2026-03-01T10:00:00.000Z', '2026-11-27T10:00:00.000Z'];
    expect(said(at(today, 'a/b'), at('2026-11-26T23:00:00.000Z', 'a/b'))).toBe('.');
    expect(said(at(today, 'a/b'), at(old, 'a/b'))).toBe('; examined on 2026-11-27 and 2026-03-01.');
    expect(said(at(today, 'a/b'), at(old, 'c/d'))).toBe(
      '; examined on 2026-11-27 and 2026-03-01, with a/b and c/d.',
    );
  });

  it('says nothing of what is used at once where charges come when a request is sent', () => {
    expect(
      limitsSentence({ requests: null, tokens: tokens('kept', { chargedAt: 'admission' }, 6000) }),
    ).toBe('2,000,000 tokens in 6 s are kept; prompts are charged when a request is sent.');
  });
});

it('the advice names what decides the limit that is not kept, and its setting', () => {
  const advice = (ofRequests: LimitVerdict | null, ofTokens: LimitVerdict | null) =>
    limitsAdvice({
      requests: ofRequests && requests(ofRequests),
      tokens: ofTokens && tokens(ofTokens),
    });
  expect(advice('kept', 'kept')).toBeNull();
  expect(advice('undecided', null)).toMatch(
    /longer \(`--sustain 10`\).*`--set limits\.requestsPerMinute=…`, `--window/,
  );
  expect(advice('kept', 'undecided')).toMatch(
    /`--sustain 16` and with `--yes-tokens`.*`--set limits\.tokensPerMinute=…`, `--window/,
  );
  const tokensAdvice = (log: Partial<TokenReport['log']>, isPromised?: true) => {
    const report = tokens('undecided', isPromised && { isPromised });
    return limitsAdvice({
      requests: null,
      tokens: { ...report, log: { ...report.log, ...log } },
    });
  };
  expect(tokensAdvice({ isQuick: true })).toContain('the key, in full, with `--sustain 16` and');
  const sustained = {
    replies: [{ phase: 'sustained' }] as unknown as TokenReport['log']['replies'],
  };
  expect(tokensAdvice(sustained)).toContain('the key, with `--yes-tokens` if');
  expect(tokensAdvice(sustained, true)).toContain('while nothing else uses the key. If');
  expect(tokensAdvice({ cut: 'a reason' })).toMatch(
    /^What now: see to what ended the examination of tokens early, then repeat it\. If another/,
  );
  expect(advice(null, 'violated')).toMatch(
    /evidence for the gateway’s owner.*`--set limits\.tokensPerMinute=…`/,
  );
  expect(advice('undecided', 'undecided')).toMatch(
    /examine requests again .* in full and for longer .*; examine tokens again .*requestsPerMinute=…`, `--set limits\.tokensPerMinute=…`/,
  );
  const whole = requests('undecided');
  const stopped = tokens('undecided');
  expect(
    limitsAdvice({
      requests: { ...whole, log: { ...whole.log, replies: [{ phase: 'even' }] as never } },
      tokens: { ...stopped, log: { ...stopped.log, cut: 'stopped by SIGINT' } },
    }),
  ).toMatch(
    /^What now: examine requests again while nothing else uses the key, for longer \(`--sustain 10`\); see to what ended the examination of tokens early/,
  );
});
