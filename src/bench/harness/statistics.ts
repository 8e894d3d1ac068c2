/** The upper one of an even number; `NaN` for an empty list and where a value is `NaN`. */
export const median = (values: readonly number[]): number =>
  values.some(Number.isNaN)
    ? Number.NaN
    : (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN);

/** Whether a round counts: less load than its rate is easier to serve. */
export const sustainsRate = (rate: number, target: number): boolean => rate >= 0.95 * target;

const window = 500;

/** `NaN` for an empty list. */
export const percentile = (values: readonly number[], q: number): number =>
  Float64Array.from(values).sort()[Math.min(values.length - 1, Math.floor(values.length * q))] ??
  Number.NaN;

/** How late tokens were written to the socket, in ms, from the times when each was due and when it was sent. */
export const latenessOf = (tokens: readonly { readonly due: number; readonly sent: number }[]) => {
  const late = tokens.map(({ due, sent }) => sent - due);
  const windows = Map.groupBy(late.keys(), (i) => Math.floor(tokens[i]!.due / window));
  // The first and the last are not whole.
  const whole = [...windows].toSorted(([a], [b]) => a - b).slice(1, -1);
  const p99s = whole.map(([, tokensOf]) =>
    percentile(
      tokensOf.map((i) => late[i]!),
      0.99,
    ),
  );
  return {
    p50: percentile(late, 0.5),
    p99: percentile(late, 0.99),
    max: percentile(late, 1),
    /** The median of the 99th percentiles of each half second: a pause of the machine cannot move it. */
    medianP99: percentile(p99s, 0.5),
    /** Tokens that were sent before they were due. */
    early: late.filter((lateness) => lateness < 0).length,
  };
};
export type Lateness = ReturnType<typeof latenessOf>;
