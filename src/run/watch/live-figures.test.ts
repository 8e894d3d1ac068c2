import { expect, it } from 'vitest';
import type { Stage } from '../../model/plan/plan.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { Screen } from '../../platform/screen.ts';
import { answeredChat, sampleObservation } from '../../record/sample-observations.fixture.ts';
import type { ProgressReport } from '../input/run-report.ts';
import {
  collectLiveFigures,
  displayedRun,
  openLiveDisplay,
  reportProgress,
} from './live-display.ts';

/** What workers send of their figures, and what is shown of them. */

const dropped = sampleObservation({ outcome: { kind: 'dropped', reason: 'overload' } as never });

it('a worker gives each of its figures once', () => {
  const figures = collectLiveFigures();
  for (const took of [100, 300]) figures.record(answeredChat(0, took));
  figures.record(dropped);
  const { outcomes, samples } = figures.take();
  expect(outcomes).toMatchObject({ completed: 2, dropped: 1, refused: 0 });
  expect(samples).toEqual([['chat', [100, 300]]]);
  figures.record(answeredChat(0, 70));
  const next = figures.take();
  expect(next.outcomes).toMatchObject({ completed: 1, dropped: 0 });
  expect(next.samples).toEqual([['chat', [70]]]);
  expect(figures.take().samples).toEqual([]);
});

const update = () => {
  const figures = collectLiveFigures();
  for (const took of [100, 300, 500]) figures.record(answeredChat(0, took));
  figures.record(dropped);
  return { figures: figures.take() } as never;
};

it('the display counts what workers send with what this thread observed', () => {
  const shown: string[] = [];
  const show = (text: string): void => void shown.push(text);
  const screen: Screen = {
    live: false,
    width: 200,
    block: show,
    line: show,
    clear: () => undefined,
  };
  const live = openLiveDisplay(screen, displayedRun(samplePlan()));
  live.onObservation!(answeredChat(0, 400));
  live.onWorkerUpdate!(update());
  live.onWorkerUpdate!(update());
  live.onTick!(instant(10_000), { due: 9, inFlight: 0 });
  expect(shown).toEqual([
    expect.stringMatching(/^10 s of 25 s: .*\b7 completed.*\b2 dropped.* p50 ~?300 ms/),
  ]);
});

it('the stages of a run are shown in the order in which they begin', () => {
  const [stage] = samplePlan().stages;
  const lasting = (name: string, seconds: number, population?: string): Stage => {
    const { load } = stage!;
    if (load.kind !== 'open') throw new Error('the sample has a rate');
    const curve = load.curve.map((part) => ({ ...part, duration: milliseconds(seconds * 1000) }));
    const own = population === undefined ? {} : { population };
    return { ...stage!, ...own, name, load: { ...load, curve } };
  };
  const alone = samplePlan({ stages: [lasting('a', 3), lasting('b', 4)] });
  expect(displayedRun(alone)).toMatchObject({
    name: 'sample',
    scheduled: 7000,
    stages: [
      { name: 'a', begins: 0 },
      { name: 'b', begins: 3000 },
    ],
  });
  expect(displayedRun(alone)).not.toHaveProperty('areParallel');
  const population = (name: string, after: number) => ({
    name,
    after: milliseconds(after),
    keys: [],
    retry: null,
  });
  const parallel = samplePlan({
    stages: [lasting('late/x', 3, 'late'), lasting('soon/y', 4, 'soon')],
    populations: [population('late', 2000), population('soon', 500)],
  });
  expect(displayedRun(parallel)).toMatchObject({
    areParallel: true,
    scheduled: 5000,
    stages: [
      { name: 'soon/y', population: 'soon', begins: 500 },
      { name: 'late/x', population: 'late', begins: 2000 },
    ],
  });
});

it('progress is reported once a second, also by ticks that come a little early or late', () => {
  const reports: ProgressReport[] = [];
  const progress = reportProgress(samplePlan(), (each) => void reports.push(each));
  progress.onObservation!(answeredChat(0, 400));
  const tickAt = (now: number): void => progress.onTick!(instant(now), { due: 5, inFlight: 2 });
  for (const now of [250, 979, 980, 1000, 1979, 2020, 2500, 2985]) tickAt(now);
  progress.onWorkerUpdate!(update());
  for (const now of [3979, 4700, 4979, 4980, 5979]) tickAt(now);
  expect(reports.map(({ elapsed }) => elapsed)).toEqual([980, 2020, 2985, 4700, 4980]);
  expect(reports[0]).toMatchObject({
    scheduled: 25_000,
    due: 5,
    inFlight: 2,
    outcomes: { completed: 1, dropped: 0 },
  });
  expect(reports.at(-1)!.outcomes).toMatchObject({ completed: 4, dropped: 1 });
});
