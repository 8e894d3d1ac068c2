/**
 * The span of a request of a key, whatever its outcome. A limiter can have counted it at any moment of the span, in ms.
 */
export interface RequestSpan {
  readonly from: number;
  readonly until: number;
}

/**
 * The number of earlier requests that a fresh key may have. An empty bucket may lack as many, and some buckets go into
 * debt by one.
 */
export const maxFreshRequests = 2;

/** The requests of a key. */
export interface KeyHistory {
  readonly requests: readonly RequestSpan[];
  /** Whether the key was certainly idle before the first request, for example because its headers said so. */
  readonly isIdleBefore: boolean;
  /**
   * Whether at most `maxFreshRequests` requests were counted before the first one, for example a request for the list
   * of models.
   */
  readonly isFreshBefore?: boolean;
}
