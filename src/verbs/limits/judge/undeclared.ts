import {
  type LimitCheck,
  type LimitLog,
  reportedLimitOf,
} from '../../../model/limits/limit-log.ts';
import { formatCount } from '../../../judge/limits/facts/check-claim.ts';
import type { LimitJudgement } from '../model/limit-report.ts';
import type { TokenLog } from '../model/token-log.ts';
import type { TokenFindings } from '../model/token-report.ts';
import { otherLimits } from './tokens/check-token-headers.ts';

/**
 * This file withdraws the verdict on an assumed limit if the headers of answers report another limit, since the gateway
 * may keep the reported limit. The claims keep their findings, but no claim is a violation.
 */

const reasonOf = (unit: 'requests' | 'tokens', assumed: number, named: readonly number[]): string =>
  `no limit of ${unit} was declared, and the headers of answers name ${named.map(formatCount).join(' and ')}, not the assumed ${formatCount(assumed)}: examine that one with --set limits.${unit}PerMinute=${named[0]}`;

const withoutViolations = (checks: readonly LimitCheck[]): readonly LimitCheck[] =>
  checks.map((check) => ({ ...check, violates: false }));

export const judgementOfAssumed = (judgement: LimitJudgement, log: LimitLog): LimitJudgement => {
  const { limit } = log.declared.requests;
  const limits = log.replies.flatMap((reply) => reportedLimitOf(reply, 'requests')?.limit ?? []);
  const named = [...new Set(limits)];
  if (named.length === 0 || named.includes(limit)) return judgement;
  return {
    ...judgement,
    verdict: 'undecided',
    requests: 'undecided',
    reasons: [reasonOf('requests', limit, named)],
    checks: withoutViolations(judgement.checks),
  };
};

export const findingsOfAssumed = (findings: TokenFindings, log: TokenLog): TokenFindings => {
  const named = otherLimits(log);
  const isNamed = log.replies.some(({ reported }) => reported?.limit === log.rule.tokens);
  if (named.length === 0 || isNamed) return findings;
  return {
    ...findings,
    verdict: 'undecided',
    reasons: [reasonOf('tokens', log.rule.tokens, named)],
    checks: withoutViolations(findings.checks),
  };
};
