import { z } from 'zod';
import { milliseconds } from '../quantity.ts';
import { millisecondsSchema } from '../quantity-schema.ts';

/** The limiters that the reference gateway can run: each class that a client can distinguish. */
export const mockLimiterClasses = [
  'fixed-from-first',
  'fixed-aligned',
  'sliding-log',
  'sliding-log-counting-refusals',
  'sliding-counter',
  'token-bucket',
  'burst-bucket',
  'stepped-bucket',
  'leaky-queue',
  'in-flight',
] as const;
export type MockLimiterClass = (typeof mockLimiterClasses)[number];

export const responseClasses = [
  'chat',
  'chat-stream',
  'speech',
  'transcription',
  'models',
  'refused',
  'limited',
] as const;
export type ResponseClass = (typeof responseClasses)[number];

/** The faults of real gateways, each with a description. */
export const limitBugs = {
  staleTokenCounter:
    'a new window starts with the old tokens still counted, until the key has been idle or locked out for three windows',
  inFlightRefusalsCount: 'a request that the cap on requests in flight refuses is counted anyway',
  detailOnSpeech: 'a 429 on speech has the body {"detail": …}',
  resetFromNow: 'the reset time of a 429 is one window from now, not the end of the current window',
  localTimeAsUtc: 'the reset time of a 429 is two hours ahead, local time labelled UTC',
  lostUpdates: 'a request is counted 20 ms late, so concurrent requests read the same counter',
} as const satisfies Record<string, string>;
export type LimitBug = keyof typeof limitBugs;
const limitBugNames = Object.keys(limitBugs) as [LimitBug, ...LimitBug[]];

const limit = z.int().positive().nullable();

const behaviours = {
  algorithm: z.enum(mockLimiterClasses).describe('How the limits are counted.'),
  accounting: z
    .enum(['after', 'reserve', 'reserve-reconcile'])
    .describe(
      'When tokens are charged: after the answer; reserved before it (a quarter of the prompt’s characters and max_tokens); or reserved and corrected after it.',
    ),
  body: z
    .enum(['documented', 'key', 'detail'])
    .describe('The body of a 429: one of the two documented forms, or {"detail": …}.'),
  retryAfter: z
    .enum(['true', 'constant', 'none', 'wrong'])
    .describe(
      'Retry-After: the time until a request is admitted (true), always one window (constant), no header (none), or half the true time (wrong).',
    ),
  headersOn: z
    .array(z.enum(responseClasses))
    .describe('The responses that have the limit headers.'),
  uncounted: z
    .array(z.enum(['models']))
    .describe('Requests that do not count and are never limited.'),
  bugs: z.array(z.enum(limitBugNames)).describe('Faults of real gateways to reproduce.'),
} as const;

export const mockLimitsSchema = z.strictObject({
  requestsPerMinute: limit.default(60).describe('Requests per window and key; null: unlimited.'),
  tokensPerMinute: limit
    .default(2_000_000)
    .describe('Tokens (prompt and completion) per window and key; null: unlimited.'),
  inFlight: limit
    .default(null)
    .describe('Requests of one key in flight at the same time; null: unlimited.'),
  window: millisecondsSchema
    .refine((length) => length > 0, { error: 'expected a length above 0' })
    .default(milliseconds(60_000))
    .describe('The length of the window of all limits.'),
  profile: z
    .enum(['spec', 'litellm'])
    .default('spec')
    .describe(
      'Defaults of the fields below: as the specification says, or as the proxy of LiteLLM behaves.',
    ),
  ...(Object.fromEntries(
    Object.entries(behaviours).map(([name, schema]) => [name, schema.optional()]),
  ) as { [Name in keyof typeof behaviours]: z.ZodOptional<(typeof behaviours)[Name]> }),
  burstShare: z
    .number()
    .gt(0)
    .lte(1)
    .default(1 / 6)
    .describe('The share of the limit that a burst-bucket holds.'),
  steps: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(6)
    .describe('Refills of a stepped-bucket in one window.'),
  workers: z
    .int()
    .positive()
    .max(1000)
    .default(1)
    .describe(
      'Workers that share no counters and serve requests in turn: the effective limit is multiplied by their number.',
    ),
  hiddenRequests: z
    .number()
    .nonnegative()
    .default(0)
    .describe('Requests per window that another user of each key sends.'),
});
export type MockLimits = z.output<typeof mockLimitsSchema>;

type Behaviour = { [Name in keyof typeof behaviours]: z.output<(typeof behaviours)[Name]> };

/** The defaults of each profile, for fields that the scenario does not set. */
const profiles = {
  spec: {
    algorithm: 'fixed-from-first',
    accounting: 'after',
    body: 'documented',
    retryAfter: 'true',
    headersOn: [...responseClasses],
    uncounted: [],
    bugs: [],
  },
  litellm: {
    algorithm: 'fixed-from-first',
    accounting: 'after',
    body: 'key',
    retryAfter: 'constant',
    headersOn: ['chat', 'chat-stream', 'refused'],
    uncounted: ['models'],
    bugs: ['resetFromNow', 'inFlightRefusalsCount'],
  },
} as const satisfies Record<string, Behaviour>;

export type ResolvedMockLimits = MockLimits & Behaviour;

export const resolveMockLimits = (limits: MockLimits): ResolvedMockLimits => {
  const given = Object.fromEntries(
    Object.entries(limits).filter(([, value]) => value !== undefined),
  ) as MockLimits;
  return { ...profiles[limits.profile], ...given } as ResolvedMockLimits;
};
