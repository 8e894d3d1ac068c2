import { maxSlices } from '../workload/arrival.ts';
import {
  count,
  groupSchema,
  maxGroups,
  secondSchema,
  timelineMeasures,
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
  /** The cause: `error.code` or `error.type` of a refusal, otherwise the issue or cause of the outcome. */
  cause: z.string(),
  /** The message of the server or the transport, shortened, with numbers and ids masked. */
  message: z.string(),
  /** Whether all messages are equal to the example's text. */
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

/** The signals of the load generator in one second; `null` if the system does not report a value. */
export const generatorSampleSchema = z.strictObject({
  second: secondSchema,
  utilisation: z.number(),
  /** The 99th percentile of the event loop's delay in ms, without the monitor's own resolution. */
  delayP99: z.number(),
  delayMax: z.number(),
  /**
   * How late half, 90 and 99 % of the second's instants were at most, in ms, by the timers of the loop; absent with
   * self-test streams, and in old results.
   */
  late: z.strictObject({ p50: z.number(), p90: z.number(), p99: z.number() }).optional(),
  /** The numbers of turns of the loop, of events, and of events that waited for another turn (uvMetricsInfo). */
  loops: count,
  events: count,
  eventsWaiting: count,
  /** The longest pause of garbage collection, and the sum of all pauses, in ms. */
  gcMax: z.number(),
  gcTotal: z.number(),
  /** The CPU time of the process or the worker's thread, as a share of one core. */
  cpu: z.number(),
  /** The time spent waiting for a CPU, as a share of the second (/proc/thread-self/schedstat). */
  cpuWait: z.number().nullable(),
  /** The time for which the cgroup was throttled, in ms. */
  throttled: z.number().nullable(),
  /** The resident memory, in bytes. */
  memory: z.number(),
  /** The canary's sample; `null` without a canary, absent in old results. */
  canary: canarySampleSchema.nullable().optional(),
});
export type GeneratorSample = z.infer<typeof generatorSampleSchema>;

export const sliceRunSchema = z.strictObject({
  index: count,
  count: z.int().positive().max(maxSlices),
  startedAt: z.iso.datetime(),
  /** The clock's name. Slices with the same clock share instant 0, as the workers of one process do. */
  clock: z.string().optional(),
  /** The name of the slice's machine, if a coordinator joined the slices. */
  host: z.string().optional(),
  /** The time by which its clock, and so `startedAt`, was ahead of the coordinator's clock. */
  clockOffset: clockOffsetSchema.optional(),
  /** The trust in this slice alone. */
  trust: z.enum(['valid', 'degraded', 'invalid']).optional(),
  /** The address that the slice used. The reference gateway of each slice has its own. */
  baseUrl: z.string(),
  machine: z.strictObject({
    node: z.string(),
    platform: z.string(),
    cpu: z.string(),
    cores: z.int().positive(),
  }),
  generator: z.array(generatorSampleSchema),
  /** The lag of this slice's starts in ms, in the seconds of the figures; absent if there is only one slice. */
  lag: encodedHistogramSchema.optional(),
});
export type SliceRun = z.infer<typeof sliceRunSchema>;

export const resultSchema = z.strictObject({
  format: z.literal('result/1'),
  weir: z.string(),
  runId: z.string(),
  /** The plan after `withoutPrompts`. */
  plan: planSchema,
  /** The hash of the plan with prompts, which cannot be computed from `plan`. */
  planHash: z.string(),
  /** The address of the first slice. A note names the others if they differ. */
  baseUrl: z.string(),
  startedAt: z.iso.datetime(),
  /** The verdict and the figures at the time of writing, for other programs. `weir report` makes them again. */
  summary: runSummarySchema.optional(),
  /** The slices in order. If there are fewer than their `count`, the run is incomplete. */
  slices: z.array(sliceRunSchema).min(1),
  /**
   * When the load ended in the last slice: as planned, or earlier if all requests had been sent or the run was stopped.
   */
  scheduled: millisecondsSchema,
  /** When the last exchange ended. */
  ended: millisecondsSchema,
  /** The reason why the run stopped early; `null` if it did not. */
  partial: z.string().nullable(),
  breach: breachSchema.optional(),
  /** The end of the warm-up, which the run has found: `plan.warmUp`. Absent if the plan sets it, or slices are missing. */
  warmUp: z
    .strictObject({
      end: millisecondsSchema,
      /** Whether the run was steady from then on. If not, the end is the last possible one: figures are approximate. */
      isSteady: z.boolean(),
      /** The measures by which the end was found. */
      measures: z.array(z.enum(timelineMeasures)),
      /** The number of arrivals that were due before the end. */
      excluded: count,
    })
    .optional(),
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
  /** The sample for pictures of single requests; absent in old results. */
  requestSample: z.array(requestSampleSchema).optional(),
  ledger: z.array(ledgerSchema),
  /** The counters of the reference gateway, if it was the target. */
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

/** The facts that a run records besides observations. */
export type ResultFacts = Pick<Result, 'weir' | 'runId' | 'plan' | 'planHash' | 'slices'> &
  Pick<Result, 'scheduled' | 'partial' | 'breach' | 'notes' | 'gatewayCounters'> & {
    readonly server?: Result['server'];
  };

/** Returns the JSON Schema of `result/1`, published in `reports/result.schema.json`. */
export const resultJsonSchema = (): object => ({
  title: 'A result of Weir, result/1',
  ...z.toJSONSchema(resultSchema, {
    io: 'input',
    // Strict validators reject keywords and formats that they do not know.
    override: ({ jsonSchema }) => {
      delete jsonSchema['unit'];
      if (jsonSchema.format === 'base64') delete jsonSchema.format;
    },
  }),
});
