import type { MeasureName } from '../../model/measures/measures.ts';
import type { DelayName } from '../../model/measures/read-delays.ts';

/** Describes how an error of `e` ms in a duration changes a figure. `scale` below is the value of `per` or `rate`. */
export interface ErrorForm {
  readonly delay: DelayName;
  /** Whether the duration also begins with a read. */
  readonly isBetweenReads?: true;
  /**
   * The measure that divides the duration of a request (`per`), or that is divided by it (`rate`). Its samples are of
   * the same requests.
   */
  readonly per?: MeasureName;
  readonly rate?: MeasureName;
  /** The number of units of `per` that do not count. For example a stream's first token. */
  readonly excludedUnits?: number;
  /**
   * The distributions of the least and the greatest value that each sample can truly have, where the delays of each
   * sample are known.
   */
  readonly between?: readonly [DelayName, DelayName];
  /**
   * Whether the figure is the greatest of several durations of a request. Any of its reads can then have changed it.
   */
  readonly isGreatest?: true;
}

const fromStart = { delay: 'first' } as const;
const atEnd = { delay: 'end' } as const;

/** The error form of each measure. Measures that are not times, and times that Weir sets itself, have no error. */
export const errorForms: Readonly<Partial<Record<MeasureName, ErrorForm>>> = {
  ttft: fromStart,
  ttftService: fromStart,
  firstEvent: fromStart,
  firstVisible: fromStart,
  headers: fromStart,
  connect: fromStart,
  gap: { delay: 'tokens', isBetweenReads: true, between: ['gapLow', 'gapHigh'] },
  stall: { delay: 'tokens', isBetweenReads: true, isGreatest: true },
  tpot: { delay: 'tokens', isBetweenReads: true, per: 'outputTokens', excludedUnits: 1 },
  outputSpeed: { delay: 'tokens', isBetweenReads: true, rate: 'outputTokens' },
  closing: { delay: 'end', isBetweenReads: true },
  firstAudio: fromStart,
  firstByte: fromStart,
  speechFactor: { ...atEnd, per: 'speechSeconds' },
  speakingSpeed: { ...atEnd, rate: 'characters' },
  transcriptionFactor: { ...atEnd, per: 'clipSeconds' },
  endToEnd: atEnd,
  serviceTime: atEnd,
};

/**
 * Returns the figure at the lower and upper end of what a duration with an error of `e` ms allows. `scale` is as in
 * `ErrorForm`.
 */
export const shiftedFigure = (
  { per, rate }: ErrorForm,
  value: number,
  e: number,
  scale: number,
): { readonly lower: number; readonly upper: number } => {
  if (e === 0) return { lower: value, upper: value };
  if (rate !== undefined) {
    const share = (e / 1000) * (value / scale);
    return {
      lower: value / (1 + share),
      upper: share < 1 ? value / (1 - share) : Number.POSITIVE_INFINITY,
    };
  }
  const error = per === undefined ? e : e / scale;
  return { lower: Math.max(0, value - error), upper: value + error };
};
