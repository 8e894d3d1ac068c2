import {
  count,
  groupSchema,
  maxGroups,
  secondSchema,
  timelineSecondSchema,
} from '../measures/counts.ts';
import { z } from 'zod';
import { clockOffsetSchema } from '../rendezvous/clock-offset.ts';
import { canarySampleSchema, errorBarSchema } from './canary.ts';
import { exemplarSchema } from './exemplar.ts';
import { encodedHistogramSchema } from '../measures/histogram.ts';
import { ledgerSchema } from '../observation/ledger.ts';
import { breachSchema, objectiveVerdictSchema } from './objective-verdict.ts';
import { planSchema } from '../plan/plan.ts';
import { runLimitsSchema } from '../limits/run-limits.ts';
import { requestSampleSchema } from './request-sample.ts';
import { runSummarySchema } from './run-summary.ts';
import { instantSchema, millisecondsSchema } from '../quantity-schema.ts';
import { serverMetricsSchema } from './server-metrics.ts';
import { trafficKinds } from '../workload/traffic.ts';

/** Failures with the same traffic kind, outcome, cause and masked message. */
export const failureSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  outcome: z.enum(['limited', 'refused', 'malformed', 'broken', 'dropped']),
  status: z.int().nullable(),
  /** error.code or error.type of a refusal, otherwise the issue or cause. */
  cause: z.string(),
  /** What the server or the transport said, with numbers and ids masked, bounded. */
  message: z.string(),
  /** Whether all messages are identical to the example's text. */
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
 * The generator's signals over one second, sampled by the machine that ran the slice.
 * `null` if the kernel or runtime does not report a value.
 */
export const generatorSampleSchema = z.strictObject({
  second: secondSchema,
  utilisation: z.number(),
  /** Event-loop delay in ms, the monitor's own resolution subtracted. */
  delayP99: z.number(),
  delayMax: z.number(),
  /** Loop turns, events, and events that had to wait for another poll (uvMetricsInfo). */
  loops: count,
  events: count,
  eventsWaiting: count,
  /** Garbage collection: the longest pause and all pauses, in ms. */
  gcMax: z.number(),
  gcTotal: z.number(),
  /** CPU time of the process, or of a worker’s thread, as a share of one core. */
  cpu: z.number(),
  /** CPU wait as a share of the second (/proc/thread-self/schedstat). */
  cpuWait: z.number().nullable(),
  /** Milliseconds for which the cgroup was throttled. */
  throttled: z.number().nullable(),
  /** Resident memory of the process in bytes. */
  memory: z.number(),
  /** `null` without a canary, absent in results of earlier versions. */
  canary: canarySampleSchema.nullable().optional(),
});
export type GeneratorSample = z.infer<typeof generatorSampleSchema>;

export const sliceRunSchema = z.strictObject({
  index: count,
  count: z.int().positive(),
  startedAt: z.iso.datetime(),
  /** Slices with the same clock, as the workers of one process, share instant 0. */
  clock: z.string().optional(),
  /** The name of its machine, where a coordinator joined the slices. */
  host: z.string().optional(),
  /** How far its clock was ahead of the coordinator's, in ms, and how sure that was until its end. `startedAt` is by the coordinator's. */
  clockOffset: clockOffsetSchema.optional(),
  /** The verdict on this slice alone. */
  trust: z.enum(['valid', 'degraded', 'invalid']).optional(),
  /** The address in use; each slice's embedded gateway has its own. */
  baseUrl: z.string(),
  machine: z.strictObject({
    node: z.string(),
    platform: z.string(),
    cpu: z.string(),
    cores: z.int().positive(),
  }),
  generator: z.array(generatorSampleSchema),
  /** Start lag of this slice in ms, in the seconds of the figures; present if several slices were merged. */
  lag: encodedHistogramSchema.optional(),
});
export type SliceRun = z.infer<typeof sliceRunSchema>;

export const resultSchema = z.strictObject({
  format: z.literal('result/1'),
  weir: z.string(),
  runId: z.string(),
  /** The plan `withoutPrompts`. */
  plan: planSchema,
  /** The hash of the plan with prompts: it cannot be computed from `plan`. */
  planHash: z.string(),
  /** The first slice's base address; a note names the others if they differ. */
  baseUrl: z.string(),
  startedAt: z.iso.datetime(),
  /** The verdict and the figures when the result was written, for programs; `weir report` makes it again. */
  summary: runSummarySchema.optional(),
  /** In order; with fewer than their `count` the run is incomplete. */
  slices: z.array(sliceRunSchema).min(1),
  /** When the load ended: with the plan, or earlier if all requests were sent or the run was stopped. The latest of all slices. */
  scheduled: millisecondsSchema,
  /** When the last exchange ended. */
  ended: millisecondsSchema,
  /** Why the run stopped early; `null` if it was complete. */
  partial: z.string().nullable(),
  breach: breachSchema.optional(),
  /** The verdicts when the result was written; `weir report` judges again. */
  verdicts: z.array(objectiveVerdictSchema).optional(),
  errorBar: errorBarSchema.optional(),
  /** What the server said of itself; absent if the plan does not ask for it. */
  server: serverMetricsSchema.optional(),
  /** What the ledger proves about the limits of the keys. */
  limits: runLimitsSchema.optional(),
  /** Sentences for the reader, for example that a field was dropped from requests. */
  notes: z.array(z.string()),
  groups: z.array(groupSchema).max(maxGroups),
  timeline: z.array(timelineSecondSchema),
  failures: z.array(failureSchema),
  /** The slowest requests and some failed ones; absent in results of earlier versions. */
  exemplars: z.array(exemplarSchema).optional(),
  /** For pictures of single requests; absent in results of earlier versions. */
  requestSample: z.array(requestSampleSchema).optional(),
  ledger: z.array(ledgerSchema),
  /** The counters of the reference gateway over the run, if it was the target; independent of Weir's. */
  gatewayCounters: z.record(z.string(), count).nullable(),
});
export type Result = z.infer<typeof resultSchema>;

/** The fields that earlier versions wrote under another name, each with its present name. */
const renamedFields: ReadonlyMap<string, string> = new Map([['witness', 'gatewayCounters']]);

/** Gives the fields of a stored result their present names. Other values than mappings stay as they are. */
export const withPresentNames = (stored: unknown): unknown =>
  typeof stored === 'object' && stored !== null && !Array.isArray(stored)
    ? Object.fromEntries(
        Object.entries(stored).map(([name, value]) => [renamedFields.get(name) ?? name, value]),
      )
    : stored;

/** What a run records in addition to its observations. */
export type ResultFacts = Pick<Result, 'weir' | 'runId' | 'plan' | 'planHash' | 'slices'> &
  Pick<Result, 'scheduled' | 'partial' | 'breach' | 'notes' | 'gatewayCounters'> & {
    readonly server?: Result['server'];
  };

/** The JSON Schema of `result/1`, as published in `reports/result.schema.json`. */
export const resultJsonSchema = (): object => ({
  title: 'A result of Weir, result/1',
  ...z.toJSONSchema(resultSchema, {
    io: 'input',
    // Strict validators refuse keywords and formats that JSON Schema does not know.
    override: ({ jsonSchema }) => {
      delete jsonSchema['unit'];
      if (jsonSchema.format === 'base64') delete jsonSchema.format;
    },
  }),
});
