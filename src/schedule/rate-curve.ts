import type { RateSegment } from '../model/plan/plan.ts';

/** A segment of a curve with a rate and a length above 0. Areas are numbers of arrivals. */
interface CurvePiece {
  /** The start of the piece, in seconds since the start of the curve. */
  readonly start: number;
  /** The length of the piece, in seconds. */
  readonly length: number;
  /** The rate at its start, per second. */
  readonly from: number;
  /** The change of the rate, per second². */
  readonly slope: number;
  /** The area under everything before this piece. */
  readonly areaBefore: number;
  /** The area under everything up to the end of this piece. */
  readonly areaAtEnd: number;
}

/** A rate curve. Its `area` is its number of arrivals. */
export interface RateCurve {
  readonly area: number;
  /**
   * Returns the last time, in seconds since the start of the curve, at which the area does not exceed `area` (0 ≤ area
   * < the whole). A pause at rate 0 belongs to the arrivals before it.
   */
  secondsTo(area: number): number;
}

/**
 * The tolerance of areas, in arrivals. Sums of a few hundred segments are far more exact. An area this close to the end
 * of a segment counts as after it, so that 0.1/s for 30 s means 3 arrivals although 0.1 is no binary fraction.
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

/** Solves from·t + slope·t²/2 = area for t, in the form that neither cancels nor divides by a slope of 0. */
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
