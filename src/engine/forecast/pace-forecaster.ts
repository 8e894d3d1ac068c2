import type { PaceForecast } from '../../model/plan/forecast.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Instant, milliseconds } from '../../model/quantity.ts';
import { scheduledEnd } from '../../schedule/stages.ts';

/** Releases of which at most `most` lie within any `apart` ms. */
class ReleaseRule {
  readonly #most: number;
  readonly #apart: number;
  /** When the last of them were: a ring buffer. */
  readonly #releases: number[] = [];
  #count = 0;

  constructor(most: number, apart: number) {
    this.#most = most;
    this.#apart = apart;
  }

  earliest(): number {
    return (this.#releases[this.#count % this.#most] ?? Number.NEGATIVE_INFINITY) + this.#apart;
  }

  add(release: number): void {
    this.#releases[this.#count % this.#most] = release;
    this.#count += 1;
  }
}

/** What a pace says of when requests are released, over all keys. */
const rulesOf = ({ pace, keys }: Plan): readonly ReleaseRule[] => {
  const requests = pace?.requests ?? null;
  if (pace === null || requests === null) return [];
  const apart = pace.window + pace.margin;
  const together = pace.burst === undefined ? [requests] : [requests, pace.burst];
  return together.map((most) => new ReleaseRule(most * keys.length, (most * apart) / requests));
};

/**
 * The shortest wait that a plan's pace imposes. With n requests per window over all keys, a request is
 * sent one window after the n-th request before it, and likewise for a burst. The wait for tokens is
 * reported separately, since answers may be shorter than their bound.
 */
export class PaceForecaster {
  readonly #plan: Plan;
  readonly #rules: readonly ReleaseRule[];
  #count = 0;
  #lastRelease = 0;
  #longestWait = 0;
  #unsendable = 0;
  #tokens = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#rules = rulesOf(plan);
  }

  /** Adds a request of an open load; users send less instead of queueing. */
  add(due: Instant, tokens: number): void {
    const { pace, grace, deadlines } = this.#plan;
    if (pace === null) return;
    const release = Math.max(due, ...this.#rules.map((rule) => rule.earliest()));
    for (const rule of this.#rules) rule.add(release);
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
