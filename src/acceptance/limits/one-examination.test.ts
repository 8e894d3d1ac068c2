// @gate 1 s
import { expect, it } from 'vitest';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { judgeLimits } from '../../verbs/limits/judge/judge-limits.ts';
import { explainLimiter } from '../../verbs/limits/judge/name-limiter.ts';
import { limitsDocument } from '../../verbs/limits/report/limits-document.ts';
import { tokensDocument } from '../../verbs/limits/report/tokens-document.ts';
import { examineMockTokens } from './examine-mock-tokens.fixture.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';

/** One examination of each kind, as the command makes it; the other files have all limiters. */

const origin = {
  weir: '0.1.0',
  target: 'http://127.0.0.1/v1',
  startedAt: '2026-07-01T10:20:30.000Z',
  model: 'weir/small',
  took: 70_000,
};
const plain = { colour: false, width: 300 };

it('a limit of requests that a gateway does not keep is found, with all that was claimed of it', async () => {
  const limits = { requestsPerMinute: 12, window: 10_000, algorithm: 'sliding-log' as const };
  const { log, judgement } = await examineSimulatedGateway(
    { limits, seed: 2, roundTrip: [10, 40] },
    { requests: 8, window: 10_000 },
  );
  expect(judgement.verdict).toBe('violated');
  expect(judgement.identification.best?.limiter).toBe('sliding-log');
  expect(judgement.checks.map(({ id, finding, observed }) => `${id} ${finding}: ${observed}`))
    .toMatchInlineSnapshot(`
    [
      "over-admission refuted: 54 were admitted within 49 s, where any limiter admits at most 48",
      "burst refuted: admitted: 12 within 0.3 s (at most 9 are allowed), 12 within 0 s (at most 9 are allowed)",
      "even-pace proved: 0 of 26 evenly sent requests were refused; they would have shown a limit below 7",
      "idle-admitted proved: 0 requests were refused although the key had been idle for two windows",
      "sustained-rate proved: 45 were admitted in 5.0 windows: a limit of 8 to 11",
      "most-admitted refuted: the maximum was 12",
      "refused-only-when-full undecided: none was certainly refused with room left; some are unclear",
      "no-lockout undecided: no request was certainly refused after a window in which nothing was admitted",
      "recovery proved: admitted again at most 10.0 s after the first refusal",
      "limit-fitted refuted: sliding-log: 12 requests in 10 (9.9 to 10.3) s",
      "streams-limited proved: a stream was refused while the key was exhausted",
      "limit-for-all-models proved: another model was refused while the key was exhausted",
      "key-isolation proved: 5 of 5 requests of the idle second key were admitted while the first key was exhausted",
      "key-latency proved: the second key was answered in 22 to 33 ms, the first key earlier in 17 to 43 ms",
      "no-hidden-spender undecided: remaining showed every request for only 9 s",
      "cap-refusals-free undecided: no cap on requests in flight refused anything",
      "remaining-serial proved: 22 of 22 drops were one; remaining was negative 0 times",
      "remaining-no-lost-updates proved: 0 of 12 values had been reported before",
      "remaining-one-counter proved: values reported before within a burst: 0 of 12, 0 of 12",
      "remaining-accurate refuted: 0 were refused with requests certainly remaining, 12 admitted with certainly none",
      "headers-present proved: all 150 responses had them",
      "headers-readable proved: all values were readable",
      "limit-requests refuted: named: 12",
      "limit-tokens proved: named: 2,000,000",
      "other-limits proved: none",
      "refusal-status proved: all 36 refusals had status 429",
      "refusal-body proved: forms: error",
      "refusal-names-limit proved: 0 of 36 named tokens although too few were used within two windows",
      "retry-after proved: 10 exact, 1 unknown",
      "reset-time undecided: there was no readable reset time",
      "counts-chat-stream proved: it cost 1 request",
      "counts-models proved: it cost 1 request",
      "token-accounting refuted: no known counting method explains the 14 drops in remaining tokens",
      "tokens-kept undecided: the limit was not exceeded",
      "tokens-refused-early undecided: 0 of 0 refusals for tokens came although the key had certainly used too little",
    ]
  `);
  const { identification } = judgement;
  const { rival, distinguishing } = explainLimiter(log, identification);
  expect([rival?.limiter, distinguishing.length, distinguishing[0]]).toMatchInlineSnapshot(`
    [
      "fixed-any-phase",
      22,
      {
        "answered": 59599.35611570814,
        "named": "admitted",
        "observed": "admitted",
        "phase": "provocation",
        "requestId": "probe-40",
        "rival": "refused",
        "sent": 59565.318875990946,
      },
    ]
  `);
  // The explanation compares the best class with the second best.
  const [best = null, second] = identification.ranking;
  expect(explainLimiter(log, { ...identification, best }).rival).toBe(second);
  // The same answers without a refusal show no limit at all.
  const replies = log.replies.map((reply) => ({ ...reply, status: 200, refusal: null }));
  const { checks } = judgeLimits({ ...log, replies });
  expect(checks.filter(({ observed }) => observed === 'nothing was refused').map(({ id }) => id))
    .toMatchInlineSnapshot(`
    [
      "refused-only-when-full",
      "no-lockout",
      "refusal-status",
    ]
  `);
  const report = { format: 'limits/1' as const, ...origin, log, judgement };
  expect(terminalText(limitsDocument(report), plain)).toMatchInlineSnapshot(`
    "✗ 8 requests in 10 s are NOT kept; 12 were admitted in 10 s.
      Model weir/small: declared limit of 8 requests in 10 s per key
      153 requests in 70 s, 36 refused with 429
      Tokens: not examined: at most 563 of 2,000,000 tokens were used within 10 s, and nothing was refused for tokens.
      Why: over-admission: 54 were admitted within 49 s, where any limiter admits at most 48; burst: admitted: 12 within 0.3 s (at most 9 are allowed), 12 within 0 s (at most 9 are allowed); limit-fitted: sliding-log: 12 requests in 10 (9.9 to 10.3) s.
      What now: what does not hold is the evidence for the gateway’s owner. If another limit or window was agreed, examine that one: \`--set limits.requestsPerMinute=…\`, \`--window …\`.

    Limiter
      Model: sliding-log (a log of the admitted requests of the last window): 12 requests in 10 s (9.9 s–10.3 s); it contradicts 0 of 133 decisions. The next best, fixed-any-phase of 8 in 10 s, contradicts 22.
      Sustained rate: 9 in 10 s (8 to 11 for any limiter); 45 of 57 requests in 5.0 windows.
      Most admitted in any 10 s: 12.

    Claims
      Finding          Claim               Source  Observed
      ✗ violated       over-admission      § 8     In no span were more admitted than a limiter of 8 requests in 10 s can admit. Observed: 54 were admitted within 49 s, where any limiter admits at most 48.
      ✗ violated       burst               § 8     An idle key is admitted at most 8 requests at once, and what is refilled meanwhile. Observed: admitted: 12 within 0.3 s (at most 9 are allowed), 12 within 0 s (at most 9 are allowed).
      ✗ violated       limit-fitted        § 8     What explains the decisions is a limiter of 8 requests in 10 s. Observed: sliding-log: 12 requests in 10 (9.9 to 10.3) s.
      ! does not hold  most-admitted       § 8     At most 8 requests were admitted within any 10 s. Observed: the maximum was 12.
      ! does not hold  remaining-accurate  § 8     A key is refused only with nothing remaining, and admitted only with something. Observed: 0 were refused with requests certainly remaining, 12 admitted with certainly none.
      ! does not hold  limit-requests      § 8     The headers always name a limit of 8 requests. Observed: named: 12.
      ! does not hold  token-accounting    § 8     The tokens charged are those used, input and output. Observed: no known counting method explains the 14 drops in remaining tokens.
      Of 35 claims 21 hold, 7 do not hold, 7 are undecided. All of them: limits.html.
      ✓ holds · ✗ violates a limit (exit 14) · ! does not hold, but violates no limit · ? undecided by this examination"
  `);
});

it('a limit of tokens that a gateway keeps is found kept', async () => {
  const { log, findings } = await examineMockTokens({ algorithm: 'sliding-log' });
  expect(findings.verdict).toBe('kept');
  expect(findings.checks.map(({ id, finding, observed }) => `${id} ${finding}: ${observed}`))
    .toMatchInlineSnapshot(`
      [
        "token-burst proved: 2 bursts, none certainly above what any limiter admits: refused after 25,854 and 25,854",
        "token-envelope undecided: the limit was not exceeded",
        "token-early proved: 243 requests at an even pace, 0 refused",
        "token-recovery proved: refused though idle for two windows: none",
        "token-names proved: named requests without a cause: none of 24 that name a limit",
        "token-remaining proved: 381 answers",
        "token-at-once undecided: 8 in flight at once with 0.33 of the limit were admitted",
        "token-accounting undecided: true of chat, stream, stream-unreported, answer, stream-answer, two-answers, cut-answering; not shown of errors",
        "token-settling proved: within 1 s in these bursts",
      ]
    `);
  const report = { format: 'token-limits/1' as const, ...origin, log, findings };
  expect(terminalText(tokensDocument(report), plain)).toMatchInlineSnapshot(`
    "✓ 20,000 tokens a minute are kept.
      Model weir/small: declared limit of 60 requests and 20,000 tokens a minute per key
      382 requests with 162,068 tokens in 70 s, 24 refused with 429
      Why: 2 of 2 bursts were refused, and not certainly too late: refused after 25,854 and 25,854 of 20,000 tokens; an even pace below the limit never was, and the key recovered; a rate above the limit for many windows was not tried (--sustain 6).
      Pace: \`charged: {file: token-limits.json}\` waits as these charges need: tokens are charged by 1 s after the end of their answer.
      Requests: their limit was not examined; \`weir limits\` without --tokens does that.

    Charges
      Request            Status  Prompt  Usage  Charged  That is
      chat                  200     370    371      371  its usage
      stream                200     370    371      371  its usage
      stream-unreported     200     100    101      101  its usage
      again                 200     370    371      371  its usage
      answer                200     100    260      260  its usage
      stream-answer         200     100    260      260  its usage
      two-answers           200     100    101      101  its usage
      cut-answering         200     100    101      101  its usage
      cut-sent                –     100      –        –  not shown
      bad-parameter         400     100      –        –  not shown
      unknown-model         404     100      –        –  not shown
      other-model           200     100    101       59  at least 59 tokens

    Bursts
      Burst  Admitted  Refused  Their tokens  Before refusal  At once
      1            31        6        25,854          25,854    6,672
      2            31        9        25,854          25,854    6,672

    Facts
      Finding      Claim             Source        Observed
      ✓ holds      token-burst       § 8           2 bursts, none certainly above what any limiter admits: refused after 25,854 and 25,854.
      ✓ holds      token-early       § 8           243 requests at an even pace, 0 refused.
      ✓ holds      token-recovery    § 8           refused though idle for two windows: none.
      ✓ holds      token-names       § 8           named requests without a cause: none of 24 that name a limit.
      ✓ holds      token-remaining   not promised  381 answers.
      ✓ holds      token-settling    not promised  within 1 s in these bursts.
      ? undecided  token-envelope    § 8           the limit was not exceeded.
      ? undecided  token-at-once     not promised  8 in flight at once with 0.33 of the limit were admitted.
      ? undecided  token-accounting  not promised  true of chat, stream, stream-unreported, answer, stream-answer, two-answers, cut-answering; not shown of errors.
      ✓ holds · ✗ violates a limit (exit 14) · ! does not hold, but violates no limit · ? undecided by this examination"
  `);
});

// A quick examination has one burst, of which a window's boundary would explain up to twice the limit.
it.each(['fixed-from-first', 'fixed-aligned', 'sliding-log'] as const)(
  'a quick examination calls no %s of more than the limit kept',
  async (algorithm) => {
    for (const [seed, requestsPerMinute] of [80, 85, 90, 100].entries()) {
      const { judgement } = await examineSimulatedGateway(
        {
          limits: { algorithm, requestsPerMinute, window: 60_000 },
          seed,
          roundTrip: [5, 20],
          service: [100, 180],
        },
        { requests: 60, window: 60_000 },
        ['provocation'],
      );
      expect([judgement.verdict, judgement.reasons.join()]).toEqual([
        'undecided',
        expect.stringContaining('no burst at another phase shows that a window’s boundary was'),
      ]);
    }
  },
);
