import { drawFrom } from '../../model/workload/draw.ts';

/** One run of a sweep: its point and which of the point’s runs it is, both from 0. */
export interface SweepSlot {
  readonly point: number;
  readonly repetition: number;
}

/** Keeps the order apart from everything else that is drawn from the seed. */
const orderDraw = 0x5_eed;

/**
 * The order of all runs. Each repetition is a block with every point once, in an order of its own (Fisher and
 * Yates), so that a drift of the environment falls on no value in particular.
 */
export const sweepOrder = (
  points: number,
  repetitions: number,
  seed: number,
): readonly SweepSlot[] =>
  Array.from({ length: repetitions }, (_, repetition) => {
    const draw = drawFrom(seed, orderDraw, repetition);
    const order = Array.from({ length: points }, (__, point) => point);
    for (let last = points - 1; last > 0; last -= 1) {
      const other = Math.floor(draw.uniform() * (last + 1));
      [order[last], order[other]] = [order[other]!, order[last]!];
    }
    return order.map((point) => ({ point, repetition }));
  }).flat();
