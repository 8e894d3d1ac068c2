import type { PaceForecast } from '../model/forecast.ts';
import type { Plan } from '../model/plan.ts';
import { type Instant, milliseconds } from '../model/quantity.ts';
import { scheduledEnd } from '../schedule/stages.ts';

/**
 * The least that a plan's pace makes its requests wait: no request goes before the one that stands as
 * many places before it as all keys have in a window has been gone for a window. What tokens add is
 * told beside it and not in it, since answers may be shorter than their bound.
 */
export class PaceBound {
  readonly #plan: Plan;
  readonly #places: number | null;
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
    this.#places = requests === null ? null : requests * plan.keys.length;
  }

  /** A request of an open load: users wait for their turn, and ask less. */
  add(due: Instant, tokens: number): void {
    const { pace, grace, deadlines } = this.#plan;
    if (pace === null) return;
    const place = this.#places === null ? 0 : this.#count % this.#places;
    const before = this.#places === null ? undefined : this.#releases[place];
    const release = before === undefined ? due : Math.max(due, before + pace.window + pace.margin);
    if (this.#places !== null) this.#releases[place] = release;
    this.#count += 1;
    this.#tokens += tokens;
    this.#lastRelease = Math.max(this.#lastRelease, release);
    this.#longestWait = Math.max(this.#longestWait, release - due);
    const patience = deadlines.total ?? Number.POSITIVE_INFINITY;
    const isLate = release >= scheduledEnd(this.#plan) + grace || release - due > patience;
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
