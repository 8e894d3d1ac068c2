import { z } from 'zod';
import { millisecondsSchema, perSecondSchema } from '../quantity.ts';

/**
 * The written form of a search for the most that a gateway can serve, `capacity/1`: the steps that
 * were taken, what they prove, and the answer in units of users, keys and money.
 */

const count = z.int().nonnegative();

/** What ends the range of rates at which the objectives hold. */
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

const estimatedRangeSchema = z.strictObject({
  value: z.number(),
  low: z.number(),
  high: z.number(),
});
export type EstimatedRange = z.infer<typeof estimatedRangeSchema>;

/** Why a step was not kept. */
const stepBreachSchema = z.strictObject({
  bound: z.enum(limitingFactors),
  /** A sentence without its full stop: what was seen and what was expected. */
  text: z.string(),
});
export type StepBreach = z.infer<typeof stepBreachSchema>;

/** `undecided`: too few samples for an objective. `unfit`: the generator was not valid; the step never counts. */
const stepVerdictNames = ['kept', 'broken', 'undecided', 'unfit'] as const;

export const capacityStepSchema = z.strictObject({
  /** Where it comes from: its number, or the file and the stage of a stored result. */
  name: z.string(),
  /** Arrivals per second that were offered. */
  rate: perSecondSchema,
  /** The whole seconds that its figures are over: the second half of the step. */
  seconds: count,
  arrivals: count,
  completed: count,
  limited: count,
  /** Completed requests that kept every per-request objective, of all arrivals: 0 … 1. */
  goodput: z.number(),
  /** Completed answers per second, and the relative uncertainty of that. */
  throughput: z.number(),
  spread: z.number(),
  inFlight: z.number(),
  /** By how many requests in flight each arrival is outlived: 0 where as many end as begin; with its 95 % interval. */
  growth: estimatedRangeSchema,
  /** Due to end, in ms; `null` without samples. */
  latency: z.strictObject({ mean: z.number(), p50: z.number(), p95: z.number() }).nullable(),
  /** To the first token, in ms; `null` where nothing is streamed. */
  ttftP95: z.number().nullable(),
  /** Tokens and micro-units of the currency for each completed answer; `null` where unknown. */
  tokens: z.number().nullable(),
  cost: z.number().nullable(),
  verdict: z.enum(stepVerdictNames),
  /** Whether the evidence behind the verdict leaves little doubt. */
  sure: z.boolean(),
  /** Of an unfit step: why it does not count. */
  breaches: z.array(stepBreachSchema),
});
export type CapacityStep = z.infer<typeof capacityStepSchema>;

const curvePointSchema = z.strictObject({
  inFlight: z.number(),
  rate: estimatedRangeSchema,
  /** In ms. */
  latency: z.number(),
});

/** The Universal Scalability Law fitted to the steps that were kept: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)). */
const fitSchema = z.strictObject({
  /** Answers per second of a request alone. */
  lambda: z.number(),
  sigma: z.number(),
  kappa: z.number(),
  points: count,
  /** The root of the mean squared relative residual of N / X. */
  residual: z.number(),
  /** Where X / R, throughput over latency, is largest; `null` where that lies beyond the steps. */
  knee: z.strictObject({ rate: z.number(), inFlight: z.number(), latency: z.number() }).nullable(),
  curve: z.array(curvePointSchema),
});
export type ScalabilityFit = z.infer<typeof fitSchema>;

/** What the answer is reckoned with. */
export const capacityTermsSchema = z.strictObject({
  /** What a user does between an answer and the next request. */
  thinkTime: millisecondsSchema,
  /** Declared for each key; `null` for none. */
  requestsPerMinute: count.nullable(),
  tokensPerMinute: count.nullable(),
  keys: z.int().positive(),
  /** The rates that the search may try. */
  start: perSecondSchema,
  top: perSecondSchema,
  /** The ratio of the interval's ends at which the search is content, minus 1. */
  precision: z.number().positive(),
});
export type CapacityTerms = z.infer<typeof capacityTermsSchema>;

const answerSchema = z.strictObject({
  /** The highest rate that keeps the objectives, per second, with its 90 % credible interval. */
  rate: estimatedRangeSchema,
  binding: z.enum(limitingFactors),
  /** In a sentence: why. */
  because: z.string(),
  /** Ms from due to end at that rate; `null` where unknown. */
  latency: z.number().nullable(),
  /** Users with the think time who ask at that rate together. */
  users: z.number(),
  /** Keys that the declared limits ask for at that rate; `null` where no limit of that kind is declared or tokens are unknown. */
  keysForRequests: count.nullable(),
  keysForTokens: count.nullable(),
  /** Micro-units of the currency for an hour at that rate; `null` where unknown. */
  costPerHour: z.number().nullable(),
  /** Whether the interval is as narrow as was asked and steps on both sides of it, or the ceiling, stand behind it. */
  proved: z.boolean(),
});
export type CapacityAnswer = z.infer<typeof answerSchema>;

export const capacityReportSchema = z.strictObject({
  format: z.literal('capacity/1'),
  /** The version of Weir that judged. */
  weir: z.string(),
  judgedAt: z.iso.datetime(),
  name: z.string(),
  target: z.string(),
  terms: capacityTermsSchema,
  /** What a step is held to, in words. */
  objectives: z.array(z.string()),
  steps: z.array(capacityStepSchema),
  /** `null` when no step was kept and none told anything of the rate. */
  answer: answerSchema.nullable(),
  /** `null` with fewer than three different steps that were kept. */
  fit: fitSchema.nullable(),
  /** Sentences that the reader must know. */
  notes: z.array(z.string()),
});
export type CapacityReport = z.infer<typeof capacityReportSchema>;
