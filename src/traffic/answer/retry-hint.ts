import { milliseconds } from '../../model/quantity.ts';
import type { RetryHint } from '../traffic-handler.ts';
import { type HeaderFields, readReportedLimits } from '../limits/limit-profiles.ts';
import { readRefusedLimit, type RefusedLimit } from '../limits/refused-limit.ts';
import { dateOf, readRetryAfter } from '../limits/retry-after.ts';

/** Nobody's time: whatever is held against it is unknown. Only the server's own clock can read the server's dates. */
const unknownTime = Number.NaN;

/**
 * How long until the reset headers of a 429 let requests through again: until the last of the limits
 * that are spent or that the refusal names. Where nothing tells which limit it was, the soonest one
 * is believed: an attempt costs less than the rest of somebody else's day.
 */
const untilReset = (headers: HeaderFields, { unit }: RefusedLimit, now: number): number | null => {
  const resets = readReportedLimits(headers, now).reported.flatMap(({ resetIn, ...limit }) =>
    resetIn === null || Number.isNaN(resetIn)
      ? []
      : [{ ...limit, wait: milliseconds(Math.max(0, resetIn)) }],
  );
  if (resets.length === 0) return null;
  const exhausted = resets.filter(
    (limit) =>
      (limit.remaining ?? 1) <= 0 || limit.unit === unit || limit.unit.endsWith(`-${unit}`),
  );
  return exhausted.length > 0
    ? Math.max(...exhausted.map(({ wait }) => wait))
    : Math.min(...resets.map(({ wait }) => wait));
};

const quarterHour = 15 * 60_000;
/** `Date` and the reset time are both whole seconds, and may be read at either side of one. */
const rounding = 2000;

/**
 * How long until the reset time that a body tells (`Limit resets at: 2026-03-01 12:00:00 UTC`). Known
 * gateways label local time UTC: zones differ by quarters of an hour and limits reset within less,
 * so a difference beyond a quarter is taken for a zone.
 */
const untilResetInBody = ({ resetAt }: RefusedLimit, now: number): number | null => {
  if (resetAt === null || Number.isNaN(now)) return null;
  const zoned = (resetAt - now + rounding) % quarterHour;
  return Math.max(0, (zoned < 0 ? zoned + quarterHour : zoned) - rounding);
};

/** A year, in ms: who names a longer wait has said nothing. */
const maxPlausibleWait = 366 * 24 * 3_600_000;

/** A response that refused its request, whole. */
export interface RefusedResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: string;
}

/**
 * When a refused request may come again, as the server said, by the best of its ways: `retry-after-ms`,
 * `Retry-After`, and of a 429 its reset headers and the reset time in its body. `null` where it said
 * nothing that can be read; dates need the answer's own `Date` header.
 */
export const readRetryHint = ({ status, headers, body }: RefusedResponse): RetryHint | null => {
  const now = dateOf(headers) ?? unknownTime;
  const limit = readRefusedLimit(body);
  const fromRetryAfter = readRetryAfter(headers, now);
  const fromLimits = [
    ['reset-header', untilReset(headers, limit, now)],
    ['reset-in-body', untilResetInBody(limit, now)],
  ] as const;
  const hints: readonly RetryHint[] = [
    ...(fromRetryAfter === null ? [] : [fromRetryAfter]),
    ...(status === 429 ? fromLimits : []).flatMap(([by, wait]) =>
      wait === null ? [] : [{ by, wait: milliseconds(wait) }],
    ),
  ];
  return hints.find(({ wait }) => wait <= maxPlausibleWait) ?? null;
};
