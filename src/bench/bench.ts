/** One figure of a bench, and what it must reach. */
export interface Row {
  readonly what: string;
  readonly value: number;
  /** What the value is in, such as `ms` or `×`. */
  readonly unit: string;
  /** The bound that the value must keep; `null` for a figure that only informs. */
  readonly bound: { readonly kind: 'at least' | 'at most'; readonly value: number } | null;
}

/** Measures something in this very run; absolute figures of another day or machine prove nothing. */
export interface Bench {
  readonly name: string;
  run(say: (text: string) => void): Promise<readonly Row[]>;
}

export const isKept = ({ value, bound }: Row): boolean =>
  bound === null || (bound.kind === 'at least' ? value >= bound.value : value <= bound.value);
