import type { DroppedCause } from '../model/observation/outcome.ts';
import { type Instant, instant, type Milliseconds, milliseconds } from '../model/quantity.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { drawRequestContent, type RequestContent } from './request-content.ts';
import type { Alarm } from '../model/clock.ts';
import { plansByTarget, targetPlacesOfStages } from '../model/plan/targets.ts';
import type { Arrival } from '../model/workload/arrival.ts';
import {
  type InFlightAttempt,
  type AttemptResult,
  type AttemptListener,
  SendContext,
} from './in-flight-attempt.ts';
import { BeginTurn } from './begin-turn.ts';
import { ConnectAhead } from './connect-ahead.ts';
import {
  type BeginRequest,
  earlierOf,
  type LoadLoop,
  createLoops,
  pollInOrder,
} from './load-loop.ts';
import { BudgetGuard, type BudgetReservation } from './budget-guard.ts';
import {
  deadlineCheckInterval,
  inFlightCap,
  type SliceProgress,
  type SlicePorts,
  type RunningSlice,
  type SliceEnd,
  type SliceOptions,
  unfinishedDetail,
} from './slice-options.ts';
import { PaceQueue, type PaceSlot } from './pace-queue.ts';
import {
  endedBefore,
  endUnsent,
  type LifecycleEnd,
  observationOf,
  type RequestLifecycle,
  decideNextAttempt,
} from './request-lifecycle.ts';
import { DueQueue } from './due-queue.ts';
import { HangUp } from './hang-up.ts';

interface ActiveAttempt {
  readonly lifecycle: RequestLifecycle;
  readonly content: RequestContent;
  readonly slot: PaceSlot | null;
  readonly reservation: BudgetReservation | null;
  /** The position of the request's target in the list of targets. */
  readonly target: number;
}

class SliceRunner implements RunningSlice, AttemptListener {
  readonly done: Promise<SliceEnd>;
  readonly #options: SliceOptions;
  readonly #cap: number;
  readonly #ports: SlicePorts;
  readonly #attempts = new Map<InFlightAttempt, ActiveAttempt>();
  /** The requests whose next attempt is not yet due. */
  readonly #retries = new DueQueue<RequestLifecycle>();
  readonly #paceQueue: PaceQueue | null;
  readonly #budgetGuard: BudgetGuard | null;
  readonly #sendContext: SendContext;
  readonly #loops: readonly LoadLoop[];
  readonly #finish: (end: SliceEnd) => void;
  readonly #stopTicking: () => void;
  readonly #alarm: Alarm;
  readonly #turn: BeginTurn;
  /** The planned connections of each target, in the order of the plan. */
  readonly #connectAhead: readonly ConnectAhead[];
  /** For each stage, the position of its target. */
  readonly #targetOfStage: readonly number[];
  #arrivalsDue = 0;
  #polling = false;
  #stopped = false;
  #lostLease = false;
  #closing = false;
  #loadEnded: Instant | null = null;
  /** When requests that are still in flight are aborted; `null` while arrivals are left. */
  #graceEnds: number | null = null;

  constructor(options: SliceOptions, ports: SlicePorts) {
    this.#options = options;
    this.#ports = ports;
    this.#cap = inFlightCap(options);
    this.#sendContext = new SendContext(options, this);
    const { pace, budget } = options.plan;
    this.#paceQueue = pace === null ? null : new PaceQueue(options, pace);
    this.#budgetGuard = budget === null ? null : new BudgetGuard(options, budget);
    this.#loops = createLoops(options, {
      scheduled: (arrival) => this.#beginIfBelowCap(arrival),
      byUser: (arrival, onAnswered) => this.#begin(arrival, onAnswered),
    });
    ({ promise: this.done, resolve: this.#finish } = Promise.withResolvers<SliceEnd>());
    this.#stopTicking = ports.clock.every(deadlineCheckInterval, () => this.#checkDeadlines());
    this.#turn = new BeginTurn(ports.clock);
    const ofTargets = plansByTarget(options.plan).map((plan) => ({ ...options, plan }));
    this.#connectAhead = ofTargets.map((each, i) => new ConnectAhead(each, ports.transports[i]!));
    this.#targetOfStage = targetPlacesOfStages(options.plan);
    this.#alarm = ports.clock.alarm(() => {
      this.#turn.isHeld = false;
      this.onTick();
    });
    this.#alarm.set(instant(0));
  }

  progress(): SliceProgress {
    return {
      due: this.#arrivalsDue,
      inFlight: this.#attempts.size,
      endedBefore: endedBefore(this.#ports.clock.now(), this.#attempts.values(), [
        ...this.#retries.all().map(({ arrival }) => arrival.due),
        this.#paceQueue?.oldest ?? null,
        this.#nextOfLoops(),
      ]),
    };
  }

  stop(grace: Milliseconds): void {
    const now = this.#ports.clock.now();
    this.#beginDue(now, true);
    if (this.#loops.some((loop) => !loop.exhausted(now))) this.#stopped = true;
    for (const loop of this.#loops) loop.stop();
    this.#noteLoadEnd(now);
    this.#graceEnds = Math.min(this.#graceEnds ?? Number.POSITIVE_INFINITY, now + grace);
    this.#close();
    this.#checkDeadlines();
  }

  endLoad(): void {
    this.#beginDue(this.#ports.clock.now(), true);
    for (const loop of this.#loops) loop.stop();
    this.#checkDeadlines();
  }

  onTick(): void {
    const now = this.#ports.clock.now();
    if (this.#turn.mayOpen(now)) this.#beginDue(now);
  }

  /**
   * Begins the requests that are due at `now`. If the turn ends before all of them have begun, the others wait for the
   * next turn. The last turn (`isLast`) begins all due requests.
   */
  #beginDue(now: Instant, isLast = false): void {
    // An exchange that fails at once ends while this method still runs, and would call this method again.
    if (this.#polling || this.#checkLease(now)) return;
    this.#polling = true;
    try {
      this.#turn.open(now, this.#nextOfLoops(), isLast);
      const nextRetry = (): RequestLifecycle | null => this.#retries.take(now);
      for (let retry = nextRetry(); retry !== null; retry = nextRetry()) this.#enqueue(retry);
      pollInOrder(this.#loops, now, this.#turn.mayBegin);
      const nextSlot = (): PaceSlot | null => this.#paceQueue?.take(now) ?? null;
      for (let slot = nextSlot(); slot !== null; slot = nextSlot())
        this.#send(slot.lifecycle, slot);
    } finally {
      this.#polling = false;
    }
    this.#alarm.set(this.#turn.isHeld ? now : this.#nextDue(now));
  }

  /**
   * Ends the slice at once if its lease has run out, and returns whether the lease has run out. Without this check, a
   * process that was suspended would send everything that became due in the meantime.
   */
  #checkLease(now: Instant): boolean {
    if (this.#lostLease || this.#ports.isLeaseOver?.(now) !== true) return this.#lostLease;
    this.#lostLease = true;
    this.stop(milliseconds(0));
    return true;
  }

  /**
   * Returns when to check for due requests again. While requests wait for the pace, the next check is after 1 ms,
   * because each request and answer changes what the pace allows.
   */
  #nextDue(now: Instant): Instant | null {
    const next = earlierOf(this.#retries.first()?.due ?? null, this.#nextOfLoops());
    return this.#paceQueue?.size ? earlierOf(next, instant(now + 1)) : next;
  }

  #nextOfLoops(): Instant | null {
    let next: Instant | null = null;
    for (const loop of this.#loops) next = earlierOf(next, loop.nextDue());
    return next;
  }

  onSent(attempt: InFlightAttempt, at: Instant): void {
    this.#attempts.get(attempt)?.slot?.onSent(at);
  }

  onHeaders(
    attempt: InFlightAttempt,
    at: Instant,
    status: number,
    headers: Readonly<Record<string, string>>,
  ): void {
    this.#attempts.get(attempt)?.slot?.onHeaders(at, status, headers);
  }

  onFinished(attempt: InFlightAttempt, result: AttemptResult): void {
    const { lifecycle, content, slot, reservation, target } = this.#attempts.get(attempt)!;
    this.#attempts.delete(attempt);
    this.#connectAhead[target]!.inFlight -= 1;
    const { facts, outcome, userFreeAt } = result;
    reservation?.settle(outcome);
    // Without a pace, the result does not change, so it is not copied.
    const paced =
      slot === null
        ? result
        : { ...result, retryHint: slot.onFinished(userFreeAt, outcome, result.retryHint) };
    const { earlier } = lifecycle;
    const next = decideNextAttempt(this.#options.plan, lifecycle, paced, this.#closing);
    if (next.willRetry) {
      const { wait, waitBy } = next;
      const due = instant(facts.ended + wait);
      const retried = { ...facts, outcome: next.outcome, wait, waitBy };
      this.#retries.add({ ...lifecycle, due, earlier: [...earlier, retried] });
    } else {
      const end = { facts, earlier, gaveUp: next.gaveUp, outcome };
      this.#observe({ lifecycle, content }, end, userFreeAt);
    }
    this.onTick();
  }

  readonly #beginIfBelowCap: BeginRequest = (arrival) => {
    if (this.#attempts.size + this.#waiting() < this.#cap) return this.#begin(arrival);
    this.#countDue(arrival);
    const lifecycle = { arrival, due: arrival.due, earlier: [], onAnswered: undefined };
    this.#endUnsent(lifecycle, 'saturated');
  };

  readonly #begin: BeginRequest = (arrival, onAnswered) => {
    this.#countDue(arrival);
    this.#enqueue({ arrival, due: arrival.due, earlier: [], onAnswered });
  };

  #countDue({ stage }: Arrival): void {
    this.#arrivalsDue += 1;
    this.#connectAhead[this.#targetOfStage[stage]!]!.due += 1;
  }

  readonly #waiting = (): number => this.#retries.size + (this.#paceQueue?.size ?? 0);

  #enqueue(lifecycle: RequestLifecycle): void {
    if (this.#paceQueue === null) this.#send(lifecycle, null);
    else this.#paceQueue.add(lifecycle);
  }

  #send(lifecycle: RequestLifecycle, slot: PaceSlot | null): void {
    const reservation = this.#budgetGuard?.reserve(lifecycle.arrival) ?? null;
    if (reservation === null && this.#budgetGuard !== null) {
      this.#endUnsent(lifecycle, 'run-ended');
      this.stop(milliseconds(this.#options.plan.grace));
      return;
    }
    const { transports, clock } = this.#ports;
    const content = drawRequestContent(this.#options, lifecycle.arrival);
    const credential =
      slot === null ? content.credential : this.#options.credentials[slot.keyIndex]!;
    const prepared = this.#sendContext.authorizedRequest(content, credential);
    const attempt = this.#sendContext.createAttempt(prepared, credential, {
      due: lifecycle.arrival.due,
      released: slot?.released ?? lifecycle.due,
      reserved: slot?.reserved ?? null,
      begun: clock.now(),
    });
    // The attempt is registered before it is sent, because an exchange that fails at once finishes within `send`.
    const target = credential.target ?? 0;
    this.#attempts.set(attempt, { lifecycle, content, slot, reservation, target });
    this.#connectAhead[target]!.inFlight += 1;
    const { hangUp } = content;
    const observer = hangUp === null ? attempt : new HangUp(attempt, hangUp, clock);
    attempt.attach(transports[target]!.send(prepared.request, observer));
  }

  #observe(
    { lifecycle, content }: Pick<ActiveAttempt, 'lifecycle' | 'content'>,
    end: LifecycleEnd,
    userFreeAt: Instant,
  ): void {
    this.#ports.observe(observationOf(lifecycle, content, end));
    lifecycle.onAnswered?.(userFreeAt);
  }

  /** Ends the waiting requests. Afterwards, no request is sent. */
  #close(): void {
    this.#closing = true;
    for (const lifecycle of [...this.#retries.clear(), ...(this.#paceQueue?.clear() ?? [])]) {
      this.#endUnsent(lifecycle, 'run-ended');
    }
  }

  #endUnsent(lifecycle: RequestLifecycle, cause: DroppedCause): void {
    const now = this.#ports.clock.now();
    const content = drawRequestContent(this.#options, lifecycle.arrival);
    const end = endUnsent(lifecycle, now, content.credential.name, cause);
    this.#observe({ lifecycle, content }, end, now);
  }

  #checkDeadlines(): void {
    const now = this.#ports.clock.now();
    const { plan } = this.#options;
    const overdue = this.#paceQueue?.takeOverdue(now, plan.deadlines.total) ?? [];
    for (const lifecycle of overdue) this.#endUnsent(lifecycle, 'patience');
    for (const attempt of this.#attempts.keys()) attempt.checkDeadlines(now, plan.deadlines);
    this.onTick(); // The users whose requests ended in this check may now send their next requests.
    this.#openAhead(now);
    const exhausted = !this.#turn.isHeld && this.#loops.every((loop) => loop.exhausted(now));
    if (exhausted) {
      this.#noteLoadEnd(now);
      this.#graceEnds ??= now + plan.grace;
    }
    if (this.#graceEnds !== null && now >= this.#graceEnds) {
      this.#close();
      const detail = unfinishedDetail(this.#stopped);
      for (const attempt of this.#attempts.keys()) attempt.abort('aborted', detail);
    }
    if (exhausted && this.#attempts.size + this.#waiting() === 0) this.#end();
    if (this.#isBudgetExhausted()) this.stop(milliseconds(plan.grace));
  }

  #openAhead(now: Instant): void {
    if (this.#closing) return;
    for (const each of this.#connectAhead) each.check(now);
  }

  /** Returns whether the shared budget is exhausted while the load of this slice still runs. */
  readonly #isBudgetExhausted = (): boolean =>
    this.#graceEnds === null && (this.#budgetGuard?.exhausted ?? null) !== null;

  /**
   * Records when the load ended. The recorded instant is not after the planned end, and not before the start of the
   * load.
   */
  #noteLoadEnd(now: Instant): void {
    this.#loadEnded ??= instant(Math.max(0, Math.min(now, scheduledEnd(this.#options.plan))));
  }

  #end(): void {
    this.#stopTicking();
    this.#alarm.stop();
    this.#finish({
      loadEnded: this.#loadEnded ?? this.#ports.clock.now(),
      stopped: this.#stopped,
      spent: this.#budgetGuard?.exhausted ?? null,
      lostLease: this.#lostLease,
      notes: [
        ...this.#sendContext.notes,
        ...new Set(this.#ports.transports.flatMap((transport) => transport.notes())),
      ],
    });
  }
}

/** Starts one slice of a plan at once. The instant 0 of the clock is the start of the run. */
export const runSlice = (options: SliceOptions, ports: SlicePorts): RunningSlice =>
  new SliceRunner(options, ports);
