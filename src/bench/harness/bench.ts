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

/** An upper bound. */
export const atMost = (value: number) => ({ kind: 'at most', value }) as const;
/** A lower bound. */
export const atLeast = (value: number) => ({ kind: 'at least', value }) as const;

/** A row without a bare reference. */
export const benchRow = (
  what: string,
  value: number,
  unit: string,
  bound: BenchRow['bound'] = null,
): BenchRow => ({ what, value, unit, bound });

/** Prints progress. */
export type Say = (text: string) => void;

/** A part of a bench. It measures everything that it compares in the same run: figures of another day or machine prove nothing. */
export type BenchPart = (say: Say) => Promise<readonly BenchRow[]>;

export interface Bench {
  readonly name: string;
  /** What it measures, in one line. */
  readonly about: string;
  /** It takes so long that it runs only if it is named. */
  readonly onlyByName?: true;
  /** The parts, in order. */
  readonly parts: readonly BenchPart[];
}

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
