import { z } from 'zod';
import { count, outcomeCountsSchema } from '../measures/counts.ts';
import { type PercentileName, percentiles } from '../measures/headline.ts';
import type { MeasureName } from '../measures/measures.ts';
import { countNames, rateNames } from '../measures/run-figures.ts';
import { type TrafficKind, trafficKinds } from '../workload/traffic.ts';
import { objectiveVerdictSchema } from './objective-verdict.ts';

/**
 * This file defines the `summary` of a result file, for programs that cannot read histograms. No figure includes the
 * warm-up.
 */

const percentileNameSchema = z.enum(Object.keys(percentiles) as readonly PercentileName[]);
const verdictSchema = z.enum(['pass', 'fail', 'inconclusive']);

/** The bounds of a value. A missing bound is `null`. */
const boundsSchema = z.strictObject({ low: z.number().nullable(), high: z.number().nullable() });
const byPercentile = z.partialRecord(percentileNameSchema, boundsSchema);

const figuresSummarySchema = z.strictObject({
  unit: z.string(),
  n: count,
  mean: z.number(),
  /**
   * The 5th percentile. Only measures for which higher is better have a p5, because there the slowest samples are the
   * lowest.
   */
  p5: z.number().optional(),
  p50: z.number(),
  p90: z.number(),
  p95: z.number(),
  p99: z.number(),
  max: z.number(),
  /** These percentiles are uncertain, because fewer than ten effective samples lie beyond them. */
  weak: z.array(percentileNameSchema),
  /** The 95 % confidence interval of each percentile. */
  intervals: byPercentile,
  /**
   * The bounds of each true percentile, given the load generator's error; empty if the error is too small to matter.
   */
  errors: byPercentile,
});
export type FiguresSummary = z.infer<typeof figuresSummarySchema>;

/**
 * The figures of one kind of traffic. The measures and the counts are in the same object:
 * `kinds["chat-stream"].ttft.p95`.
 */
export type TrafficSummary = {
  readonly due: number;
  readonly outcomes: z.infer<typeof outcomeCountsSchema>;
  /** How many chats ended with each finish reason, the most frequent reason first; absent if no chat has a reason. */
  readonly finishReasons?: Readonly<Record<string, number>>;
} & { readonly [Measure in MeasureName]?: FiguresSummary };

/** The figures of a named entry of the scenario's `traffic`. */
export type EntrySummary = TrafficSummary & { readonly traffic: TrafficKind };

const trafficFields = z.object({
  due: count,
  outcomes: outcomeCountsSchema,
  finishReasons: z.record(z.string(), count).optional(),
});
const trafficSummarySchema = trafficFields.catchall(
  figuresSummarySchema,
) as unknown as z.ZodType<TrafficSummary>;
const entrySummarySchema = trafficFields
  .extend({ traffic: z.enum(trafficKinds) })
  .catchall(figuresSummarySchema) as unknown as z.ZodType<EntrySummary>;

export const runSummarySchema = z.strictObject({
  /**
   * The verdict on the run. `fail`: an objective or a limit is broken. `inconclusive`: the run is incomplete, or its
   * figures do not count.
   */
  verdict: verdictSchema,
  /** The exit code of the command. If the code is not 0, `reasons` has a sentence for each reason. */
  exit: z.strictObject({ code: count, reasons: z.array(z.string()) }),
  /** `invalid` if the load was not as planned, `degraded` if some headline figures are not exact, otherwise `valid`. */
  trust: z.enum(['valid', 'degraded', 'invalid']),
  counts: z.record(z.enum(countNames), count),
  /** The rates per second. An unknown rate is `null`. */
  rates: z.record(z.enum(rateNames), z.number().nullable()),
  /** The cost in units of the currency; `null` if nothing has a price. `unknown` counts the answers of unknown cost. */
  cost: z.strictObject({ total: z.number().nullable(), unknown: count }).nullable(),
  /**
   * The shares of the prompt tokens, in percent. `expected`: the share that a cache can have contained at most.
   * `reported`: the share that answers report as cached. `inferred`: the cached share that the times to first token
   * show. A share is `null` if unknown. Absent if no token was repeated or cached.
   */
  promptCache: z
    .strictObject({
      expected: z.number().nullable(),
      reported: z.number().nullable(),
      inferred: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
      /** The number of answers that do not report cached tokens. */
      unreported: count,
    })
    .optional(),
  objectives: z.array(
    objectiveVerdictSchema
      .omit({ text: true, ruling: true, grounds: true, minSamples: true, sure: true })
      .extend({
        objective: z.string(),
        verdict: verdictSchema,
        reason: objectiveVerdictSchema.shape.grounds,
      }),
  ),
  /** The verdict on the rate limits; `null` if the scenario asks for no such verdict. */
  limits: verdictSchema.nullable(),
  kinds: z.partialRecord(z.enum(trafficKinds), trafficSummarySchema),
  entries: z.record(z.string(), entrySummarySchema),
});
export type RunSummary = z.infer<typeof runSummarySchema>;
