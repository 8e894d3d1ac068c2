import { formatCount } from '../../../../judge/limits/facts/check-claim.ts';
import {
  type LimitUse,
  ownCountRatio,
  settleTime,
} from '../../../../judge/limits/facts/token-uses.ts';
import { isAdmitted, isRefused, type TokenReply, usedTokens } from '../../model/token-log.ts';

export const roundedCount = (tokens: number): string => formatCount(Math.round(tokens));

/** What the judge assumes about a gateway. The examination measures some of these terms. */
export interface ChargeTerms {
  /** This many ms after the end of an answer, its usage is charged. */
  readonly settle: number;
  /**
   * If a gateway never corrects its own count, the count is at most this many times the usage; 1 if charges are proved
   * to equal the usage.
   */
  readonly ownCount: number;
  /** A gateway reserves at most this many times a prompt's tokens, if it corrects the reservation later. */
  readonly promptSlack: number;
  /** Whether cached input is proved to be charged like any other input. */
  readonly chargesCached?: boolean;
}

/** For a prompt with four characters per token, a gateway reserves at most this many times the prompt's tokens. */
export const promptSlack = 1.5;
const fewestCharacters = 2.85;

export const usualChargeTerms = (
  window: number,
  charactersPerToken: number | null,
): ChargeTerms => ({
  settle: settleTime(window),
  ownCount: ownCountRatio,
  promptSlack: Math.max(promptSlack, (charactersPerToken ?? 0) / fewestCharacters),
});

const answersOf = ({ kind, maxTokens }: TokenReply): number =>
  kind === 'two-answers' ? 2 * maxTokens : maxTokens;

export const chargesOf = (
  replies: readonly TokenReply[],
  { settle, ownCount, promptSlack: slack, chargesCached = false }: ChargeTerms,
): readonly LimitUse[] =>
  replies.map((reply): LimitUse => {
    const { sent, answered, ended, prompt, usage, unit } = reply;
    const asked = prompt + answersOf(reply);
    const used = usedTokens(reply);
    const free = chargesCached ? 0 : (usage?.cached ?? 0);
    const isUnanswered = reply.status === 0 && reply.kind !== 'cut-sent';
    return {
      sent,
      answered,
      settled: Math.max(answered, ended) + settle,
      fate: isRefused(reply) ? 'refused' : isAdmitted(reply) ? 'admitted' : 'other',
      names: unit,
      least: isAdmitted(reply) ? Math.max(0, (used ?? 0) - free) : 0,
      // Some gateways never correct a reservation, and some charge refused requests.
      most: isUnanswered ? Infinity : ownCount * Math.max(used ?? 0, asked),
      reserved: isUnanswered ? Infinity : slack * prompt + answersOf(reply),
    };
  });
