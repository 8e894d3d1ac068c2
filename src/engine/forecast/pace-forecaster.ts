import type { PaceForecast } from '../../model/plan/forecast.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Instant, milliseconds } from '../../model/quantity.ts';
import { scheduledEnd } from '../../schedule/stages.ts';

/**
 * The shortest wait that a plan's pace imposes. With n requests per window over all keys, a request is
 * sent one window after the n-th request before it. The wait for tokens is reported separately, since
 * answers may be shorter than their bound.
 */
export class PaceForecaster {
  readonly #plan: Plan;
  readonly #requestsPerWindow: number | null;
  /** When the last requests of one window were released: a ring buffer. */
  readonly #releases: number[] = [];
  #count = 0;
  #lastRelease = 0;
  #longestWait = 0;
  #unsendable = 0;
  #tokens = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    const requests = plan.pace?.requests ?? null;
    this.#requestsPerWindow = requests === null ? null : requests * plan.keys.length;
  }

  /** Adds a request of an open load; users send less instead of queueing. */
  add(due: Instant, tokens: number): void {
    const { pace, grace, deadlines } = this.#plan;
    if (pace === null) return;
    let release: number = due;
    if (this.#requestsPerWindow !== null) {
      const position = this.#count % this.#requestsPerWindow;
      const before = this.#releases[position] ?? Number.NEGATIVE_INFINITY;
      release = Math.max(due, before + pace.window + pace.margin);
      this.#releases[position] = release;
    }
    this.#count += 1;
    this.#tokens += tokens;
    this.#lastRelease = Math.max(this.#lastRelease, release);
    this.#longestWait = Math.max(this.#longestWait, release - due);
    const timeout = deadlines.total ?? Number.POSITIVE_INFINITY;
    const isLate = release >= scheduledEnd(this.#plan) + grace || release - due > timeout;
    if (isLate) this.#unsendable += 1;
  }

  /** `null` without a pace, and where only users send. */
  forecast(): PaceForecast | null {
    const { pace, keys } = this.#plan;
    if (pace === null || this.#count === 0) return null;
    const windows =
      pace.tokens === null ? 1 : Math.ceil(this.#tokens / (pace.tokens * keys.length));
    return {
      lastRelease: milliseconds(this.#lastRelease),
      longestWait: milliseconds(this.#longestWait),
      unsendable: this.#unsendable,
      tokenTime: milliseconds(Math.max(0, windows - 1) * (pace.window + pace.margin)),
    };
  }
}
