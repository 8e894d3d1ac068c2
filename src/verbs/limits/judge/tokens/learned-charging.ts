import type { LearnedCharging } from '../../../../model/plan/pace.ts';
import { milliseconds } from '../../../../model/quantity.ts';
import type { TokenFindings } from '../../model/token-report.ts';
import type { TokenGuards } from './token-guards.ts';

const moments = { reserved: 'sent', admission: 'prompt-sent', end: 'ended' } as const;

/**
 * Returns the facts about the charges that a pace needs. If a prompt is charged at its admission and nothing seems
 * reserved, the answer is assumed to be charged later.
 */
export const chargingOf = (
  { counting, settling }: TokenGuards,
  chargedAt: TokenFindings['chargedAt'],
): LearnedCharging => ({
  charged: moments[chargedAt ?? 'end'],
  settle: milliseconds(settling.settle),
  times: counting.finding === 'more' ? Math.max(1, counting.ratio ?? 1) : 1,
});
