import type { ReportedLimit } from '../model/limits/limit-log.ts';
import { type HeaderFields, readReportedLimits } from '../traffic/limits/read-limit-headers.ts';
import { dateOf } from '../traffic/limits/wait-text.ts';

/** This file reads the headers of answers, of any server, to learn the limits of a key for a pace. */

/**
 * The requests and tokens that were booked with a key up to and including one request. The answer to that request tells
 * what the server had counted by then.
 */
export interface BookedSoFar {
  readonly requests: number;
  readonly tokens: number;
}

const unitsOfPace = ['requests', 'tokens'] as const;
type PaceUnit = (typeof unitsOfPace)[number];

/**
 * Returns the unit of a pace that a reported limit counts, for example for `project-requests` or `input-tokens`; `null`
 * for a unit without a pace (images).
 */
const paceUnitOf = ({ unit }: ReportedLimit): PaceUnit | null =>
  unitsOfPace.find((each) => unit === each || unit.endsWith(`-${each}`)) ?? null;

const minute = 60_000;

/** The limits that an answer declares, in the form of a pace; `null` for a limit that the answer does not declare. */
export interface DeclaredPace {
  /** The lowest declared limit of requests, scaled to the window of the pace. */
  readonly requests: number | null;
  readonly tokens: number | null;
  /** The lowest declared number of requests in a window shorter than the window of the pace. */
  readonly atOnce: number | null;
}

const least = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b));

/**
 * Returns the limits whose window is at most a minute or at most the window of the pace, scaled to the window of the
 * pace. All other limits are left out: a limit per hour says nothing about a minute, and a limit without a known window
 * may be the size of a bucket. The pace still uses the remaining amounts of the limits that are left out.
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

/** What one answer says about the limits of its key. */
export interface KeyHeaders {
  readonly declared: DeclaredPace;
  readonly reported: readonly ReportedLimit[];
}

/**
 * Reads an answer's headers for a pace with a window in ms; returns `null` if the headers report no limit. `share`
 * returns the part of an amount that this slice may use.
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

/** The remaining amount of one limit after the gateway counted a request, and the instant of the limit's reset. */
interface Room {
  readonly unit: PaceUnit;
  readonly limit: number;
  readonly remaining: number;
  readonly booked: BookedSoFar;
  readonly until: number;
}

/** The maximum number of limits that are kept for a key. A gateway reports only a handful. */
const maxRooms = 32;

/**
 * The remaining amounts of one key, as a gateway reports them. After an answer with `remaining` and a reset, the client
 * sends no more than the remaining amount before the reset, even if other clients use the key.
 */
export class ReportedRoom {
  readonly #rooms = new Map<string, Room>();
  #requests = 0;
  #tokens = 0;

  /** Books a request. Returns all that is booked so far, including this request. */
  book(tokens: number): BookedSoFar {
    this.#requests += 1;
    this.#tokens += tokens;
    return { requests: this.#requests, tokens: this.#tokens };
  }

  /**
   * Learns from an answer that came at `at`. `margin` (ms) is added to the resets in the answer, since many servers
   * round them down. The answer is ignored if a request that was sent later was answered before it, since its amounts
   * then count fewer requests.
   */
  learn(
    reported: readonly ReportedLimit[],
    booked: BookedSoFar,
    { at, margin }: { readonly at: number; readonly margin: number },
  ): void {
    for (const said of reported) {
      const unit = paceUnitOf(said);
      const { profile, descriptor, limit, remaining, resetIn } = said;
      // Azure sends −1 for an amount that it does not report.
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

  /** Returns when the gateway will have room for a request with this many tokens; minus infinity if it has room now. */
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
