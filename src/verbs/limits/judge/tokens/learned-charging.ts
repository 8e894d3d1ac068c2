import type { LearnedCharging } from '../../../../model/plan/pace.ts';
import { milliseconds } from '../../../../model/quantity.ts';
import type { TokenFindings } from '../../model/token-report.ts';
import type { TokenGuards } from './token-guards.ts';

const moments = { reserved: 'sent', admission: 'prompt-sent', end: 'ended' } as const;

/**
 * Returns the facts about charges that a pace needs. If the gateway charges a prompt at its admission and seems to
 * reserve nothing, it is assumed to charge the answer later.
 */
export const chargingOf = (
  { counting, settling }: TokenGuards,
  chargedAt: TokenFindings['chargedAt'],
): LearnedCharging => ({
  charged: moments[chargedAt ?? 'end'],
  settle: milliseconds(settling.settle),
  times: counting.finding === 'more' ? Math.max(1, counting.ratio ?? 1) : 1,
});
