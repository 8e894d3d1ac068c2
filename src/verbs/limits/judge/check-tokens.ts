import type {
  LimitCheck,
  LimitLog,
  LimitRule,
  ProbeReply,
} from '../../../model/limits/limit-log.ts';
import { formatCount } from '../../../judge/limits/facts/check-claim.ts';
import { earlyRefusals, tokensAtOnce } from '../../../judge/limits/facts/early-refusals.ts';
import { mostWithin } from '../../../judge/limits/facts/interval-counts.ts';
import { limiterMemory } from '../../../judge/limits/facts/rule-bounds.ts';
import { exceededSpans } from '../../../judge/limits/facts/token-envelope.ts';
import {
  type LimitUse,
  settleTime,
  tokenUses,
  certainCharge,
} from '../../../judge/limits/facts/token-uses.ts';
import type { TokenJudgement } from '../model/limit-report.ts';
import { checkReplies } from './check-answers.ts';
import { firstKeyHistory } from './limiter-decisions.ts';

/** Returns the requests of the first key, and how much of the limit of tokens each of them can have used at most. */
const tokenEvidence = ({ replies }: LimitLog, { window }: LimitRule) => {
  const own = replies.filter(({ key, request }) => key === 'first' && request !== 'wrong-key');
  const requests = own.map((reply) => ({
    sent: reply.sent,
    answered: reply.answered,
    ended: reply.ended,
    status: reply.status,
    isChat: reply.asked !== null,
    unit: reply.refusal?.unit ?? null,
    tokens: reply.usage === null ? null : reply.usage.input + reply.usage.output,
    input: reply.usage?.input ?? null,
    cached: reply.usage?.cached ?? null,
    characters: reply.asked?.characters ?? null,
    maxTokens: reply.asked?.maxTokens ?? null,
  }));
  const uses = tokenUses(requests, window);
  const repliesOf = (found: readonly LimitUse[]): readonly ProbeReply[] => {
    const wanted = new Set(found);
    return own.filter((_, place) => wanted.has(uses[place]!));
  };
  return { own, uses, repliesOf };
};
type TokenEvidence = ReturnType<typeof tokenEvidence>;

const checkKept = ({ uses, repliesOf }: TokenEvidence, rule: LimitRule): LimitCheck => {
  const exceeded = exceededSpans(uses, rule, { extra: 1, forgottenIn: (windows) => windows });
  const check = checkReplies({
    id: 'tokens-kept',
    claim: `In no span were more tokens charged before an admission than any limiter of ${formatCount(rule.limit)} in ${rule.window / 1000} s allows.`,
    section: '8',
    violates: true,
    wrong: repliesOf(exceeded.map(({ admission }) => admission)),
    observed: `${exceeded.length} were admitted after more`,
  });
  // An examination of requests uses few tokens. So even if the limit of tokens was not exceeded, nothing shows that
  // this limit is kept.
  return exceeded.length === 0
    ? { ...check, finding: 'undecided', observed: 'the limit was not exceeded' }
    : check;
};

/** Returns the refusals that name tokens. Leaves out refusals that an earlier use of the key may have caused. */
const tokenRefusals = (
  log: LimitLog,
  { own }: TokenEvidence,
  rule: LimitRule,
): readonly ProbeReply[] => {
  const remembered = firstKeyHistory(log).isIdleBefore
    ? 0
    : limiterMemory(rule) + settleTime(rule.window);
  const from = (own[0]?.sent ?? 0) + remembered;
  return own.filter(({ sent, refusal }) => refusal?.unit === 'tokens' && sent >= from);
};

const checkEarly = (
  evidence: TokenEvidence,
  rule: LimitRule,
  named: readonly ProbeReply[],
  otherCause: string | null,
): LimitCheck => {
  const { own, uses, repliesOf } = evidence;
  const refusals = named.map((reply) => uses[own.indexOf(reply)]!);
  const early = repliesOf(earlyRefusals(refusals, { uses, atOnce: tokensAtOnce }, rule));
  const isExcused = early.length > 0 && otherCause !== null;
  const check = checkReplies({
    id: 'tokens-refused-early',
    claim: `A client that stays below ${formatCount(rule.limit)} tokens in ${rule.window / 1000} s at any pace is never refused for tokens.`,
    section: '8',
    violates: early.length > 0,
    wrong: early,
    observed: `${early.length} of ${named.length} refusals for tokens came although the key had certainly used too little${isExcused ? `; but ${otherCause}` : ''}`,
  });
  return early.length === 0 || isExcused ? { ...check, finding: 'undecided' } : check;
};

/**
 * Checks the limit of tokens with the requests that the examination sends anyway. The examination does not try to reach
 * this limit.
 */
export const checkTokenLimit = (
  log: LimitLog,
  otherCause: string | null,
): readonly LimitCheck[] => {
  const { tokens } = log.declared;
  if (tokens === null) return [];
  const evidence = tokenEvidence(log, tokens);
  const named = tokenRefusals(log, evidence, tokens);
  return [checkKept(evidence, tokens), checkEarly(evidence, tokens, named, otherCause)];
};

/**
 * Says what the examination shows about the limit of tokens. If no violation was found, the examination shows nothing
 * about this limit.
 */
export const judgeTokens = (log: LimitLog, violations: readonly LimitCheck[]): TokenJudgement => {
  const { tokens } = log.declared;
  if (tokens === null) return { verdict: 'not examined', reasons: ['no limit is declared'] };
  if (violations.length > 0) {
    const reasons = violations.map(({ id, observed }) => `${id}: ${observed}`);
    return { verdict: 'violated', reasons };
  }
  const { own, uses } = tokenEvidence(log, tokens);
  const used = formatCount(mostWithin(uses.map(certainCharge), tokens.window).most);
  const refused = own.filter(({ refusal }) => refusal?.unit === 'tokens').length;
  const some = refused === 1 ? '1 request was' : `${refused} requests were`;
  const refusals = refused === 0 ? 'nothing was' : some;
  return {
    verdict: 'not examined',
    reasons: [
      `at most ${used} of ${formatCount(tokens.limit)} tokens were used within ${tokens.window / 1000} s, and ${refusals} refused for tokens`,
    ],
  };
};
