import type { SharedProgress } from '../../model/rendezvous/records.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { outcomeKinds } from '../../model/observation/outcome.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { liveSamples } from './live-display.ts';
import type { RunObserver } from './observer.ts';

/** Values are shared in steps of this factor: enough to watch, and a few numbers for any number of requests. */
const step = Math.log(1.05);
/** The smallest value that is told from 0, in the measure's unit. */
const least = 0.01;

const stepOf = (value: number): number =>
  value <= least ? 0 : 1 + Math.floor(Math.log(value / least) / step);
const valueOf = (index: number): number =>
  index === 0 ? 0 : least * Math.exp((index - 0.5) * step);

/** Counts what others may watch of a slice while it runs; an observation costs one addition. */
export const shareProgress = () => {
  const outcomes = emptyOutcomeCounts();
  const counts = new Map<TrafficKind, Map<number, number>>();
  let at = { elapsed: 0, due: 0, inFlight: 0 };
  let hasStarted = false;
  const add = (kind: TrafficKind, samples: Iterable<number>): void => {
    const ofKind = counts.get(kind) ?? new Map<number, number>();
    counts.set(kind, ofKind);
    for (const sample of samples) {
      const index = stepOf(sample);
      ofKind.set(index, (ofKind.get(index) ?? 0) + 1);
    }
  };
  const observer: RunObserver = {
    onStart: () => {
      hasStarted = true;
    },
    onObservation: (observation) => {
      outcomes[observation.outcome.kind] += 1;
      add(observation.traffic, liveSamples(observation));
    },
    onWorkerUpdate: ({ figures }) => {
      for (const kind of outcomeKinds) outcomes[kind] += figures.outcomes[kind];
      for (const [kind, samples] of figures.samples) add(kind, samples);
    },
    onTick: (now, { due, inFlight }) => {
      at = { elapsed: now, due, inFlight };
    },
  };
  /** What there is to share so far; `null` before the clock has started. */
  const take = (): SharedProgress | null =>
    hasStarted
      ? {
          ...at,
          outcomes: { ...outcomes },
          latencies: Object.fromEntries(
            [...counts].map(([kind, ofKind]) => [
              kind,
              [...ofKind].map(([index, times]): [number, number] => [valueOf(index), times]),
            ]),
          ),
        }
      : null;
  return { observer, take };
};
