import { z } from 'zod';
import { budgetSchema } from './budget.ts';
import { limiterClassNames } from '../limits/limit-log.ts';
import { transportNames } from '../observation/exchange.ts';
import { mockSettingsSchema } from '../gateway/mock-settings.ts';
import { paceSchema } from './pace.ts';
import { objectiveSchema, requestObjectiveSchema } from './objective.ts';
import { millisecondsSchema, perSecondSchema } from '../quantity-schema.ts';
import { retrySchema } from './retry.ts';
import { traceLoadSchema } from '../workload/trace.ts';
import { trafficSchema } from '../workload/traffic.ts';

/**
 * The complete meaning of a scenario: everything that a run needs, with all defaults, as plain data that can be
 * sent to a thread or a machine. It has no secrets: keys and header values stay templates (`model/plan/secret.ts`).
 */

const rateSegmentSchema = z.strictObject({
  from: perSecondSchema,
  to: perSecondSchema,
  duration: millisecondsSchema,
});
export type RateSegment = z.infer<typeof rateSegmentSchema>;

/** Arrivals follow the clock, whatever the answers do. */
const openLoadSchema = z.strictObject({
  kind: z.literal('open'),
  curve: z.array(rateSegmentSchema).min(1),
  /**
   * `even`: arrival n is due when the area under the curve reaches n. `poisson`: gaps in that area are exponential.
   * `gamma`: they have this shape and mean 1; arrivals come in bursts below 1 and more evenly above it.
   */
  spacing: z.union([
    z.enum(['even', 'poisson']),
    z.strictObject({ gamma: z.number().min(0.01).max(1000) }),
  ]),
});

/** Users that send their next request after the answer and the think time. */
const closedLoadSchema = z.strictObject({
  kind: z.literal('closed'),
  users: z.int().positive(),
  duration: millisecondsSchema,
  thinkTime: millisecondsSchema,
  /** The time over which the users start one after the other. */
  rampUp: millisecondsSchema,
});

/** Users that share a number of requests. The stage ends when they are done, or at `maxDuration`. */
const iterationsLoadSchema = z.strictObject({
  kind: z.literal('iterations'),
  users: z.int().positive(),
  iterations: z.int().positive(),
  maxDuration: millisecondsSchema,
  thinkTime: millisecondsSchema,
});

/** Connections that send the next request as soon as the answer arrives. */
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

/** `template` is the text of the scenario, such as `${env:WEIR_API_KEY}`. */
const keySchema = z.strictObject({
  name: z.string().min(1),
  template: z.string().min(1),
  weight: z.number().positive(),
});
export type ApiKey = z.infer<typeof keySchema>;

const targetSchema = z.discriminatedUnion('kind', [
  /** A base address that ends in its version segment (`…/v1`), or that of a Unix socket. Its query is sent with every request. */
  z.strictObject({ kind: z.literal('url'), url: z.url() }),
  z.strictObject({ kind: z.literal('mock') }),
  z.strictObject({ kind: z.literal('container') }),
]);
export type Target = z.infer<typeof targetSchema>;

const wireSchema = z.strictObject({
  http2: z.boolean(),
  /** `environment` follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  proxy: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({ kind: z.literal('environment') }),
    z.strictObject({ kind: z.literal('url'), url: z.url() }),
  ]),
  /** A file of PEM certificates that are trusted too. */
  caFile: z.string().nullable(),
  /** PEM files of the certificate that is shown to the target and of its key; absent for none. */
  clientCert: z.string().optional(),
  clientKey: z.string().optional(),
  verifyTls: z.boolean(),
  /** Whether connections are opened before requests are due; absent in old plans. */
  connectAhead: z.boolean().optional(),
  /** Whether connections are used again; absent in old plans, which do. */
  reuse: z.boolean().optional(),
  /** The maximum requests on one connection; otherwise as many as the server allows. */
  maxRequestsPerConnection: z.int().positive().nullable().optional(),
  /** The paths of the target below its base address by the usual ones, such as `/chat/completions`; absent if it has no others. */
  paths: z.record(z.string(), z.string()).optional(),
});
export type ConnectionSettings = z.infer<typeof wireSchema>;

/** Each deadline has its own cause (`broken{deadline-…}`); `null` for none. */
const deadlinesSchema = z.strictObject({
  connect: millisecondsSchema.nullable(),
  /** From sent to the first token of a stream, or to the first byte of any other answer's body. */
  firstToken: millisecondsSchema.nullable(),
  /** Between two reads of one answer. */
  idle: millisecondsSchema.nullable(),
  /** From due to the end, over all attempts and waits. */
  total: millisecondsSchema.nullable(),
});
export type Deadlines = z.infer<typeof deadlinesSchema>;

/** The maximum size of an answer. A larger one is aborted as `too-large`. */
const capsSchema = z.strictObject({ bytes: z.int().positive(), events: z.int().positive() });
export type AnswerCaps = z.infer<typeof capsSchema>;

/** The declared limits of each key (interface 8); `null` for none. */
const limitsSchema = z.strictObject({
  requestsPerMinute: z.int().positive().nullable(),
  tokensPerMinute: z.int().positive().nullable(),
  /** The permitted limiter if the run is judged by its limits. */
  limiter: z
    .enum(['any', ...limiterClassNames])
    .nullable()
    .default(null),
});

export const planSchema = z.strictObject({
  format: z.literal('plan/1'),
  name: z.string().min(1),
  description: z.string().nullable(),
  target: targetSchema,
  wire: wireSchema,
  /** HTTP/2 always uses undici, as do old plans without this field. */
  transport: z.enum(transportNames).default('undici'),
  /** The number of sending threads; `auto`: see `engine/worker-count.ts`. It does not change what is sent. */
  workers: z.union([z.int().positive(), z.literal('auto')]).default(1),
  /** Whether self-test streams measure how late arrivals are stamped; absent in old plans. */
  canary: z.boolean().optional(),
  keys: z.array(keySchema).min(1),
  /** The header of the key, in lower case; absent: `authorization`, with the word Bearer before the key. */
  auth: z.strictObject({ header: z.string().min(1) }).optional(),
  /** Values are templates as in `keys`. */
  headers: z.record(z.string(), z.string()),
  stages: z.array(stageSchema).min(1),
  /** Arrivals due before this moment are in no figure. */
  warmUp: millisecondsSchema,
  /** How long exchanges can continue after the load has ended. */
  grace: millisecondsSchema,
  /** The maximum arrivals in flight, including those that wait; further ones are `dropped{saturated}`. */
  inFlight: z.int().positive(),
  deadlines: deadlinesSchema,
  caps: capsSchema,
  limits: limitsSchema,
  retry: retrySchema.nullable(),
  /** `null`: requests are sent when they are due. */
  pace: paceSchema.nullable(),
  budget: budgetSchema.nullable().default(null),
  /**
   * What makes a stream complete. `standard`: every choice has a finish reason, or one has and `[DONE]` came.
   * `lenient`: also `[DONE]` alone. `strict`: never without `[DONE]`.
   */
  streams: z.enum(['lenient', 'standard', 'strict']),
  /** Finish reasons that fail an answer, besides the known ones. */
  fails: z.array(z.strictObject({ finish: z.string().min(1) })).optional(),
  /** The server’s own metrics to read during the run. */
  server: z
    .strictObject({
      /** An address, or a path at the target. */
      metrics: z.string().min(1),
      every: millisecondsSchema,
      /** Figures from metrics that Weir does not know. */
      figures: z.array(
        z.strictObject({ name: z.string(), metric: z.string(), as: z.enum(['gauge', 'rate']) }),
      ),
    })
    .optional(),
  objectives: z.array(objectiveSchema).default([]),
  perRequest: z.array(requestObjectiveSchema).default([]),
  seed: z.int().nonnegative(),
  /** Ignored against any other target. */
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

/** Returns the arrivals of a load, the mean if they are drawn; `null` if they depend on the answers. */
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

/** Returns the load of a plan that saturates the target, which is then its only one; `null` for other plans. */
export const saturateLoadOf = ({ stages }: Pick<Plan, 'stages'>): SaturateLoad | null => {
  const load = stages[0]?.load;
  return load?.kind === 'saturate' ? load : null;
};

/** Whether a plan has streamed chats. */
export const hasChatStreams = ({ stages }: Pick<Plan, 'stages'>): boolean =>
  stages.some(({ traffic }) => traffic.some(({ kind }) => kind === 'chat-stream'));
