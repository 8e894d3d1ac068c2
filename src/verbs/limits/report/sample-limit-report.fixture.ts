import type { LimitCheck, LimiterClass } from '../../../model/limits/limit-log.ts';
import type { Fitted, LimiterFit } from '../../../model/limits/limiter-fit.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { sampleReply } from '../judge/sample-reply.fixture.ts';
import {
  refusedReply,
  tapReply,
  tokenLog,
  tokenReply,
} from '../judge/tokens/sample-token-log.fixture.ts';
import type { LimitReport } from '../model/limit-report.ts';
import type { TokenReport } from '../model/token-report.ts';

const exactly = (value: number): Fitted => ({ value, least: value, most: value });

export const sampleFit = (
  limiter: LimiterClass,
  wrong: number,
  changes: Partial<LimiterFit> = {},
): LimiterFit => ({
  limiter,
  limit: exactly(20),
  window: exactly(10_000),
  parameters: {},
  wrong,
  ...changes,
});

const check = (
  id: string,
  finding: LimitCheck['finding'],
  changes: Partial<LimitCheck> = {},
): LimitCheck => ({
  id,
  claim: `The claim of ${id}.`,
  section: '8',
  finding,
  violates: false,
  observed: `seen of ${id}`,
  evidence: [],
  ...changes,
});

const limitsWith = (remaining: number) => [
  { profile: 'x', descriptor: null, unit: 'requests', limit: 20, remaining, resetIn: null },
];

const origin = {
  weir: '0.1.0',
  target: 'http://127.0.0.1:8080/v1',
  startedAt: '2026-07-01T10:20:30.000Z',
  model: 'm',
  took: 70_000,
};

const best = sampleFit('burst-bucket', 1, {
  limit: { value: 20, least: 19.64, most: 20.31 },
  window: { value: 10_000, least: 9960, most: 10_040 },
  parameters: { burst: { value: 5, least: 4.9, most: 5.2 }, phase: exactly(2500) },
});

/** A report on a limit of 20 requests in 10 s, in which each thing is that a report can have. */
export const sampleLimitReport = (): LimitReport => ({
  format: 'limits/1',
  ...origin,
  log: {
    declared: {
      requests: { limit: 20, window: milliseconds(10_000) },
      tokens: { limit: 1000, window: milliseconds(10_000) },
      permitted: [],
    },
    replies: [
      sampleReply(0, { told: limitsWith(19) }),
      sampleReply(4000, { told: limitsWith(18) }),
      sampleReply(20_000, { phase: 'provocation', told: limitsWith(1) }),
      sampleReply(32_000, {
        phase: 'provocation',
        told: limitsWith(-1),
        answered: instant(32_500),
      }),
      sampleReply(33_000, { phase: 'provocation', status: 429, admitted: false }),
      sampleReply(34_000, { phase: 'sustained' }),
      sampleReply(35_000, { phase: 'sustained', key: 'second' }),
    ],
    unanswered: ['chat: deadline'],
    cut: null,
  },
  judgement: {
    verdict: 'violated',
    requests: 'violated',
    tokens: { verdict: 'violated', reasons: ['tokens-kept: 3 were admitted after more'] },
    reasons: ['over-admission: seen', 'burst: seen'],
    facts: {
      mostAdmitted: { least: 23, most: 24 },
      overAdmitted: 'proved',
      envelope: { finding: 'refuted', worst: null },
      burst: { bursts: [], isExceeded: false },
      even: { paced: 10, refusals: [], seenLimit: null },
      idle: { times: 1, refusals: [] },
      sustained: {
        windows: 3.04,
        offered: 90,
        admitted: 61,
        spaced: 60,
        rate: { least: 15.1, most: 29.9 },
        isLow: false,
        isShort: false,
      },
      refusedWithRoom: 'refuted',
      refusalsWithRoom: [],
      lockedOut: 'refuted',
    },
    identification: {
      best,
      ties: [sampleFit('token-bucket', 1)],
      runnerUp: null,
      decisions: 240,
      ranking: [best, sampleFit('token-bucket', 1), sampleFit('sliding-log', 1200)],
      likelier: [],
    },
    checks: [
      check('even-pace', 'proved'),
      check('other-limits', 'undecided', { section: null }),
      check('burst', 'refuted', { violates: true, evidence: ['r-1: chat', 'r-2: chat'] }),
      check('retry-after', 'refuted', { evidence: ['r-3: chat'] }),
    ],
  },
});

/** A report on a limit of 20,000 tokens a minute, in which each thing is that a report can have. */
export const sampleTokenReport = (): TokenReport => ({
  format: 'token-limits/1',
  ...origin,
  log: tokenLog([
    tokenReply(0),
    tokenReply(10_000, { phase: 'even', ended: 10_600 }),
    refusedReply(11_000, { phase: 'even' }),
    tokenReply(100_000, { phase: 'burst', burst: 1 }),
    tokenReply(200_000, { phase: 'burst', burst: 2, usage: { input: 29_999, output: 1 } }),
    tapReply(230_000, 5, { phase: 'burst', burst: 2 }),
    tokenReply(265_000, { phase: 'burst', burst: 2, status: 500, usage: null }),
    tokenReply(400_000, { phase: 'sustained' }),
  ]),
  findings: {
    verdict: 'violated',
    reasons: ['token-burst: seen', 'token-early: seen'],
    checks: [
      check('token-early', 'undecided'),
      check('token-burst', 'refuted', { violates: true, evidence: ['at 5 s'] }),
      check('token-names', 'proved'),
    ],
    charges: [
      { kind: 'chat', status: 200, prompt: 1000, used: 1001, charge: 1001, words: 'its usage' },
      { kind: 'cut-sent', status: 0, prompt: 20, used: null, charge: null, words: 'not shown' },
    ],
    bursts: [
      { burst: 1, admitted: 24, refused: 2, tokens: 20_400, before: 19_800, atOnce: 8000 },
      { burst: 2, admitted: 30, refused: 0, tokens: 30_000, before: null, atOnce: 9000 },
    ],
    chargedAt: 'end',
    charging: { charged: 'ended', settle: milliseconds(1500), times: 1 },
    atOnce: { requests: 55, limits: 4.63 },
  },
});
