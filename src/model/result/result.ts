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
  /** `error.code` or `error.type` of a refusal, otherwise the issue or cause. */
  cause: z.string(),
  /** What the server or the transport said, bounded, with numbers and ids masked. */
  message: z.string(),
  /** Whether all messages are the example's text. */
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

/** The generator's signals over one second; `null` if the system does not report a value. */
export const generatorSampleSchema = z.strictObject({
  second: secondSchema,
  utilisation: z.number(),
  /** The delay of the event loop in ms, without the monitor's own resolution. */
  delayP99: z.number(),
  delayMax: z.number(),
  /** Turns of the loop, events, and events that waited for another turn (uvMetricsInfo). */
  loops: count,
  events: count,
  eventsWaiting: count,
  /** The longest pause of garbage collection, and all pauses, in ms. */
  gcMax: z.number(),
  gcTotal: z.number(),
  /** CPU time of the process or the worker’s thread, as a share of one core. */
  cpu: z.number(),
  /** Wait for a CPU, as a share of the second (/proc/thread-self/schedstat). */
  cpuWait: z.number().nullable(),
  /** For how long the cgroup was throttled, in ms. */
  throttled: z.number().nullable(),
  /** Resident memory in bytes. */
  memory: z.number(),
  /** `null` without a canary, absent in old results. */
  canary: canarySampleSchema.nullable().optional(),
});
export type GeneratorSample = z.infer<typeof generatorSampleSchema>;

export const sliceRunSchema = z.strictObject({
  index: count,
  count: z.int().positive(),
  startedAt: z.iso.datetime(),
  /** Slices with the same clock share instant 0, as the workers of one process do. */
  clock: z.string().optional(),
  /** The name of its machine, if a coordinator joined the slices. */
  host: z.string().optional(),
  /** How far its clock was ahead of the coordinator's, by which `startedAt` is. */
  clockOffset: clockOffsetSchema.optional(),
  /** Of this slice alone. */
  trust: z.enum(['valid', 'degraded', 'invalid']).optional(),
  /** The address in use. The reference gateway of each slice has its own. */
  baseUrl: z.string(),
  machine: z.strictObject({
    node: z.string(),
    platform: z.string(),
    cpu: z.string(),
    cores: z.int().positive(),
  }),
  generator: z.array(generatorSampleSchema),
  /** The start lag of this slice in ms, in the seconds of the figures; absent if it is the only one. */
  lag: encodedHistogramSchema.optional(),
});
export type SliceRun = z.infer<typeof sliceRunSchema>;

export const resultSchema = z.strictObject({
  format: z.literal('result/1'),
  weir: z.string(),
  runId: z.string(),
  /** The plan `withoutPrompts`. */
  plan: planSchema,
  /** Of the plan with prompts: it cannot be computed from `plan`. */
  planHash: z.string(),
  /** That of the first slice. A note names the others if they differ. */
  baseUrl: z.string(),
  startedAt: z.iso.datetime(),
  /** The verdict and the figures at the time of writing, for programs. `weir report` makes it again. */
  summary: runSummarySchema.optional(),
  /** In order. If they are fewer than their `count`, the run is incomplete. */
  slices: z.array(sliceRunSchema).min(1),
  /** When the load ended in the last slice: as planned, or earlier if all requests were sent or the run was stopped. */
  scheduled: millisecondsSchema,
  /** When the last exchange ended. */
  ended: millisecondsSchema,
  /** Why the run stopped early; `null` if it did not. */
  partial: z.string().nullable(),
  breach: breachSchema.optional(),
  /** The verdicts at the time of writing; `weir report` judges again. */
  verdicts: z.array(objectiveVerdictSchema).optional(),
  errorBar: errorBarSchema.optional(),
  /** The server's own metrics, if the plan asks for them. */
  server: serverMetricsSchema.optional(),
  limits: runLimitsSchema.optional(),
  /** Sentences for the reader, for example on a field that was dropped from requests. */
  notes: z.array(z.string()),
  groups: z.array(groupSchema).max(maxGroups),
  timeline: z.array(timelineSecondSchema),
  failures: z.array(failureSchema),
  /** The slowest requests and some failed ones; absent in old results. */
  exemplars: z.array(exemplarSchema).optional(),
  /** For pictures of single requests; absent in old results. */
  requestSample: z.array(requestSampleSchema).optional(),
  ledger: z.array(ledgerSchema),
  /** What the reference gateway counted, if it was the target. */
  gatewayCounters: z.record(z.string(), count).nullable(),
});
export type Result = z.infer<typeof resultSchema>;

/** The old names of fields, each with the present one. */
const renamedFields: ReadonlyMap<string, string> = new Map([['witness', 'gatewayCounters']]);

/** Gives the fields of a stored result their present names. */
export const withPresentNames = (stored: unknown): unknown =>
  typeof stored === 'object' && stored !== null && !Array.isArray(stored)
    ? Object.fromEntries(
        Object.entries(stored).map(([name, value]) => [renamedFields.get(name) ?? name, value]),
      )
    : stored;

/** What a run records besides observations. */
export type ResultFacts = Pick<Result, 'weir' | 'runId' | 'plan' | 'planHash' | 'slices'> &
  Pick<Result, 'scheduled' | 'partial' | 'breach' | 'notes' | 'gatewayCounters'> & {
    readonly server?: Result['server'];
  };

/** Returns the JSON Schema of `result/1`, published in `reports/result.schema.json`. */
export const resultJsonSchema = (): object => ({
  title: 'A result of Weir, result/1',
  ...z.toJSONSchema(resultSchema, {
    io: 'input',
    // Strict validators refuse keywords and formats that they do not know.
    override: ({ jsonSchema }) => {
      delete jsonSchema['unit'];
      if (jsonSchema.format === 'base64') delete jsonSchema.format;
    },
  }),
});
