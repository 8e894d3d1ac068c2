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
  /** The random source of the request. Its key is the request's stage and index. */
  readonly draw: Draw;
  /**
   * Returns the request's number among the requests of its entry, from 0. A closed load numbers them for each user, any
   * other load for each stage.
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

/** What a slice has learned from earlier answers. Only this folder changes it. */
export interface TargetMemory {
  /**
   * How the target handles `stream_options.include_usage`. Streams ask for usage until it is `refused`. It is
   * `accepted` once a stream that asked for it has completed.
   */
  usage: 'untried' | 'accepted' | 'refused';
  /** The texts of the result's notes. Each text occurs only once. */
  readonly notes: Set<string>;
  /** The number of bytes in all answers that are being collected now. */
  collectedBytes: number;
  /** Whether a note about the declared limits of hours and days already exists. */
  hasLongerLimits?: boolean;
  /** Whether a note already says that a limit without a window counts as a limit per minute. */
  hasAssumedLimits?: boolean;
}

export const emptyTargetMemory = (): TargetMemory => ({
  usage: 'untried',
  notes: new Set(),
  collectedBytes: 0,
});

/**
 * The maximum number of bytes in all answers that a worker is collecting. An answer that would exceed it is aborted.
 */
export const maxCollectedBytes = 512 * 1024 * 1024;

export interface ReadingContext {
  /**
   * The instant at which the attempt began. If the tokens came in one burst, the length of the burst is compared with
   * the time since this instant.
   */
  readonly begun: Instant;
  readonly caps: AnswerCaps;
  readonly streams: 'lenient' | 'standard' | 'strict';
  /** The finish reasons that make an answer a failure, in addition to the failing reasons that Weir knows. */
  readonly fails: readonly string[];
  readonly targetMemory: TargetMemory;
  /**
   * Masks the run's secrets in a text, and the request's own texts if a server quotes them. Texts are masked before
   * they are shortened, so no part of a key remains.
   */
  readonly redact: (text: string) => string;
  /** Masks only the run's secrets. It is fast enough for the id in every response. */
  readonly redactId: (text: string) => string;
}

/** When a refused request may be retried, as a time after its answer, and where in the answer the server says so. */
export interface RetryHint {
  readonly wait: Milliseconds;
  readonly by: Exclude<WaitSource, 'backoff'>;
}

/** Reads one response step by step and returns its outcome. The reader does not keep the bytes that it receives. */
export interface AnswerReader {
  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void;
  onChunk(at: Instant, bytes: Uint8Array): void;
  /** Returns the outcome of a response that ended properly. Either this or `failed` is called, at most once. */
  ended(at: Instant): Outcome;
  /**
   * Returns the outcome of an exchange that broke off. If a status that refuses the request was already received, the
   * outcome is `refused` or `limited`.
   */
  failed(at: Instant, cause: BrokenCause, detail: string): Outcome;
  readonly head: ResponseHead | null;
  /**
   * The number of token events of a stream that were received so far. The field `bytes` counts the bytes of the body.
   */
  readonly tokenEvents: number;
  readonly bytes: number;
  /**
   * The wait after which a refused request may be retried, once the outcome is known; `null` if the server names no
   * plausible wait.
   */
  readonly retryHint: RetryHint | null;
  /**
   * Whether the answer has begun: with the first token of a stream, or the first byte of any other body. From then on,
   * the deadline for the first token no longer applies.
   */
  readonly isAnswering: boolean;
  /**
   * Whether the outcome is final although the body has not ended: after `[DONE]`, or after an error within the stream.
   * The engine may abort the exchange after a short wait; `failed` then still returns this outcome.
   */
  readonly isComplete: boolean;
  /** The cause with which the engine aborts the exchange; `null` until the answer exceeds a maximum. */
  readonly abortReason: { readonly cause: BrokenCause; readonly detail: string } | null;
}
