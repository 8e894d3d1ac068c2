import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { emptyHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { outcomeKinds } from '../../model/observation/outcome.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import type { SharedProgress } from './model/records.ts';
import { scheduledEnd } from '../../schedule/stages.ts';
import type { Screen } from '../../platform/screen.ts';
import { displayedRun, openProgressView } from '../../run/watch/live-display.ts';
import type { ProgressReport } from '../../run/input/run-report.ts';
import type { SliceState } from './slice-watch.ts';

/** The figures of all slices so far. */
const progressOfAll = (shared: readonly SharedProgress[]) => {
  const outcomes = emptyOutcomeCounts();
  const latencies = new Map<TrafficKind, Histogram>();
  let [due, inFlight, elapsed] = [0, 0, 0];
  for (const progress of shared) {
    due += progress.due;
    inFlight += progress.inFlight;
    elapsed = Math.max(elapsed, progress.elapsed);
    for (const kind of outcomeKinds) outcomes[kind] += progress.outcomes[kind] ?? 0;
    for (const kind of trafficKinds) {
      const values = progress.latencies[kind];
      if (values === undefined) continue;
      const latency = latencies.get(kind) ?? emptyHistogram();
      latencies.set(kind, latency);
      for (const [value, times] of values) latency.record(value, times);
    }
  }
  return { elapsed, due, inFlight, outcomes, latencies };
};

/** Shows the progress of all slices as that of one run, and tells it once a second. */
export const showProgress = (
  plan: Plan,
  screen: Screen | null,
  onProgress: (progress: ProgressReport) => void,
): ((slices: readonly SliceState[]) => void) => {
  const show = screen === null ? null : openProgressView(screen, displayedRun(plan));
  const scheduled: number = scheduledEnd(plan);
  let told = 0;
  return (slices) => {
    const shared = slices.flatMap(({ record }) => record?.progress ?? []);
    if (shared.length === 0) return;
    const { elapsed, ...figures } = progressOfAll(shared);
    show?.(elapsed, figures);
    const second = Math.floor(elapsed / 1000);
    if (second === told) return;
    told = second;
    const { due, inFlight, outcomes } = figures;
    onProgress({ elapsed, scheduled, due, inFlight, outcomes });
  };
};
