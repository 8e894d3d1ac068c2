import { z } from 'zod';
import { budgetSchema } from './budget.ts';
import { limiterClassNames } from '../limits/limit-log.ts';
import { transportNames } from '../observation/exchange.ts';
import { mockSettingsSchema } from '../gateway/mock-settings.ts';
import { paceSchema } from './pace.ts';
import { objectiveSchema, requestObjectiveSchema } from './objective.ts';
import { millisecondsSchema, perSecondSchema } from '../quantity.ts';
import { retrySchema } from './retry.ts';
import { traceLoadSchema } from '../workload/trace.ts';
import { trafficSchema } from '../workload/traffic.ts';

/**
 * The typed, complete, immutable meaning of a scenario: everything a run needs, nothing left to
 * default, plain data that crosses a thread or a machine unchanged. It holds no secret: keys and
 * header values stay the templates that the scenario wrote (`model/plan/secret.ts` fills them late).
 */

/** One straight piece of a rate curve: from one rate to another within a length of time. */
const rateSegmentSchema = z.strictObject({
  from: perSecondSchema,
  to: perSecondSchema,
  duration: millisecondsSchema,
});
export type RateSegment = z.infer<typeof rateSegmentSchema>;

/** Arrivals come when the clock says so, whether or not earlier answers have come. */
const openLoadSchema = z.strictObject({
  kind: z.literal('open'),
  /** The rate over time; constant, ramping and stairs are all curves. */
  curve: z.array(rateSegmentSchema).min(1),
  /**
   * `even`: arrival n is due when the area under the curve reaches n. `poisson`: exponential gaps in that area.
   * `gamma`: gaps of this shape and mean 1; below 1 arrivals come in bursts, 1 is Poisson, above 1 they approach even ones.
   */
  spacing: z.union([
    z.enum(['even', 'poisson']),
    z.strictObject({ gamma: z.number().min(0.01).max(1000) }),
  ]),
});

/** A fixed number of users, each of whom asks again when its answer has come and it has thought. */
const closedLoadSchema = z.strictObject({
  kind: z.literal('closed'),
  users: z.int().positive(),
  duration: millisecondsSchema,
  thinkTime: millisecondsSchema,
  /** The users begin one after another over this length of time. */
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

/** Connections that ask again the moment they are answered, flat out, by autocannon. */
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

/** A named part of a run with a load of its own. Stages follow one another without a gap. */
const stageSchema = z.strictObject({
  name: z.string().min(1),
  load: loadSchema,
  /** This stage's traffic mix. */
  traffic: z.array(trafficSchema).min(1),
});
export type Stage = z.infer<typeof stageSchema>;

/** A key to spend. `template` is what the scenario wrote, for example `${env:WEIR_API_KEY}`. */
const keySchema = z.strictObject({
  name: z.string().min(1),
  template: z.string().min(1),
  weight: z.number().positive(),
});
export type ApiKey = z.infer<typeof keySchema>;

const targetSchema = z.discriminatedUnion('kind', [
  /** A gateway's base address, ending in its version segment (`…/v1`), without a trailing slash. */
  z.strictObject({ kind: z.literal('url'), url: z.url() }),
  /** The bundled reference gateway, started for the run in a process of its own. */
  z.strictObject({ kind: z.literal('mock') }),
  /** The bundled reference gateway in a container. */
  z.strictObject({ kind: z.literal('container') }),
]);
export type Target = z.infer<typeof targetSchema>;

/** How connections are made. */
const wireSchema = z.strictObject({
  http2: z.boolean(),
  /** An explicit proxy; `environment` follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY; `none` goes direct. */
  proxy: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('none') }),
    z.strictObject({ kind: z.literal('environment') }),
    z.strictObject({ kind: z.literal('url'), url: z.url() }),
  ]),
  /** A file of PEM certificates to trust beside the system's; `null` for none. */
  caFile: z.string().nullable(),
  verifyTls: z.boolean(),
});
export type ConnectionSettings = z.infer<typeof wireSchema>;

/** Each deadline is a cause of its own (`broken{deadline-…}`); `null` switches one off. */
const deadlinesSchema = z.strictObject({
  connect: millisecondsSchema.nullable(),
  /** From sent to the first token of a stream, or to the first byte of any other answer's body. */
  firstToken: millisecondsSchema.nullable(),
  /** The longest silence between two reads of one answer. */
  idle: millisecondsSchema.nullable(),
  /** From due to the end, over all attempts and waits. */
  total: millisecondsSchema.nullable(),
});
export type Deadlines = z.infer<typeof deadlinesSchema>;

/** What one answer may at most be; beyond it the exchange is cut with a cause of its own. */
const capsSchema = z.strictObject({ bytes: z.int().positive(), events: z.int().positive() });
export type AnswerCaps = z.infer<typeof capsSchema>;

/** The limits that the gateway declares per key (interface 8); `null` for none. */
const limitsSchema = z.strictObject({
  requestsPerMinute: z.int().positive().nullable(),
  tokensPerMinute: z.int().positive().nullable(),
  /** Which limiter is permitted, where a run is to be judged by its limits; `null` where it is not. */
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
  /** HTTP/2 is always undici's. Plans of before there was a choice say nothing: they meant undici. */
  transport: z.enum(transportNames).default('undici'),
  /** How many threads send; `auto` is as many as `engine/worker-count.ts` says. Changes nothing that is sent. */
  workers: z.union([z.int().positive(), z.literal('auto')]).default(1),
  /** Whether streams of our own measure how late arrivals are stamped; absent in plans of before there were any. Changes nothing that is sent. */
  canary: z.boolean().optional(),
  keys: z.array(keySchema).min(1),
  /** Extra request headers; values are templates as in `keys`. */
  headers: z.record(z.string(), z.string()),
  stages: z.array(stageSchema).min(1),
  /** Arrivals due before this length of time has passed are marked and left out of the figures. */
  warmUp: millisecondsSchema,
  /** How long unfinished exchanges may go on after the load has ended, before they are aborted. */
  grace: millisecondsSchema,
  /** The most arrivals under way, those that wait for a further attempt or for the pace included; one above it is `dropped{saturated}`. */
  inFlight: z.int().positive(),
  deadlines: deadlinesSchema,
  caps: capsSchema,
  limits: limitsSchema,
  /** `null`: a failure is an outcome, not noise, and no request is sent twice. */
  retry: retrySchema.nullable(),
  /** `null`: requests go when they are due, whatever the gateway declares. */
  pace: paceSchema.nullable(),
  /** `null`: it may spend what it needs. Plans of before there were budgets have none. */
  budget: budgetSchema.nullable().default(null),
  /** `lenient`: a stream without `[DONE]` is complete when every choice has a finish reason. `strict`: it is malformed. */
  streams: z.enum(['lenient', 'strict']),
  /** What the run is held to, and what each of its requests is. Plans of before there were any have none. */
  objectives: z.array(objectiveSchema).default([]),
  perRequest: z.array(requestObjectiveSchema).default([]),
  seed: z.int().nonnegative(),
  /** The reference gateway's behaviour; ignored against any other target. */
  mock: mockSettingsSchema,
});
export type Plan = z.infer<typeof planSchema>;

/** How long a load lasts by arithmetic; for `iterations` the most it may last. */
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

/** How many arrivals a load makes; `null` when only the answers decide. For an open one, the area under its curve. */
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

/** The load of a plan that runs flat out, which is then its only one; `null` for every other plan. */
export const saturateLoadOf = ({ stages }: Pick<Plan, 'stages'>): SaturateLoad | null => {
  const load = stages[0]?.load;
  return load?.kind === 'saturate' ? load : null;
};

/** Whether some of a plan's answers are chat streams: the traffic that a canary vouches for. */
export const hasChatStreams = ({ stages }: Pick<Plan, 'stages'>): boolean =>
  stages.some(({ traffic }) => traffic.some(({ kind }) => kind === 'chat-stream'));
