import { groupSchema, timelineSecondSchema, count } from '../measures/counts.ts';
import { z } from 'zod';
import { canarySampleSchema, errorBarSchema } from './canary.ts';
import { exemplarSchema } from './exemplar.ts';
import { encodedHistogramSchema } from '../measures/histogram.ts';
import { ledgerSchema } from '../observation/ledger.ts';
import { breachSchema, objectiveVerdictSchema } from './objective-verdict.ts';
import { planSchema } from '../plan/plan.ts';
import { runLimitsSchema } from '../limits/run-limits.ts';
import { instantSchema, millisecondsSchema } from '../quantity.ts';
import { trafficKinds } from '../workload/traffic.ts';

/** Failures that are alike: same kind of traffic, same outcome, same cause, same masked message. */
export const failureSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  outcome: z.enum(['limited', 'refused', 'malformed', 'broken', 'dropped']),
  /** The HTTP status of a refusal. */
  status: z.int().nullable(),
  /** error.code or error.type of a refusal, otherwise the issue or cause. */
  cause: z.string(),
  /** What the server or the transport said, with numbers and ids masked, bounded. */
  message: z.string(),
  /** Whether all of them said the same, word for word: the example's text. */
  sameText: z.boolean().default(false),
  count,
  first: instantSchema,
  last: instantSchema,
  example: z.strictObject({
    requestId: z.string(),
    serverId: z.string().nullable(),
    text: z.string(),
  }),
});
export type Failure = z.infer<typeof failureSchema>;

/**
 * The generator's own signals over one second, sampled by the machine that ran the slice.
 * `null` where the kernel or runtime does not tell.
 */
export const generatorSampleSchema = z.strictObject({
  second: count,
  /** Event-loop utilisation, 0 … 1. */
  utilisation: z.number(),
  /** Event-loop delay in ms, the monitor's own resolution subtracted. */
  delayP99: z.number(),
  delayMax: z.number(),
  /** Loop turns, and events that were ready but had to wait for a further poll (uvMetricsInfo). */
  loops: count,
  events: count,
  eventsWaiting: count,
  /** Garbage collection: the longest pause and all pauses, in ms. */
  gcMax: z.number(),
  gcTotal: z.number(),
  /** CPU time as a share of one core: of the process, or of a worker’s own thread. */
  cpu: z.number(),
  /** Share of the second in which the thread wanted a CPU and did not get one (/proc/thread-self/schedstat). */
  cpuWait: z.number().nullable(),
  /** Milliseconds for which the cgroup was throttled. */
  throttled: z.number().nullable(),
  /** Resident memory of the process in bytes. */
  memory: z.number(),
  /** What this loop's canary told; `null` where it had none, absent in results of earlier versions. */
  canary: canarySampleSchema.nullable().optional(),
});
export type GeneratorSample = z.infer<typeof generatorSampleSchema>;

/** One slice's part in the run: where it ran, when, which address it asked, and how its generator fared. */
export const sliceRunSchema = z.strictObject({
  index: count,
  count: z.int().positive(),
  /** Wall-clock begin, ISO 8601. */
  startedAt: z.iso.datetime(),
  /** Slices that name the same clock, as workers of one process do, count their instants from one moment by one clock. */
  clock: z.string().optional(),
  /** The base address that was really used; each slice's embedded gateway has its own. */
  baseUrl: z.string(),
  machine: z.strictObject({
    node: z.string(),
    platform: z.string(),
    cpu: z.string(),
    cores: z.int().positive(),
  }),
  generator: z.array(generatorSampleSchema),
  /** How late this slice’s own starts were in the seconds that figures hold, ms; told where several slices were added up. */
  lag: encodedHistogramSchema.optional(),
});
export type SliceRun = z.infer<typeof sliceRunSchema>;

export const resultSchema = z.strictObject({
  format: z.literal('result/1'),
  /** The version of Weir that wrote it. */
  weir: z.string(),
  runId: z.string(),
  /** The plan `withoutPrompts`. */
  plan: planSchema,
  /** The hash of the plan that was run, prompts included: it cannot be computed from `plan`. */
  planHash: z.string(),
  /** The first slice's base address; a note names the others where they differ. */
  baseUrl: z.string(),
  startedAt: z.iso.datetime(),
  /** Slices in order; fewer than their `count` make the run incomplete. */
  slices: z.array(sliceRunSchema).min(1),
  /** When the load ended: with the plan, or earlier, when nothing was left to ask or the run was stopped. Of slices, the latest. */
  scheduled: millisecondsSchema,
  /** When the last exchange ended; later than `scheduled` where answers were awaited. */
  ended: millisecondsSchema,
  /** Why the run stopped before its plan did; `null` when it ran through. */
  partial: z.string().nullable(),
  /** The objective whose breach ended the run; absent when none did. */
  breach: breachSchema.optional(),
  /** How the plan's objectives came out when the result was written; `weir report` judges anew. */
  verdicts: z.array(objectiveVerdictSchema).optional(),
  /** The run's own error, where a canary told it. */
  errorBar: errorBarSchema.optional(),
  /** What the ledger proves of the keys’ limits. */
  limits: runLimitsSchema.optional(),
  /** Sentences that the reader of the figures must know, for example that a field was dropped from requests. */
  notes: z.array(z.string()),
  groups: z.array(groupSchema),
  timeline: z.array(timelineSecondSchema),
  failures: z.array(failureSchema),
  /** The slowest requests and some failed ones; absent in results of earlier versions. */
  exemplars: z.array(exemplarSchema).optional(),
  ledger: z.array(ledgerSchema),
  /** The reference gateway's own counters over the run, where it was the target; an independent witness. */
  witness: z.record(z.string(), count).nullable(),
});
export type Result = z.infer<typeof resultSchema>;

/** What a run knows about itself beside its observations. */
export type ResultFacts = Pick<Result, 'weir' | 'runId' | 'plan' | 'planHash' | 'slices'> &
  Pick<Result, 'scheduled' | 'partial' | 'breach' | 'notes' | 'witness'>;

/** The JSON Schema of `result/1`, as published in `reports/result.schema.json`. */
export const resultJsonSchema = (): object => ({
  title: 'A result of Weir, result/1',
  ...z.toJSONSchema(resultSchema, { io: 'input' }),
});
