/** A request of a key, whatever became of it: a limiter can have counted it at any moment of the span, in ms. */
export interface RequestSpan {
  readonly from: number;
  readonly until: number;
}

/** As many as an empty bucket may lack, some of which go into debt by one. */
export const fewRequests = 2;

/** All requests of a key. */
export interface KeyHistory {
  readonly requests: readonly RequestSpan[];
  /** Whether the key was certainly idle before the first request, for example because its headers said so. */
  readonly isIdleBefore: boolean;
  /** Whether at most `fewRequests` were certainly counted before: a list of models for one. */
  readonly isFreshBefore?: boolean;
}
