import type { PaceForecast } from '../../model/plan/forecast.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Instant, milliseconds } from '../../model/quantity.ts';
import { scheduledEnd } from '../../schedule/stages.ts';

/**
 * The least that a plan's pace makes its requests wait: no request goes before the one that stands as
 * many places before it as all keys have in a window has been gone for a window. What tokens add is
 * told beside it and not in it, since answers may be shorter than their bound.
 */
export class PaceForecaster {
  readonly #plan: Plan;
  readonly #requestsPerWindow: number | null;
  /** When the last so many requests went, round and round. */
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

  /** A request of an open load: users wait for their turn, and ask less. */
  add(due: Instant, tokens: number): void {
    const { pace, grace, deadlines } = this.#plan;
    if (pace === null) return;
    const position = this.#requestsPerWindow === null ? 0 : this.#count % this.#requestsPerWindow;
    const before = this.#requestsPerWindow === null ? undefined : this.#releases[position];
    const release = before === undefined ? due : Math.max(due, before + pace.window + pace.margin);
    if (this.#requestsPerWindow !== null) this.#releases[position] = release;
    this.#count += 1;
    this.#tokens += tokens;
    this.#lastRelease = Math.max(this.#lastRelease, release);
    this.#longestWait = Math.max(this.#longestWait, release - due);
    const timeout = deadlines.total ?? Number.POSITIVE_INFINITY;
    const isLate = release >= scheduledEnd(this.#plan) + grace || release - due > timeout;
    if (isLate) this.#unsendable += 1;
  }

  /** `null` without a pace, and where only users ask. */
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
