import type { Observation } from '../../model/observation/observation.ts';
import type { Refusal } from '../../model/observation/outcome.ts';
import type { RunObserver } from './observer.ts';

/** The load ends if this many requests at its beginning were all refused for the same reason. */
const firstRequests = 20;

/** The statuses that ask the client to try again: a later answer to the same request may differ. */
const passing: ReadonlySet<number> = new Set([408, 409, 423, 425, 429]);

/**
 * Returns the cause of a refusal as text, such as `404 model_not_found`. Two refusals with the same cause have the same
 * text.
 */
const causeOf = ({ status, type, code }: Refusal): string =>
  [status, code ?? type].filter((part) => part !== null).join(' ');

const refusalOf = ({ outcome }: Observation): Refusal | null =>
  outcome.kind === 'refused' && outcome.refusal.status < 500 && !passing.has(outcome.refusal.status)
    ? outcome.refusal
    : null;

/**
 * Ends a run whose first requests were all refused for the same reason, such as a wrong model or key. A longer run
 * would only repeat the refusal. The first requests are those that were due first, not those that were answered first.
 * The run ends only when all of them have been answered, so quick refusals never hide slow successes. If `by` is
 * `true`, the message names the option with which the user can prevent this end.
 */
export const endOnSameRefusal = (by: true | 'always'): RunObserver => {
  const remedy = by === 'always' ? '' : '; --no-early-stop sends the whole load';
  let refused = 0;
  let cause: string | null = null;
  let message = '';
  let isOver = false;
  return {
    onObservation: (observation) => {
      if (isOver || observation.stage > 0 || observation.index >= firstRequests) return;
      const refusal = refusalOf(observation);
      if (refusal === null || (cause !== null && causeOf(refusal) !== cause)) {
        isOver = true;
        return;
      }
      cause = causeOf(refusal);
      message = refusal.message;
      refused += 1;
    },
    findRefusal: () =>
      refused === firstRequests && !isOver
        ? `the first ${firstRequests} requests were all refused with ${cause}${message === '' ? '' : `: ${message}`}${remedy}`
        : null,
  };
};
