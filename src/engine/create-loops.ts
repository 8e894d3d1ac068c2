import { type Load, loadDuration, type SaturateLoad, type Stage } from '../model/plan/plan.ts';
import { type Instant, instant, milliseconds } from '../model/quantity.ts';
import { openArrivals } from '../schedule/open-arrivals.ts';
import { stageStarts } from '../schedule/stages.ts';
import { traceArrivals } from '../schedule/trace-arrivals.ts';
import { iterationIndex, iterationsOf, usersOf } from '../schedule/users.ts';
import { type BeginRequest, closedLoop, type LoadLoop, openLoop } from './load-loop.ts';
import type { SliceOptions } from './slice-options.ts';

/** How requests are begun: on schedule, subject to the cap in flight; or by a user, who is the cap. */
export interface BeginHandlers {
  readonly scheduled: BeginRequest;
  readonly byUser: BeginRequest;
}

/** Counts each user's requests and numbers them by arithmetic. */
const perUserIndex = (users: number): ((user: number) => number) => {
  const iterations = new Map<number, number>();
  return (user) => {
    const iteration = iterations.get(user) ?? 0;
    iterations.set(user, iteration + 1);
    return iterationIndex(user, iteration, users);
  };
};

/** Hands the next index to whoever asks first. */
const sharedIndex = (indices: Iterator<number, void>): (() => number | null) => {
  return () => {
    const { done, value } = indices.next();
    return done === true ? null : (value ?? null);
  };
};

interface PlacedStage {
  readonly stage: Stage;
  readonly position: number;
  readonly start: Instant;
}

/** Connections that run flat out are users who never think: so they are foreseen, and `saturate.ts` runs them. */
const asClosedLoad = (load: Load): Exclude<Load, SaturateLoad> =>
  load.kind === 'saturate'
    ? {
        kind: 'closed',
        users: load.connections,
        duration: load.duration,
        thinkTime: milliseconds(0),
        rampUp: milliseconds(0),
      }
    : load;

const createLoop = (options: SliceOptions, placed: PlacedStage, begin: BeginHandlers): LoadLoop => {
  const { plan, slice, workload } = options;
  const load = asClosedLoad(placed.stage.load);
  const { position, start } = placed;
  const until = instant(start + loadDuration(load));
  const placement = { stage: position, start, seed: plan.seed, slice };
  if (load.kind === 'open') {
    return openLoop(openArrivals(load, placement), until, begin.scheduled);
  }
  if (load.kind === 'trace') {
    const arrivals = traceArrivals(workload.traceOf(load), placement);
    return openLoop(arrivals, until, begin.scheduled);
  }
  return closedLoop(
    {
      stage: position,
      users: usersOf(load, start, slice),
      nextIndex:
        load.kind === 'closed' ? perUserIndex(load.users) : sharedIndex(iterationsOf(load, slice)),
      thinkTime: load.thinkTime,
      until,
    },
    begin.byUser,
  );
};

/** One loop for each stage of the plan, each with this slice's share. */
export const createLoops = (options: SliceOptions, begin: BeginHandlers): readonly LoadLoop[] => {
  const starts = stageStarts(options.plan);
  return options.plan.stages.map((stage, position) =>
    createLoop(options, { stage, position, start: starts[position]! }, begin),
  );
};
