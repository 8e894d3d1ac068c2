import { connectsAhead } from '../model/plan/connect-ahead.ts';
import { plansByTarget } from '../model/plan/targets.ts';
import type { Transport } from '../model/observation/exchange.ts';
import type { Arrival } from '../model/workload/arrival.ts';
import { instant, type Instant, type Milliseconds, milliseconds } from '../model/quantity.ts';
import { type LoadLoop, createLoops, pollInOrder } from './load-loop.ts';
import { deadlineCheckInterval, inFlightCap, type SliceOptions } from './slice-options.ts';

/**
 * How far ahead connections are planned, in ms. Even servers with a short keep-alive keep an idle connection open for
 * this time.
 */
const horizon = 1000;
/** Arrivals within this many ms count as due at the same time. Opening a connection takes no longer than this. */
const burstWindow = 100;
const checksPerWindow = burstWindow / deadlineCheckInterval;
/**
 * The first connections are opened this many ms before a run starts: `shortestLead` plus `leadForEach` for each
 * connection, at most `horizon`.
 */
const shortestLead = 200;
const leadForEach = 0.5;

/** Returns the maximum number of instants in any period of `burstWindow` ms. The instants must ascend. */
const busiest = (instants: readonly number[]): number => {
  let first = 0;
  let most = 0;
  for (let last = 0; last < instants.length; last += 1) {
    while (instants[last]! - instants[first]! >= burstWindow) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
};

/**
 * The arrivals whose times do not depend on answers: all arrivals of open loads, and the first arrival of each user.
 */
class KnownArrivals {
  readonly #loops: readonly LoadLoop[];
  #upcoming: number[] = [];

  constructor(options: Pick<SliceOptions, 'plan' | 'slice' | 'workload'>) {
    const note = ({ due }: Arrival): void => void this.#upcoming.push(due);
    this.#loops = createLoops(options, { scheduled: note, byUser: note });
  }

  /** Returns the instants of the known arrivals after `now` and within the horizon. */
  after(now: Instant): readonly number[] {
    pollInOrder(this.#loops, instant(now + horizon), () => true);
    const due = this.#upcoming.findIndex((at) => at > now);
    this.#upcoming.splice(0, due < 0 ? this.#upcoming.length : due);
    return this.#upcoming;
  }
}

/**
 * Opens connections to a target before the arrivals of a slice need them. The open connections suffice for all arrivals
 * that will be due at the same time within the next second. The plan must be the plan of this target alone.
 */
export class ConnectAhead {
  readonly #transport: Transport;
  readonly #cap: number;
  readonly #arrivals: KnownArrivals | null;
  /** The number of the target's requests that have begun. */
  due = 0;
  inFlight = 0;
  /** How many requests had ended at each of the last checks, the oldest check first. */
  readonly #ended: number[] = [];

  constructor(options: SliceOptions, transport: Transport) {
    this.#transport = transport;
    this.#cap = inFlightCap(options);
    this.#arrivals = connectsAhead(options.plan) ? new KnownArrivals(options) : null;
  }

  /** Opens the missing connections. The engine calls this method every 20 ms. */
  check(now: Instant): void {
    if (this.#arrivals === null) return;
    const { due, inFlight } = this;
    // In a steady load, each request that ends leaves its connection to a new request, so fewer new connections are
    // needed.
    const ended = due - inFlight;
    this.#ended.push(ended);
    const before = this.#ended.length > checksPerWindow ? this.#ended.shift()! : 0;
    const needed = busiest(this.#arrivals.after(now)) - (ended - before);
    this.#transport.connectAhead(Math.max(0, Math.min(needed, this.#cap - inFlight)));
  }
}

const leadOf = (options: SliceOptions): number => {
  if (!connectsAhead(options.plan)) return 0;
  const first = busiest(new KnownArrivals(options).after(instant(burstWindow - horizon)));
  return first === 0 ? 0 : Math.min(horizon, shortestLead + first * leadForEach);
};

/**
 * Returns how long before its start a slice must be opened, in ms, so that its first connections are open at the start.
 */
export const connectLead = (options: SliceOptions): Milliseconds => {
  const leads = plansByTarget(options.plan).map((plan) => leadOf({ ...options, plan }));
  return milliseconds(Math.max(...leads));
};
