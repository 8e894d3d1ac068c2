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
 * The typed, complete, immutable meaning of a scenario: everything a run needs, all defaults filled
 * in, plain data that can be sent to a thread or a machine. It contains no secrets: keys and header
 * values stay templates (`model/plan/secret.ts`).
 */

/** One straight piece of a rate curve. */
const rateSegmentSchema = z.strictObject({
  from: perSecondSchema,
  to: perSecondSchema,
  duration: millisecondsSchema,
});
export type RateSegment = z.infer<typeof rateSegmentSchema>;

/** Arrivals follow the clock, independent of answers. */
const openLoadSchema = z.strictObject({
  kind: z.literal('open'),
  /** The rate over time; constant, ramping and stairs are all curves. */
  curve: z.array(rateSegmentSchema).min(1),
  /**
   * `even`: arrival n is due when the area under the curve reaches n. `poisson`: exponential gaps in that area.
   * `gamma`: gaps of this shape and mean 1; below 1 arrivals come in bursts, 1 is Poisson, above 1 they become more even.
   */
  spacing: z.union([
    z.enum(['even', 'poisson']),
    z.strictObject({ gamma: z.number().min(0.01).max(1000) }),
  ]),
});

/** A fixed number of users, each of which sends its next request after the answer and the think time. */
const closedLoadSchema = z.strictObject({
  kind: z.literal('closed'),
  users: z.int().positive(),
  duration: millisecondsSchema,
  thinkTime: millisecondsSchema,
  /** The users start in sequence over this length of time. */
  rampUp: millisecondsSchema,
});

/** Users share a fixed number of requests; the stage ends when they are done, or at `maxDuration`. */
const iterationsLoadSchema = z.strictObject({
  kind: z.literal('iterations'),
  users: z.int().positive(),
  iterations: z.int().positive(),
  maxDuration: millisecondsSchema,
  thinkTime: millisecondsSchema,
});

/** Connections of autocannon that send the next request as soon as the answer arrives. */
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

/** A named part of a run with its own load. Stages follow each other without a gap. */
const stageSchema = z.strictObject({
  name: z.string().min(1),
  load: loadSchema,
  traffic: z.array(trafficSchema).min(1),
});
export type Stage = z.infer<typeof stageSchema>;

/** `template` is the text of the scenario, for example `${env:WEIR_API_KEY}`. */
const keySchema = z.strictObject({
  name: z.string().min(1),
  template: z.string().min(1),
  weight: z.number().positive(),
});
export type ApiKey = z.infer<typeof keySchema>;

const targetSchema = z.discriminatedUnion('kind', [
  /** A gateway's base address, ending in its version segment (`…/v1`), without a trailing slash; its query is sent with every request. */
  z.strictObject({ kind: z.literal('url'), url: z.url() }),
  /** The bundled reference gateway, started for the run in its own process. */
  z.strictObject({ kind: z.literal('mock') }),
  z.strictObject({ kind: z.literal('container') }),
]);
export type Target = z.infer<typeof targetSchema>;

const wireSchema = z.strictObject({
  http2: z.boolean(),
  /** An explicit proxy; `environment` follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY; `none` goes direct. */
  proxy: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({ kind: z.literal('environment') }),
    z.strictObject({ kind: z.literal('url'), url: z.url() }),
  ]),
  /** A file of PEM certificates to trust in addition to the system's; `null` for none. */
  caFile: z.string().nullable(),
  verifyTls: z.boolean(),
  /** Whether connections are opened before scheduled requests are due; absent in old plans. */
  connectAhead: z.boolean().optional(),
  /** Whether a connection is used for several requests; absent in old plans, which means that it is. */
  reuse: z.boolean().optional(),
  /** Maximum requests on one connection; `null` or absent: as many as the server allows. */
  maxRequestsPerConnection: z.int().positive().nullable().optional(),
});
export type ConnectionSettings = z.infer<typeof wireSchema>;

/** Each deadline has its own cause (`broken{deadline-…}`); `null` disables it. */
const deadlinesSchema = z.strictObject({
  connect: millisecondsSchema.nullable(),
  /** From sent to the first token of a stream, or to the first byte of any other answer's body. */
  firstToken: millisecondsSchema.nullable(),
  /** Maximum time between two reads of one answer. */
  idle: millisecondsSchema.nullable(),
  /** From due to the end, over all attempts and waits. */
  total: millisecondsSchema.nullable(),
});
export type Deadlines = z.infer<typeof deadlinesSchema>;

/** Maximum size of an answer; beyond it the exchange is aborted as `too-large`. */
const capsSchema = z.strictObject({ bytes: z.int().positive(), events: z.int().positive() });
export type AnswerCaps = z.infer<typeof capsSchema>;

/** The limits that the gateway declares per key (interface 8); `null` for none. */
const limitsSchema = z.strictObject({
  requestsPerMinute: z.int().positive().nullable(),
  tokensPerMinute: z.int().positive().nullable(),
  /** The permitted limiter if the run is judged by its limits; `null` otherwise. */
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
  /** HTTP/2 always uses undici; so do old plans without this field. */
  transport: z.enum(transportNames).default('undici'),
  /** Number of sending threads; `auto`: see `engine/worker-count.ts`. Does not change what is sent. */
  workers: z.union([z.int().positive(), z.literal('auto')]).default(1),
  /** Whether self-test streams measure how late arrivals are stamped; absent in old plans. Does not change what is sent. */
  canary: z.boolean().optional(),
  keys: z.array(keySchema).min(1),
  /** Which header carries the key, in lower case; absent: `authorization`, where the word Bearer precedes it. */
  auth: z.strictObject({ header: z.string().min(1) }).optional(),
  /** Extra request headers; values are templates as in `keys`. */
  headers: z.record(z.string(), z.string()),
  stages: z.array(stageSchema).min(1),
  /** Arrivals due before this moment are marked and excluded from the figures. */
  warmUp: millisecondsSchema,
  /** How long unfinished exchanges can continue after the load has ended before they are aborted. */
  grace: millisecondsSchema,
  /** Maximum arrivals in flight, including those waiting for a retry or the pace; further ones are `dropped{saturated}`. */
  inFlight: z.int().positive(),
  deadlines: deadlinesSchema,
  caps: capsSchema,
  limits: limitsSchema,
  retry: retrySchema.nullable(),
  /** `null`: requests are sent when they are due, without regard to declared limits. */
  pace: paceSchema.nullable(),
  /** `null`: unlimited. */
  budget: budgetSchema.nullable().default(null),
  /**
   * `standard`: a stream is complete when every choice has a finish reason, or after `[DONE]` if one has. `lenient`: after
   * `[DONE]` also without a finish reason. `strict`: never without `[DONE]`.
   */
  streams: z.enum(['lenient', 'standard', 'strict']),
  /** Ends that fail an answer besides the known ones; absent: none. Does not change what is sent. */
  fails: z.array(z.strictObject({ finish: z.string().min(1) })).optional(),
  /** The server’s own metrics, read beside the run; absent: none. Does not change what is sent. */
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
  /** The reference gateway's behaviour; ignored against any other target. */
  mock: mockSettingsSchema,
});
export type Plan = z.infer<typeof planSchema>;

/** The scheduled duration of a load in ms; for `iterations` the maximum. */
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

/** The arrivals of a load; `null` if they depend on the answers. For an open load, the area under its curve. */
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

/** The load of a plan that saturates the target, which is then its only one; `null` for every other plan. */
export const saturateLoadOf = ({ stages }: Pick<Plan, 'stages'>): SaturateLoad | null => {
  const load = stages[0]?.load;
  return load?.kind === 'saturate' ? load : null;
};

/** Whether a plan has streamed chats, the traffic that a canary verifies. */
export const hasChatStreams = ({ stages }: Pick<Plan, 'stages'>): boolean =>
  stages.some(({ traffic }) => traffic.some(({ kind }) => kind === 'chat-stream'));
