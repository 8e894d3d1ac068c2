import type { Trace } from '../model/workload/trace.ts';
import { type Arrival, owns, type Slice } from '../model/workload/arrival.ts';
import { type Draw, drawFrom } from '../model/workload/draw.ts';
import { loadDuration, type OpenLoad } from '../model/plan/plan.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { type RateCurve, rateCurveOf, areaTolerance } from './rate-curve.ts';
import { exponentialGaps, gammaGaps, type Gaps } from './gaps.ts';

/** The place of a load in a run: its stage, the start of the stage, the plan's seed, and the slice. */
export interface Placement {
  readonly stage: number;
  readonly start: Instant;
  readonly seed: number;
  readonly slice: Slice;
}

/** The index that separates the draws of gaps from those of request contents, which use (seed, stage, index). */
const gapSequence = Number.MAX_SAFE_INTEGER;

/**
 * Returns the number of evenly spaced arrivals, the area rounded up: every whole number n ≥ 0 below the area has an
 * arrival.
 */
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
 * Generates random arrivals. A process of rate 1 along the area of a curve has the curve's rate along time (time-scale
 * transformation, Çinlar 1975). Every slice walks the whole sequence and keeps its own arrivals.
 */
function* randomArrivals(
  curve: RateCurve,
  placement: Placement,
  dueAt: (area: number) => Instant,
  gapsOf: (draw: Draw) => Gaps,
) {
  const { stage, seed, slice, start } = placement;
  const { first, next } = gapsOf(drawFrom(seed, stage, gapSequence));
  let area = first();
  let due = start;
  for (let index = 0; area < curve.area; index += 1) {
    // Two areas that differ in their last bit may round to times in the wrong order.
    due = instant(Math.max(due, dueAt(area)));
    if (owns(slice, index)) yield { stage, index, due };
    area += next();
  }
}

const gapsOf = (spacing: Exclude<OpenLoad['spacing'], 'even'>): ((draw: Draw) => Gaps) =>
  spacing === 'poisson' ? exponentialGaps : (draw) => gammaGaps(draw, spacing.gamma);

/**
 * Generates the arrivals of an open load that one slice owns, in order and on demand. All are due within the stage.
 * With `even`, arrival n = 0, 1, 2 … is due when the area under the curve reaches n: at 2/s arrival 3 is due after 1.5
 * s. The first is due as soon as the rate leaves 0, and their number is the area, rounded up. `poisson` draws
 * exponential gaps in that area, `gamma` gaps of the given shape, so their number is random.
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

/** Returns the number of arrivals of an open load: exact for even spacing, the mean for drawn gaps. */
export const openArrivalCount = (load: OpenLoad): number => {
  const curve = rateCurveOf(load.curve);
  return load.spacing === 'even' ? evenCount(curve) : curve.area;
};

/**
 * Generates the arrivals of a trace that one slice owns, in order. Request n of the trace is arrival n of the stage.
 */
export function* traceArrivals(
  trace: Trace,
  { stage, start, slice }: Pick<Placement, 'stage' | 'start' | 'slice'>,
): Generator<Arrival, void> {
  for (let index = slice.index; index < trace.count; index += slice.count) {
    yield { stage, index, due: instant(start + trace.dueAt(index)) };
  }
}
