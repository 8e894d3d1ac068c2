import { createHash } from 'node:crypto';
import type { RequestValues } from '../model/plan/secret.ts';
import type { Plan } from '../model/plan/plan.ts';
import { populationOf, stageStream } from '../model/plan/population.ts';
import { userIterationOf } from '../model/plan/user-iteration.ts';
import type { Arrival } from '../model/workload/arrival.ts';
import { type Draw, drawFrom } from '../model/workload/draw.ts';
import { drawHangUp, type HangUpMoment } from '../model/workload/hang-up.ts';
import type { PromptSource } from '../model/workload/prompt-source.ts';
import { modelOf, type Traffic } from '../model/workload/traffic.ts';
import type { ChatContent } from '../model/workload/workload.ts';
import type { Credential, SliceOptions } from './slice-options.ts';

export interface RequestContent {
  readonly requestId: string;
  readonly traffic: Traffic;
  readonly model: string | null;
  readonly credential: Credential;
  /** When the client hangs up on the request; `null` if the client waits for the answer. */
  readonly hangUp: HangUpMoment | null;
  readonly values: () => RequestValues;
  /** The source of any further random numbers that the traffic kind needs. */
  readonly draw: Draw;
  /** Returns the request's number among the requests of its entry, from 0. */
  readonly ordinal: () => number;
  /** Returns the content of a chat whose prompts come from a source outside the plan. `draw` chooses the prompt. */
  readonly ask: (source: PromptSource) => ChatContent;
}

type ContentSource = Pick<SliceOptions, 'plan' | 'credentials' | 'runId' | 'workload'>;

/** Draws the content of the request with this stage and index. The content is the same for any number of slices. */
export const drawRequestContent = (
  { plan, credentials, runId, workload }: ContentSource,
  arrival: Arrival,
): RequestContent => {
  const { stage, index } = arrival;
  const stream = stageStream(plan, stage);
  const { draw, traffic } = drawEntry(plan, arrival);
  const credential =
    plan.populations === undefined
      ? draw.pick(credentials, ({ weight }) => weight)
      : draw.pick(poolsOf(plan, credentials)[stage]!, ({ weight }) => weight).credential;
  const requestId = `${runId}-${stream}-${index}`;
  const ask = (source: PromptSource): ChatContent => workload.chatContentFor(source, arrival, draw);
  const ordinal = (): number => ordinalOf(plan, arrival, traffic);
  const values = (): RequestValues => ({ uuid: uuidOf(requestId), index });
  const hangUp = drawHangUp(traffic.cancel, plan.seed, { stage: stream, index });
  const model = modelOf(traffic);
  return { requestId, traffic, model, credential, hangUp, draw, ordinal, ask, values };
};

/** The keys of a stage's population, each with its weight in the population. */
type KeyPool = readonly { readonly credential: Credential; readonly weight: number }[];

const pools = new WeakMap<readonly Credential[], readonly KeyPool[]>();

/**
 * Returns the keys of each stage of a plan with populations. The keys are computed once for each list of credentials.
 */
const poolsOf = (plan: Plan, credentials: readonly Credential[]): readonly KeyPool[] => {
  const known = pools.get(credentials);
  if (known !== undefined) return known;
  const byName = new Map(credentials.map((credential) => [credential.name, credential]));
  const found = plan.stages.map((_, stage) =>
    populationOf(plan, stage)!.keys.map(({ name, weight }) => ({
      credential: byName.get(name)!,
      weight,
    })),
  );
  pools.set(credentials, found);
  return found;
};

/** Returns a custom UUID (version 8, RFC 9562, section 5.8). All attempts of a request have the same UUID. */
const uuidOf = (requestId: string): string => {
  const hex = createHash('sha256').update(requestId).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[15]!, 16) % 4]!;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(12, 15)}-${variant}${hex.slice(16, 19)}-${hex.slice(19, 31)}`;
};

type RequestPosition = Pick<Arrival, 'stage' | 'index'>;

/**
 * Returns the random source of a request, and the request's traffic entry. The entry is the first draw from this
 * source.
 */
export const drawEntry = (
  plan: Plan,
  { stage, index }: RequestPosition,
): { readonly draw: Draw; readonly traffic: Traffic } => {
  const draw = drawFrom(plan.seed, stageStream(plan, stage), index);
  return { draw, traffic: draw.pick(plan.stages[stage]!.traffic, ({ weight }) => weight) };
};

/**
 * The numbers of one entry's requests, for one user of a closed load or for one stage with another load. `next` is the
 * first iteration that has not been drawn. `ordinals` maps the drawn iterations of the entry to their numbers, from 0.
 */
interface Walk {
  next: number;
  readonly ordinals: Map<number, number>;
}

/** The existing walks by plan. A walk is kept for later requests, because its numbers depend only on the plan. */
const walks = new WeakMap<Plan, Map<string, Walk>>();

const walkOf = (plan: Plan, key: string): Walk => {
  const ofPlan = walks.get(plan) ?? new Map<string, Walk>();
  walks.set(plan, ofPlan);
  const walk = ofPlan.get(key) ?? { next: 0, ordinals: new Map<number, number>() };
  ofPlan.set(key, walk);
  return walk;
};

/**
 * Returns the number of a request among the requests of its entry, from 0. In a closed load, the requests of each user
 * are numbered separately; in any other load, the requests of each stage. The function draws the entries of all earlier
 * requests, so all slices get the same numbers.
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
  if (ordinal === undefined) throw new Error(`request ${stage}-${index} belongs to another entry`);
  return ordinal;
};
