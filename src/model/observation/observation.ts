import type { Outcome } from './outcome.ts';
import type { RetriedAttempt, AttemptFacts, GaveUpReason } from './attempt.ts';
import type { Instant } from '../quantity.ts';
import type { TrafficKind } from '../workload/traffic.ts';

/**
 * What happened to one arrival: exactly one outcome, however many attempts it took. The instants at
 * the top are those of the last attempt. All instants are kept apart and derived figures are never
 * stored: end to end counts from `due`, service time is `ended − sent`, the generator's lag `begun − released`.
 */
export interface Observation extends AttemptFacts {
  readonly requestId: string;
  readonly stage: number;
  readonly index: number;
  readonly traffic: TrafficKind;
  readonly model: string | null;
  /** The name of its traffic entry, where that has one. */
  readonly entry?: string | undefined;
  /** When the schedule wanted it. */
  readonly due: Instant;
  /** The attempts before the last one, in order; empty without retries. */
  readonly earlier: readonly RetriedAttempt[];
  /** Why no further attempt followed a failure that the plan would try again; `null` for any other end. */
  readonly gaveUp: GaveUpReason | null;
  readonly outcome: Outcome;
}

/** All attempts at an arrival, the last one included; none for one that was never begun. */
export const attemptsOf = (
  observation: Observation,
): readonly (AttemptFacts & Pick<Observation, 'outcome'>)[] =>
  observation.outcome.kind === 'dropped'
    ? observation.earlier
    : [...observation.earlier, observation];

/** Whether at least the first byte of one attempt was written. */
export const wasSent = (observation: Observation): boolean =>
  attemptsOf(observation).some(({ sent }) => sent !== null);
