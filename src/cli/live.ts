import { emptyHistogram } from '../model/histogram.ts';
import { measures } from '../model/measures.ts';
import type { Observation } from '../model/observation.ts';
import type { Milliseconds } from '../model/quantity.ts';
import { emptyOutcomes } from '../model/summary.ts';
import type { Motion } from '../engine/run-slice.ts';
import type { Screen } from '../platform/screen.ts';
import { progressBlock, progressLine, type RunProgress } from '../report/progress.ts';

/** Plain lines come this often where a block cannot be drawn over. */
const lineEvery = 10_000;
/** A block is redrawn this often: four times a second reads calmly. */
export const drawEvery = 250;

/** What people see while a run is on. */
export interface Live {
  note(observation: Observation): void;
  draw(now: number, motion: Motion): void;
}

/** Keeps the few figures that are shown live; the result is recorded elsewhere. */
export const liveOn = (screen: Screen, run: { name: string; scheduled: Milliseconds }): Live => {
  const outcomes = emptyOutcomes();
  const ttft = emptyHistogram(2);
  let lastLine = 0;
  const progressAt = (now: number, motion: Motion): RunProgress => ({
    ...run,
    ...motion,
    elapsed: now,
    outcomes,
    ttft,
  });
  return {
    note: (observation) => {
      outcomes[observation.outcome.kind] += 1;
      for (const sample of measures.ttft.of(observation)) ttft.record(sample);
    },
    draw: (now, motion) => {
      if (screen.live) {
        screen.block(progressBlock(progressAt(now, motion), screen.width));
      } else if (now - lastLine >= lineEvery) {
        lastLine = now;
        screen.line(progressLine(progressAt(now, motion)));
      }
    },
  };
};
