/** One figure of a bench, and what it must reach. */
export interface BenchRow {
  readonly what: string;
  /** Not a number where it could not be measured; `what` says why. */
  readonly value: number;
  /** What the value is in, such as `ms` or `×`. */
  readonly unit: string;
  /** The bound that the value must keep; `null` for a figure that only informs. */
  readonly bound: { readonly kind: 'at least' | 'at most'; readonly value: number } | null;
  /** The same figure of a bare reference in the same run, where there is one. */
  readonly ruler?: number;
}

/** Measures something in this very run; absolute figures of another day or machine prove nothing. */
export interface Bench {
  readonly name: string;
  /** What it measures, in a line. */
  readonly about: string;
  /** It takes so long that only its name starts it. */
  readonly onlyByName?: true;
  run(say: (text: string) => void): Promise<readonly BenchRow[]>;
}

export type BoundOutcome = 'kept' | 'BROKEN' | 'not decided' | 'not measured';

/** A bound that the reference breaks too says something of the machine and nothing of the code. */
export const boundOutcomeOf = ({ value, bound, ruler }: BenchRow): BoundOutcome | null => {
  // Of a lateness, infinity says that it never came, which breaks a bound; elsewhere, as of a ratio to a rival
  // that did nothing, it is no figure.
  if (Number.isNaN(value) || (bound?.kind !== 'at most' && value === Infinity)) {
    return 'not measured';
  }
  if (bound === null) return null;
  const meetsBound = (figure: number): boolean =>
    bound.kind === 'at least' ? figure >= bound.value : figure <= bound.value;
  if (meetsBound(value)) return 'kept';
  return ruler === undefined || Number.isNaN(ruler) || meetsBound(ruler) ? 'BROKEN' : 'not decided';
};
