import { z } from 'zod';
import { millisecondsSchema } from '../quantity-schema.ts';
import { type Retry, retrySchema } from './retry.ts';

/**
 * A part of a run that runs beside other parts. The stages of a population are the stages of the plan that name the
 * population; these stages follow each other. The compiler of scenarios fills in each field that a population leaves
 * out.
 */
export const populationSchema = z.strictObject({
  name: z.string().min(1),
  /** The population's first stage starts this long after the start of the run. */
  after: millisecondsSchema,
  /** The keys of the plan that the population's requests use. The weight of a key applies only in this population. */
  keys: z.array(z.strictObject({ name: z.string().min(1), weight: z.number().positive() })).min(1),
  retry: retrySchema.nullable(),
  /** The name of the population's target; absent if the plan's only target has no name. */
  target: z.string().min(1).exactOptional(),
});
export type Population = z.infer<typeof populationSchema>;

/** The fields of a plan that say which parts run side by side. */
interface PopulatedPlan {
  readonly populations?: readonly Population[];
  readonly stages: readonly { readonly population?: string; readonly stream?: number }[];
}

interface RetryingPlan extends Pick<PopulatedPlan, 'populations'> {
  readonly retry: Retry | null;
}

/** Returns the population of a stage; `undefined` in a plan without populations. */
export const populationOf = (
  { populations, stages }: PopulatedPlan,
  stage: number,
): Population | undefined => {
  const name = stages[stage]?.population;
  return name === undefined ? undefined : populations?.find((each) => each.name === name);
};

/** Returns how a stage's requests are retried; `null` without retries. */
export const retryOf = (plan: PopulatedPlan & RetryingPlan, stage: number): Retry | null =>
  plan.populations === undefined ? plan.retry : (populationOf(plan, stage)?.retry ?? null);

/**
 * Returns the retry rules of all populations, or the rule of the plan if it has no populations. `null` stands for
 * requests without retries.
 */
export const retriesOf = ({ retry, populations }: RetryingPlan): readonly (Retry | null)[] =>
  populations === undefined ? [retry] : populations.map((each) => each.retry);

/**
 * Returns a stage's number in all random draws of its requests. For a stage of a population, the number depends only on
 * names, so other populations can be added or removed without changing these requests.
 */
export const stageStream = ({ stages }: Pick<PopulatedPlan, 'stages'>, stage: number): number =>
  stages[stage]?.stream ?? stage;
