/** What `weir check` reports of servers of others, each finding held against the server's source or documentation by hand. */
export interface VerifiedFinding {
  /** Checks, with a space between two. */
  readonly checks: string;
  /** What the server does. */
  readonly what: string;
  /** Where it says so. */
  readonly reference: string;
  readonly isTrue: boolean;
}

/** A finding that the source bears out. */
export const found = (checks: string, what: string, reference: string): VerifiedFinding => ({
  checks,
  what,
  reference,
  isTrue: true,
});

/** The checks of ranges, without that of `temperature-below`, which some servers have. */
export const ranges =
  'temperature-above top_p-below top_p-above presence_penalty-below presence_penalty-above frequency_penalty-below frequency_penalty-above stop-five stream-refused';
