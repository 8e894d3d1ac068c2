import { type Load, loadDuration, type SaturateLoad } from '../model/plan/plan.ts';
import { type Instant, instant, milliseconds } from '../model/quantity.ts';
import { openArrivals, traceArrivals } from '../schedule/open-arrivals.ts';
import { stageStarts } from '../schedule/stages.ts';
import { iterationIndex, iterationsOf, usersOf } from '../schedule/users.ts';
import { type BeginRequest, closedLoop, type LoadLoop, openLoop } from './load-loop.ts';
import type { SliceOptions } from './slice-options.ts';

/** How requests begin: on schedule, subject to the cap in flight; or by a user, who never exceeds it. */
interface BeginHandlers {
  readonly scheduled: BeginRequest;
  readonly byUser: BeginRequest;
}

/** Numbers each user's requests: iteration × users + user. */
const indexPerUser = (users: number): ((user: number) => number) => {
  const iterations = new Map<number, number>();
  return (user) => {
    const iteration = iterations.get(user) ?? 0;
    iterations.set(user, iteration + 1);
    return iterationIndex(user, iteration, users);
  };
};

/** Gives the next index to the first user who asks. */
const sharedIndex = (indices: Iterator<number, void>) => (): number | null =>
  indices.next().value ?? null;

/** A saturating load forecasts as users who never think; `saturate.ts` runs it. */
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

type LoopOptions = Pick<SliceOptions, 'plan' | 'slice' | 'workload'>;

const createLoop = (
  { plan, slice, workload }: LoopOptions,
  stage: number,
  start: Instant,
  begin: BeginHandlers,
): LoadLoop => {
  const load = asClosedLoad(plan.stages[stage]!.load);
  const until = instant(start + loadDuration(load));
  const placement = { stage, start, seed: plan.seed, slice };
  if (load.kind === 'open') {
    return openLoop(openArrivals(load, placement), until, begin.scheduled);
  }
  if (load.kind === 'trace') {
    const arrivals = traceArrivals(workload.traceOf(load), placement);
    return openLoop(arrivals, until, begin.scheduled);
  }
  return closedLoop(
    {
      stage,
      users: usersOf(load, start, slice),
      nextIndex:
        load.kind === 'closed' ? indexPerUser(load.users) : sharedIndex(iterationsOf(load, slice)),
      thinkTime: load.thinkTime,
      until,
    },
    begin.byUser,
  );
};

/** One loop for each stage of the plan, each with this slice's share. */
export const createLoops = (options: LoopOptions, begin: BeginHandlers): readonly LoadLoop[] =>
  stageStarts(options.plan).map((start, stage) => createLoop(options, stage, start, begin));
