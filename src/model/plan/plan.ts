import { z } from 'zod';
import { budgetSchema } from './budget.ts';
import { limiterClassNames } from '../limits/limit-log.ts';
import { transportNames } from '../observation/exchange.ts';
import { mockSettingsSchema } from '../gateway/mock-settings.ts';
import { limitsPerMinuteSchema } from './limits-per-minute.ts';
import { paceSchema } from './pace.ts';
import { objectiveSchema, requestObjectiveSchema } from './objective.ts';
import { millisecondsSchema, perSecondSchema } from '../quantity-schema.ts';
import { retrySchema } from './retry.ts';
import { traceLoadSchema } from '../workload/trace.ts';
import { trafficSchema } from '../workload/traffic.ts';

/**
 * This file defines the plan, the complete meaning of a scenario: everything that a run needs, with all defaults, as
 * plain data that can be sent to a thread or a machine. It contains no secrets: keys and header values stay templates
 * (`model/plan/secret.ts`).
 */

const rateSegmentSchema = z.strictObject({
  from: perSecondSchema,
  to: perSecondSchema,
  duration: millisecondsSchema,
});
export type RateSegment = z.infer<typeof rateSegmentSchema>;

/** A load whose arrivals follow the clock, whatever the answers are. */
const openLoadSchema = z.strictObject({
  kind: z.literal('open'),
  curve: z.array(rateSegmentSchema).min(1),
  /**
   * The spacing of arrivals. `even`: arrival n is due when the area under the curve reaches n. `poisson`: the gaps in
   * that area are exponential. `gamma`: the gaps have this shape and mean 1; a shape below 1 gives bursts, a shape
   * above 1 more even arrivals.
   */
  spacing: z.union([
    z.enum(['even', 'poisson']),
    z.strictObject({ gamma: z.number().min(0.01).max(1000) }),
  ]),
});

/** A load of users who send their next request after the answer and the think time. */
const closedLoadSchema = z.strictObject({
  kind: z.literal('closed'),
  users: z.int().positive(),
  duration: millisecondsSchema,
  thinkTime: millisecondsSchema,
  /** The time over which the users start one after the other. */
  rampUp: millisecondsSchema,
});

/** A load of users who share a number of requests. The stage ends when these are done, or at `maxDuration`. */
const iterationsLoadSchema = z.strictObject({
  kind: z.literal('iterations'),
  users: z.int().positive(),
  iterations: z.int().positive(),
  maxDuration: millisecondsSchema,
  thinkTime: millisecondsSchema,
});

/** A load of connections that send the next request as soon as the answer arrives. */
const saturateLoadSchema = z.strictObject({
  kind: z.literal('saturate'),
  connections: z.int().positive(),
  duration: millisecondsSchema,
});

export const loadSchema = z.discriminatedUnion('kind', [
  openLoadSchema,
  closedLoadSchema,
  iterationsLoadSchema,
  saturateLoadSchema,
  traceLoadSchema,
]);
export type Load = z.infer<typeof loadSchema>;
export type OpenLoad = z.infer<typeof openLoadSchema>;
export type ClosedLoad = z.infer<typeof closedLoadSchema>;
export type IterationsLoad = z.infer<typeof iterationsLoadSchema>;
export type SaturateLoad = z.infer<typeof saturateLoadSchema>;

/** A part of a run with its own load. Stages follow each other without a gap. */
const stageSchema = z.strictObject({
  name: z.string().min(1),
  load: loadSchema,
  traffic: z.array(trafficSchema).min(1),
});
export type Stage = z.infer<typeof stageSchema>;

/** A key. `template` is the text in the scenario, such as `${env:WEIR_API_KEY}`. */
const keySchema = z.strictObject({
  name: z.string().min(1),
  template: z.string().min(1),
  weight: z.number().positive(),
  /** The limits of this key; absent if they are those of the plan. */
  limits: limitsPerMinuteSchema.exactOptional(),
});
export type ApiKey = z.infer<typeof keySchema>;

const targetSchema = z.discriminatedUnion('kind', [
  /**
   * A base address that ends in its version segment (`…/v1`), or the address of a Unix socket. Its query is sent with
   * every request.
   */
  z.strictObject({ kind: z.literal('url'), url: z.url() }),
  z.strictObject({ kind: z.literal('mock') }),
  z.strictObject({ kind: z.literal('container') }),
]);
export type Target = z.infer<typeof targetSchema>;

const wireSchema = z.strictObject({
  http2: z.boolean(),
  /** The proxy. `environment` follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  proxy: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({ kind: z.literal('environment') }),
    z.strictObject({ kind: z.literal('url'), url: z.url() }),
  ]),
  /** A file of additional trusted PEM certificates; `null` for none. */
  caFile: z.string().nullable(),
  /** The PEM files of the certificate that is presented to the target and of its key; absent for none. */
  clientCert: z.string().optional(),
  clientKey: z.string().optional(),
  verifyTls: z.boolean(),
  /** Whether connections are opened before requests are due; absent in old plans. */
  connectAhead: z.boolean().optional(),
  /** Whether connections are reused; absent in old plans, which reuse them. */
  reuse: z.boolean().optional(),
  /** The maximum number of requests on one connection; if absent, as many as the server allows. */
  maxRequestsPerConnection: z.int().positive().nullable().optional(),
  /**
   * The target's own paths below its base address, by the usual ones, such as `/chat/completions`; absent if all are
   * usual.
   */
  paths: z.record(z.string(), z.string()).optional(),
});
export type ConnectionSettings = z.infer<typeof wireSchema>;

/** The deadlines. Each has its own cause (`broken{deadline-…}`); `null` for none. */
const deadlinesSchema = z.strictObject({
  connect: millisecondsSchema.nullable(),
  /** The time from sending to the first token of a stream, or to the first byte of any other answer's body. */
  firstToken: millisecondsSchema.nullable(),
  /** The time between two reads of one answer. */
  idle: millisecondsSchema.nullable(),
  /** The time from due to the end, over all attempts and waits. */
  total: millisecondsSchema.nullable(),
});
export type Deadlines = z.infer<typeof deadlinesSchema>;

/** The maximum size of an answer. A larger one is aborted as `too-large`. */
const capsSchema = z.strictObject({ bytes: z.int().positive(), events: z.int().positive() });
export type AnswerCaps = z.infer<typeof capsSchema>;

/** The declared limits of each key that has none of its own. */
const limitsSchema = limitsPerMinuteSchema.extend({
  /** The permitted limiter, if the run is judged by its limits. */
  limiter: z
    .enum(['any', ...limiterClassNames])
    .nullable()
    .default(null),
});

const autoWarmUpSchema = z.strictObject({
  earliest: millisecondsSchema,
  latest: millisecondsSchema,
});
export type AutoWarmUp = z.infer<typeof autoWarmUpSchema>;

export const planSchema = z.strictObject({
  format: z.literal('plan/1'),
  name: z.string().min(1),
  description: z.string().nullable(),
  target: targetSchema,
  wire: wireSchema,
  /** The transport. HTTP/2 always uses undici, as do old plans without this field. */
  transport: z.enum(transportNames).default('undici'),
  /** The number of sending threads; `auto`: see `engine/worker-count.ts`. It does not change what is sent. */
  workers: z.union([z.int().positive(), z.literal('auto')]).default(1),
  /** Whether self-test streams measure how late arrivals are recorded; absent in old plans. */
  canary: z.boolean().optional(),
  keys: z.array(keySchema).min(1),
  /**
   * The lower-case name of the header that carries the key; if absent, `authorization`, with the word Bearer before the
   * key.
   */
  auth: z.strictObject({ header: z.string().min(1) }).optional(),
  /** The further headers; their values are templates as in `keys`. */
  headers: z.record(z.string(), z.string()),
  stages: z.array(stageSchema).min(1),
  /** The end of the warm-up: arrivals due before this moment are in no figure. */
  warmUp: millisecondsSchema,
  /** Between which instants the run itself finds that end. Until it has ended, `warmUp` is the latest. */
  autoWarmUp: autoWarmUpSchema.exactOptional(),
  /** How long exchanges can continue after the load has ended. */
  grace: millisecondsSchema,
  /** The maximum number of arrivals in flight, including waiting ones; further ones are `dropped{saturated}`. */
  inFlight: z.int().positive(),
  deadlines: deadlinesSchema,
  caps: capsSchema,
  limits: limitsSchema,
  retry: retrySchema.nullable(),
  /** The pace; `null` means that requests are sent when they are due. */
  pace: paceSchema.nullable(),
  budget: budgetSchema.nullable().default(null),
  /**
   * When a stream is complete. `standard`: every choice has a finish reason, or one has and `[DONE]` came. `lenient`:
   * also with `[DONE]` alone. `strict`: only with `[DONE]`.
   */
  streams: z.enum(['lenient', 'standard', 'strict']),
  /** The finish reasons that fail an answer, besides the known ones. */
  fails: z.array(z.strictObject({ finish: z.string().min(1) })).optional(),
  /** The server’s own metrics to read during the run. */
  server: z
    .strictObject({
      /** The address of the metrics, or a path at the target. */
      metrics: z.string().min(1),
      every: millisecondsSchema,
      /** The figures from metrics that Weir does not know. */
      figures: z.array(
        z.strictObject({ name: z.string(), metric: z.string(), as: z.enum(['gauge', 'rate']) }),
      ),
    })
    .optional(),
  objectives: z.array(objectiveSchema).default([]),
  /** Whether the run ends when its objectives are sure; the last load then lasts at most its duration. */
  until: z.literal('decided').exactOptional(),
  perRequest: z.array(requestObjectiveSchema).default([]),
  seed: z.int().nonnegative(),
  /** The settings of the reference gateway; ignored for any other target. */
  mock: mockSettingsSchema,
});
export type Plan = z.infer<typeof planSchema>;

/** Returns the scheduled duration of a load in ms, or its maximum. */
export const loadDuration = (load: Load): number => {
  switch (load.kind) {
    case 'open':
      return load.curve.reduce((sum, segment) => sum + segment.duration, 0);
    case 'closed':
    case 'saturate':
      return load.duration;
    case 'iterations':
      return load.maxDuration;
    case 'trace':
      return load.facts.duration;
  }
};

/** Returns the number of arrivals of a load, or its mean if they are drawn; `null` if it depends on the answers. */
export const arrivalCountOf = (load: Load): number | null => {
  switch (load.kind) {
    case 'open':
      return load.curve.reduce(
        (sum, { from, to, duration }) => sum + (((from + to) / 2) * duration) / 1000,
        0,
      );
    case 'iterations':
      return load.iterations;
    case 'trace':
      return load.facts.requests;
    case 'closed':
    case 'saturate':
      return null;
  }
};

/** Returns the load of a plan that saturates the target, which is then its only load; `null` for other plans. */
export const saturateLoadOf = ({ stages }: Pick<Plan, 'stages'>): SaturateLoad | null => {
  const load = stages[0]?.load;
  return load?.kind === 'saturate' ? load : null;
};

/** Whether a plan has streamed chats. */
export const hasChatStreams = ({ stages }: Pick<Plan, 'stages'>): boolean =>
  stages.some(({ traffic }) => traffic.some(({ kind }) => kind === 'chat-stream'));
