import type { Milliseconds } from '../../model/quantity.ts';
import { milliseconds } from '../../model/quantity.ts';
import { resetIn } from './reset-time.ts';

/** The time of a response's `Date` header in ms since 1970 (whole seconds); `null` without a readable one. */
export const dateOf = (headers: Readonly<Record<string, string>>): number | null => {
  const moment = Date.parse(headers['date'] ?? '');
  return Number.isNaN(moment) ? null : moment;
};

/**
 * How long a response asks to be waited: `retry-after-ms`, else `Retry-After` in seconds or as an HTTP
 * date against the response's own `Date` (RFC 9110 §10.2.3), or against `now` (ms since 1970) where
 * it bears none. `null` when absent or unreadable; a time in the past is 0.
 */
export const readRetryAfter = (
  headers: Readonly<Record<string, string>>,
  now: number,
): Milliseconds | null => {
  const fine = headers['retry-after-ms']?.trim();
  if (fine !== undefined && /^\d+(\.\d+)?$/.test(fine)) return milliseconds(Number(fine));
  const coarse = headers['retry-after'];
  if (coarse === undefined) return null;
  const wait = resetIn(coarse, dateOf(headers) ?? now);
  return wait === null ? null : milliseconds(Math.max(0, wait));
};
