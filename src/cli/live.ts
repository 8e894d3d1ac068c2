import { emptyHistogram, type Histogram } from '../model/histogram.ts';
import { measures } from '../model/measures.ts';
import { type Observation, outcomeKinds } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { type Instant, type Milliseconds, milliseconds } from '../model/quantity.ts';
import type { OutcomeCounts } from '../model/result.ts';
import { scheduledEnd, stageStarts } from '../schedule/stages.ts';
import { emptyOutcomes } from '../model/outcomes.ts';
import type { TrafficKind } from '../model/traffic.ts';
import type { Motion } from '../engine/slice-order.ts';
import type { Screen } from '../platform/screen.ts';
import {
  progressBlock,
  progressLine,
  progressMeasure,
  stageLine,
  type RunProgress,
} from '../report/progress.ts';

/** Plain lines come this often where a block cannot be drawn over. */
const lineEvery = 10_000;
/** A block is redrawn this often: four times a second reads calmly. */
export const drawEvery = 250;

/** What live figures are made of: how arrivals ended, and each kind's samples of `progressMeasure`. */
export interface LiveNews {
  readonly outcomes: OutcomeCounts;
  readonly samples: readonly (readonly [TrafficKind, readonly number[]])[];
}

/** The samples of an observation that are shown live. */
const liveSamples = (observation: Observation): Float64Array | readonly number[] =>
  measures[progressMeasure(observation.traffic)].of(observation);

/** Gathers news where they happen, for whoever shows them; each is taken once. */
export const gatherNews = () => {
  let outcomes = emptyOutcomes();
  let samples = new Map<TrafficKind, number[]>();
  return {
    note: (observation: Observation): void => {
      const { traffic, outcome } = observation;
      outcomes[outcome.kind] += 1;
      const known = samples.get(traffic) ?? [];
      samples.set(traffic, known);
      known.push(...liveSamples(observation));
    },
    take: (): LiveNews => {
      const news = { outcomes, samples: [...samples] };
      outcomes = emptyOutcomes();
      samples = new Map();
      return news;
    },
  };
};

/** What people see while a run is on. */
export interface Live {
  note(observation: Observation): void;
  add(news: LiveNews): void;
  draw(now: number, motion: Motion): void;
}

/** A run as it is shown: its stages by when they begin. */
interface ShownRun {
  readonly name: string;
  readonly scheduled: Milliseconds;
  readonly stages: readonly { readonly name: string; readonly begins: Instant }[];
}

export const shownRun = (plan: Plan): ShownRun => ({
  name: plan.name,
  scheduled: milliseconds(scheduledEnd(plan)),
  stages: stageStarts(plan).map((begins, i) => ({ begins, name: plan.stages[i]!.name })),
});

/** The stage that is on at a moment of the load. */
const stageAt = ({ stages, scheduled }: ShownRun, now: number): RunProgress['stage'] => {
  const index = stages.findLastIndex(({ begins }) => begins <= now);
  const stage = stages[index];
  return stages.length < 2 || stage === undefined || now >= scheduled
    ? null
    : { name: stage.name, number: index + 1, of: stages.length };
};

/** Keeps the few figures that are shown live, as exact as the report’s; the result is recorded elsewhere. */
export const liveOn = (screen: Screen, shown: ShownRun): Live => {
  const { stages, ...run } = shown;
  const outcomes = emptyOutcomes();
  const latencies = new Map<TrafficKind, Histogram>();
  let lastLine = 0;
  let begun = 0;
  const progressAt = (now: number, motion: Motion): RunProgress => ({
    ...run,
    ...motion,
    stage: stageAt(shown, now),
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
    note: (observation) => {
      outcomes[observation.outcome.kind] += 1;
      recordAll(observation.traffic, liveSamples(observation));
    },
    add: (news) => {
      for (const kind of outcomeKinds) outcomes[kind] += news.outcomes[kind];
      for (const [kind, samples] of news.samples) recordAll(kind, samples);
    },
    draw: (now, motion) => {
      if (screen.live) {
        screen.block(progressBlock(progressAt(now, motion), screen.width));
        return;
      }
      for (; (stages[begun]?.begins ?? now + 1) <= now; begun += 1) {
        const { name, begins } = stages[begun]!;
        // A single one begins with the run.
        if (stages.length > 1) screen.line(stageLine(name, begins));
      }
      if (now - lastLine < lineEvery) return;
      lastLine = now;
      screen.line(progressLine(progressAt(now, motion)));
    },
  };
};
