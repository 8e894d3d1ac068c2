import type { Arrival } from '../model/workload/arrival.ts';
import { instant } from '../model/quantity.ts';
import type { Trace } from '../model/workload/trace.ts';
import type { Placement } from './open-arrivals.ts';

/** The arrivals of a trace that one slice owns, in order: request n of the trace is arrival n of the stage. */
export function* traceArrivals(
  trace: Trace,
  { stage, start, slice }: Pick<Placement, 'stage' | 'start' | 'slice'>,
): Generator<Arrival, void> {
  for (let index = slice.index; index < trace.count; index += slice.count) {
    yield { stage, index, due: instant(start + trace.dueAt(index)) };
  }
}
