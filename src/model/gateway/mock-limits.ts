import { z } from 'zod';
import { milliseconds } from '../quantity.ts';
import { millisecondsSchema } from '../quantity-schema.ts';

/** The limiters that the reference gateway can run, one for each class that a client can distinguish. */
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

const tokenBugs = {
  tokensNeverRefused: 'tokens are counted, but no request is refused for them',
  tokenLimitPlus100: 'the true token limit is twice the declared one',
  tokenLimitPlus20: 'the true token limit is 20 % above the declared one',
  tokenLimitMinus20: 'requests are refused 20 % before the declared token limit',
  tokenLimitMinus30: 'requests are refused 30 % before the declared token limit',
  tokenReplicas: 'three processes take turns, and each counts only its own tokens',
  freeStreams: 'a stream is charged no tokens',
  freePrompts: 'only the tokens of answers are charged',
  doublePrompts: 'the tokens of a prompt are charged twice',
  doubleTokenWindow: 'tokens are counted over two windows',
  lateTokens: 'tokens are charged a sixth of a window late',
  tokenLockout: 'after a refusal for tokens the key is refused for one window',
  randomTokenRefusals: 'one request in twenty is refused for tokens at random',
  wrongLimitName: 'a 429 for tokens names requests',
  hangUpWhole: 'a client that hangs up is charged for the whole answer',
  hangUpFree: 'a client that hangs up is charged nothing',
  frozenTokenRest: 'the header of the remaining tokens never falls',
} as const satisfies Record<string, string>;
export type TokenBug = keyof typeof tokenBugs;

export const limitBugs = {
  staleTokenCounter:
    'a new window starts with the old tokens still counted, until the key has been idle or locked out for three windows',
  inFlightRefusalsCount: 'a request that the cap on requests in flight refuses is counted anyway',
  detailOnSpeech: 'a 429 on speech has the body {"detail": …}',
  resetFromNow: 'the reset time of a 429 is one window from now, not the end of the current window',
  localTimeAsUtc: 'the reset time of a 429 is two hours ahead, local time labelled UTC',
  lostUpdates: 'a request is counted 20 ms late, so concurrent requests read the same counter',
  ...tokenBugs,
} as const satisfies Record<string, string>;
export type LimitBug = keyof typeof limitBugs;
const limitBugNames = Object.keys(limitBugs) as [LimitBug, ...LimitBug[]];

const limit = z.int().positive().nullable();

/**
 * How tokens are charged. The value of a missing field comes from `accounting` or `algorithm`, or is the field's
 * default.
 */
const chargingSchema = z.strictObject({
  algorithm: z
    .enum(mockLimiterClasses)
    .exclude(['in-flight'])
    .optional()
    .describe('How tokens are counted; as requests are by default.'),
  admits: z
    .enum(['below', 'prompt', 'reservation'])
    .optional()
    .describe(
      'Which requests are admitted: while fewer tokens than the limit are used (below); if the prompt still fits; or if the prompt and max_tokens still fit (reservation).',
    ),
  promptAt: z
    .enum(['admission', 'first-token', 'end'])
    .optional()
    .describe('When the prompt is charged.'),
  reserves: z
    .boolean()
    .optional()
    .describe('Whether max_tokens of every choice are charged at admission.'),
  settles: z
    .boolean()
    .optional()
    .describe('Whether the charge is corrected to the usage when the answer has ended.'),
  bytesPerToken: z
    .number()
    .positive()
    .nullable()
    .optional()
    .describe(
      'Before the answer, a prompt is charged one token for this many bytes; null: its true tokens.',
    ),
  cachedShare: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('The share of each cached prompt token that is charged; 1 by default.'),
  reportsCached: z
    .boolean()
    .optional()
    .describe('Whether usage reports the cached prompt tokens; false by default.'),
  choices: z
    .enum(['all', 'prompt-each', 'one'])
    .optional()
    .describe(
      'What several choices are charged: the prompt and all answers (all, the default); the prompt once for each (prompt-each); or an equal part of the answers as if there were one.',
    ),
  streams: z
    .enum(['all', 'with-usage'])
    .optional()
    .describe(
      'Which streams are charged: all, the default, or only those that ask for their usage.',
    ),
  chargesRefused: z
    .boolean()
    .optional()
    .describe(
      'Whether a chat that is refused for tokens is charged its prompt; it is then refused only after its body is read. False by default.',
    ),
  delay: millisecondsSchema
    .optional()
    .describe('How much later than due each charge is counted; no later by default.'),
});
type ChargingFields = z.output<typeof chargingSchema>;
type Charging = { [Name in keyof ChargingFields]-?: Exclude<ChargingFields[Name], undefined> };

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
  workersBy: z
    .enum(['turns', 'connections'])
    .optional()
    .describe(
      'Whether workers serve requests in turn, the default, or each worker its own connections.',
    ),
  hiddenRequests: z
    .number()
    .nonnegative()
    .default(0)
    .describe('Requests per window that another user of each key sends.'),
  charging: chargingSchema
    .optional()
    .describe('How tokens are charged, where it differs from accounting.'),
});
export type MockLimits = z.output<typeof mockLimitsSchema>;

type Behaviour = { [Name in keyof typeof behaviours]: z.output<(typeof behaviours)[Name]> };

/** If the scenario does not set a field, the field gets the value of the profile. */
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

/** How each kind of accounting charges tokens. A field of `charging` that the scenario sets takes precedence. */
const chargingByAccounting = {
  after: { admits: 'below', promptAt: 'end', reserves: false, settles: true, bytesPerToken: null },
  reserve: {
    admits: 'reservation',
    promptAt: 'admission',
    reserves: true,
    settles: false,
    bytesPerToken: 4,
  },
  'reserve-reconcile': {
    admits: 'reservation',
    promptAt: 'admission',
    reserves: true,
    settles: true,
    bytesPerToken: 4,
  },
} as const satisfies Record<Behaviour['accounting'], Partial<Charging>>;

const usualCharging = {
  cachedShare: 1,
  reportsCached: false,
  choices: 'all',
  streams: 'all',
  chargesRefused: false,
  delay: milliseconds(0),
} as const satisfies Partial<Charging>;

/**
 * Every field of the limits, with defaults filled in. If the gateway caps only requests in flight, tokens have no
 * algorithm.
 */
export type ResolvedMockLimits = Omit<MockLimits, keyof Behaviour | 'charging'> &
  Behaviour & {
    readonly charging: Omit<Charging, 'algorithm'> & { readonly algorithm: MockLimiterClass };
  };

const given = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;

export const resolveMockLimits = (limits: MockLimits): ResolvedMockLimits => {
  const resolved = { ...profiles[limits.profile], ...given(limits) } as MockLimits & Behaviour;
  const { accounting, algorithm } = resolved;
  const charging = {
    algorithm,
    ...usualCharging,
    ...chargingByAccounting[accounting],
    ...given(limits.charging ?? {}),
  } as ResolvedMockLimits['charging'];
  return { ...resolved, charging };
};
