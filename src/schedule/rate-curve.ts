import type { RateSegment } from '../model/plan/plan.ts';

/** One segment with rate and length > 0, placed along its curve. Areas are numbers of arrivals. */
interface CurvePiece {
  /** Seconds since the start of the curve, and the length of the piece. */
  readonly start: number;
  readonly length: number;
  readonly from: number;
  /** Change of the rate, per second². */
  readonly slope: number;
  /** The area under everything before this piece, and at its end. */
  readonly areaBefore: number;
  readonly areaAtEnd: number;
}

/** A rate curve by its area; `area` is its number of arrivals. */
export interface RateCurve {
  readonly area: number;
  /**
   * The last time, in seconds since the start of the curve, at which the area does not exceed `area`
   * (0 ≤ area < the whole): a pause at rate 0 belongs to what came before it.
   */
  secondsTo(area: number): number;
}

/**
 * Sums of a few hundred segments are far more exact than this part of an arrival. An area this close to
 * the end of a segment counts as after it, so that 0.1/s for 30 s means 3 arrivals although 0.1 is no
 * binary fraction.
 */
export const areaTolerance = 1e-6;

const piecesOf = (segments: readonly RateSegment[]): readonly CurvePiece[] => {
  const pieces: CurvePiece[] = [];
  let start = 0;
  let areaBefore = 0;
  for (const { from, to, duration } of segments) {
    const length = duration / 1000;
    const areaAtEnd = areaBefore + ((from + to) / 2) * length;
    if (areaAtEnd > areaBefore) {
      pieces.push({ start, length, from, slope: (to - from) / length, areaBefore, areaAtEnd });
    }
    start += length;
    areaBefore = areaAtEnd;
  }
  return pieces;
};

/** Solves from·t + slope·t²/2 = area for t in the form that neither cancels nor divides by a slope of 0. */
const secondsWithin = ({ from, slope, length }: CurvePiece, area: number): number => {
  if (area <= 0) return 0;
  const rate = Math.sqrt(Math.max(0, from * from + 2 * slope * area));
  return Math.min(length, (2 * area) / (from + rate));
};

const pieceAt = (pieces: readonly CurvePiece[], area: number): CurvePiece | undefined => {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle]!.areaAtEnd > area + areaTolerance) high = middle;
    else low = middle + 1;
  }
  return pieces[low];
};

export const rateCurveOf = (segments: readonly RateSegment[]): RateCurve => {
  const pieces = piecesOf(segments);
  return {
    area: pieces.at(-1)?.areaAtEnd ?? 0,
    secondsTo: (area) => {
      const piece = pieceAt(pieces, area);
      return piece === undefined ? 0 : piece.start + secondsWithin(piece, area - piece.areaBefore);
    },
  };
};
