import { type Load, loadDuration, type SaturateLoad, type Stage } from '../model/plan.ts';
import { type Instant, instant, milliseconds } from '../model/quantity.ts';
import { openArrivals } from '../schedule/open-arrivals.ts';
import { stageStarts } from '../schedule/stages.ts';
import { traceArrivals } from '../schedule/trace-arrivals.ts';
import { iterationIndex, iterationsOf, usersOf } from '../schedule/users.ts';
import { type Begin, closedLoop, type Loop, openLoop } from './loop.ts';
import type { SliceOrder } from './slice-order.ts';

/** How requests are begun: on schedule, subject to the cap in flight; or by a user, who is the cap. */
export interface Beginning {
  readonly scheduled: Begin;
  readonly asked: Begin;
}

/** Counts each user's requests and numbers them by arithmetic. */
const ownCount = (users: number): ((user: number) => number) => {
  const asked = new Map<number, number>();
  return (user) => {
    const iteration = asked.get(user) ?? 0;
    asked.set(user, iteration + 1);
    return iterationIndex(user, iteration, users);
  };
};

/** Hands the next index to whoever asks first. */
const sharedCount = (indices: Iterator<number, void>): (() => number | null) => {
  return () => {
    const { done, value } = indices.next();
    return done === true ? null : (value ?? null);
  };
};

interface Placed {
  readonly stage: Stage;
  readonly position: number;
  readonly start: Instant;
}

/** Connections that run flat out are users who never think: so they are foreseen, and `saturate.ts` runs them. */
const asUsers = (load: Load): Exclude<Load, SaturateLoad> =>
  load.kind === 'saturate'
    ? {
        ...{ kind: 'closed', users: load.connections, duration: load.duration },
        ...{ thinkTime: milliseconds(0), rampUp: milliseconds(0) },
      }
    : load;

const loopFor = (order: SliceOrder, placed: Placed, begin: Beginning): Loop => {
  const { plan, slice, workload } = order;
  const load = asUsers(placed.stage.load);
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
      claim: load.kind === 'closed' ? ownCount(load.users) : sharedCount(iterationsOf(load, slice)),
      thinkTime: load.thinkTime,
      until,
    },
    begin.asked,
  );
};

/** One loop for each stage of the plan, each with this slice's share. */
export const loopsFor = (order: SliceOrder, begin: Beginning): readonly Loop[] => {
  const starts = stageStarts(order.plan);
  return order.plan.stages.map((stage, position) =>
    loopFor(order, { stage, position, start: starts[position]! }, begin),
  );
};
