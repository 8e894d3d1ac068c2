import { outcomeKinds } from '../../model/observation/outcome.ts';
import { emptyHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { tabledSamples } from '../../model/measures/measures.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import { scheduledEnd, stageStarts } from '../../schedule/stages.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import type { Screen } from '../../platform/screen.ts';
import {
  type AnnouncedStage,
  progressBlock,
  progressLine,
  progressMeasure,
  stageLine,
  type RunProgress,
} from '../../report/run/progress.ts';
import type { LiveFigures, RunObserver } from './observer.ts';
import type { ProgressReport } from '../input/run-report.ts';

/** An output that cannot redraw a block gets a line of progress at this interval, in ms. */
const lineInterval = 10_000;

/** Returns the samples of an observation that the live display shows. The tables of a report count the same samples. */
export const liveSamples = (observation: Observation): Float64Array | readonly number[] =>
  tabledSamples(progressMeasure(observation.traffic), observation);

/**
 * Collects the live figures of a worker. `take` returns the figures since its last call, so no figure is sent twice.
 */
export const collectLiveFigures = () => {
  let outcomes = emptyOutcomeCounts();
  let samples = new Map<TrafficKind, number[]>();
  return {
    record: (observation: Observation): void => {
      const { traffic, outcome } = observation;
      outcomes[outcome.kind] += 1;
      const kindSamples = samples.get(traffic) ?? [];
      samples.set(traffic, kindSamples);
      kindSamples.push(...liveSamples(observation));
    },
    take: (): LiveFigures => {
      const figures = { outcomes, samples: [...samples] };
      outcomes = emptyOutcomeCounts();
      samples = new Map();
      return figures;
    },
  };
};

const announced = ({
  name,
  population,
}: Plan['stages'][number]): Pick<AnnouncedStage, 'name' | 'population'> => ({ name, population });

export const displayedRun = (plan: Plan) => ({
  name: plan.name,
  scheduled: milliseconds(scheduledEnd(plan)),
  stages: stageStarts(plan)
    .map((begins, i) => ({ begins, ...announced(plan.stages[i]!) }))
    .toSorted((a, b) => a.begins - b.begins),
  /** With populations, several stages run at the same time, so there is no single present stage. */
  ...(plan.populations === undefined ? {} : { areParallel: true }),
});

type DisplayedRun = ReturnType<typeof displayedRun>;

const stageAt = (
  { stages, scheduled, areParallel }: DisplayedRun,
  now: number,
): RunProgress['stage'] => {
  const index = stages.findLastIndex(({ begins }) => begins <= now);
  const stage = stages[index];
  return areParallel || stages.length < 2 || stage === undefined || now >= scheduled
    ? null
    : { name: stage.name, number: index + 1, of: stages.length };
};

/**
 * Shows the progress of a run as a block that is redrawn. On an output that cannot redraw a block, writes a line now
 * and then.
 */
export const openProgressView = (screen: Screen, displayed: DisplayedRun) => {
  const { stages, areParallel: _, ...run } = displayed;
  let lastLine = 0;
  let startedStages = 0;
  return (
    now: number,
    figures: Pick<RunProgress, 'due' | 'inFlight' | 'outcomes' | 'latencies'>,
  ): void => {
    const progress = { ...run, ...figures, stage: stageAt(displayed, now), elapsed: now };
    if (screen.live) {
      screen.block(progressBlock(progress, screen.width));
      return;
    }
    for (; (stages[startedStages]?.begins ?? now + 1) <= now; startedStages += 1) {
      const stage = stages[startedStages]!;
      // No line announces the start of a run's only stage.
      if (stages.length > 1) screen.line(stageLine(stage));
    }
    if (now - lastLine < lineInterval) return;
    lastLine = now;
    screen.line(progressLine(progress));
  };
};

/** Shows the most important figures during a run. They are as exact as in the report. */
export const openLiveDisplay = (screen: Screen, displayed: DisplayedRun): RunObserver => {
  const outcomes = emptyOutcomeCounts();
  const latencies = new Map<TrafficKind, Histogram>();
  const show = openProgressView(screen, displayed);
  const recordAll = (kind: TrafficKind, samples: Iterable<number>): void => {
    const latency = latencies.get(kind) ?? emptyHistogram();
    latencies.set(kind, latency);
    for (const sample of samples) latency.record(sample);
  };
  return {
    onObservation: (observation) => {
      outcomes[observation.outcome.kind] += 1;
      recordAll(observation.traffic, liveSamples(observation));
    },
    onWorkerUpdate: ({ figures }) => {
      for (const kind of outcomeKinds) outcomes[kind] += figures.outcomes[kind];
      for (const [kind, samples] of figures.samples) recordAll(kind, samples);
    },
    onTick: (now, progress) => show(now, { ...progress, outcomes, latencies }),
    // The block is removed, so that it does not stay above the report.
    onEnd: () => screen.clear(),
  };
};

/** A report of progress may come up to this many ms early, since ticks do not fall exactly on seconds. */
const tolerance = 20;

/** Calls `onProgress` with the progress of a run, once a second during the load. */
export const reportProgress = (
  plan: Plan,
  onProgress: (progress: ProgressReport) => void,
): RunObserver => {
  const outcomes = emptyOutcomeCounts();
  const scheduled: number = scheduledEnd(plan);
  let next = 1000;
  return {
    onObservation: (observation) => {
      outcomes[observation.outcome.kind] += 1;
    },
    onWorkerUpdate: ({ figures }) => {
      for (const kind of outcomeKinds) outcomes[kind] += figures.outcomes[kind];
    },
    onTick: (now, { due, inFlight }) => {
      if (now < next - tolerance) return;
      next = (Math.floor((now + tolerance) / 1000) + 1) * 1000;
      onProgress({ elapsed: now, scheduled, due, inFlight, outcomes: { ...outcomes } });
    },
  };
};
