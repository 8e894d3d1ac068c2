import { type Arrival, owns, type Slice } from '../model/arrival.ts';
import { drawFrom } from '../model/draw.ts';
import { loadDuration, type OpenLoad } from '../model/plan.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { type Curve, curveOf, slack } from './curve.ts';

/** Where in a run a load stands: its stage, the stage's begin, the plan's seed, and whose share is asked for. */
export interface Placement {
  readonly stage: number;
  readonly start: Instant;
  readonly seed: number;
  readonly slice: Slice;
}

/** Sets the sequence of gaps apart from the contents of requests, which are drawn from (seed, stage, index). */
const gapSequence = Number.MAX_SAFE_INTEGER;

/** Every whole number n ≥ 0 whose area lies before the curve's end has an arrival: a begun arrival counts as one. */
const evenCount = ({ area }: Curve): number => Math.max(0, Math.ceil(area - slack));

function* even(curve: Curve, { stage, slice }: Placement, dueAt: (area: number) => Instant) {
  const count = evenCount(curve);
  for (let index = slice.index; index < count; index += slice.count) {
    yield { stage, index, due: dueAt(index) };
  }
}

/**
 * A Poisson process of rate 1 along the area is one of the curve's rate along time (Çinlar 1975,
 * time-scale transformation). Every slice walks the whole sequence and keeps its own.
 */
function* poisson(curve: Curve, placement: Placement, dueAt: (area: number) => Instant) {
  const { stage, seed, slice, start } = placement;
  const draw = drawFrom(seed, stage, gapSequence);
  let area = 0;
  let due = start;
  for (let index = 0; ; index += 1) {
    area -= Math.log1p(-draw.uniform());
    if (area >= curve.area) return;
    // Two areas that differ in their last bit may round to moments in the wrong order.
    due = instant(Math.max(due, dueAt(area)));
    if (owns(slice, index)) yield { stage, index, due };
  }
}

const spacings = { even, poisson } satisfies Record<
  OpenLoad['spacing'],
  (curve: Curve, placement: Placement, dueAt: (area: number) => Instant) => Generator<Arrival, void>
>;

/**
 * The arrivals of an open load that one slice owns, in order, made as they are asked for.
 * `even`: arrival n = 0, 1, 2 … is due when the area under the curve reaches n, so the first is
 * due as soon as the rate leaves 0, and there are as many as the area, rounded up. `poisson`:
 * exponential gaps in that area, as many as chance fits into it. All are due within the stage.
 */
export const openArrivals = (load: OpenLoad, placement: Placement): Generator<Arrival, void> => {
  const curve = curveOf(load.curve);
  const { start } = placement;
  const end = start + loadDuration(load);
  const last = Math.max(start, end * (1 - Number.EPSILON));
  return spacings[load.spacing](curve, placement, (area) =>
    instant(Math.min(last, start + curve.secondsTo(area) * 1000)),
  );
};

/** How many arrivals an open load has: exactly for even spacing, on average for Poisson. */
export const openCount = (load: OpenLoad): number => {
  const curve = curveOf(load.curve);
  return load.spacing === 'even' ? evenCount(curve) : curve.area;
};
