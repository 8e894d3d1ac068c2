import type { Outcome, ResponseHead } from '../model/observation/outcome.ts';
import type { WaitSource } from '../model/observation/attempt.ts';
import type { Draw } from '../model/workload/draw.ts';
import type { ClipLibrary } from '../model/workload/clip.ts';
import type { BrokenCause, WireRequest } from '../model/observation/exchange.ts';
import type { AnswerCaps } from '../model/plan/plan.ts';
import type { PromptSource } from '../model/workload/prompt-source.ts';
import type { Instant, Milliseconds } from '../model/quantity.ts';
import type { TrafficKind, TrafficOf } from '../model/workload/traffic.ts';
import type { ChatContent } from '../model/workload/workload.ts';

/**
 * What one kind of traffic is: how a request of it is prepared. The engine knows nothing else about
 * a kind; adding one is a file and a row in `kinds.ts`.
 */
export interface TrafficHandler<K extends TrafficKind> {
  prepare(traffic: TrafficOf<K>, prepareContext: PrepareContext): PreparedRequest;
}

/** What a request is made with. */
export interface PrepareContext {
  /** Keyed by the request's place in the plan. */
  readonly draw: Draw;
  /** Which of its entry's requests it is, from 0: of its user's in a closed load, else of its stage's. */
  readonly ordinal: () => number;
  readonly targetMemory: TargetMemory;
  readonly clips: ClipLibrary;
  /** What a chat whose prompts do not stand in the plan asks. */
  readonly ask: (source: PromptSource) => ChatContent;
}

/** A request that is ready to be sent, and how its answer is read. */
export interface PreparedRequest {
  /** With the kind's own headers (content type, accept); the engine adds key, request id and the plan's. */
  readonly request: WireRequest;
  /** A new reader for the one answer. */
  readonly read: (context: ReadingContext) => AnswerReader;
}

/** What requests of one run learn from earlier answers; one per slice, changed by this folder only. */
export interface TargetMemory {
  /**
   * How the target takes `stream_options.include_usage`. Streams ask for it until it is `refused`;
   * `accepted` once a stream that asked has completed.
   */
  usage: 'untried' | 'accepted' | 'refused';
  /** Sentences for the result's notes; a set, since each is said once. */
  readonly notes: Set<string>;
}

/** A memory that has learned nothing yet. */
export const emptyTargetMemory = (): TargetMemory => ({ usage: 'untried', notes: new Set() });

/** What the reader of one answer is told beforehand. */
export interface ReadingContext {
  /** When the generator acted: an answer whose tokens came in one burst is held against the time since then. */
  readonly begun: Instant;
  readonly caps: AnswerCaps;
  readonly streams: 'lenient' | 'strict';
  readonly targetMemory: TargetMemory;
  /**
   * Masks the run's secrets, and the request's own texts where a server quotes them. Readers apply
   * it to free text before they shorten it, so that no half of a key stays.
   */
  readonly redact: (text: string) => string;
  /** Masks the run's secrets only, which is cheap enough for the id on every response. */
  readonly redactId: (text: string) => string;
}

/** When a server said that a refused request may come again: how long after the answer, and by which means it said so. */
export interface RetryHint {
  readonly wait: Milliseconds;
  readonly by: Exclude<WaitSource, 'backoff'>;
}

/**
 * A plain state machine that is told of one response and in the end says what became of it. It
 * keeps no reference to the bytes it is shown.
 */
export interface AnswerReader {
  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void;
  onChunk(at: Instant, bytes: Uint8Array): void;
  /** The outcome of a response that ended properly. Called at most once, instead of `failed`. */
  ended(at: Instant): Outcome;
  /** The outcome of an exchange that broke off. `refused` and `limited` heads keep their outcome if the status was known. */
  failed(at: Instant, cause: BrokenCause, detail: string): Outcome;
  /** The response's head once it came. */
  readonly head: ResponseHead | null;
  /** What a refusal said of when to come back, once the outcome is told; `null` where it said nothing credible. */
  readonly retryHint: RetryHint | null;
  /** Whether the answer proper has begun: the first token of a stream, the first body byte of anything else. The first-token deadline ends here. */
  readonly isAnswering: boolean;
  /**
   * Whether the outcome is settled although the body has not ended: after `[DONE]`, or after an error
   * in mid-stream. The engine may abort after a short drain; `failed` then still gives the settled outcome.
   */
  readonly isComplete: boolean;
  /** Set when the reader has seen enough and the exchange must be cut: a cap was passed. The engine aborts with this cause. */
  readonly abortReason: { readonly cause: BrokenCause; readonly detail: string } | null;
}
