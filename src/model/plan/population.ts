import { z } from 'zod';
import { millisecondsSchema } from '../quantity-schema.ts';
import { type Retry, retrySchema } from './retry.ts';

/**
 * A part of a run that runs beside others. Its stages are the stages of the plan that have its name, and follow each
 * other. The scenario fills in what a population leaves out.
 */
export const populationSchema = z.strictObject({
  name: z.string().min(1),
  /** When its first stage begins, after the start of the run. */
  after: millisecondsSchema,
  /** The plan's keys that its requests use, with their weights in this population. */
  keys: z.array(z.strictObject({ name: z.string().min(1), weight: z.number().positive() })).min(1),
  retry: retrySchema.nullable(),
  /** The name of its target; absent if the plan's only target has no name. */
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

/** Returns how a stage's requests are retried. */
export const retryOf = (plan: PopulatedPlan & RetryingPlan, stage: number): Retry | null =>
  plan.populations === undefined ? plan.retry : (populationOf(plan, stage)?.retry ?? null);

/** Returns all ways in which requests of a plan are retried; `null` stands for requests without retries. */
export const retriesOf = ({ retry, populations }: RetryingPlan): readonly (Retry | null)[] =>
  populations === undefined ? [retry] : populations.map((each) => each.retry);

/**
 * Returns the number for a stage in all random draws of its requests. For a stage of a population, the number depends
 * only on the names. So the requests of a population stay the same whatever other populations there are.
 */
export const stageStream = ({ stages }: Pick<PopulatedPlan, 'stages'>, stage: number): number =>
  stages[stage]?.stream ?? stage;
