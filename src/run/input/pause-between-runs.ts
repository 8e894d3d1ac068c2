import { hasLimits } from '../../model/plan/limits-per-minute.ts';
import { sendsToAddress } from '../../model/plan/targets.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import { readOption } from './read-option.ts';

/**
 * A gateway counts limits over windows of this length, in ms (gateway interface, section 8). After one window, a key
 * has its full limits again.
 */
const limitWindowLength = 60_000;

/**
 * Returns the pause between two runs, in which declared limits recover. By default, there is no pause if the plan
 * declares no limits, or if each run starts a new reference gateway.
 */
export const pauseFor = (plan: Plan, text: string | undefined): Milliseconds => {
  const isLimited = sendsToAddress(plan) && hasLimits(plan);
  const defaultPause = milliseconds(isLimited ? limitWindowLength : 0);
  return text === undefined ? defaultPause : readOption('pause', text, durationNotation);
};
