import type { Instant, Milliseconds } from '../quantity.ts';
import type { BrokenCause } from './exchange.ts';

/** Where an answer's token counts come from, best first. Statistics never mix sources silently. */
export const tokenSources = ['usage', 'events', 'characters'] as const;

export type TokenSource = (typeof tokenSources)[number];

/** Token counts of one answer. `input` is unknown unless the server said so. */
export interface TokenCounts {
  readonly input: number | null;
  readonly output: number;
  /** How many input tokens the prompt was made to have; absent where it was not made so. */
  readonly asked?: number;
  readonly source: TokenSource;
}

/** What may be odd in an answer and is tolerated, each with what it means, as reports print it. A closed set. */
export const answerNotes = {
  'content-type': 'The stream was not labelled text/event-stream.',
  'no-done': 'The stream ended without [DONE].',
  'no-finish': 'A choice of the stream ended without a finish reason.',
  'cut-after-done': 'The connection broke after [DONE], before the stream’s proper end.',
  'data-after-done': 'More came after [DONE]; it was left unread.',
  'empty-event': 'An event of the stream had no data.',
  'other-event': 'An event of the stream was JSON, but no chunk of a completion.',
  'unfinished-event': 'The stream ended within an event, whose part was left unread.',
  'usage-unreadable':
    'The usage was of another shape than the contract’s, or beyond belief, and was not counted.',
  'usage-zero': 'The usage named no output tokens although some came; token events were counted.',
  unlabelled: 'The content type did not say which format the body has.',
  mislabelled: 'The content type named another format than the body has.',
  junk: 'The audio file had bytes outside its structure, which players skip.',
  wrapped: 'Text or captions were asked for, and they came wrapped in JSON.',
  'no-segments': 'verbose_json with segments was asked for, and the transcript had none.',
  'no-words': 'verbose_json with single words was asked for, and the transcript had none.',
} as const satisfies Record<string, string>;

export type AnswerNote = keyof typeof answerNotes;

export const answerNoteNames = Object.keys(answerNotes) as readonly AnswerNote[];

/** A complete non-streamed chat answer. */
export interface ChatAnswer extends AnswerFacts, Priced {
  readonly kind: 'chat';
  readonly firstByte: Instant;
  readonly tokens: TokenCounts;
  readonly finish: string | null;
}

/**
 * A streamed chat answer. Instants are those of the socket read that brought the event;
 * `null` where the event never came.
 */
export interface ChatStreamAnswer extends AnswerFacts, Priced {
  readonly kind: 'chat-stream';
  readonly firstByte: Instant;
  /** First event with `choices`; a role-only delta counts (what some tools call TTFT). */
  readonly firstEvent: Instant | null;
  /** First delta with content, reasoning, a tool call or a refusal. */
  readonly firstToken: Instant | null;
  /** First delta with something other than reasoning. */
  readonly firstVisible: Instant | null;
  readonly lastToken: Instant | null;
  /** The arrival instants of all token events, in order; the first is `firstToken`, the last `lastToken`. */
  readonly tokenInstants: Float64Array;
  /** The arrival instants of SSE comments (`: ping`), at most the first thousand: they tell a slow model from a dead connection. */
  readonly commentInstants: Float64Array;
  /** How many token events came in a read that had brought one before them. */
  readonly coalesced: number;
  readonly tokens: TokenCounts;
  /** TokenCounts in the first token event: known from continuous usage only, otherwise `null` (taken as 1). */
  readonly firstChunkTokens: number | null;
  readonly finish: string | null;
  /** Fake streaming: nearly all tokens in one burst at the end. Its gaps, TPOT and output speed are not counted. */
  readonly buffered: boolean;
}

/** A complete model list. */
export interface ModelsAnswer extends AnswerFacts {
  readonly kind: 'models';
  readonly firstByte: Instant;
  readonly models: number;
}

/** A complete audio body in the container that was asked for. */
export interface SpeechAnswer extends AnswerFacts, Priced {
  readonly kind: 'speech';
  readonly firstByte: Instant;
  /** The read that brought the first byte of audio proper, after the container's header. */
  readonly firstAudio: Instant;
  readonly bytes: number;
  /** How long it plays, decoded from the container's own structure. */
  readonly audioSeconds: number;
  /** Characters of the text that was spoken. */
  readonly characters: number;
}

/** A complete transcript. */
export interface TranscriptionAnswer extends AnswerFacts, Priced {
  readonly kind: 'transcription';
  readonly firstByte: Instant;
  /** The length of the clip that was sent; `null` where its container does not tell. */
  readonly audioSeconds: number | null;
  /** Words that had to be inserted, deleted or replaced, and words of the true text; `null` when that is unknown. */
  readonly words: { readonly wrong: number; readonly expected: number } | null;
}

export type Answer =
  | ChatAnswer
  | ChatStreamAnswer
  | SpeechAnswer
  | TranscriptionAnswer
  | ModelsAnswer;

/** What a non-2xx response said of itself, bounded, with secrets masked. */
export interface Refusal {
  readonly status: number;
  /** The body's form: the documented error object, the gateway's second 429 form, `{"detail"}`, other JSON, text, HTML, nothing. */
  readonly form: RefusalForm;
  readonly type: string | null;
  readonly code: string | null;
  readonly message: string;
}

/** How a 2xx answer breaks the contract. A closed set. */
export const malformedIssues = [
  'content-type',
  'not-json',
  'shape',
  'stream-error',
  'stream-truncated',
  'stream-event',
  'empty',
  'audio-container',
  'audio-truncated',
] as const;

export type MalformedIssue = (typeof malformedIssues)[number];

export const droppedCauses = ['saturated', 'patience', 'run-ended'] as const;

/**
 * Why an arrival was never sent: as many requests as `inFlight` allows were already under way; or it
 * waited for its turn under the pace until its total deadline had passed, or until the run ended.
 */
export type DroppedCause = (typeof droppedCauses)[number];

/** A 429, and what it told of the limit. */
export interface LimitedOutcome {
  readonly kind: 'limited';
  readonly refusal: Refusal;
  /** Which limit its text names; `null` when it names none. */
  readonly unit: NamedLimit | null;
  /** How long after the answer the key is let in again, by `Retry-After` and its kin; `null` when absent or unreadable. */
  readonly retryAfter: Milliseconds | null;
  /** The same by the reset time in the body, against the answer's own `Date`. */
  readonly resetIn: Milliseconds | null;
}

/** What became of an arrival: exactly one of these. */
export type Outcome =
  | { readonly kind: 'completed'; readonly answer: Answer }
  | LimitedOutcome
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | {
      readonly kind: 'malformed';
      readonly issue: MalformedIssue;
      readonly detail: string;
      /** What had come by then, where the kind can tell. */
      readonly partial: Answer | null;
    }
  | {
      readonly kind: 'broken';
      readonly cause: BrokenCause;
      readonly detail: string;
      readonly partial: Answer | null;
    }
  | { readonly kind: 'dropped'; readonly cause: DroppedCause };

export const outcomeKinds = [
  'completed',
  'limited',
  'refused',
  'malformed',
  'broken',
  'dropped',
] as const satisfies readonly Outcome['kind'][];

export type OutcomeKind = (typeof outcomeKinds)[number];

/** The four limit headers of interface section 8; a field is `null` where the header was absent or unreadable. */
export interface Quota {
  readonly limitRequests: number | null;
  readonly remainingRequests: number | null;
  readonly limitTokens: number | null;
  readonly remainingTokens: number | null;
}

/** What the head of a response told. */
export interface ResponseHead {
  readonly at: Instant;
  readonly status: number;
  /** `null` when none of the four headers came. */
  readonly quota: Quota | null;
  /** The server's own request id (`x-request-id` and its kin), to look the request up in its logs. */
  readonly serverId: string | null;
}

/** What every answer tells. */
export interface AnswerFacts {
  readonly notes: readonly AnswerNote[];
}

/** What an answer that is paid for costs, in whole micro-units of the currency; `null` when a price or a count is unknown. */
export interface Priced {
  readonly cost: number | null;
}

/** What one key was told and allowed, request by request: the evidence that limits are judged by. */

/** Which limit the text of a 429 names; `null` when it names none. */
export const namedLimits = ['requests', 'tokens', 'in-flight'] as const;

export type NamedLimit = (typeof namedLimits)[number];

/** The forms of a refused request's body (`Refusal`). */
export const refusalForms = [
  'error',
  'none-429',
  'detail',
  'json',
  'text',
  'html',
  'empty',
] as const;

export type RefusalForm = (typeof refusalForms)[number];
