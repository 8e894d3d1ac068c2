import type { Outcome } from '../model/observation/outcome.ts';
import type {
  BrokenCause,
  ConnectionOrigin,
  Exchange,
  ExchangeObserver,
  WireRequest,
} from '../model/observation/exchange.ts';
import type { AttemptFacts, ChatSize } from '../model/observation/attempt.ts';
import type { Deadlines } from '../model/plan/plan.ts';
import type { Instant } from '../model/quantity.ts';
import {
  type AnswerReader,
  type RetryHint,
  emptyTargetMemory,
  type TargetMemory,
  type PreparedRequest,
} from '../traffic/traffic-handler.ts';
import { requestIdHeader } from '../contract/routes.ts';
import { filledHeaders, isRequestTemplate } from '../model/plan/secret.ts';
import { keyHeader } from '../model/plan/key-header.ts';
import { prepareRequest } from '../traffic/kinds/prepare-request.ts';
import type { RequestContent } from './request-content.ts';
import type { Credential, SendingTarget, SliceOptions } from './slice-options.ts';

/** What is known about an attempt before it is sent. */
export interface AttemptContext {
  /** When the arrival was due. The total deadline covers all attempts of the arrival and starts at this instant. */
  readonly due: Instant;
  /** The key's name. */
  readonly key: string;
  readonly released: Instant;
  /** The number of tokens that the pace reserved; `null` without a pace. */
  readonly reserved: number | null;
  readonly begun: Instant;
}

export interface AttemptResult {
  readonly facts: AttemptFacts;
  readonly outcome: Outcome;
  /** The wait that the server asks for; `null` if the server asks for no wait. */
  readonly retryHint: RetryHint | null;
  /** When the user could send again. This instant is later than `ended` if the server kept the stream open. */
  readonly userFreeAt: Instant;
}

type Headers = WireRequest['headers'];

export interface AttemptListener {
  /** Called before the first byte is written, and again if the request moves to another connection. */
  onSent(attempt: InFlightAttempt, at: Instant): void;
  /** Called with the status and headers of the answer; absent if no caller uses them. */
  onHeaders?(attempt: InFlightAttempt, at: Instant, status: number, headers: Headers): void;
  onFinished(attempt: InFlightAttempt, result: AttemptResult): void;
  /** Called after each read, so that due arrivals begin even if much data arrives and timers are late. */
  onTick(): void;
}

/** Once an answer is complete, the server has this many ms to end the stream. After that, Weir finishes the attempt. */
const closeGrace = 250;

/** For each deadline, the event that is missing when the deadline passes, in words. */
const missed = {
  'deadline-connect': 'no connection',
  'deadline-first-token': 'no first token',
  'deadline-idle': 'no further bytes',
  'deadline-total': 'no complete answer',
} satisfies Partial<Record<BrokenCause, string>>;

/**
 * Returns the outcome of an exchange that the client has ended. If a refusal had already come, the outcome is the
 * refusal.
 */
const cancelled = (outcome: Outcome, bytes: number): Outcome =>
  outcome.kind === 'broken' ? { kind: 'cancelled', bytes, partial: outcome.partial } : outcome;

/**
 * An exchange in flight. This class passes the events of the socket to the reader, records the instants, and finishes
 * exactly once.
 */
export class InFlightAttempt implements ExchangeObserver {
  readonly #context: AttemptContext;
  readonly #reader: AnswerReader;
  readonly #listener: AttemptListener;
  readonly #size: ChatSize | undefined;
  #exchange: Exchange | null = null;
  #connected: Instant | null = null;
  #connection: ConnectionOrigin | null = null;
  #reconnected: Instant | undefined;
  #sent: Instant | null = null;
  #lastRead: Instant | null = null;
  /** The instant of the read that completed the answer; `null` until then. The body may continue after the answer. */
  #completed: Instant | null = null;
  #isFinished = false;
  #hasHungUp = false;
  /** Before this instant, no deadline can pass, so none is checked. */
  #nextDeadlineCheck = Number.NEGATIVE_INFINITY;

  constructor(
    context: AttemptContext,
    reader: AnswerReader,
    listener: AttemptListener,
    size?: ChatSize,
  ) {
    this.#context = context;
    this.#size = size;
    this.#reader = reader;
    this.#listener = listener;
  }

  attach(exchange: Exchange): void {
    this.#exchange = exchange;
  }

  onConnected(at: Instant, connection: ConnectionOrigin): void {
    this.#connected = at;
    this.#connection = connection;
  }

  onSent(at: Instant): void {
    this.#sent = at;
    this.#listener.onSent(this, at);
  }

  /** Marks the request as unsent until it is sent again. The server has read no part of the request. */
  onReconnect(at: Instant): void {
    this.#reconnected = at;
    this.#connected = null;
    this.#connection = null;
    this.#sent = null;
    this.#nextDeadlineCheck = Number.NEGATIVE_INFINITY;
  }

  onHeaders(at: Instant, status: number, headers: Headers): void {
    this.#reader.onHeaders(at, status, headers);
    this.#listener.onHeaders?.(this, at, status, headers);
  }

  onChunk(at: Instant, bytes: Uint8Array): void {
    this.#lastRead = at;
    this.#reader.onChunk(at, bytes);
    const { abortReason } = this.#reader;
    if (abortReason !== null) this.#exchange?.abort(abortReason.cause, abortReason.detail);
    if (this.#reader.isComplete) this.#completed ??= at;
    this.#listener.onTick();
  }

  onEnd(at: Instant): void {
    if (!this.#isFinished) this.#finish(at, this.#reader.ended(at));
  }

  onFailure(at: Instant, cause: BrokenCause, detail: string): void {
    if (this.#isFinished) return;
    const outcome = this.#reader.failed(at, cause, detail);
    this.#finish(at, this.#hasHungUp ? cancelled(outcome, this.#reader.bytes) : outcome);
  }

  get tokenEvents(): number {
    return this.#reader.tokenEvents;
  }

  /** Whether a part of the request is still in this process. */
  get hasUnwritten(): boolean {
    return this.#exchange?.hasUnwritten?.() === true;
  }

  /**
   * Closes the connection, as a user does who no longer wants the answer. If the answer is complete, this method does
   * nothing.
   */
  hangUp(): void {
    this.#exchange?.catchUp?.();
    if (this.#isFinished || this.#completed !== null) return;
    this.#hasHungUp = true;
    this.#exchange?.abort('aborted', 'the client hung up');
  }

  abort(cause: BrokenCause, detail: string): void {
    this.#exchange?.catchUp?.();
    this.#exchange?.abort(cause, detail);
  }

  /**
   * Aborts an exchange that has passed a deadline. If the answer is complete and the server keeps the stream open, the
   * exchange also ends after a grace period.
   */
  checkDeadlines(now: Instant, { connect, firstToken, idle, total }: Deadlines): void {
    // Most calls end here. This method runs fifty times a second for each of up to ten thousand attempts.
    if (now < this.#nextDeadlineCheck) return;
    this.#exchange?.catchUp?.();
    if (this.#isFinished) return;
    if (this.#completed !== null) {
      if (now - this.#completed > closeGrace) this.#finishCompleted(this.#completed, now);
      return;
    }
    let nextCheck: number = now + closeGrace;
    /**
     * Returns whether a deadline has passed. A deadline whose start (`since`) is unknown cannot pass before `limit` ms
     * from now.
     */
    const hasPassed = (
      cause: keyof typeof missed,
      since: Instant | null,
      limit: number | null,
    ): boolean => {
      if (limit === null) return false;
      nextCheck = Math.min(nextCheck, (since ?? now) + limit);
      if (since === null || now - since <= limit) return false;
      this.abort(cause, `${missed[cause]} within ${limit} ms`);
      return true;
    };
    const { due, begun } = this.#context;
    const connecting = this.#reconnected ?? begun;
    if (this.#connected === null && hasPassed('deadline-connect', connecting, connect)) return;
    if (!this.#reader.isAnswering && hasPassed('deadline-first-token', this.#sent, firstToken))
      return;
    if (hasPassed('deadline-idle', this.#lastRead, idle)) return;
    if (hasPassed('deadline-total', due, total)) return;
    this.#nextDeadlineCheck = nextCheck;
  }

  /**
   * Ends an exchange whose answer is complete. The user is free only at `now`, because the server kept the stream open.
   */
  #finishCompleted(ended: Instant, now: Instant): void {
    const detail = 'the answer was complete and the server kept the stream open';
    this.#finish(ended, this.#reader.failed(ended, 'aborted', detail), now);
    this.abort('aborted', detail);
  }

  #finish(ended: Instant, outcome: Outcome, userFreeAt: Instant = ended): void {
    this.#isFinished = true;
    const { key, released, reserved, begun } = this.#context;
    const facts: AttemptFacts = {
      key,
      released,
      reserved,
      begun,
      connected: this.#connected,
      connection: this.#connection,
      reconnected: this.#reconnected,
      sent: this.#sent,
      head: this.#reader.head,
      size: this.#size,
      ended,
    };
    this.#listener.onFinished(this, {
      facts,
      outcome,
      retryHint: this.#reader.retryHint,
      userFreeAt,
    });
  }
}

/** Request headers that contain a key, and the value of this key. */
interface KeyedHeaders {
  readonly key: string;
  readonly headers: Headers;
}

interface TargetContext extends SendingTarget {
  /** The facts that the slice has learned from the target's answers. */
  readonly memory: TargetMemory;
  /** The headers whose values are templates; `null` if no header is a template. */
  readonly templateHeaders: Headers | null;
}

const targetContext = (target: SendingTarget): TargetContext => {
  const templates = Object.entries(target.headers).filter(([, text]) => isRequestTemplate(text));
  const templateHeaders = templates.length === 0 ? null : Object.fromEntries(templates);
  return { ...target, memory: emptyTargetMemory(), templateHeaders };
};

export class SendContext {
  readonly #options: SliceOptions;
  readonly #listener: AttemptListener;
  readonly #targets: readonly TargetContext[];
  /** The finish reasons that the plan counts as failures. */
  readonly #fails: readonly string[];
  /**
   * All headers except the request's id. The headers are built once for each key and each `Headers` object of a traffic
   * kind, so all chats with the same key share the headers.
   */
  readonly #commonHeaders = new WeakMap<Headers, Map<Credential, KeyedHeaders>>();

  constructor(options: SliceOptions, listener: AttemptListener) {
    this.#options = options;
    this.#listener = listener;
    this.#targets = options.targets.map(targetContext);
    this.#fails = (options.plan.fails ?? []).map(({ finish }) => finish);
  }

  /**
   * The result's notes on facts that answers have shown. With several targets, each note begins with its target's name.
   */
  get notes(): readonly string[] {
    const { targets = [] } = this.#options.plan;
    return this.#targets.flatMap(({ memory }, place) => {
      const name = targets[place]?.name;
      return [...memory.notes].map((note) => (name === undefined ? note : `${name}: ${note}`));
    });
  }

  /** Adds a key and the plan's headers to a request. Returns the request with the reader of its answer. */
  authorizedRequest(
    { traffic, draw, ordinal, ask, values, requestId }: RequestContent,
    credential: Credential,
  ): PreparedRequest {
    const { memory: targetMemory, templateHeaders } = this.#targets[credential.target ?? 0]!;
    const { clips } = this.#options;
    const prepareContext = { draw, ordinal, targetMemory, clips, ask, values };
    const { request, ownHeaders, size, read } = prepareRequest(traffic, prepareContext);
    const { method, path, body } = request;
    const common = this.#commonHeadersOf(request.headers, credential);
    const filled = templateHeaders && filledHeaders(templateHeaders, values());
    const headers =
      filled === null && ownHeaders === undefined
        ? { ...common, [requestIdHeader]: requestId }
        : { ...common, ...filled, ...ownHeaders, [requestIdHeader]: requestId };
    const own = { method, path, headers, body };
    return size === undefined ? { request: own, read } : { request: own, read, size };
  }

  /** Creates an attempt for a prepared request. The caller then attaches the exchange to the attempt. */
  createAttempt(
    { read, size }: PreparedRequest,
    credential: Credential,
    instants: Omit<AttemptContext, 'key'>,
  ): InFlightAttempt {
    const { plan, redact } = this.#options;
    const context = { ...instants, key: credential.name };
    const reader = read({
      begun: context.begun,
      redact,
      redactId: redact,
      caps: plan.caps,
      streams: plan.streams,
      fails: this.#fails,
      targetMemory: this.#targets[credential.target ?? 0]!.memory,
    });
    return new InFlightAttempt(context, reader, this.#listener, size);
  }

  #commonHeadersOf(ofKind: Headers, credential: Credential): Headers {
    const byKey = this.#commonHeaders.get(ofKind) ?? new Map<Credential, KeyedHeaders>();
    const known = byKey.get(credential);
    const { value } = credential;
    if (known?.key === value) return known.headers;
    const { userAgent } = this.#options;
    const { headers, auth } = this.#targets[credential.target ?? 0]!;
    const made = {
      'user-agent': userAgent,
      ...ofKind,
      ...keyHeader(auth, value),
      ...headers,
    };
    this.#commonHeaders.set(ofKind, byKey.set(credential, { key: value, headers: made }));
    return made;
  }
}
