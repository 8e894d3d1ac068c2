import { z } from 'zod';
import type { Refusal, NamedLimit } from '../observation/outcome.ts';
import type { Instant, Milliseconds } from '../quantity.ts';

/**
 * A request that a limiter admitted or refused. The limiter decided between `sent` (the first byte of the request) and
 * `answered` (the first byte of the answer).
 */
export interface LimiterDecision {
  readonly sent: Instant;
  readonly answered: Instant;
  readonly ended: Instant;
  readonly admitted: boolean;
}

export interface LimitRule {
  readonly limit: number;
  readonly window: Milliseconds;
}

/**
 * The classes of limiters that a client can distinguish. Three limiters form one class because all three make the same
 * decisions: GCRA, a leaky bucket used as a meter, and a token bucket that holds the whole limit.
 */
export const limiterClasses = {
  'fixed-from-first':
    'a fixed window that starts with the first request after the previous window ended',
  'fixed-any-phase':
    'a fixed window of regular times, such as whole windows since the server started',
  'fixed-aligned': 'a fixed window aligned to the clock',
  'sliding-log': 'a log of the admitted requests of the last window',
  'sliding-log-counting-refusals':
    'a log, or counters, of all requests of the last window, including refused ones',
  'token-bucket': 'a bucket that holds the limit and refills evenly',
  'burst-bucket': 'a bucket that holds less than the limit and refills evenly',
  'sliding-counter': 'two counters of adjacent windows, the older one weighted by its share',
  'stepped-bucket': 'a bucket that refills in steps',
  'leaky-queue': 'a queue that admits requests evenly, delaying instead of refusing',
  'in-flight': 'a cap on requests in flight',
} as const satisfies Record<string, string>;
export type LimiterClass = keyof typeof limiterClasses;
export const limiterClassNames = Object.keys(limiterClasses) as readonly LimiterClass[];

const limitFindings = ['proved', 'refuted', 'undecided'] as const;
export type LimitFinding = (typeof limitFindings)[number];

/** A limit as response headers report it. A value is `null` if the headers do not report it. */
export interface ReportedLimit {
  /**
   * The family of headers that reported the limit, such as `litellm` or `openai` (`traffic/limits/header-families.ts`).
   */
  readonly profile: string;
  /** The limit's owner as named in the header, such as `api_key` or `team`. */
  readonly descriptor: string | null;
  /** The unit of the limit: `requests`, `tokens`, or another unit that the header names. */
  readonly unit: string;
  readonly limit: number | null;
  readonly remaining: number | null;
  /** The time until the limit is fully available. */
  readonly resetIn: Milliseconds | null;
  /** The period of the limit; absent if neither the headers nor the documentation of the headers names a period. */
  readonly window?: Milliseconds;
}

export const probeRequests = {
  chat: 'a small chat',
  'chat-stream': 'a small streamed chat',
  models: 'the model list',
  speech: 'speech of one word',
  transcription: 'the transcription of a tenth of a second',
  'other-model': 'a small chat with another model',
  'long-prompt': 'a chat with a long prompt',
  'longer-answer': 'a chat with an answer of up to 40 tokens',
  'bad-parameter': 'a chat with a temperature of 9 (400)',
  'unknown-model': 'a chat with a model that does not exist (404)',
  'unknown-path': 'a path that does not exist (404)',
  'wrong-key': 'a chat with a key that does not exist (401)',
  'abandoned-early': 'a streamed chat that is aborted before any response',
  'abandoned-late': 'a streamed chat that is aborted after the first bytes',
} as const satisfies Record<string, string>;
export type ProbeRequest = keyof typeof probeRequests;

/** The phases of the examination of one key, in order. */
export const probePhases = {
  counting: 'which requests count, and how tokens are charged; at an even pace below the limit',
  even: 'whether an even pace below the limit is always admitted',
  provocation: 'a burst above the limit, and when the key is admitted again',
  sustained: 'a load that always asks for more than the limit',
  concurrency: 'more requests than the limit, sent at the same time',
  exhausted: 'how each kind of request is answered, and whether another key is admitted',
} as const satisfies Record<string, string>;
export type ProbePhase = keyof typeof probePhases;

export interface ProbeReply extends LimiterDecision {
  readonly requestId: string;
  readonly phase: ProbePhase;
  readonly request: ProbeRequest;
  readonly key: 'first' | 'second';
  /** The status of the response; 0 if the response ended before its head. */
  readonly status: number;
  /** `true` if the status means success but the body is an error; otherwise absent. */
  readonly holdsError?: true;
  /** The limits in the headers of the response. Stored logs have this property, so its name stays. */
  readonly told: readonly ReportedLimit[];
  /** The limit headers that could not be read, as `name: value`. */
  readonly unreadable: readonly string[];
  /** The wait that `Retry-After` or a similar header names; `null` if no such header is present or readable. */
  readonly retryAfter: Milliseconds | null;
  /** The details from the body of a 429; `null` for any other status. */
  readonly refusal: RefusalDetails | null;
  /** The size of a chat request; `null` for any other request. */
  readonly asked: { readonly characters: number; readonly maxTokens: number } | null;
  /** The tokens of the request and of its answer, as the server counted them; `null` if it reported no tokens. */
  readonly usage: {
    readonly input: number;
    readonly output: number;
    /** The number of input tokens from a cache; absent if no token came from a cache. */
    readonly cached?: number;
  } | null;
  /** The time in the `Date` header (whole seconds), in ms since 1970; `null` if there is no such header. */
  readonly date: number | null;
}

const minute = 60_000;

/**
 * Returns the reported limit of one unit for the key itself. The interface's headers call the owner of this limit
 * `api_key`. If no header reports a limit of the key, returns another limit of the same unit, preferably a limit per
 * minute.
 */
export const reportedLimitOf = (
  { told }: Pick<ProbeReply, 'told'>,
  unit: string,
): ReportedLimit | undefined =>
  told.find((limit) => limit.unit === unit && limit.descriptor === 'api_key') ??
  told.find((limit) => limit.unit === unit && limit.window === minute) ??
  told.find((limit) => limit.unit === unit);

export interface RefusalDetails {
  readonly form: Refusal['form'];
  readonly unit: NamedLimit | null;
  /** The reset time in ms since 1970. */
  readonly resetAt: number | null;
  readonly message: string;
}

export const limitCheckSchema = z.strictObject({
  /** The name of the check, which never changes, for example `remaining-serial`. */
  id: z.string(),
  /** A statement about the gateway. The statement is true if the check is proved. */
  claim: z.string(),
  /** The section of the interface that promises the claim; `null` if no section promises the claim. */
  section: z.string().nullable(),
  finding: z.enum(limitFindings),
  /** Whether a refuted claim means a violated limit (exit code 14). Otherwise a refuted claim is only advice. */
  violates: z.boolean(),
  /** The observation, as a sentence with numbers. */
  observed: z.string(),
  /** Some requests that show what was observed; empty if only the whole log shows the observation. */
  evidence: z.array(z.string()).readonly(),
});
export type LimitCheck = Readonly<z.infer<typeof limitCheckSchema>>;

export const advisoryCheck = (
  check: Pick<LimitCheck, 'id' | 'claim' | 'finding' | 'observed'> & Partial<LimitCheck>,
): LimitCheck => ({ section: null, violates: false, evidence: [], ...check });

export const isViolation = ({ violates, finding }: LimitCheck): boolean =>
  violates && finding === 'refuted';

export interface DeclaredLimits {
  readonly requests: LimitRule;
  /** The limit of tokens; `null` if no limit of tokens is declared. */
  readonly tokens: LimitRule | null;
  /** The permitted classes of limiters: the classes that the user named, or else all compliant classes. */
  readonly permitted: readonly LimiterClass[];
}

/** What the examination of a key recorded. The replies are in the order in which their requests were sent. */
export interface LimitLog {
  readonly declared: DeclaredLimits;
  /** Whether the limits belong to a team whose keys took turns; absent if the limits belong to a key. */
  readonly isTeam?: true;
  readonly replies: readonly ProbeReply[];
  /**
   * The request for the list of models before the examination; absent if not in the log. The limiter may have counted
   * this request.
   */
  readonly listed?: Pick<LimiterDecision, 'sent' | 'answered'>;
  /** The causes of failure of the requests that got no answer. */
  readonly unanswered: readonly string[];
  /** The reason why the examination stopped early; `null` if the examination is complete. */
  readonly cut: string | null;
}
