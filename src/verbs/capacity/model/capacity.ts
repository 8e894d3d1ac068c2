import { z } from 'zod';
import { millisecondsSchema, perSecondSchema } from '../../../model/quantity-schema.ts';

/**
 * The result file of a search for capacity, `capacity/1`: the steps, what they prove, and the answer in users, keys and
 * money.
 */

const count = z.int().nonnegative();

export const limitingFactors = [
  'requests',
  'tokens',
  'refusals',
  'concurrency',
  'latency',
  'failures',
  'none',
] as const;
export type LimitingFactor = (typeof limitingFactors)[number];

export const estimatedRangeSchema = z.strictObject({
  value: z.number(),
  low: z.number(),
  high: z.number(),
});
export type EstimatedRange = z.infer<typeof estimatedRangeSchema>;

/** Rates that differ by at most this factor are near each other. */
export const nearbyRates = 1.15;

/** An interval counts as precise if it is at most this many times as wide as the requested precision. */
export const provedWidth = 1.5;

const stepBreachSchema = z.strictObject({
  bound: z.enum(limitingFactors),
  text: z.string(),
});
export type StepBreach = z.infer<typeof stepBreachSchema>;

/**
 * The share of a step's arrivals that missed an objective. `allowed` is the share of misses that the objective allows.
 */
const missSchema = z.strictObject({
  share: z.number(),
  /** The lowest and highest possible true share; absent if the error of measurement cannot have changed the share. */
  error: z.strictObject({ low: z.number(), high: z.number() }).optional(),
  allowed: z.number(),
  arrivals: count,
  /**
   * The number of independent arrivals whose share would be as exact as this share. It can be lower than `arrivals`,
   * since arrivals depend on each other.
   */
  cases: z.number().positive(),
});

/**
 * The verdicts on a step. `undecided`: an objective has too few samples or is within its error of measurement, or a
 * step with enough arrivals shows neither a growth of its requests in flight nor that this growth is below 5 % of the
 * arrivals. `unfit`: the load generator was invalid, and the step does not count.
 */
const stepVerdictNames = ['kept', 'broken', 'undecided', 'unfit'] as const;

export const capacityStepSchema = z.strictObject({
  name: z.string(),
  /** Arrivals per second that were offered. */
  rate: perSecondSchema,
  /** The measured whole seconds. */
  seconds: count,
  /** The seconds of load before the measured seconds; if absent, equal to `seconds`. */
  warmUp: count.optional(),
  arrivals: count,
  completed: count,
  limited: count,
  /** The share of arrivals that met every per-request objective, 0 … 1. */
  goodput: z.number(),
  /** Completed answers per second. `spread` is the relative uncertainty of this rate: at least 1 / √completed. */
  throughput: z.number(),
  spread: z.number(),
  inFlight: z.number(),
  /** How much the requests in flight grew per arrival, with a 95 % interval. At 0, as many requests end as begin. */
  growth: estimatedRangeSchema,
  /** The time from the due instant to the end of the answer, in ms; `null` without samples. */
  latency: z.strictObject({ mean: z.number(), p50: z.number(), p95: z.number() }).nullable(),
  /** The time to the first token, in ms; `null` without streams. */
  ttftP95: z.number().nullable(),
  /** The means of the server’s own figures over the measured seconds, by name; absent if the metrics were not read. */
  server: z.record(z.string(), z.number()).optional(),
  /**
   * The mean tokens (prompt and answer) of a completed request; `null` if unknown. `cost` is in micro-units of the
   * currency.
   */
  tokens: z.number().nullable(),
  cost: z.number().nullable(),
  verdict: z.enum(stepVerdictNames),
  /** Whether the verdict is nearly certain. */
  sure: z.boolean(),
  /** One item for each objective; `null` for an objective that bounds no share of the arrivals. */
  misses: z.array(missSchema.nullable()).optional(),
  breaches: z.array(stepBreachSchema),
});
export type CapacityStep = z.infer<typeof capacityStepSchema>;

const curvePointSchema = z.strictObject({
  inFlight: z.number(),
  rate: estimatedRangeSchema,
  /** The latency in ms. */
  latency: z.number(),
});

/** The Universal Scalability Law fitted to the `kept` steps: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)). */
export const scalabilityFitSchema = z.strictObject({
  /** Answers per second at one request in flight. */
  lambda: z.number(),
  sigma: z.number(),
  kappa: z.number(),
  points: count,
  /** The root mean square of the relative residuals of N / X. */
  residual: z.number(),
  /** The point where X / R (throughput over latency) is largest; `null` if the point lies beyond the steps. */
  knee: z.strictObject({ rate: z.number(), inFlight: z.number(), latency: z.number() }).nullable(),
  curve: z.array(curvePointSchema),
});
export type ScalabilityFit = z.infer<typeof scalabilityFitSchema>;

export const capacityTermsSchema = z.strictObject({
  /** Time between an answer and the user's next request. */
  thinkTime: millisecondsSchema,
  /** The declared limits of each key; `null` for a limit that is not declared. */
  requestsPerMinute: count.nullable(),
  tokensPerMinute: count.nullable(),
  keys: z.int().positive(),
  /** The first and the highest rate of the search. */
  start: perSecondSchema,
  top: perSecondSchema,
  /** The relative width at which the search ends: the ratio of the interval's ends, minus 1. */
  precision: z.number().positive(),
});
export type CapacityTerms = z.infer<typeof capacityTermsSchema>;

const answerSchema = z.strictObject({
  /** The highest rate per second that meets the objectives, with its 90 % credible interval. */
  rate: estimatedRangeSchema,
  binding: z.enum(limitingFactors),
  because: z.string(),
  /** The time from the due instant to the end of the answer at the answered rate, in ms; `null` if unknown. */
  latency: z.number().nullable(),
  /** The number of users with this think time who together send at the answered rate. */
  users: z.number(),
  /**
   * The keys that the declared limits require at the answered rate; `null` if there is no such limit, or if the tokens
   * are unknown.
   */
  keysForRequests: count.nullable(),
  keysForTokens: count.nullable(),
  /** The cost per hour at the answered rate, in micro-units of the currency; `null` if unknown. */
  costPerHour: z.number().nullable(),
  /** Whether the interval is narrow enough, and steps or the declared limit support both of its ends. */
  proved: z.boolean(),
});
export type CapacityAnswer = z.infer<typeof answerSchema>;

export const capacityReportSchema = z.strictObject({
  format: z.literal('capacity/1'),
  weir: z.string(),
  judgedAt: z.iso.datetime(),
  name: z.string(),
  target: z.string(),
  terms: capacityTermsSchema,
  objectives: z.array(z.string()),
  /** The name of the currency; absent if the prices have no currency. */
  currency: z.string().optional(),
  steps: z.array(capacityStepSchema),
  /** The answer; `null` if every step that is evidence about the rate broke. */
  answer: answerSchema.nullable(),
  /** The fitted law; `null` with fewer than three different `kept` steps. */
  fit: scalabilityFitSchema.nullable(),
  notes: z.array(z.string()),
});
export type CapacityReport = z.infer<typeof capacityReportSchema>;

export const capacityJsonSchema = (): object => ({
  title: 'What weir capacity found, capacity/1',
  ...z.toJSONSchema(capacityReportSchema, { io: 'input' }),
});
