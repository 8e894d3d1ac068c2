import { looksLikeHtml } from './read-refusal.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { RetryHint } from '../traffic-handler.ts';
import { type HeaderFields, readReportedLimits } from '../limits/read-limit-headers.ts';
import {
  readRefusedLimit,
  type RefusedLimit,
  dateOf,
  readRetryAfter,
} from '../limits/retry-after.ts';

/**
 * How long until the reset headers of a 429 admit requests again: until the last of the limits
 * that are exhausted or that the refusal names. If the limit is unknown, the soonest reset counts:
 * an early attempt costs less than a wait for a daily limit.
 */
const untilReset = (headers: HeaderFields, { unit }: RefusedLimit, now: number): number | null => {
  const { reported } = readReportedLimits(headers, now);
  const resets = reported.filter(({ resetIn }) => resetIn !== null && !Number.isNaN(resetIn));
  const exhausted = resets.filter(
    (limit) =>
      (limit.remaining ?? 1) <= 0 || limit.unit === unit || limit.unit.endsWith(`-${unit}`),
  );
  const waits = (exhausted.length > 0 ? exhausted : resets).map(({ resetIn }) => resetIn!);
  if (waits.length === 0) return null;
  return Math.max(0, exhausted.length > 0 ? Math.max(...waits) : Math.min(...waits));
};

const quarterHour = 15 * 60_000;
/** `Date` and the reset time are both rounded to whole seconds. */
const rounding = 2000;

/**
 * How long until the reset time in a body (`Limit resets at: 2026-03-01 12:00:00 UTC`). Known
 * gateways label local time UTC: zones differ by quarters of an hour and limits reset within less,
 * so whole quarters of the difference are taken as a zone.
 */
const untilResetInBody = ({ resetAt }: RefusedLimit, now: number): number | null => {
  if (resetAt === null || Number.isNaN(now)) return null;
  const zoned = (resetAt - now + rounding) % quarterHour;
  return Math.max(0, (zoned < 0 ? zoned + quarterHour : zoned) - rounding);
};

/** A year, in ms: longer waits are ignored. */
const maxPlausibleWait = 366 * 24 * 3_600_000;

export interface RefusedResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: string;
}

/**
 * When a refused request may be retried, by the server's most exact statement: `retry-after-ms`,
 * `Retry-After`, and for a 429 its reset headers and the reset time in its body. `null` if there is
 * none that is readable; dates need the answer's own `Date` header.
 */
export const readRetryHint = ({ status, headers, body }: RefusedResponse): RetryHint | null => {
  // The server's dates make sense only with the server's own clock; comparisons with no time are unknown.
  const now = dateOf(headers) ?? Number.NaN;
  const limit = readRefusedLimit(body, looksLikeHtml(body) ? 'page' : 'message');
  const limitWaits = [
    { by: 'reset-header', wait: untilReset(headers, limit, now) },
    { by: 'reset-in-body', wait: untilResetInBody(limit, now) },
  ] as const;
  const waits = [readRetryAfter(headers, now), ...(status === 429 ? limitWaits : [])];
  const hint = waits.find((each) => each !== null && (each.wait ?? Infinity) <= maxPlausibleWait);
  return hint ? { by: hint.by, wait: milliseconds(hint.wait!) } : null;
};
