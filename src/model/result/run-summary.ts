import { z } from 'zod';
import { count, outcomeCountsSchema } from '../measures/counts.ts';
import type { MeasureName } from '../measures/measures.ts';
import { countNames, rateNames } from '../measures/run-figures.ts';
import { type TrafficKind, trafficKinds } from '../workload/traffic.ts';
import { objectiveVerdictSchema } from './objective-verdict.ts';

/** The `summary` of a result file, for programs that cannot read histograms. All figures exclude the warm-up. */

export const percentileNames = ['p5', 'p50', 'p90', 'p95', 'p99'] as const;
export type PercentileName = (typeof percentileNames)[number];

const verdictSchema = z.enum(['pass', 'fail', 'inconclusive']);

/** The bounds of a value; `null` means no bound. */
const boundsSchema = z.strictObject({ low: z.number().nullable(), high: z.number().nullable() });
const byPercentile = z.partialRecord(z.enum(percentileNames), boundsSchema);

/** The figures of one measure, in `unit`. */
const figuresSummarySchema = z.strictObject({
  unit: z.string(),
  n: count,
  mean: z.number(),
  /** Only of measures of which more is better: their slow tail. */
  p5: z.number().optional(),
  p50: z.number(),
  p90: z.number(),
  p95: z.number(),
  p99: z.number(),
  max: z.number(),
  /** The percentiles beyond which there are fewer than ten samples. */
  weak: z.array(z.enum(percentileNames)),
  /** The 95 % confidence intervals. */
  intervals: byPercentile,
  /** The bounds of the true values, given the error of the load generator; empty if it cannot have changed them. */
  errors: byPercentile,
});
export type FiguresSummary = z.infer<typeof figuresSummarySchema>;

/** The figures of one kind of traffic. The measures are next to the counts, as in `kinds["chat-stream"].ttft.p95`. */
export type TrafficSummary = {
  readonly due: number;
  readonly outcomes: z.infer<typeof outcomeCountsSchema>;
  /** Chats by the reason for which they ended, most frequent first; absent if none named one. */
  readonly finishReasons?: Readonly<Record<string, number>>;
} & { readonly [Measure in MeasureName]?: FiguresSummary };

/** The figures of one entry of the scenario's `traffic` that has a name. */
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
  /** `fail`: an objective or a limit is broken. `inconclusive`: the run is incomplete, or its figures do not count. */
  verdict: verdictSchema,
  /** The exit code of the command, with a sentence for each reason why it is not 0. */
  exit: z.strictObject({ code: count, reasons: z.array(z.string()) }),
  /** Whether the load was the planned one (`invalid` if not), and all headline figures are exact (`degraded` if not). */
  trust: z.enum(['valid', 'degraded', 'invalid']),
  counts: z.record(z.enum(countNames), count),
  /** The rates per second; `null` if unknown. */
  rates: z.record(z.enum(rateNames), z.number().nullable()),
  /**
   * The cost in units of the currency; `null` if nothing has a price. `unknown` is the number of answers whose cost is
   * unknown.
   */
  cost: z.strictObject({ total: z.number().nullable(), unknown: count }).nullable(),
  objectives: z.array(
    objectiveVerdictSchema
      .omit({ text: true, ruling: true, grounds: true, minSamples: true, sure: true })
      .extend({
        objective: z.string(),
        verdict: verdictSchema,
        reason: objectiveVerdictSchema.shape.grounds,
      }),
  ),
  /** The verdict on the rate limits; `null` if the scenario asks for none. */
  limits: verdictSchema.nullable(),
  kinds: z.partialRecord(z.enum(trafficKinds), trafficSummarySchema),
  /** The figures of the traffic entries with a name. */
  entries: z.record(z.string(), entrySummarySchema),
});
export type RunSummary = z.infer<typeof runSummarySchema>;
