import { z } from 'zod';
import { budgetSchema } from './budget.ts';
import { limiterClassNames } from '../limits/limit-log.ts';
import { transportNames } from '../observation/exchange.ts';
import { mockSettingsSchema } from '../gateway/mock-settings.ts';
import { limitsPerMinuteSchema } from './limits-per-minute.ts';
import { paceSchema } from './pace.ts';
import { populationSchema } from './population.ts';
import { objectiveSchema, requestObjectiveSchema } from './objective.ts';
import { millisecondsSchema, perSecondSchema } from '../quantity-schema.ts';
import { retrySchema } from './retry.ts';
import { pricingSchema } from '../workload/price.ts';
import { traceLoadSchema } from '../workload/trace.ts';
import { trafficSchema } from '../workload/traffic.ts';

/**
 * This file defines the plan, the complete meaning of a scenario. A plan contains everything that a run needs, with all
 * defaults, as plain data that can be sent to a thread or a machine. A plan contains no secrets: keys and header values
 * stay templates (`model/plan/secret.ts`).
 */

const rateSegmentSchema = z.strictObject({
  from: perSecondSchema,
  to: perSecondSchema,
  duration: millisecondsSchema,
});
export type RateSegment = z.infer<typeof rateSegmentSchema>;

/** A load whose requests are due on schedule, independent of the answers. */
const openLoadSchema = z.strictObject({
  kind: z.literal('open'),
  curve: z.array(rateSegmentSchema).min(1),
  /**
   * The spacing of arrivals. With `even`, arrival n is due when the area under the curve of the rate reaches n. With
   * `poisson`, the areas between arrivals are exponential with mean 1. With `gamma`, the areas have a gamma
   * distribution with this shape and mean 1: a shape below 1 gives bursts, a shape above 1 gives more even arrivals.
   */
  spacing: z.union([
    z.enum(['even', 'poisson']),
    z.strictObject({ gamma: z.number().min(0.01).max(1000) }),
  ]),
});

/**
 * A load of users. Each user sends the next request when the previous answer has come and the think time has passed.
 */
const closedLoadSchema = z.strictObject({
  kind: z.literal('closed'),
  users: z.int().positive(),
  duration: millisecondsSchema,
  thinkTime: millisecondsSchema,
  /** The time over which the users start, one after the other. */
  rampUp: millisecondsSchema,
});

/**
 * A load of users who share a fixed number of requests. The stage ends when all requests are done, or at `maxDuration`.
 */
const iterationsLoadSchema = z.strictObject({
  kind: z.literal('iterations'),
  users: z.int().positive(),
  iterations: z.int().positive(),
  maxDuration: millisecondsSchema,
  thinkTime: millisecondsSchema,
});

/** A load of connections. Each connection sends the next request as soon as the previous answer has arrived. */
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

/** A part of a run with its own load. The stages of a population follow each other without a gap. */
const stageSchema = z.strictObject({
  name: z.string().min(1),
  load: loadSchema,
  traffic: z.array(trafficSchema).min(1),
  /** The name of the stage's population; absent in a plan without populations. */
  population: z.string().min(1).exactOptional(),
  /** The stage's number in random draws and request ids; absent if it is the stage's position. */
  stream: z.int().nonnegative().exactOptional(),
});
export type Stage = z.infer<typeof stageSchema>;

/** A key. `template` is the text of the key in the scenario, such as `${env:WEIR_API_KEY}`. */
const keySchema = z.strictObject({
  name: z.string().min(1),
  template: z.string().min(1),
  weight: z.number().positive(),
  /** The limits of this key; absent if the limits of the plan apply. */
  limits: limitsPerMinuteSchema.exactOptional(),
  /** The name of the key's target; absent if the plan's only target has no name. */
  target: z.string().min(1).exactOptional(),
});
export type ApiKey = z.infer<typeof keySchema>;

const targetSchema = z.discriminatedUnion('kind', [
  /**
   * The address of the target: a base address that ends in its version segment (`…/v1`), or the address of a Unix
   * socket. A query in the address is sent with every request.
   */
  z.strictObject({ kind: z.literal('url'), url: z.url() }),
  z.strictObject({ kind: z.literal('mock') }),
  z.strictObject({ kind: z.literal('container') }),
]);
export type Target = z.infer<typeof targetSchema>;

const wireSchema = z.strictObject({
  http2: z.boolean(),
  /** The proxy. `environment` means that HTTP_PROXY, HTTPS_PROXY and NO_PROXY decide. */
  proxy: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({ kind: z.literal('environment') }),
    z.strictObject({ kind: z.literal('url'), url: z.url() }),
  ]),
  /** A PEM file of certificates that are trusted in addition to Node's default certificates; `null` for no file. */
  caFile: z.string().nullable(),
  /**
   * The PEM files of the certificate that Weir presents to the target, and of the certificate's key. Both are absent if
   * Weir presents none.
   */
  clientCert: z.string().optional(),
  clientKey: z.string().optional(),
  verifyTls: z.boolean(),
  /** Whether connections are opened before requests are due; absent in old plans. */
  connectAhead: z.boolean().optional(),
  /** Whether connections are reused; absent in old plans, whose runs reuse connections. */
  reuse: z.boolean().optional(),
  /** The maximum number of requests on one connection; absent if only the server closes connections. */
  maxRequestsPerConnection: z.int().positive().nullable().optional(),
  /**
   * The target's own paths, relative to its base address. The keys are the usual paths, such as `/chat/completions`.
   * Only paths that differ from the usual paths are listed; absent if no path differs.
   */
  paths: z.record(z.string(), z.string()).optional(),
});
export type ConnectionSettings = z.infer<typeof wireSchema>;

/** The lower-case name of the header that carries only the key. */
const authSchema = z.strictObject({ header: z.string().min(1) });
/** Further headers of each request. The values are templates, like the values of keys. */
const headersSchema = z.record(z.string(), z.string());

/** One of several targets. A target gets the requests of the populations and keys that name it. */
const namedTargetSchema = z.strictObject({
  name: z.string().min(1),
  target: targetSchema,
  wire: wireSchema,
  auth: authSchema.exactOptional(),
  headers: headersSchema,
});
export type NamedTarget = z.infer<typeof namedTargetSchema>;

/**
 * The deadlines of a request; `null` for no deadline. Each deadline has its own cause of failure
 * (`broken{deadline-…}`).
 */
const deadlinesSchema = z.strictObject({
  connect: millisecondsSchema.nullable(),
  /** The time from sending to the first token of a stream, or to the first byte of any other answer's body. */
  firstToken: millisecondsSchema.nullable(),
  /** The time between two reads of one answer. */
  idle: millisecondsSchema.nullable(),
  /** The time from the due instant to the end, over all attempts and waits. */
  total: millisecondsSchema.nullable(),
});
export type Deadlines = z.infer<typeof deadlinesSchema>;

/** The maximum size of an answer. A larger answer is aborted as `too-large`. */
const capsSchema = z.strictObject({ bytes: z.int().positive(), events: z.int().positive() });
export type AnswerCaps = z.infer<typeof capsSchema>;

/** The declared limits of all keys whose limits are not declared separately. */
const limitsSchema = limitsPerMinuteSchema.extend({
  /** The permitted limiter. With a value other than `null`, the run gets a verdict on its limits. */
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

/**
 * The minimum length of the steady part of a load, in ms. The second half of the load must be long enough to show a
 * dependence.
 */
export const leastSteady = 20_000;

export const planSchema = z.strictObject({
  format: z.literal('plan/1'),
  name: z.string().min(1),
  description: z.string().nullable(),
  /** The target. If the plan has `targets`, this is the first target of the list. */
  target: targetSchema,
  wire: wireSchema,
  /**
   * The targets by name; absent if `target` is the only target. Each key and each population names its target.
   * `plansByTarget` returns the plan of each target.
   */
  targets: z.array(namedTargetSchema).min(1).exactOptional(),
  /** The transport. HTTP/2 always uses undici. Old plans lack this field, and their runs used undici. */
  transport: z.enum(transportNames).default('undici'),
  /**
   * The number of threads that send requests. With `auto`, `engine/worker-count.ts` decides the number. The number does
   * not change what is sent.
   */
  workers: z.union([z.int().positive(), z.literal('auto')]).default(1),
  /** Whether self-test streams measure how late events are recorded; absent in old plans. */
  canary: z.boolean().optional(),
  keys: z.array(keySchema).min(1),
  /** The header that carries only the key; absent if `authorization` carries the word Bearer and the key. */
  auth: authSchema.optional(),
  headers: headersSchema,
  stages: z.array(stageSchema).min(1),
  /** The populations, which run side by side; absent if all stages follow each other. */
  populations: z.array(populationSchema).min(1).exactOptional(),
  /** The end of the warm-up. No figure contains an arrival that is due before this end. */
  warmUp: millisecondsSchema,
  /**
   * The run itself finds the end of its warm-up between these two times. Until the run has ended, `warmUp` is the later
   * one.
   */
  autoWarmUp: autoWarmUpSchema.exactOptional(),
  /** The currency, date and file of the prices; absent if nothing is known. */
  pricing: pricingSchema.exactOptional(),
  /** How long exchanges can continue after the load has ended. */
  grace: millisecondsSchema,
  /**
   * At most this many arrivals are in flight at once, including those that wait for a retry. Further arrivals become
   * `dropped{saturated}`.
   */
  inFlight: z.int().positive(),
  deadlines: deadlinesSchema,
  caps: capsSchema,
  limits: limitsSchema,
  retry: retrySchema.nullable(),
  /** The pace; `null` means that each request is sent at its due instant. */
  pace: paceSchema.nullable(),
  budget: budgetSchema.nullable().default(null),
  /**
   * When a stream counts as complete. `standard`: every choice has a finish reason, or one choice has a finish reason
   * and `[DONE]` came. `lenient`: the condition of `standard` holds, or `[DONE]` came. `strict`: `[DONE]` came.
   */
  streams: z.enum(['lenient', 'standard', 'strict']),
  /** Further finish reasons that make an answer a failure, in addition to the reasons known to Weir. */
  fails: z.array(z.strictObject({ finish: z.string().min(1) })).optional(),
  server: z
    .strictObject({
      /** The address of the metrics, or a path on the target. */
      metrics: z.string().min(1),
      every: millisecondsSchema,
      /** The figures that the scenario defines from other metrics of the server, under names that the user chooses. */
      figures: z.array(
        z.strictObject({ name: z.string(), metric: z.string(), as: z.enum(['gauge', 'rate']) }),
      ),
    })
    .optional(),
  objectives: z.array(objectiveSchema).default([]),
  /**
   * `decided` if the run ends once the verdicts on its objectives are sure. The duration of the last load is then a
   * maximum.
   */
  until: z.literal('decided').exactOptional(),
  perRequest: z.array(requestObjectiveSchema).default([]),
  seed: z.int().nonnegative(),
  /** The settings of the reference gateway. Any other target ignores these settings. */
  mock: mockSettingsSchema,
});
export type Plan = z.infer<typeof planSchema>;

/**
 * Returns the scheduled duration of a load in ms. If the answers decide when the load ends, returns its maximum
 * duration.
 */
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

/**
 * Returns the number of arrivals of a load, or the mean number if the number is random; `null` if the answers decide
 * the number.
 */
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

/**
 * Returns the saturating load of a plan; `null` if the plan has another load. A saturating load is always the only load
 * of its plan.
 */
export const saturateLoadOf = ({ stages }: Pick<Plan, 'stages'>): SaturateLoad | null => {
  const load = stages[0]?.load;
  return load?.kind === 'saturate' ? load : null;
};

export const hasChatStreams = ({ stages }: Pick<Plan, 'stages'>): boolean =>
  stages.some(({ traffic }) => traffic.some(({ kind }) => kind === 'chat-stream'));
