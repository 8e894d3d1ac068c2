import type { Outcome, ResponseHead } from '../model/observation/outcome.ts';
import type { ChatSize, WaitSource } from '../model/observation/attempt.ts';
import type { Draw } from '../model/workload/draw.ts';
import type { ClipLibrary } from '../model/workload/clip.ts';
import type { BrokenCause, WireRequest } from '../model/observation/exchange.ts';
import type { RequestValues } from '../model/plan/secret.ts';
import type { AnswerCaps } from '../model/plan/plan.ts';
import type { PromptSource } from '../model/workload/prompt-source.ts';
import type { Instant, Milliseconds } from '../model/quantity.ts';
import type { TrafficKind, TrafficOf } from '../model/workload/traffic.ts';
import type { ChatContent } from '../model/workload/workload.ts';

/**
 * Handles the requests and answers of one traffic kind for the engine. A new traffic kind is a new row in
 * `kinds/prepare-request.ts`.
 */
export interface TrafficHandler<K extends TrafficKind> {
  prepare(traffic: TrafficOf<K>, prepareContext: PrepareContext): PreparedRequest;
}

export interface PrepareContext {
  /** The request's source of random numbers, seeded by the request's stage and index. */
  readonly draw: Draw;
  /**
   * Returns the request's number among the requests of its entry, from 0. In a closed load, the requests of each user
   * are numbered separately; in any other load, the requests of each stage.
   */
  readonly ordinal: () => number;
  readonly targetMemory: TargetMemory;
  readonly clips: ClipLibrary;
  /** Returns the values that replace templates in the request's headers and body. */
  readonly values: () => RequestValues;
  /** Returns the content of a chat whose prompts are stored outside the plan. */
  readonly ask: (source: PromptSource) => ChatContent;
}

export interface PreparedRequest {
  /**
   * The request with the headers that the traffic kind sets (content type, accept). The engine adds the key, the
   * request id and the plan's headers.
   */
  readonly request: WireRequest;
  /** The headers that take precedence over the headers of the plan; absent for most requests. */
  readonly ownHeaders?: WireRequest['headers'];
  /** The size of the chat; absent for other traffic kinds. */
  readonly size?: ChatSize;
  readonly read: (context: ReadingContext) => AnswerReader;
}

/** The facts that a slice has learned from earlier answers. Only the code in this folder changes a `TargetMemory`. */
export interface TargetMemory {
  /**
   * How the target handles `stream_options.include_usage`. Streams ask for usage until the state is `refused`. The
   * state is `accepted` as soon as a stream that asked for usage has completed.
   */
  usage: 'untried' | 'accepted' | 'refused';
  /** The texts of the result's notes, without repetitions. */
  readonly notes: Set<string>;
  /** The number of bytes in all answers that are being collected. */
  collectedBytes: number;
  /** Whether the notes already contain a note about limits per hour or day. */
  hasLongerLimits?: boolean;
  /** Whether the notes already contain a note that a limit without a window counts as a limit per minute. */
  hasAssumedLimits?: boolean;
}

export const emptyTargetMemory = (): TargetMemory => ({
  usage: 'untried',
  notes: new Set(),
  collectedBytes: 0,
});

/**
 * All answers that a worker is collecting at the same time have at most this many bytes together. An answer that would
 * exceed this maximum is aborted.
 */
export const maxCollectedBytes = 512 * 1024 * 1024;

export interface ReadingContext {
  /**
   * The instant at which the attempt began. If all tokens came in one burst, this instant decides whether the stream
   * counts as buffered.
   */
  readonly begun: Instant;
  readonly caps: AnswerCaps;
  readonly streams: 'lenient' | 'standard' | 'strict';
  /** The finish reasons that make an answer a failure, in addition to the failing reasons that Weir knows. */
  readonly fails: readonly string[];
  readonly targetMemory: TargetMemory;
  /**
   * Masks the run's secrets in a text, and the texts of the request that the server quotes. Masking comes before
   * shortening, so no part of a key remains.
   */
  readonly redact: (text: string) => string;
  /** Masks only the run's secrets. This function is fast enough for the id in every response. */
  readonly redactId: (text: string) => string;
}

/** How long to wait after a refusal before the request is retried, and the part of the answer that names this wait. */
export interface RetryHint {
  readonly wait: Milliseconds;
  readonly by: Exclude<WaitSource, 'backoff'>;
}

/**
 * Reads one response step by step and returns its outcome. The bytes that a reader receives are valid only during the
 * call.
 */
export interface AnswerReader {
  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void;
  onChunk(at: Instant, bytes: Uint8Array): void;
  /**
   * Returns the outcome of a response that ended properly. The engine calls either `ended` or `failed`, at most once.
   */
  ended(at: Instant): Outcome;
  /**
   * Returns the outcome of an exchange that broke off. If a refusing status was already received, the outcome is
   * `refused` or `limited`.
   */
  failed(at: Instant, cause: BrokenCause, detail: string): Outcome;
  readonly head: ResponseHead | null;
  /** The number of token events of a stream that were received. `bytes` is the number of received bytes of the body. */
  readonly tokenEvents: number;
  readonly bytes: number;
  /**
   * The wait after which a refused request may be retried. It is set when the outcome is known. `null` if the server
   * names no plausible wait.
   */
  readonly retryHint: RetryHint | null;
  /**
   * Whether the answer has begun. A stream begins with its first token, and any other answer with the first byte of its
   * body. After this moment, the deadline for the first token no longer applies.
   */
  readonly isAnswering: boolean;
  /**
   * Whether the outcome is final although the body has not ended. It is final after `[DONE]`, or after an error within
   * the stream. The engine may abort the exchange after a short wait; `failed` then still returns this outcome.
   */
  readonly isComplete: boolean;
  /** The cause with which the engine aborts the exchange; `null` unless the answer exceeds a maximum. */
  readonly abortReason: { readonly cause: BrokenCause; readonly detail: string } | null;
}
