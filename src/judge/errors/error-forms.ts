import type { MeasureName } from '../../model/measures/measures.ts';
import type { DelayName } from '../../model/measures/read-delays.ts';

/** How a figure follows from a duration that is off by `e` ms; `scale` is what the duration is divided by, or divides. */
export interface ErrorForm {
  readonly delay: DelayName;
  /** Whether the duration begins with a read too. */
  readonly isBetweenReads?: true;
  /** The measure by which a request's duration is divided (`per`), or which is divided by it (`rate`); in samples of the same requests. */
  readonly per?: MeasureName;
  readonly rate?: MeasureName;
  /** How much of `per` does not count: of a stream's tokens the first. */
  readonly uncounted?: number;
  /** Where the delays of each sample are known: the distributions of the least and the greatest that it can have been. */
  readonly between?: readonly [DelayName, DelayName];
  /** The greatest of the durations of a request: any of its reads can have moved it. */
  readonly isGreatest?: true;
}

const fromStart = { delay: 'first' } as const;
const atEnd = { delay: 'end' } as const;

/** Measures that are not times, or times that Weir sets itself, have no error. */
export const errorForms: Readonly<Partial<Record<MeasureName, ErrorForm>>> = {
  ttft: fromStart,
  ttftService: fromStart,
  firstEvent: fromStart,
  firstVisible: fromStart,
  headers: fromStart,
  connect: fromStart,
  gap: { delay: 'tokens', isBetweenReads: true, between: ['gapLow', 'gapHigh'] },
  stall: { delay: 'tokens', isBetweenReads: true, isGreatest: true },
  tpot: { delay: 'tokens', isBetweenReads: true, per: 'outputTokens', uncounted: 1 },
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

/** A figure at the lower or upper end of what a duration that is off by `e` ms allows; `scale` as in `ErrorForm`. */
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
