import type { ReportedLimit } from '../model/limits/limit-log.ts';
import { type HeaderFields, readReportedLimits } from '../traffic/limits/read-limit-headers.ts';
import { dateOf } from '../traffic/limits/wait-text.ts';

/** This file is what a pace learns of a key from the headers of its answers, whichever family they belong to. */

/** What was booked with a key before a moment, which tells the requests that an answer knows of from later ones. */
export interface BookedSoFar {
  readonly requests: number;
  readonly tokens: number;
}

const unitsOfPace = ['requests', 'tokens'] as const;
type PaceUnit = (typeof unitsOfPace)[number];

/** Returns the unit of a pace that a reported limit counts (`project-requests`, `input-tokens`); `null` for images and others. */
const paceUnitOf = ({ unit }: ReportedLimit): PaceUnit | null =>
  unitsOfPace.find((each) => unit === each || unit.endsWith(`-${each}`)) ?? null;

const minute = 60_000;

/** The limits that an answer declares, as a pace keeps them; `null` for one that the answer does not declare. */
export interface DeclaredPace {
  /** The least amounts for a window of the pace. */
  readonly requests: number | null;
  readonly tokens: number | null;
  /** The least number of requests of a window that is shorter than that of the pace. */
  readonly atOnce: number | null;
}

const least = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b));

/**
 * Returns the limits of windows up to that of a pace or up to a minute, scaled to the pace's window. A limit of an hour
 * says nothing of a minute, and one without a window may be the size of a bucket; what remains of them still counts.
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

/** What one answer says of its key. */
export interface KeyHeaders {
  readonly declared: DeclaredPace;
  readonly reported: readonly ReportedLimit[];
}

/**
 * Reads the headers of an answer for a pace of this window in ms; `null` if they report no limit. `share` returns the
 * part of an amount that this slice may use.
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

/** How much of one limit the gateway still had after it counted a request, and until when no more comes. */
interface Room {
  readonly unit: PaceUnit;
  readonly limit: number;
  readonly remaining: number;
  readonly booked: BookedSoFar;
  readonly until: number;
}

/** The most limits of a key that are kept; a gateway reports a handful. */
const maxRooms = 32;

/**
 * What the gateway still has for one key, by its own words: after an answer with `remaining` and a reset, no more than
 * that goes until the reset, whoever else uses the key.
 */
export class ReportedRoom {
  readonly #rooms = new Map<string, Room>();
  #requests = 0;
  #tokens = 0;

  /** Books a request; returns what was booked so far, itself included. */
  book(tokens: number): BookedSoFar {
    this.#requests += 1;
    this.#tokens += tokens;
    return { requests: this.#requests, tokens: this.#tokens };
  }

  /**
   * Learns from an answer at `at`. `margin` is added to its resets, in ms, since many are rounded down. An answer to an
   * earlier request than the last one does not count: it knows less.
   */
  learn(
    reported: readonly ReportedLimit[],
    booked: BookedSoFar,
    { at, margin }: { readonly at: number; readonly margin: number },
  ): void {
    for (const said of reported) {
      const unit = paceUnitOf(said);
      const { profile, descriptor, limit, remaining, resetIn } = said;
      // Azure writes −1 for what it does not report.
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

  /** Returns when a request of these tokens has room: minus infinity for at once, by all that is known. */
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
