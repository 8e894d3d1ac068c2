import type { Arrival } from '../model/workload/arrival.ts';
import { userIterationOf } from '../model/plan/user-iteration.ts';
import { type Draw, drawFrom } from '../model/workload/draw.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { Traffic } from '../model/workload/traffic.ts';

type RequestPosition = Pick<Arrival, 'stage' | 'index'>;

/** A request's own draw, and the entry of its stage's traffic that it drew first. */
export const drawEntry = (
  { seed, stages }: Plan,
  { stage, index }: RequestPosition,
): { readonly draw: Draw; readonly traffic: Traffic } => {
  const draw = drawFrom(seed, stage, index);
  return { draw, traffic: draw.pick(stages[stage]!.traffic, ({ weight }) => weight) };
};

/** How far the requests of one user were walked, and the ordinal of each that is of the entry. */
interface Walk {
  next: number;
  readonly ordinals: Map<number, number>;
}

/** What is walked once is not walked again; it follows from the plan alone. */
const walks = new WeakMap<Plan, Map<string, Walk>>();

const walkOf = (plan: Plan, key: string): Walk => {
  const ofPlan = walks.get(plan) ?? new Map<string, Walk>();
  walks.set(plan, ofPlan);
  const walk = ofPlan.get(key) ?? { next: 0, ordinals: new Map<number, number>() };
  ofPlan.set(key, walk);
  return walk;
};

/**
 * Which of its entry's requests a request is, from 0: of its user's in a closed load, else of its
 * stage's. It is counted over the draws of those before, so that all slices agree.
 */
export const ordinalOf = (
  plan: Plan,
  { stage, index }: RequestPosition,
  traffic: Traffic,
): number => {
  const { traffic: mix, load } = plan.stages[stage]!;
  const { user, users, iteration } = userIterationOf(load, index);
  if (mix.length === 1) return iteration;
  const walk = walkOf(plan, JSON.stringify([stage, user, mix.indexOf(traffic)]));
  for (; walk.next <= iteration; walk.next += 1) {
    const drawn = drawEntry(plan, { stage, index: walk.next * users + user });
    if (drawn.traffic === traffic) walk.ordinals.set(walk.next, walk.ordinals.size);
  }
  const ordinal = walk.ordinals.get(iteration);
  if (ordinal === undefined) throw new Error(`request ${stage}-${index} is of another entry`);
  return ordinal;
};
