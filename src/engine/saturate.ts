import type {
  SaturatingClient,
  SaturatingRun,
  RequestBatch,
} from '../model/observation/saturating-client.ts';
import type { Exchange, ExchangeObserver } from '../model/observation/exchange.ts';
import { saturateLoadOf } from '../model/plan/plan.ts';
import { type Instant, instant, type Milliseconds } from '../model/quantity.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { iterationIndex } from '../schedule/users.ts';
import type { PreparedRequest } from '../traffic/traffic-handler.ts';
import { type RequestContent, drawRequestContent } from './request-content.ts';
import {
  type InFlightAttempt,
  type AttemptResult,
  type AttemptListener,
  SendContext,
} from './in-flight-attempt.ts';
import {
  deadlineCheckInterval,
  type SliceProgress,
  type SlicePorts,
  type RunningSlice,
  type SliceEnd,
  type SliceOptions,
  unfinishedDetail,
} from './slice-options.ts';
import { endedBefore, observationOf, type RequestLifecycle } from './request-lifecycle.ts';

/**
 * The maximum number of different prepared requests. With more connections than this, each connection has one request,
 * because no two connections share a request.
 */
const maxPrepared = 1024;

interface SaturationRequest {
  readonly content: RequestContent;
  readonly prepared: PreparedRequest;
}

const saturationNote = (connections: number, prepared: number): string =>
  `The load saturated the target: autocannon sent the next request on each of ${connections.toLocaleString('en-US')} connections as soon as the last was answered. ${prepared.toLocaleString('en-US')} requests were prepared before the load and sent repeatedly, with the same ids, so a target that caches answers looks faster than it is. Latencies include the generator’s own queue, and throughput is the combined limit of this machine and the target.`;

type RunningSaturation = RunningSlice & { close(): Promise<void> };

type SaturationPorts = Pick<SlicePorts, 'clock' | 'observe'> & {
  readonly client: SaturatingClient;
};

class SaturationRunner implements AttemptListener {
  readonly done: Promise<SliceEnd>;
  readonly #options: SliceOptions;
  readonly #ports: SaturationPorts;
  readonly #attempts = new Map<
    InFlightAttempt,
    { readonly lifecycle: RequestLifecycle; readonly content: RequestContent }
  >();
  readonly #sendContext: SendContext;
  readonly #requests: readonly (readonly SaturationRequest[])[];
  /** The instant since which each connection has been idle; `undefined` before the first request of the connection. */
  readonly #idleSince: (Instant | undefined)[] = [];
  readonly #until: Instant;
  readonly #finish: (end: SliceEnd) => void;
  readonly #stopTicking: () => void;
  readonly #runningBatch: SaturatingRun;
  #arrivalsDue = 0;
  #stopped = false;
  #loadEnded: Instant | null = null;
  #graceEnds = Number.POSITIVE_INFINITY;

  constructor(options: SliceOptions, ports: SaturationPorts, connections: number) {
    this.#options = options;
    this.#ports = ports;
    this.#sendContext = new SendContext(options, this);
    this.#until = scheduledEnd(options.plan);
    this.#requests = this.#prepareRequests(connections);
    ({ promise: this.done, resolve: this.#finish } = Promise.withResolvers<SliceEnd>());
    this.#stopTicking = ports.clock.every(deadlineCheckInterval, () => this.#checkDeadlines());
    const requests = this.#requests.map((connectionRequests) =>
      connectionRequests.map(({ prepared }) => prepared.request),
    );
    this.#runningBatch = ports.client.start({ requests, observerFor: this.#begin });
  }

  progress(): SliceProgress {
    return {
      due: this.#arrivalsDue,
      inFlight: this.#attempts.size,
      endedBefore: endedBefore(this.#ports.clock.now(), this.#attempts.values()),
    };
  }

  stop(grace: Milliseconds): void {
    const now = this.#ports.clock.now();
    if (this.#loadEnded === null && now < this.#until) this.#stopped = true;
    this.#stopSending(now, grace);
    this.#checkDeadlines();
  }

  endLoad(): void {
    this.#stopSending(this.#ports.clock.now(), this.#options.plan.grace);
  }

  close(): Promise<void> {
    return this.#runningBatch.close();
  }

  onSent(): void {}

  /** Called after each read, so that the load ends in time even if timers are late. */
  onTick(): void {
    const now = this.#ports.clock.now();
    if (this.#loadEnded === null && now >= this.#until)
      this.#stopSending(now, this.#options.plan.grace);
  }

  onFinished(attempt: InFlightAttempt, { facts, outcome, userFreeAt }: AttemptResult): void {
    const { lifecycle, content } = this.#attempts.get(attempt)!;
    this.#attempts.delete(attempt);
    this.#ports.observe(
      observationOf(lifecycle, content, { facts, earlier: [], gaveUp: null, outcome }),
    );
    lifecycle.onAnswered?.(userFreeAt);
  }

  /** Prepares the first requests that users would send. Each connection stands for one user. */
  #prepareRequests(connections: number): readonly (readonly SaturationRequest[])[] {
    const perConnection = Math.max(1, Math.floor(maxPrepared / connections));
    return Array.from({ length: connections }, (_, connection) =>
      Array.from({ length: perConnection }, (__, iteration) => {
        const index = iterationIndex(connection, iteration, connections);
        const content = drawRequestContent(this.#options, { stage: 0, index, due: instant(0) });
        return {
          content,
          prepared: this.#sendContext.authorizedRequest(content, content.credential),
        };
      }),
    );
  }

  readonly #begin: RequestBatch['observerFor'] = (
    connection,
    request,
    exchange: Exchange,
  ): ExchangeObserver => {
    const { content, prepared } = this.#requests[connection]![request]!;
    const begun = this.#ports.clock.now();
    const due = this.#idleSince[connection] ?? begun;
    const arrival = { stage: 0, index: this.#arrivalsDue, due };
    const onAnswered = (userFreeAt: Instant): void => {
      this.#idleSince[connection] = userFreeAt;
    };
    this.#arrivalsDue += 1;
    const instants = { due, released: due, reserved: null, begun };
    const attempt = this.#sendContext.createAttempt(prepared, content.credential, instants);
    attempt.attach(exchange);
    this.#attempts.set(attempt, { lifecycle: { arrival, due, earlier: [], onAnswered }, content });
    return attempt;
  };

  #stopSending(now: Instant, grace: Milliseconds): void {
    this.#loadEnded ??= instant(Math.min(now, this.#until));
    this.#graceEnds = Math.min(this.#graceEnds, now + grace);
    this.#runningBatch.stop();
  }

  #checkDeadlines(): void {
    this.onTick();
    const now = this.#ports.clock.now();
    for (const attempt of this.#attempts.keys()) {
      attempt.checkDeadlines(now, this.#options.plan.deadlines);
    }
    if (now >= this.#graceEnds) {
      const detail = unfinishedDetail(this.#stopped);
      for (const attempt of this.#attempts.keys()) attempt.abort('aborted', detail);
    }
    if (this.#loadEnded !== null && this.#attempts.size === 0) this.#end(this.#loadEnded);
  }

  #end(loadEnded: Instant): void {
    this.#stopTicking();
    const note = saturationNote(this.#requests.length, this.#requests.flat().length);
    const notes = [note, ...this.#sendContext.notes, ...this.#runningBatch.notes()];
    this.#finish({ loadEnded, stopped: this.#stopped, spent: null, lostLease: false, notes });
  }
}

/** Starts a plan whose only load saturates the target. */
export const saturate = (options: SliceOptions, ports: SaturationPorts): RunningSaturation => {
  const load = saturateLoadOf(options.plan);
  if (load === null) throw new Error('the plan has no load of the kind "saturate"');
  return new SaturationRunner(options, ports, load.connections);
};
