/** How clients retry: never, when the target says so, or when they choose, whatever it says. */
export const retryPolicies = ['none', 'retry-after', 'backoff'] as const;
export type RetryPolicy = (typeof retryPolicies)[number];

/** When the base, the overload (`peak`) and the time after it (`gone`) of a policy begin, in ms since the run began. */
export interface PolicyPhases {
  readonly policy: RetryPolicy;
  readonly from: number;
  readonly peak: number;
  readonly gone: number;
  readonly until: number;
}

/** What the judges know of a request. Instants are in ms since the run began. */
export interface SeenRequest {
  readonly policy: string;
  readonly due: number;
  readonly ended: number;
  /** When its first token, or the end of an answer that is not streamed, came; infinite for a failure. */
  readonly came: number;
  /** Its attempts: when each was sent, and whether the target answered it at all. */
  readonly attempts: readonly { readonly sent: number; readonly isAnswered: boolean }[];
  /** How often the target named a wait before the next attempt. */
  readonly named: number;
}
