import type { ReportedLimit } from '../model/limits/limit-log.ts';
import { type HeaderFields, readReportedLimits } from '../traffic/limits/read-limit-headers.ts';
import { dateOf } from '../traffic/limits/wait-text.ts';

/** This file reads the limits of a key from the headers of answers. A pace uses these limits. */

/**
 * The numbers of requests and tokens that a key has used, up to and including one request. If the answer to this
 * request reports remaining amounts, these amounts remained after this use.
 */
export interface BookedSoFar {
  readonly requests: number;
  readonly tokens: number;
}

const unitsOfPace = ['requests', 'tokens'] as const;
type PaceUnit = (typeof unitsOfPace)[number];

/**
 * Returns the unit of a pace that a reported limit counts: for example `requests` for `project-requests`, and `tokens`
 * for `input-tokens`. Returns `null` for other units, such as images.
 */
const paceUnitOf = ({ unit }: ReportedLimit): PaceUnit | null =>
  unitsOfPace.find((each) => unit === each || unit.endsWith(`-${each}`)) ?? null;

const minute = 60_000;

/** The limits that an answer declares, in the form of a pace. A limit that the answer does not declare is `null`. */
export interface DeclaredPace {
  /** The lowest declared limit of requests, converted to the pace's window: 5 a second are 300 a minute. */
  readonly requests: number | null;
  readonly tokens: number | null;
  /**
   * The lowest declared limit of requests with a window shorter than that of the pace, not converted. At most this many
   * requests are sent at the same time.
   */
  readonly atOnce: number | null;
}

const least = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b));

/**
 * Returns the declared limits, scaled to the window of the pace. A limit counts only if its window is at most a minute
 * or at most the window of the pace: a limit per hour says nothing about a minute, and a limit without a known window
 * may be the size of a bucket. The pace still uses the remaining amounts of limits that do not count here.
 */
const declaredPace = (reported: readonly ReportedLimit[], window: number): DeclaredPace => {
  const found = { requests: null, tokens: null, atOnce: null } as {
    -readonly [Field in keyof DeclaredPace]: number | null;
  };
  for (const said of reported) {
    const unit = paceUnitOf(said);
    const { limit, window: counted = 0 } = said;
    if (unit === null || limit === null || limit <= 0) continue;
    if (counted <= 0 || counted > Math.max(window, minute)) continue;
    found[unit] = least(found[unit], Math.max(1, Math.floor((limit * window) / counted)));
    if (unit === 'requests' && counted < window) found.atOnce = least(found.atOnce, limit);
  }
  return found;
};

/** The limits of a key in the headers of one answer. */
export interface KeyHeaders {
  readonly declared: DeclaredPace;
  readonly reported: readonly ReportedLimit[];
}

/**
 * Reads an answer's headers for a pace; returns `null` if the headers report no limit. `window` is the window of the
 * pace in ms. `share` returns the part of an amount that this slice may use.
 */
export const readKeyHeaders = (
  headers: HeaderFields,
  window: number,
  share: (amount: number | null) => number | null,
): KeyHeaders | null => {
  const { reported } = readReportedLimits(headers, dateOf(headers) ?? Number.NaN);
  if (reported.length === 0) return null;
  const own = reported.map((said) => {
    const { limit, remaining } = said;
    return { ...said, limit: share(limit), remaining: share(remaining) };
  });
  return { declared: declaredPace(own, window), reported: own };
};

/**
 * The remaining amount of one limit, as reported in the answer to a request, and the instant at which the limit resets.
 */
interface Room {
  readonly unit: PaceUnit;
  readonly limit: number;
  readonly remaining: number;
  readonly booked: BookedSoFar;
  readonly until: number;
}

/** The maximum number of limits that are stored for a key. A gateway reports only a few limits. */
const maxRooms = 32;

/**
 * The remaining amounts of one key according to the gateway. After an answer with a remaining amount and a reset time,
 * the client sends at most the remaining amount before the reset, even if other clients use the same key.
 */
export class ReportedRoom {
  readonly #rooms = new Map<string, Room>();
  #requests = 0;
  #tokens = 0;

  /** Counts a request with its tokens. Returns the sums of all counted requests, including this request. */
  book(tokens: number): BookedSoFar {
    this.#requests += 1;
    this.#tokens += tokens;
    return { requests: this.#requests, tokens: this.#tokens };
  }

  /**
   * Learns from an answer that came at `at`. `margin` (ms) is added to the resets in the answer, because many servers
   * round resets down. If the answer to a later request came earlier, this answer is ignored, because its amounts
   * include fewer requests.
   */
  learn(
    reported: readonly ReportedLimit[],
    booked: BookedSoFar,
    { at, margin }: { readonly at: number; readonly margin: number },
  ): void {
    for (const said of reported) {
      const unit = paceUnitOf(said);
      const { profile, descriptor, limit, remaining, resetIn } = said;
      // If an answer reports a negative amount without a limit, the amount is unknown: Azure sends −1 for an unknown
      // amount.
      const isKnown = remaining !== null && (remaining >= 0 || limit !== null);
      if (unit === null || !isKnown || resetIn === null || !Number.isFinite(resetIn)) continue;
      const name = `${profile} ${descriptor} ${said.unit} ${said.window}`;
      const known = this.#rooms.get(name);
      if (known === undefined && this.#rooms.size >= maxRooms) continue;
      if (known !== undefined && known.until > at && known.booked.requests > booked.requests)
        continue;
      const until = at + Math.max(0, resetIn) + margin;
      this.#rooms.set(name, {
        unit,
        limit: limit ?? Number.POSITIVE_INFINITY,
        remaining,
        booked,
        until,
      });
    }
  }

  /**
   * Returns when the reported amounts will allow a request with this number of tokens; minus infinity if they allow the
   * request now.
   */
  availableAt(tokens: number): number {
    let at = Number.NEGATIVE_INFINITY;
    for (const { unit, limit, remaining, booked, until } of this.#rooms.values()) {
      const later = unit === 'requests' ? this.#requests : this.#tokens;
      const needed = unit === 'requests' ? 1 : Math.min(tokens, limit);
      if (later - booked[unit] + needed > remaining) at = Math.max(at, until);
    }
    return at;
  }
}
