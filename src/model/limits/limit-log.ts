import type { Refusal, NamedLimit } from '../observation/outcome.ts';
import type { Instant, Milliseconds } from '../quantity.ts';

/**
 * One request that a limiter decided on. All that is known of the moment is that it lies between
 * `sent` (before the first byte was written) and `answered` (the first byte of the response).
 */
export interface LimiterDecision {
  readonly sent: Instant;
  readonly answered: Instant;
  readonly ended: Instant;
  readonly admitted: boolean;
}

/** So many requests within so long. */
export interface LimitRule {
  readonly limit: number;
  readonly window: Milliseconds;
}

/**
 * The limiters that can be told apart from outside, each with what it does. A bucket that holds the
 * whole limit, GCRA and a leaky bucket used as a meter decide alike and are one class.
 */
export const limiterClasses = {
  'fixed-from-first': 'a fixed window that begins with the first request after the last one ended',
  'fixed-aligned': 'a fixed window aligned to the clock',
  'sliding-log': 'a log of the admitted requests of the last window',
  'sliding-log-counting-refusals': 'a log of all requests of the last window, refused ones too',
  'token-bucket': 'a bucket that holds the limit and is refilled evenly',
  'burst-bucket': 'a bucket that holds less than the limit and is refilled evenly',
  'sliding-counter': 'two counters of adjoining windows, the older one weighted by its share',
  'stepped-bucket': 'a bucket that is refilled in steps',
  'leaky-queue': 'a queue that lets requests through evenly, delaying instead of refusing',
  'in-flight': 'a cap on requests in flight',
} as const satisfies Record<string, string>;
export type LimiterClass = keyof typeof limiterClasses;
export const limiterClassNames = Object.keys(limiterClasses) as readonly LimiterClass[];

/** A statement about a log that is certain one way, certain the other way, or not to be told from it. */
export type LimitFinding = 'proved' | 'refuted' | 'undecided';

/** What one set of limit headers told of one limit; `null` for what was not told. */
export interface ReportedLimit {
  /** Whose headers these are, for example `litellm` or `openai` (`traffic/limits/limit-profiles.ts`). */
  readonly profile: string;
  /** Whom the limit is for, as the header names it, such as `api_key` or `team`. */
  readonly descriptor: string | null;
  /** What is counted: `requests`, `tokens`, or the header's own word. */
  readonly unit: string;
  readonly limit: number | null;
  readonly remaining: number | null;
  /** How long after the response everything is back, by the header. */
  readonly resetIn: Milliseconds | null;
}

/** What a probe asks for, each in words; a closed set. */
export const probeRequests = {
  chat: 'a small chat',
  'chat-stream': 'a small streamed chat',
  models: 'the model list',
  speech: 'speech of one word',
  transcription: 'the transcription of a tenth of a second',
  'long-prompt': 'a chat with a long prompt',
  'longer-answer': 'a chat that may have an answer of 40 tokens',
  'bad-parameter': 'a chat with a temperature of 9 (400)',
  'unknown-model': 'a chat with a model that does not exist (404)',
  'unknown-path': 'a path that does not exist (404)',
  'wrong-key': 'a chat with a key that does not exist (401)',
  'abandoned-early': 'a streamed chat that is given up before anything came',
  'abandoned-late': 'a streamed chat that is given up after its first bytes',
} as const satisfies Record<string, string>;
export type ProbeRequest = keyof typeof probeRequests;

/** The parts of the examination of one key, in their order. */
export const probePhases = {
  counting: 'what counts, and how tokens are charged',
  provocation: 'which limiter it is',
  concurrency: 'more requests than the limit, released together',
  exhausted: 'what each kind of request is told, and whether another key is let in',
} as const satisfies Record<string, string>;
export type ProbePhase = keyof typeof probePhases;

/** One request of a probe and everything that its response told of limits. */
export interface ProbeReply extends LimiterDecision {
  readonly requestId: string;
  readonly phase: ProbePhase;
  readonly request: ProbeRequest;
  /** Which of the two keys was used; the second one serves isolation only. */
  readonly key: 'first' | 'second';
  /** 0 for what was given up before the head of the response came. */
  readonly status: number;
  readonly told: readonly ReportedLimit[];
  /** Limit headers that could not be read, as `name: value`. */
  readonly unreadable: readonly string[];
  /** What `Retry-After` (or a finer header of its kind) said; `null` when absent or unreadable. */
  readonly retryAfter: Milliseconds | null;
  /** What the body of a 429 said; `null` for any other status. */
  readonly refusal: RefusalDetails | null;
  /** The length of the prompt in characters and `max_tokens`; `null` for what is no chat. */
  readonly asked: { readonly characters: number; readonly maxTokens: number } | null;
  /** The server's own count of tokens; `null` where it told none. */
  readonly usage: { readonly input: number; readonly output: number } | null;
  /** The `Date` header as milliseconds since 1970, whole seconds; `null` when absent. */
  readonly date: number | null;
}

/** What a reply's headers told of the limit of the key itself. */
export const reportedLimitOf = ({ told }: ProbeReply, unit: string): ReportedLimit | undefined =>
  told.find((limit) => limit.unit === unit && limit.descriptor === 'api_key') ??
  told.find((limit) => limit.unit === unit);

/** What the body of a 429 told. */
export interface RefusalDetails {
  /** The body's form, as in `Refusal`. */
  readonly form: Refusal['form'];
  /** Which limit it names; `null` when it names none. */
  readonly unit: NamedLimit | null;
  /** When it says that the limit resets, as milliseconds since 1970. */
  readonly resetAt: number | null;
  readonly message: string;
}

/** One claim about a gateway's limits, and what a log says of it. */
export interface LimitCheck {
  /** Stable name, for example `remaining-serial`. */
  readonly id: string;
  /** What was examined, as a claim that can hold: `proved` means that the gateway does so. */
  readonly claim: string;
  /** The section of the interface specification that promises it; `null` where none does. */
  readonly section: string | null;
  readonly finding: LimitFinding;
  /** Whether a refuted claim violates a limit (exit 14) rather than a courtesy. */
  readonly violates: boolean;
  /** One sentence with the numbers. */
  readonly observed: string;
  /** The requests that show it, at most a few; empty where the whole log does. */
  readonly evidence: readonly string[];
}

/** A claim whose refutation violates a limit, and that is refuted. */
export const isViolation = ({ violates, finding }: LimitCheck): boolean =>
  violates && finding === 'refuted';

/** What an examination of a key is told beforehand. */
export interface DeclaredLimits {
  readonly requests: LimitRule;
  /** `null` when no limit of tokens is claimed. */
  readonly tokens: LimitRule | null;
  /** Classes that count as compliant; all unless the user named some. */
  readonly permitted: readonly LimiterClass[];
}

/** The examination of a key, whole: what was asked, what came, in the order in which it was sent. */
export interface LimitLog {
  readonly declared: DeclaredLimits;
  readonly replies: readonly ProbeReply[];
  /** Requests that got no answer at all, each with its cause. */
  readonly unanswered: readonly string[];
  /** Why it ended before its end; `null` when it is whole. */
  readonly cut: string | null;
}
