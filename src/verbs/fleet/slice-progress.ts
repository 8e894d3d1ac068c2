import type { SharedProgress } from './model/records.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { outcomeKinds } from '../../model/observation/outcome.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { liveSamples } from '../../run/watch/live-display.ts';
import type { RunObserver } from '../../run/watch/observer.ts';

/**
 * The factor between neighbouring steps of values, as a logarithm: the largest value of a step is 5 % above the
 * smallest. For each step, a worker sends the number of values and their mean. These numbers are exact enough for
 * watching a run, and there are few of them even for many requests. The mean of a step always lies within the range of
 * the step's values.
 */
const step = Math.log(1.05);
/** All values up to this one, in the measure's unit, share the lowest step. */
const least = 0.01;

const stepOf = (value: number): number =>
  value <= least ? 0 : 1 + Math.floor(Math.log(value / least) / step);

interface StepValues {
  count: number;
  sum: number;
}

/** Returns the mean of the values, rounded to thousandths to keep the record short. */
const meanOf = ({ count, sum }: StepValues): number => Math.round((sum / count) * 1000) / 1000;

/** Collects the progress of a running slice for the coordinator. Each observation costs two additions. */
export const shareProgress = () => {
  const outcomes = emptyOutcomeCounts();
  const counts = new Map<TrafficKind, Map<number, StepValues>>();
  let at = { elapsed: 0, due: 0, inFlight: 0 };
  let hasStarted = false;
  const add = (kind: TrafficKind, samples: Iterable<number>): void => {
    const ofKind = counts.get(kind) ?? new Map<number, StepValues>();
    counts.set(kind, ofKind);
    for (const sample of samples) {
      const index = stepOf(sample);
      const values = ofKind.get(index) ?? { count: 0, sum: 0 };
      ofKind.set(index, values);
      values.count += 1;
      values.sum += sample;
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
  /** Returns the progress so far; `null` before the clock has started. */
  const take = (): SharedProgress | null =>
    hasStarted
      ? {
          ...at,
          outcomes: { ...outcomes },
          latencies: Object.fromEntries(
            [...counts].map(([kind, ofKind]) => [
              kind,
              [...ofKind.values()].map((values): [number, number] => [
                meanOf(values),
                values.count,
              ]),
            ]),
          ),
        }
      : null;
  return { observer, take };
};
