// @gate 1 s
import { describe, expect, it } from 'vitest';
import { evenOutcome } from '../../judge/tokens/token-refusals.ts';
import { type BurstEvidence, burstsEvidence } from '../../judge/tokens/token-bursts.ts';
import { tokenGuards } from '../../judge/tokens/token-guards.ts';
import type { TokenLog } from '../../model/token-log.ts';
import {
  compliantLimiters,
  examineVirtually,
  faultyLimiters,
  threats,
  type VirtualExamination,
} from './virtual-limiters.fixture.ts';

/** What is found of gateways with a fault, and of those that look as if they had one. */

const rounded = (value: number | null): number | null =>
  value === null ? null : Number(value.toPrecision(5));

const burstText = ({ begin, exceeded, ...burst }: BurstEvidence): string =>
  [
    `at ${rounded(begin)}: ${burst.count} admitted with ${burst.admitted}, ${burst.refused} refused`,
    `at once ${burst.requestsAtOnce} with ${burst.atOnce}`,
    `before a refusal ${burst.beforeRefusal} and at most ${rounded(burst.mostBeforeFirst)}, ${burst.shareBefore.toFixed(3)}`,
    `ahead ${burst.isAheadOfCharges}, above its own count ${burst.isAboveOwnCount}`,
    exceeded === null
      ? 'not exceeded'
      : `exceeded after ${exceeded.charged} of ${rounded(exceeded.allowed)}, counted ${exceeded.mostCounted.toFixed(3)}`,
  ].join('; ');

/** What the examination measured, which its findings rest on. */
const measured = (log: TokenLog): readonly string[] => {
  const { terms, counting, settling, hidden, hiddenFromAnswers, ...guards } = tokenGuards(log);
  const even = evenOutcome(log, terms);
  return [
    `counting: ${counting.finding} ${counting.ratio?.toFixed(3)} ${counting.isImplausible} ${counting.least?.toFixed(3)}; ${guards.when}`,
    `settling: ${rounded(settling.settle)}, late ${settling.isLate}, shown ${settling.isLateShown}, measured ${settling.isMeasured}`,
    `hidden: ${hidden.spent.toFixed(3)} ${hidden.remembered.toFixed(3)}; ${hiddenFromAnswers.spent.toFixed(3)} ${hiddenFromAnswers.remembered.toFixed(3)}, allowed ${guards.allowance.toFixed(3)}`,
    `terms: ${terms.ownCount} ${terms.promptSlack} ${terms.chargesCached}; has ${guards.hasRemaining} ${guards.hasUsage}`,
    `even: ${even.sent} sent, ${even.admitted} admitted, ${even.refused} refused, ${even.others} others`,
    ...burstsEvidence(log, terms).map(burstText),
    ...(['even', 'sustained'] as const).map((phase) => {
      const sent = log.replies.filter((reply) => reply.phase === phase).slice(0, 5);
      return `${phase}: ${sent.map((reply) => `${reply.kind} after ${Math.round(reply.sent - sent[0]!.sent)}`).join(', ')}`;
    }),
  ];
};

const small: VirtualExamination = { tokens: 20_000, hasSmallBucket: false };
const quick: VirtualExamination = { ...small, isQuick: true };

const bucket = compliantLimiters['token bucket, charged at the end']!;

it.each([
  ['never enforced', quick],
  ['two replicas in turn', small],
  ['three replicas by connection', quick],
  ['streams are free', small],
  ['only completions are charged', small],
  ['charged 10 s late', small],
  ['refuses 30 % early', small],
  ['window twice as long', small],
  ['locked for 3 windows', quick],
  ['5 % refused at random', small],
  ['remaining never falls', small],
  ['charged 3 s late', quick],
  ['limit x 1.5', quick],
] as const)('of a gateway with the fault “%s” it is found', async (name, terms) => {
  const { log, findings } = await examineVirtually(faultyLimiters[name]!, 12, terms);
  expect([findings.verdict, ...findings.reasons, ...measured(log)]).toMatchSnapshot('found');
});

describe('of a gateway that keeps its limit it is found', () => {
  it.each([
    ['bucket: others use 20 % of the key', small],
    ['grid: a hidden prompt of 9,000 tokens', { ...small, tokens: 200_000 }],
    ['first: 1.4 times the prompt charged', small],
    ['log: own count of 0.75, never corrected', quick],
    ['counter: cached prompts neither charged nor reported', small],
    ['bucket: usage flushed every 15 s', quick],
  ] as const)('by %s', async (name, terms) => {
    const { log, findings, budget, time } = await examineVirtually(threats[name]!, 13, terms);
    expect([
      findings.verdict,
      ...findings.reasons,
      ...measured(log),
      `budget: ${JSON.stringify(budget)}, taken ${Math.round(time)}`,
    ]).toMatchSnapshot('found and used');
  });

  it.each<readonly [string, VirtualExamination]>([
    ['for some windows above its limit', { ...small, sustain: 2 }],
    ['whose cache is cheaper', { ...small, isCachedCheaper: true }],
    ['by a promise', { ...quick, hasHeaders: false, isPromised: true }],
    ['without a promise', { ...quick, hasHeaders: false }],
    ['in windows of 30 s', { ...quick, window: 30_000 }],
  ])('by a bucket %s', async (_, terms) => {
    const { log, findings } = await examineVirtually(bucket, 14, terms);
    const { checks, charges } = findings;
    expect([
      findings.verdict,
      ...findings.reasons,
      ...measured(log),
      ...checks.map(({ id, finding, observed }) => `${id} ${finding}: ${observed}`),
      ...charges.map(({ kind, words }) => `${kind}: ${words}`),
    ]).toMatchSnapshot('found');
  });
});
