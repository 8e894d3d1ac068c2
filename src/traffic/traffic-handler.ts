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
 * Handles the requests and answers of one traffic kind, for the engine. A new kind is a row in
 * `kinds/prepare-request.ts`.
 */
export interface TrafficHandler<K extends TrafficKind> {
  prepare(traffic: TrafficOf<K>, prepareContext: PrepareContext): PreparedRequest;
}

export interface PrepareContext {
  /** The source of chance, keyed by the request's stage and index. */
  readonly draw: Draw;
  /**
   * Returns the request's number among those of its entry, from 0. They are counted for each user in a closed load,
   * otherwise for the stage.
   */
  readonly ordinal: () => number;
  readonly targetMemory: TargetMemory;
  readonly clips: ClipLibrary;
  /** Returns the values that replace templates in the request's headers and body. */
  readonly values: () => RequestValues;
  /** Returns the content of a chat whose prompts are not part of the plan. */
  readonly ask: (source: PromptSource) => ChatContent;
}

/** A request that is ready to be sent, and the reader of its answer. */
export interface PreparedRequest {
  /**
   * The request with the kind's headers (content type, accept). The engine adds the key, the request id and the plan's
   * headers.
   */
  readonly request: WireRequest;
  /** The headers that come before the plan's; absent for most requests. */
  readonly ownHeaders?: WireRequest['headers'];
  /** The size of a chat; absent for other kinds. */
  readonly size?: ChatSize;
  readonly read: (context: ReadingContext) => AnswerReader;
}

/** The facts that a slice has learned from earlier answers. Only this folder changes them. */
export interface TargetMemory {
  /**
   * The way in which the target handles `stream_options.include_usage`. Streams ask for it until it is `refused`; it is
   * `accepted` once a stream that asked has completed.
   */
  usage: 'untried' | 'accepted' | 'refused';
  /** The messages for the result's notes, without duplicates. */
  readonly notes: Set<string>;
  /** The bytes that the answers now being collected hold. */
  collectedBytes: number;
  /** Whether the limits of hours and days that the answers declare are among the notes. */
  hasLongerLimits?: boolean;
}

export const emptyTargetMemory = (): TargetMemory => ({
  usage: 'untried',
  notes: new Set(),
  collectedBytes: 0,
});

/**
 * The maximum number of bytes that all answers of a worker hold while they are collected. The next one to grow beyond
 * it is aborted.
 */
export const maxCollectedBytes = 512 * 1024 * 1024;

export interface ReadingContext {
  /**
   * The instant at which the attempt began. If the tokens of an answer came in one burst, the burst is compared with
   * the time since then.
   */
  readonly begun: Instant;
  readonly caps: AnswerCaps;
  readonly streams: 'lenient' | 'standard' | 'strict';
  /** The finish reasons that fail an answer besides the known ones. */
  readonly fails: readonly string[];
  readonly targetMemory: TargetMemory;
  /**
   * Masks the run's secrets, and the request's own texts if a server quotes them. Readers apply it to free text before
   * they truncate it, so that no part of a key remains.
   */
  readonly redact: (text: string) => string;
  /** Masks only the run's secrets, which is cheap enough for the id on every response. */
  readonly redactId: (text: string) => string;
}

/** The time after its answer at which a refused request may be retried, and where the server says so. */
export interface RetryHint {
  readonly wait: Milliseconds;
  readonly by: Exclude<WaitSource, 'backoff'>;
}

/**
 * A plain state machine that reads one response and returns its outcome. It keeps no reference to the bytes that it
 * gets.
 */
export interface AnswerReader {
  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void;
  onChunk(at: Instant, bytes: Uint8Array): void;
  /** Returns the outcome of a response that ended properly. It is called at most once, instead of `failed`. */
  ended(at: Instant): Outcome;
  /** Returns the outcome of an exchange that broke off: `refused` or `limited` if the status was known. */
  failed(at: Instant, cause: BrokenCause, detail: string): Outcome;
  readonly head: ResponseHead | null;
  /**
   * The wait after which a refused request may be retried, known once the outcome is made; `null` if the server says
   * nothing credible.
   */
  readonly retryHint: RetryHint | null;
  /**
   * Whether the answer has started: the first token of a stream, the first body byte of anything else. The first-token
   * deadline ends here.
   */
  readonly isAnswering: boolean;
  /**
   * Whether the outcome is final although the body has not ended: after `[DONE]`, or after an error within the stream.
   * The engine may abort after a short wait; `failed` then still returns that outcome.
   */
  readonly isComplete: boolean;
  /** The cause with which the engine aborts the exchange, set when a maximum is exceeded. */
  readonly abortReason: { readonly cause: BrokenCause; readonly detail: string } | null;
}
