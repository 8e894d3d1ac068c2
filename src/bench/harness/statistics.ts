/** The upper one of an even number; `NaN` for an empty list and where a value is `NaN`. */
export const median = (values: readonly number[]): number =>
  values.some(Number.isNaN)
    ? Number.NaN
    : (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN);

/** Measures candidates in turn, round by round, since other load on the machine comes and goes. */
export const alternate = async <Candidate, Measurement>(
  rounds: number,
  candidates: readonly Candidate[],
  measure: (candidate: Candidate, round: number) => Promise<Measurement>,
): Promise<ReadonlyMap<Candidate, readonly Measurement[]>> => {
  const all = new Map(candidates.map((candidate) => [candidate, [] as Measurement[]]));
  for (let round = 1; round <= rounds; round += 1)
    for (const [candidate, measured] of all) measured.push(await measure(candidate, round));
  return all;
};

/** A round counts if it reached this share of its rate: less load is easier to serve. */
const minSustainedShare = 0.95;

export const sustainsRate = (rate: number, target: number): boolean =>
  rate >= minSustainedShare * target;

/** When a token was due and when it was sent, in ms on one clock. */
export interface TokenTime {
  readonly due: number;
  readonly sent: number;
}

/** How late tokens were written to the socket, in ms. */
export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The median of the 99th percentiles of each half second: a pause of the machine cannot move it. */
  readonly medianP99: number;
  /** Tokens that were sent before they were due. */
  readonly early: number;
}

const window = 500;

const percentile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

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
