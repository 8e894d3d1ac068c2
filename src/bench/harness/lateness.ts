/** How late tokens were handed to the socket. All in ms. */
export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The 99th percentile of each half second, and of these the median: what a pause of the machine cannot move. */
  readonly medianP99: number;
  /** Tokens that were sent before they were due. */
  readonly early: number;
}

const window = 500;

const percentile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

/** When a token was due and when it was sent, in ms on one clock. */
export interface TokenTime {
  readonly due: number;
  readonly sent: number;
}

export const latenessOf = (tokens: readonly TokenTime[]): Lateness => {
  const late = tokens.map(({ due, sent }) => sent - due);
  const windows = Map.groupBy(late.keys(), (i) => Math.floor(tokens[i]!.due / window));
  // The first and the last are not whole.
  const whole = [...windows].toSorted(([a], [b]) => a - b).slice(1, -1);
  const p99s = whole.map(([, indices]) =>
    percentile(Float64Array.from(indices, (i) => late[i]!).sort(), 0.99),
  );
  const sorted = Float64Array.from(late).sort();
  return {
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max: percentile(sorted, 1),
    medianP99: percentile(Float64Array.from(p99s).sort(), 0.5),
    early: late.filter((lateness) => lateness < 0).length,
  };
};
