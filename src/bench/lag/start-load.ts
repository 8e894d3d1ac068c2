/** An open load whose starts are measured, alone or beside streams. */
export interface StartLoadOptions {
  /** Starts a second, those of streams among them. */
  readonly rate: number;
  /** Of them in flight at a time, once the first of them ended. */
  readonly streams: number;
  /** The most that may be in flight; what is due beyond is not begun. */
  readonly inFlight: number;
  /** How long a stream goes on, in seconds. */
  readonly streamSeconds: number;
  /** Whole seconds over which the rate rises, evenly from `rampStartShare` of it, before all else. */
  readonly rampSeconds: number;
  /** Whole seconds at the full rate before those that are measured. */
  readonly warmUp: number;
  /** Whole seconds that are measured. */
  readonly seconds: number;
}

/** The share of the starts that begin a stream, so that as many are in flight as are asked for. */
export const streamShare = ({ rate, streams, streamSeconds }: StartLoadOptions): number =>
  streams / streamSeconds / rate;

/** The share of its rate that a load rises from. */
export const rampStartShare = 0.1;

/** When, in ms from the beginning, the start with an index is due. */
export const startDueAt = ({ rate, rampSeconds }: StartLoadOptions, index: number): number => {
  const first = rate * rampStartShare;
  const startsInRamp = ((first + rate) / 2) * rampSeconds;
  if (index >= startsInRamp) return (rampSeconds + (index - startsInRamp) / rate) * 1000;
  // `first` × t + `growth` × t² / 2 have begun by t.
  const growth = (rate - first) / rampSeconds;
  return ((Math.sqrt(first ** 2 + 2 * growth * index) - first) / growth) * 1000;
};
