import type { OutcomeCounts } from '../../model/measures/counts.ts';
import { outcomeKinds } from '../../model/observation/outcome.ts';
import { emptyHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { measures } from '../../model/measures/measures.ts';
import { type Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Instant, type Milliseconds, milliseconds } from '../../model/quantity.ts';
import { scheduledEnd, stageStarts } from '../../schedule/stages.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import type { SliceProgress } from '../../engine/slice-options.ts';
import type { Screen } from '../../platform/screen.ts';
import {
  progressBlock,
  progressLine,
  progressMeasure,
  stageLine,
  type RunProgress,
} from '../../report/terminal/progress.ts';

/** Plain lines come this often where a block cannot be drawn over. */
const lineInterval = 10_000;
/** A block is redrawn this often: four times a second reads calmly. */
export const redrawInterval = 250;

/** What live figures are made of: how arrivals ended, and each kind's samples of `progressMeasure`. */
export interface LiveFigures {
  readonly outcomes: OutcomeCounts;
  readonly samples: readonly (readonly [TrafficKind, readonly number[]])[];
}

/** The samples of an observation that are shown live. */
const liveSamples = (observation: Observation): Float64Array | readonly number[] =>
  measures[progressMeasure(observation.traffic)].of(observation);

/** Gathers news where they happen, for whoever shows them; each is taken once. */
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

/** What people see while a run is on. */
export interface LiveDisplay {
  record(observation: Observation): void;
  addFigures(figures: LiveFigures): void;
  draw(now: number, motion: SliceProgress): void;
}

/** A run as it is shown: its stages by when they begin. */
interface DisplayedRun {
  readonly name: string;
  readonly scheduled: Milliseconds;
  readonly stages: readonly { readonly name: string; readonly begins: Instant }[];
}

export const displayedRun = (plan: Plan): DisplayedRun => ({
  name: plan.name,
  scheduled: milliseconds(scheduledEnd(plan)),
  stages: stageStarts(plan).map((begins, i) => ({ begins, name: plan.stages[i]!.name })),
});

/** The stage that is on at a moment of the load. */
const stageAt = ({ stages, scheduled }: DisplayedRun, now: number): RunProgress['stage'] => {
  const index = stages.findLastIndex(({ begins }) => begins <= now);
  const stage = stages[index];
  return stages.length < 2 || stage === undefined || now >= scheduled
    ? null
    : { name: stage.name, number: index + 1, of: stages.length };
};

/** Keeps the few figures that are shown live, as exact as the report’s; the result is recorded elsewhere. */
export const openLiveDisplay = (screen: Screen, displayed: DisplayedRun): LiveDisplay => {
  const { stages, ...run } = displayed;
  const outcomes = emptyOutcomeCounts();
  const latencies = new Map<TrafficKind, Histogram>();
  let lastLine = 0;
  let startedStages = 0;
  const progressAt = (now: number, motion: SliceProgress): RunProgress => ({
    ...run,
    ...motion,
    stage: stageAt(displayed, now),
    elapsed: now,
    outcomes,
    latencies,
  });
  const recordAll = (kind: TrafficKind, samples: Iterable<number>): void => {
    const latency = latencies.get(kind) ?? emptyHistogram();
    latencies.set(kind, latency);
    for (const sample of samples) latency.record(sample);
  };
  return {
    record: (observation) => {
      outcomes[observation.outcome.kind] += 1;
      recordAll(observation.traffic, liveSamples(observation));
    },
    addFigures: (figures) => {
      for (const kind of outcomeKinds) outcomes[kind] += figures.outcomes[kind];
      for (const [kind, samples] of figures.samples) recordAll(kind, samples);
    },
    draw: (now, motion) => {
      if (screen.live) {
        screen.block(progressBlock(progressAt(now, motion), screen.width));
        return;
      }
      for (; (stages[startedStages]?.begins ?? now + 1) <= now; startedStages += 1) {
        const { name, begins } = stages[startedStages]!;
        // A single one begins with the run.
        if (stages.length > 1) screen.line(stageLine(name, begins));
      }
      if (now - lastLine < lineInterval) return;
      lastLine = now;
      screen.line(progressLine(progressAt(now, motion)));
    },
  };
};
