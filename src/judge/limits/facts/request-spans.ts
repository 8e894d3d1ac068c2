/** A request of a key, whatever became of it: a limiter can have counted it at any moment of the span, in ms. */
export interface RequestSpan {
  readonly from: number;
  readonly until: number;
}

/** All requests of a key. */
export interface KeyHistory {
  readonly requests: readonly RequestSpan[];
  /** Whether the key was certainly idle before the first request, for example because its headers said so. */
  readonly isIdleBefore: boolean;
}
