/** An open load whose starts are measured, alone or beside streams. */
export interface StartOrder {
  /** Starts a second, those of streams among them. */
  readonly rate: number;
  /** Of them in flight at a time, once the first of them ended. */
  readonly streams: number;
  /** The most that may be in flight; what is due beyond is not begun. */
  readonly inFlight: number;
  /** How long a stream goes on, in seconds. */
  readonly lasting: number;
  /** Whole seconds over which the rate rises, evenly from `risesFrom` of it, before all else. */
  readonly rising: number;
  /** Whole seconds at the full rate before those that are measured. */
  readonly warmUp: number;
  /** Whole seconds that are measured. */
  readonly seconds: number;
}

/** The share of the starts that begin a stream, so that as many are in flight as are asked for. */
export const streamShare = ({ rate, streams, lasting }: StartOrder): number =>
  streams / lasting / rate;

/** The share of its rate that a load rises from. */
export const risesFrom = 0.1;

/** When, in ms from the beginning, the start with an index is due. */
export const dueOf = ({ rate, rising }: StartOrder, index: number): number => {
  const first = rate * risesFrom;
  const risen = ((first + rate) / 2) * rising;
  if (index >= risen) return (rising + (index - risen) / rate) * 1000;
  // `first` × t + `growth` × t² / 2 have begun by t.
  const growth = (rate - first) / rising;
  return ((Math.sqrt(first ** 2 + 2 * growth * index) - first) / growth) * 1000;
};
