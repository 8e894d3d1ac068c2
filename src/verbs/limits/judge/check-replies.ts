import type { LimitCheck, ProbeReply } from '../../../model/limits/limit-log.ts';
import { checkClaim, type Claim } from '../../../judge/limits/facts/check-claim.ts';

/** Judges a claim about replies, as `checkClaim` does. */
export const checkReplies = (claim: Claim<ProbeReply>): LimitCheck =>
  checkClaim(
    claim,
    ({ requestId, request, sent, status }) =>
      `${requestId}: ${request} at ${(sent / 1000).toFixed(3)} s, status ${status}`,
  );
