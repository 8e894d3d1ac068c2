import { z } from 'zod';
import { milliseconds, millisecondsSchema } from '../quantity.ts';

/** The limiters that the reference gateway can run: every class that can be told apart from outside. */
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

/** What a response is, for the question whether it bears limit headers. */
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

/** Faults of real gateways, each with what goes wrong. */
export const limitBugs = {
  staleTokenCounter:
    'a new window begins with its tokens still counted, until a key is idle or has been locked out for three windows',
  inFlightRefusalsCount: 'a request that the cap in flight refuses is counted all the same',
  detailOnSpeech: 'a 429 on speech has the body {"detail": …}',
  resetFromNow: 'the reset time of a 429 is one window from now, whatever is left of the window',
  localTimeAsUtc: 'the reset time of a 429 is two hours ahead, local time labelled UTC',
  lostUpdates: 'a request is counted 20 ms late, so that concurrent ones read the same counter',
} as const satisfies Record<string, string>;
export type LimitBug = keyof typeof limitBugs;
const limitBugNames = Object.keys(limitBugs) as [LimitBug, ...LimitBug[]];

const limit = z.int().positive().nullable();

/** The fields that a profile sets; what a scenario writes wins. */
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
      'What Retry-After says: when a request fits again, always a window, nothing, or half the truth.',
    ),
  headersOn: z
    .array(z.enum(responseClasses))
    .describe('The responses that bear the limit headers.'),
  uncounted: z
    .array(z.enum(['models']))
    .describe('What does not count as a request and is never limited.'),
  bugs: z.array(z.enum(limitBugNames)).describe('Faults of real gateways to be reproduced.'),
} as const;

/** The limits of each of the reference gateway's keys. */
export const mockLimitsSchema = z.strictObject({
  requestsPerMinute: limit.default(60).describe('Requests per window and key; null for any.'),
  tokensPerMinute: limit
    .default(2_000_000)
    .describe('Tokens (prompt and completion) per window and key; null for any.'),
  inFlight: limit.default(null).describe('Requests of one key at one time; null for any.'),
  window: millisecondsSchema
    .refine((length) => length > 0, { error: 'expected a length above 0' })
    .default(milliseconds(60_000))
    .describe('The length of the limits’ minute.'),
  profile: z
    .enum(['spec', 'litellm'])
    .default('spec')
    .describe(
      'What the fields below are when they are left out: as the specification says, or as LiteLLM’s proxy does it.',
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
  steps: z.int().min(1).default(6).describe('Refills of a stepped-bucket in one window.'),
  workers: z
    .int()
    .positive()
    .default(1)
    .describe(
      'Workers that share no counters and take requests in turn: the true limit is that many times as high.',
    ),
  hiddenRequests: z
    .number()
    .nonnegative()
    .default(0)
    .describe('Requests per window that somebody else spends on each key.'),
});
export type MockLimits = z.output<typeof mockLimitsSchema>;

type Behaviour = { [Name in keyof typeof behaviours]: z.output<(typeof behaviours)[Name]> };

/** The two profiles: the interface as it is written, and the proxy that its headers are from. */
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

/** Limits with every behaviour known. */
export type ResolvedMockLimits = MockLimits & Behaviour;

/** Fills in from the profile what was left out. */
export const resolveMockLimits = (limits: MockLimits): ResolvedMockLimits => {
  const given = Object.fromEntries(
    Object.entries(limits).filter(([, value]) => value !== undefined),
  ) as MockLimits;
  return { ...profiles[limits.profile], ...given } as ResolvedMockLimits;
};
