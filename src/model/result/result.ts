import { maxSlices } from '../quantity.ts';
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

/**
 * The failures that have the same traffic kind, outcome, status, cause and masked message. `count` says how many there
 * are.
 */
export const failureSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  outcome: z.enum(['limited', 'refused', 'malformed', 'broken', 'dropped']),
  status: z.int().nullable(),
  /**
   * The cause of the failure. For a refusal, the cause is `error.code` or `error.type`. For any other failure, the
   * cause is the name of the problem or the cause in the outcome.
   */
  cause: z.string(),
  /** The message of the server or the transport, shortened. Numbers and ids are masked. */
  message: z.string(),
  /** Whether all these failures had exactly the text of the example as their message. */
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

/** What the load generator measured about itself in one second. A value is `null` if the system does not report it. */
export const generatorSampleSchema = z.strictObject({
  second: secondSchema,
  utilisation: z.number(),
  /** 99 % of the delays of the event loop were at most this long, in ms, without the resolution of the monitor. */
  delayP99: z.number(),
  delayMax: z.number(),
  /**
   * The event loop's lateness, in ms, which 50, 90 and 99 % of the second's instants do not exceed. Computed from
   * timers of the event loop; absent with self-test streams, and in old results.
   */
  late: z.strictObject({ p50: z.number(), p90: z.number(), p99: z.number() }).optional(),
  /**
   * How many turns the event loop made, how many events it handled, and how many events had to wait for another turn
   * (uvMetricsInfo).
   */
  loops: count,
  events: count,
  eventsWaiting: count,
  /** The longest pause for garbage collection, and how long all such pauses took together, in ms. */
  gcMax: z.number(),
  gcTotal: z.number(),
  /** How much CPU time a worker's thread, or else the whole process, used; 1 is one full core. */
  cpu: z.number(),
  /** How long the thread waited for a CPU, as a share of the second (/proc/thread-self/schedstat). */
  cpuWait: z.number().nullable(),
  /** How long a quota throttled the cgroup of this process, in ms. */
  throttled: z.number().nullable(),
  /** The resident memory of the process in bytes; `null` if it was never readable. */
  memory: z.number().nullable(),
  /** The sample of the self-test streams. `null` in a run without self-test streams; absent in old results. */
  canary: canarySampleSchema.nullable().optional(),
});
export type GeneratorSample = z.infer<typeof generatorSampleSchema>;

const orderMessage = 'expected each second once, in order';

/**
 * Returns whether samples are in the order of their seconds. This function ignores a second that is not a number,
 * because the schema reports such a second.
 */
const isInOrder = (samples: readonly ({ readonly second?: unknown } | null)[]): boolean =>
  samples.every((sample, i) => {
    const [before, second] = [samples[i - 1]?.second, sample?.second];
    return typeof second !== 'number' || typeof before !== 'number' || second > before;
  });

/**
 * The order of the seconds is checked before their content, because decoding the histograms of 100,000 copies of one
 * second would take a minute.
 */
const timelineSchema = z.preprocess((seconds, context) => {
  if (Array.isArray(seconds) && !isInOrder(seconds)) context.addIssue(orderMessage);
  return seconds;
}, z.array(timelineSecondSchema));

export const sliceRunSchema = z.strictObject({
  index: count,
  count: z.int().positive().max(maxSlices),
  startedAt: z.iso.datetime(),
  /**
   * The name of the slice's clock. Slices with the same clock share the instant 0, as the workers of one process do.
   */
  clock: z.string().optional(),
  /** The name of the slice's machine; absent unless a coordinator joined the slices. */
  host: z.string().optional(),
  /** How far the slice's clock was ahead of the coordinator's clock. `startedAt` was ahead by the same time. */
  clockOffset: clockOffsetSchema.optional(),
  /** The verdict on trust for this slice alone. */
  trust: z.enum(['valid', 'degraded', 'invalid']).optional(),
  /**
   * The address of the target that the slice used. Each slice with an embedded reference gateway has its own address.
   */
  baseUrl: z.string(),
  machine: z.strictObject({
    node: z.string(),
    platform: z.string(),
    cpu: z.string(),
    cores: z.int().positive(),
  }),
  generator: z.array(generatorSampleSchema).refine(isInOrder, orderMessage),
  /**
   * How late this slice started requests, in ms, in the seconds from which figures are computed; absent in a run with a
   * single slice.
   */
  lag: encodedHistogramSchema.optional(),
});
export type SliceRun = z.infer<typeof sliceRunSchema>;

const maxNotes = 10_000;

export const resultSchema = z.strictObject({
  format: z.literal('result/1'),
  weir: z.string(),
  runId: z.string(),
  /** The plan without its prompts (`withoutPrompts`). */
  plan: planSchema,
  /** The hash of the plan with its prompts. `plan` has no prompts, so the hash of `plan` would differ. */
  planHash: z.string(),
  /** The address of the target in the first slice. If other slices used other addresses, a note lists all addresses. */
  baseUrl: z.string(),
  startedAt: z.iso.datetime(),
  /**
   * The verdict and the figures as they were when the file was written, for other programs. `weir report` computes both
   * again.
   */
  summary: runSummarySchema.optional(),
  /**
   * The slices in order. Each slice declares the number of slices of the run (`count`). If the list is shorter, the run
   * is incomplete.
   */
  slices: z.array(sliceRunSchema).min(1).max(maxSlices),
  /**
   * When the load ended in the last slice. The load ends as planned, or earlier because all requests were sent or the
   * run was stopped.
   */
  scheduled: millisecondsSchema,
  /** When the last exchange ended. */
  ended: millisecondsSchema,
  /** The reason why the run stopped early; `null` if the run did not stop early. */
  partial: z.string().nullable(),
  breach: breachSchema.optional(),
  /**
   * The end of the warm-up that the run has found. `plan.warmUp` has the same value. Absent if the plan sets the end,
   * or if slices are missing.
   */
  warmUp: z
    .strictObject({
      end: millisecondsSchema,
      /**
       * Whether the run was steady after this end. If the run was not steady, `end` is the last possible end, and
       * figures are approximate.
       */
      isSteady: z.boolean(),
      measures: z.array(z.enum(timelineMeasures)),
      /** How many arrivals were due before the end of the warm-up. No figure contains them. */
      excluded: count,
    })
    .optional(),
  /** The verdicts on objectives at the time of writing. `weir report` computes the verdicts again. */
  verdicts: z.array(objectiveVerdictSchema).optional(),
  errorBar: errorBarSchema.optional(),
  server: serverMetricsSchema.optional(),
  limits: runLimitsSchema.optional(),
  /** Sentences for the reader, for example about a field that was dropped from requests. */
  notes: z.array(z.string()).max(maxNotes),
  groups: z.array(groupSchema).max(maxGroups),
  timeline: timelineSchema,
  failures: z.array(failureSchema),
  /** The slowest requests and some failed requests; absent in old results. */
  exemplars: z.array(exemplarSchema).optional(),
  /** The sample of single requests for charts; absent in old results. */
  requestSample: z.array(requestSampleSchema).optional(),
  ledger: z.array(ledgerSchema),
  gatewayCounters: z.record(z.string(), count).nullable(),
});
export type Result = z.infer<typeof resultSchema>;

const renamedFields: ReadonlyMap<string, string> = new Map([['witness', 'gatewayCounters']]);

export const withPresentNames = (stored: unknown): unknown =>
  typeof stored === 'object' && stored !== null && !Array.isArray(stored)
    ? Object.fromEntries(
        Object.entries(stored).map(([name, value]) => [renamedFields.get(name) ?? name, value]),
      )
    : stored;

export type ResultFacts = Pick<Result, 'weir' | 'runId' | 'plan' | 'planHash' | 'slices'> &
  Pick<Result, 'scheduled' | 'partial' | 'breach' | 'notes' | 'gatewayCounters'> & {
    readonly server?: Result['server'];
  };

/** Returns the JSON Schema of `result/1`, published in `reports/result.schema.json`. */
export const resultJsonSchema = (): object => ({
  title: 'A result of Weir, result/1',
  ...z.toJSONSchema(resultSchema, {
    io: 'input',
    // Strict validators reject unknown keywords and formats, so these are removed.
    override: ({ jsonSchema }) => {
      delete jsonSchema['unit'];
      if (jsonSchema.format === 'base64') delete jsonSchema.format;
    },
  }),
});
