import type { Plan } from '../../model/plan/plan.ts';
import { type FollowedStops, StoppedBeforeLoad } from '../../run/input/follow-stops.ts';
import type { Host, StopCause } from '../../run/input/host.ts';
import type { ProgressReport } from '../../run/input/run-report.ts';
import type { PlanSource } from '../../run/input/read-plan.ts';
import type { RunRequest } from '../../run/input/run-request.ts';
import { type LedRun, type SliceState, isSliceOver } from './lead-run.ts';
import type { LossPolicy } from './loss-policies.ts';
import { monotonicNow } from '../../platform/host/clock.ts';
import { Problem } from '../../platform/problem.ts';
import { pause, sleep } from '../../platform/process/pause.ts';
import { plural, timeText } from '../../report/text/number-text.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { emptyHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { outcomeKinds } from '../../model/observation/outcome.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import type { SharedProgress } from './model/records.ts';
import { scheduledEnd } from '../../schedule/stages.ts';
import type { Screen } from '../../platform/screen.ts';
import { displayedRun, openProgressView } from '../../run/watch/live-display.ts';

export interface CoordinateRequest extends Pick<
  RunRequest,
  'runId' | 'out' | 'extraReports' | 'live' | 'history' | 'yes' | 'strict'
> {
  readonly source: PlanSource;
  readonly slices: number;
  /** The address of the rendezvous, at which coordinator and workers exchange messages. */
  readonly rendezvous: string;
  readonly onLost: LossPolicy;
  /** If the other side is silent for this many ms, it counts as gone. */
  readonly silence: number;
  /** The maximum time to wait for the workers, in ms. */
  readonly wait: number;
}

export interface Coordination {
  readonly request: CoordinateRequest;
  readonly plan: Plan;
  readonly led: LedRun;
  readonly host: Host;
  readonly stops: FollowedStops;
  /** Called once a second, and at the end, with the progress of all slices. */
  readonly onProgress: (progress: ProgressReport) => void;
}

/** The interval at which the coordinator reads the workers' messages, in ms. */
const lookInterval = 250;

const failureBefore = ({ led: { slices, run } }: Coordination): string | null => {
  for (const { index, record, lost } of slices) {
    const name = `slice ${index}/${run.slices}`;
    if (record?.phase === 'failed')
      return `${name} could not begin on ${record.host}: ${record.message}`;
    if (lost !== null) return `${name} was lost before the load (${lost.why})`;
  }
  return null;
};

const readyText = ({ record, index }: SliceState, count: number): string => {
  const { host, clock } = record!;
  const { offset = 0, uncertainty = 0 } = clock ?? {};
  const sign = offset <= -0.05 ? '−' : '+';
  return `Slice ${index}/${count} is ready on ${host}: clock ${sign}${timeText(Math.abs(offset))} ± ${timeText(uncertainty)}`;
};

/**
 * Waits until every slice has a ready worker. Throws a `Problem` if a slice gets none, and `StoppedBeforeLoad` if the
 * user stops the run first.
 */
export const gatherWorkers = async (coordination: Coordination): Promise<void> => {
  const { led, request, host, stops } = coordination;
  const { printer } = host;
  const { slices: count } = led.run;
  const until = monotonicNow() + request.wait;
  const announced = new Set<number>();
  for (;;) {
    await led.turn();
    const problem = failureBefore(coordination);
    if (problem !== null) throw new Problem(`${problem}. Nothing was sent`);
    const ready = led.slices.filter(({ record }) => record?.phase === 'ready');
    for (const state of ready) {
      if (announced.has(state.index)) continue;
      announced.add(state.index);
      printer.say(readyText(state, count));
    }
    if (ready.length === count) return;
    if (monotonicNow() >= until)
      throw new Problem(
        `${ready.length} of ${plural(count, 'worker')} came within ${timeText(request.wait)}: start the others with weir worker --rendezvous ${request.rendezvous}, or wait longer with --wait. Nothing was sent`,
      );
    const stoppedBy = await pause<StopCause>(lookInterval, stops.onStop);
    if (stoppedBy !== null) throw new StoppedBeforeLoad(stoppedBy);
  }
};

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

/** Shows the progress of all slices as one run, and reports it once a second and at the end. */
const showProgress = (
  plan: Plan,
  screen: Screen | null,
  onProgress: (progress: ProgressReport) => void,
): ((slices: readonly SliceState[], isLast: boolean) => void) => {
  const show = screen === null ? null : openProgressView(screen, displayedRun(plan));
  const scheduled: number = scheduledEnd(plan);
  let lastReported = 0;
  return (slices, isLast) => {
    const shared = slices.flatMap(({ record }) => record?.progress ?? []);
    if (shared.length === 0) return;
    const { elapsed, ...figures } = progressOfAll(shared);
    show?.(elapsed, figures);
    const second = Math.floor(elapsed / 1000);
    if (second === lastReported && !isLast) return;
    lastReported = second;
    const { due, inFlight, outcomes } = figures;
    onProgress({ elapsed, scheduled, due, inFlight, outcomes });
  };
};

/**
 * Returns the reason why all slices must stop: a slice was lost, or ended its load too early. Returns `null` if the
 * slices may continue.
 */
const reasonToStop = ({ led: { slices, run }, request }: Coordination): string | null => {
  if (request.onLost === 'degrade') return null;
  for (const { index, lost, record, isCollected } of slices) {
    const name = `slice ${index}/${run.slices}`;
    if (lost !== null)
      return `The others stop, since ${name} is lost (--on-lost degrade lets them go on)`;
    if (isCollected && record?.result?.isWhole === false)
      return `The others stop, since ${name} ended before its load did`;
  }
  return null;
};

/** Follows the load until its end. Returns the cause if the user stopped the load, otherwise `null`. */
export const followLoad = async (coordination: Coordination): Promise<StopCause | null> => {
  const { led, plan, host, stops, onProgress } = coordination;
  const { printer } = host;
  const show = showProgress(plan, printer.screen, onProgress);
  let stoppedBy: StopCause | null = null;
  const release = stops.onStop((cause, times) => {
    stoppedBy ??= cause;
    led.stop(times);
    if (times === 1) printer.say('stopping all slices; press Ctrl-C again to abort their requests');
  });
  const reported = new Set<number>();
  try {
    for (;;) {
      await led.turn();
      const now = monotonicNow();
      const isOver = led.slices.every((state) => isSliceOver(state, now, led.run.silence));
      show(led.slices, isOver);
      if (isOver) return stoppedBy;
      const lost = led.slices.filter((slice) => slice.lost !== null && !reported.has(slice.index));
      for (const { index, lost: loss } of lost) {
        reported.add(index);
        printer.warn(`Slice ${index}/${led.run.slices} is lost: ${loss!.why}.`);
      }
      const reason = led.stops > 0 ? null : reasonToStop(coordination);
      if (reason !== null) {
        printer.warn(`${reason}.`);
        led.stop(1);
      }
      await sleep(lookInterval);
    }
  } finally {
    release();
    printer.screen?.clear();
  }
};
