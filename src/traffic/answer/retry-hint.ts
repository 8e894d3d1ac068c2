import { milliseconds } from '../../model/quantity.ts';
import type { RetryHint } from '../traffic-handler.ts';
import { type HeaderFields, readReportedLimits } from '../limits/read-limit-headers.ts';
import { readRefusedLimit, type RefusedLimit, readRetryAfter } from '../limits/retry-after.ts';
import { readWaitInBody } from './wait-in-body.ts';
import { dateOf } from '../limits/wait-text.ts';

/**
 * Returns the time in ms until requests are admitted again, according to the reset headers of a refusal. This is the
 * latest reset of all limits that are exhausted or that a 429 names. Without such a limit, a 429 gives the soonest
 * reset, because a retry that comes too early costs less than waiting for a daily limit. Without such a limit, any
 * other status gives `null`, because the refusal may have nothing to do with limits.
 */
const untilReset = (
  { status, headers }: RefusedResponse,
  { unit }: RefusedLimit,
  now: number,
): number | null => {
  const { reported } = readReportedLimits(headers, now);
  const resets = reported.filter(({ resetIn }) => resetIn !== null && !Number.isNaN(resetIn));
  const isLimited = status === 429;
  const exhausted = resets.filter(
    (limit) =>
      (limit.remaining ?? 1) <= 0 ||
      (isLimited &&
        (limit.unit === unit || limit.unit.endsWith(`-${unit}`)) &&
        limit.unit !== 'concurrent-requests'),
  );
  if (!isLimited && exhausted.length === 0) return null;
  const waits = (exhausted.length > 0 ? exhausted : resets).map(({ resetIn }) => resetIn!);
  if (waits.length === 0) return null;
  return Math.max(0, exhausted.length > 0 ? Math.max(...waits) : Math.min(...waits));
};

const quarterHour = 15 * 60_000;
/**
 * The difference between `Date` and the reset time may be wrong by up to this many ms, because both times are rounded
 * to whole seconds.
 */
const maxRoundingError = 2000;

/**
 * Returns the time, in ms, until the reset time in a body (`Limit resets at: 2026-03-01 12:00:00 UTC`). Known gateways
 * write the local time but label the time as UTC. Time zones differ by multiples of a quarter of an hour, and the
 * limits of these gateways reset within a quarter of an hour. Whole quarters of an hour are therefore subtracted from
 * the time until the reset. Example: at 12:00:10 UTC, a reset at 14:00:40 is 30 s away.
 */
const untilResetInBody = ({ resetAt }: RefusedLimit, now: number): number | null => {
  if (resetAt === null || Number.isNaN(now)) return null;
  const zoned = (resetAt - now + maxRoundingError) % quarterHour;
  return Math.max(0, (zoned < 0 ? zoned + quarterHour : zoned) - maxRoundingError);
};

/** The longest plausible wait, in ms: a year. */
const maxPlausibleWait = 366 * 24 * 3_600_000;

const isPlausible = <Named extends { readonly wait: number | null }>(
  named: Named | null,
): named is Named & { readonly wait: number } =>
  named !== null && named.wait !== null && named.wait <= maxPlausibleWait;

export interface RefusedResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: string;
}

/**
 * Returns when a refused request may be retried, by the most exact statement of the server; `null` if no statement can
 * be read. The order of the statements is: `retry-after-ms` and similar headers; `Retry-After`; the reset headers; for
 * a 429, the reset time in its body; the wait in the body. If the body names a longer wait than a header, the wait in
 * the body counts, because Weir never retries before a time that the server named. A header with a wait of 0 counts
 * only if the response names no other wait. Dates are compared with the `Date` header of the response.
 */
export const readRetryHint = (response: RefusedResponse): RetryHint | null => {
  const { status, headers, body } = response;
  // The server's dates can be compared only with the server's own clock. If the server sends no `Date`, `now` is NaN,
  // and the wait until a date is unknown.
  const now = dateOf(headers) ?? Number.NaN;
  const read = readRetryAfter(headers, now);
  const asked = isPlausible(read) ? { by: read.by, wait: read.wait } : null;
  const named = { by: 'wait-in-body', wait: readWaitInBody(body, now) } as const;
  const inBody = isPlausible(named) ? { by: named.by, wait: milliseconds(named.wait) } : null;
  if (asked !== null && asked.wait > 0)
    return inBody !== null && inBody.wait > asked.wait ? inBody : asked;
  const limit = readRefusedLimit(body);
  const limitWaits = [
    { by: 'reset-header', wait: untilReset(response, limit, now) },
    { by: 'reset-in-body', wait: status === 429 ? untilResetInBody(limit, now) : null },
  ] as const;
  const byLimit = limitWaits.find(isPlausible);
  const hint =
    inBody !== null && inBody.wait > (byLimit?.wait ?? Number.NEGATIVE_INFINITY) ? inBody : byLimit;
  return hint === undefined ? asked : { by: hint.by, wait: milliseconds(hint.wait) };
};
