import { drawFrom } from '../model/workload/draw.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { AttemptResult } from './in-flight-attempt.ts';
import { decideRetry, type RetryDecision } from './decide-retry.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';

/** What follows an attempt that has landed; once the run is closing, nothing. */
export const nextAttempt = (
  { retry, deadlines, seed }: Plan,
  { arrival, earlier }: RequestLifecycle,
  { facts, outcome, retryHint }: AttemptResult,
  isClosing: boolean,
): RetryDecision => {
  const attemptsMade = earlier.length + 1;
  const next = decideRetry(
    retry,
    { outcome, hasHead: facts.head !== null, hint: retryHint, ended: facts.ended, attemptsMade },
    arrival.due + (deadlines.total ?? Number.POSITIVE_INFINITY),
    () => drawFrom(seed, arrival.stage, arrival.index, attemptsMade),
  );
  return next.willRetry && isClosing ? { willRetry: false, gaveUp: 'run-ended' } : next;
};
