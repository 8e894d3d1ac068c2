import { looksLikeHtml } from './read-refusal.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { RetryHint } from '../traffic-handler.ts';
import { type HeaderFields, readReportedLimits } from '../limits/read-limit-headers.ts';
import { readRefusedLimit, type RefusedLimit, readRetryAfter } from '../limits/retry-after.ts';
import { readWaitInBody } from './wait-in-body.ts';
import { dateOf } from '../limits/wait-text.ts';

/**
 * Returns the time until the reset headers of a 429 admit requests again, in ms: the latest reset of all limits that
 * are exhausted or named by the refusal. If these are unknown, the soonest reset counts, since an early attempt costs
 * less than waiting for a daily limit.
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
/** The maximum error from rounding `Date` and the reset time to whole seconds, in ms. */
const maxRoundingError = 2000;

/**
 * Returns the time until the reset time in a body (`Limit resets at: 2026-03-01 12:00:00 UTC`), in ms. Known gateways
 * label local time as UTC. Time zones differ by quarters of an hour, and limits reset in less than that. So whole
 * quarters of an hour in the difference are taken as a time zone and removed. Example: at 12:00:10 UTC, a reset at
 * 14:00:40 is 30 s away.
 */
const untilResetInBody = ({ resetAt }: RefusedLimit, now: number): number | null => {
  if (resetAt === null || Number.isNaN(now)) return null;
  const zoned = (resetAt - now + maxRoundingError) % quarterHour;
  return Math.max(0, (zoned < 0 ? zoned + quarterHour : zoned) - maxRoundingError);
};

/** The longest wait that counts, in ms: a year. */
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
 * Returns when a refused request may be retried, by the server's most exact statement; `null` if none is readable. The
 * order is: `retry-after-ms` and similar headers; `Retry-After`; for a 429, its reset headers and the reset time in its
 * body; the wait in the body. A reset header may concern another limit than the refusing one, so a longer wait in the
 * body takes precedence over it. Dates need the answer's own `Date` header.
 */
export const readRetryHint = ({ status, headers, body }: RefusedResponse): RetryHint | null => {
  // The server's dates are meaningful only by the server's own clock. Without it, comparisons with them are unknown.
  const now = dateOf(headers) ?? Number.NaN;
  const asked = readRetryAfter(headers, now);
  if (isPlausible(asked)) return { by: asked.by, wait: asked.wait };
  const limit = readRefusedLimit(body, looksLikeHtml(body) ? 'page' : 'message');
  const limitWaits = [
    { by: 'reset-header', wait: untilReset(headers, limit, now) },
    { by: 'reset-in-body', wait: untilResetInBody(limit, now) },
  ] as const;
  const byLimit = (status === 429 ? limitWaits : []).find(isPlausible);
  const named = { by: 'wait-in-body', wait: readWaitInBody(body, now) } as const;
  const hint =
    isPlausible(named) && named.wait > (byLimit?.wait ?? Number.NEGATIVE_INFINITY)
      ? named
      : byLimit;
  return hint === undefined ? null : { by: hint.by, wait: milliseconds(hint.wait!) };
};
