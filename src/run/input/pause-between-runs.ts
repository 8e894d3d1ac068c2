import { hasLimits } from '../../model/plan/limits-per-minute.ts';
import { sendsToAddress } from '../../model/plan/targets.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import { readOption } from './read-option.ts';

/**
 * The length of a window of limits, in ms (interface, section 8). After such a window, a key has its full limits again.
 */
const limitWindowLength = 60_000;

/**
 * Returns the pause between two runs. In this pause, declared limits recover. With the reference gateway there is no
 * pause, since each run starts a new gateway.
 */
export const pauseFor = (plan: Plan, text: string | undefined): Milliseconds => {
  const isLimited = sendsToAddress(plan) && hasLimits(plan);
  const defaultPause = milliseconds(isLimited ? limitWindowLength : 0);
  return text === undefined ? defaultPause : readOption('pause', text, durationNotation);
};
