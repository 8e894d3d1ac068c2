import { loadDuration, type OpenLoad, type RateSegment } from '../model/plan/plan.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { type Arrival, owns, type Slice } from '../model/workload/arrival.ts';
import { type Draw, drawFrom, drawNormal } from '../model/workload/draw.ts';
import type { Trace } from '../model/workload/trace.ts';

/**
 * A segment of a rate curve with a rate above 0. Times are in seconds from the start of the curve, and areas are in
 * arrivals.
 */
interface CurvePiece {
  readonly start: number;
  readonly length: number;
  readonly from: number;
  /** The change of the rate, in arrivals per second². */
  readonly slope: number;
  readonly areaBefore: number;
  readonly areaAtEnd: number;
}

interface RateCurve {
  readonly area: number;
  /**
   * Returns the last time, in seconds, at which the area under the curve is at most `area`. If the area is reached when
   * a pause with rate 0 begins, this time is the end of the pause. `area` must be at least 0 and below the area of the
   * whole curve.
   */
  secondsTo(area: number): number;
}

/**
 * The tolerance of comparisons of areas, in arrivals. An area slightly below the end of a segment counts as beyond the
 * end. A rate of 0.1/s for 30 s therefore gives 3 arrivals, although 0.1 is not a binary fraction.
 */
const areaTolerance = 1e-6;

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

/** Solves from·t + slope·t²/2 = area for t, in a form that avoids cancellation and division by a slope of 0. */
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

const rateCurveOf = (segments: readonly RateSegment[]): RateCurve => {
  const pieces = piecesOf(segments);
  return {
    area: pieces.at(-1)?.areaAtEnd ?? 0,
    secondsTo: (area) => {
      const piece = pieceAt(pieces, area);
      return piece === undefined ? 0 : piece.start + secondsWithin(piece, area - piece.areaBefore);
    },
  };
};

/** Draws gaps in units of the mean gap: the gap before the first arrival, and the gaps between arrivals. */
interface Gaps {
  readonly first: () => number;
  readonly next: () => number;
}

/** Draws a gamma variate with a shape of at least 1 and scale 1, by rejection (Marsaglia and Tsang 2000). */
const drawGammaShapeAtLeast1 = (draw: Draw, shape: number): number => {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = drawNormal(draw);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log1p(-draw.uniform()) < (x * x) / 2 + d * (1 - v + Math.log(v))) {
      return d * v;
    }
  }
};

/** Draws a gamma variate with any shape and scale 1. Shapes below 1 use the boost of Marsaglia and Tsang. */
const drawGamma = (draw: Draw, shape: number): number =>
  shape >= 1
    ? drawGammaShapeAtLeast1(draw, shape)
    : drawGammaShapeAtLeast1(draw, shape + 1) * Math.exp(Math.log1p(-draw.uniform()) / shape);

/**
 * Creates the gaps of a Poisson process. The process has no memory, so its first gap has the same distribution as all
 * other gaps.
 */
const exponentialGaps = (draw: Draw): Gaps => {
  const next = (): number => -Math.log1p(-draw.uniform());
  return { first: next, next };
};

/**
 * Creates gamma gaps with mean 1. The process starts at a random point within a gap, so the mean number of arrivals in
 * an area (rate × time) equals the area. If the process started with a whole gap of shape 0.25, an area of 10 would
 * have a mean of 11.5 arrivals. The first gap is a uniform fraction of a length-biased gap (Cox 1962, Renewal Theory, §
 * 5.2).
 */
const gammaGaps = (draw: Draw, shape: number): Gaps => ({
  first: () => (draw.uniform() * drawGammaShapeAtLeast1(draw, shape + 1)) / shape,
  next: () => drawGamma(draw, shape) / shape,
});

export interface Placement {
  readonly stage: number;
  /** Identifies the stage in random draws. */
  readonly stream: number;
  readonly start: Instant;
  readonly seed: number;
  readonly slice: Slice;
}

/** The index of the random draws for gaps. No request has this index. */
const gapSequence = Number.MAX_SAFE_INTEGER;

/** Returns the number of evenly spaced arrivals, which is the number of integers from 0 to below the area. */
const evenCount = ({ area }: RateCurve): number => Math.max(0, Math.ceil(area - areaTolerance));

function* evenArrivals(
  curve: RateCurve,
  { stage, slice }: Placement,
  dueAt: (area: number) => Instant,
) {
  const count = evenCount(curve);
  for (let index = slice.index; index < count; index += slice.count) {
    yield { stage, index, due: dueAt(index) };
  }
}

/**
 * Generates random arrivals. The gaps between arrivals are drawn as areas under the rate curve, with a mean of 1
 * arrival, so the arrivals have the curve's rate over time (Çinlar 1975). Every slice generates the whole sequence and
 * yields only its own arrivals.
 */
function* randomArrivals(
  curve: RateCurve,
  placement: Placement,
  dueAt: (area: number) => Instant,
  gapsOf: (draw: Draw) => Gaps,
) {
  const { stage, stream, seed, slice, start } = placement;
  const { first, next } = gapsOf(drawFrom(seed, stream, gapSequence));
  let area = first();
  let due = start;
  for (let index = 0; area < curve.area; index += 1) {
    // Two areas that differ in their last bit can round to times in the wrong order. The later arrival then gets the
    // time of the earlier arrival.
    due = instant(Math.max(due, dueAt(area)));
    if (owns(slice, index)) yield { stage, index, due };
    area += next();
  }
}

const gapsOf = (spacing: Exclude<OpenLoad['spacing'], 'even'>): ((draw: Draw) => Gaps) =>
  spacing === 'poisson' ? exponentialGaps : (draw) => gammaGaps(draw, spacing.gamma);

/**
 * Generates the arrivals of an open load that one slice owns, in order. With `even`, arrival n = 0, 1, 2 … is due when
 * the area under the curve reaches n. Example: at 2/s, arrival 3 is due after 1.5 s. With `poisson` and `gamma`, the
 * gaps in this area are random, so the number of arrivals is also random.
 */
export const openArrivals = (load: OpenLoad, placement: Placement): Generator<Arrival, void> => {
  const curve = rateCurveOf(load.curve);
  const { spacing } = load;
  const { start } = placement;
  const end = start + loadDuration(load);
  const last = Math.max(start, end * (1 - Number.EPSILON));
  const dueAt = (area: number): Instant =>
    instant(Math.min(last, start + curve.secondsTo(area) * 1000));
  return spacing === 'even'
    ? evenArrivals(curve, placement, dueAt)
    : randomArrivals(curve, placement, dueAt, gapsOf(spacing));
};

/** Returns the number of arrivals of an open load. The number is exact for even spacing, and a mean for random gaps. */
export const openArrivalCount = (load: OpenLoad): number => {
  const curve = rateCurveOf(load.curve);
  return load.spacing === 'even' ? evenCount(curve) : curve.area;
};

/** Generates the arrivals of a trace that one slice owns, in order. */
export function* traceArrivals(
  trace: Trace,
  { stage, start, slice }: Pick<Placement, 'stage' | 'start' | 'slice'>,
): Generator<Arrival, void> {
  for (let index = slice.index; index < trace.count; index += slice.count) {
    yield { stage, index, due: instant(start + trace.dueAt(index)) };
  }
}
