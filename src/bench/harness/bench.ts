/** One figure of a bench and its bound. */
export interface BenchRow {
  readonly what: string;
  /** `NaN` if it was not measured; `what` says why. */
  readonly value: number;
  /** The unit, such as `ms` or `×`. */
  readonly unit: string;
  /** `null` for a figure without a bound. */
  readonly bound: { readonly kind: 'at least' | 'at most'; readonly value: number } | null;
  /** The same figure of a bare reference in the same run. */
  readonly reference?: number;
}

export const atMost = (value: number) => ({ kind: 'at most', value }) as const;
export const atLeast = (value: number) => ({ kind: 'at least', value }) as const;

export const benchRow = (
  what: string,
  unit: string,
  value: number,
  bound: BenchRow['bound'] = null,
): BenchRow => ({ what, value, unit, bound });

/** Makes rows of a candidate's figures, each beside the same figure of its bare reference. */
export const rowsBeside =
  <Measured>(own: Measured, bare: Measured) =>
  (
    what: string,
    unit: string,
    of: (measured: Measured) => number,
    bound: BenchRow['bound'] = null,
  ): BenchRow => ({ ...benchRow(what, unit, of(own), bound), reference: of(bare) });

/** Prints progress. */
export type Say = (text: string) => void;

/** A part of a bench. It measures everything that it compares in the same run: figures of another day or machine prove nothing. */
export type BenchPart = (say: Say) => Promise<readonly BenchRow[]>;

export interface Bench {
  readonly name: string;
  /** What it measures, in one line. */
  readonly about: string;
  /** The parts, in order. */
  readonly parts: readonly BenchPart[];
}

/** How candidates are measured: in turn, round by round, since other load on the machine comes and goes. */
interface Turns<Candidate extends string, Measurement> {
  readonly rounds: number;
  readonly candidates: readonly Candidate[];
  readonly measure: (candidate: Candidate) => Promise<Measurement>;
  /** To print progress. */
  readonly title?: string;
  readonly describe?: (measurement: Measurement) => string;
}

/** The measurements of each candidate, in the order of the rounds. */
export const takeTurns = async <Candidate extends string, Measurement>(
  say: Say,
  { title, rounds, candidates, measure, describe }: Turns<Candidate, Measurement>,
): Promise<Readonly<Record<Candidate, readonly Measurement[]>>> => {
  const all = Object.fromEntries(candidates.map((name) => [name, [] as Measurement[]]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const candidate of candidates) {
      const measurement = await measure(candidate);
      all[candidate]!.push(measurement);
      if (describe) say(`${title}, round ${round}: ${candidate} ${describe(measurement)}`);
    }
  }
  return all as Record<Candidate, Measurement[]>;
};

export type BoundOutcome = 'kept' | 'BROKEN' | 'inconclusive' | 'not measured';

/** Compares a row with its bound. If the reference breaks the bound too, the machine is to blame and the row is inconclusive. */
export const boundOutcomeOf = ({ value, bound, reference }: BenchRow): BoundOutcome | null => {
  // An infinite lateness means that nothing arrived, which breaks the bound; any other infinite
  // figure, such as a ratio to a client that did nothing, is no measurement.
  if (Number.isNaN(value) || (bound?.kind !== 'at most' && value === Infinity)) {
    return 'not measured';
  }
  if (bound === null) return null;
  const meetsBound = (figure: number): boolean =>
    bound.kind === 'at least' ? figure >= bound.value : figure <= bound.value;
  if (meetsBound(value)) return 'kept';
  const isInconclusive =
    reference !== undefined && !Number.isNaN(reference) && !meetsBound(reference);
  return isInconclusive ? 'inconclusive' : 'BROKEN';
};
