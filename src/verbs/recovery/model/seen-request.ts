/** The ways in which clients retry: never, only when the target names a wait, or with their own waits. */
export const retryPolicies = ['none', 'retry-after', 'backoff'] as const;
export type RetryPolicy = (typeof retryPolicies)[number];

/**
 * When a policy's base (`from`), overload (`peak`) and time after the overload (`gone`) begin, and when this time ends
 * (`until`), in ms since the run began.
 */
export interface PolicyPhases {
  readonly policy: RetryPolicy;
  readonly from: number;
  readonly peak: number;
  readonly gone: number;
  readonly until: number;
}

/** What the judges know about a request. Instants are in ms since the run began. */
export interface SeenRequest {
  readonly policy: string;
  readonly due: number;
  readonly ended: number;
  /** The instant of the first token, or of the end of an answer that is not streamed; infinite for a failure. */
  readonly came: number;
  /** The attempts of the request. Each attempt has the instant of sending, and whether the target answered. */
  readonly attempts: readonly { readonly sent: number; readonly isAnswered: boolean }[];
  /** How many times the target named a wait before the next attempt. */
  readonly named: number;
}
