import type { Milliseconds } from '../../model/quantity.ts';
import { milliseconds } from '../../model/quantity.ts';
import { millisecondsUntilReset } from './reset-time.ts';

/** The time of a response's `Date` header in ms since 1970 (whole seconds); `null` without a readable one. */
export const dateOf = (headers: Readonly<Record<string, string>>): number | null => {
  const moment = Date.parse(headers['date'] ?? '');
  return Number.isNaN(moment) ? null : moment;
};

/** A wait that a response asks for, and the header that names it. */
export interface RequestedWait {
  readonly wait: Milliseconds;
  readonly by: 'retry-after-ms' | 'retry-after';
}

/**
 * How long a response asks to wait: `retry-after-ms`, else `Retry-After` in seconds or as an HTTP
 * date against the response's own `Date` (RFC 9110 §10.2.3), or against `now` (ms since 1970; NaN for
 * unknown) if it has none. `null` if absent or unreadable; a time in the past is 0.
 */
export const readRetryAfter = (
  headers: Readonly<Record<string, string>>,
  now: number,
): RequestedWait | null => {
  const fineHeader = headers['retry-after-ms']?.trim();
  if (fineHeader !== undefined && /^\d+(\.\d+)?$/.test(fineHeader)) {
    return { wait: milliseconds(Number(fineHeader)), by: 'retry-after-ms' };
  }
  const header = headers['retry-after'];
  if (header === undefined) return null;
  const wait = millisecondsUntilReset(header, dateOf(headers) ?? now);
  if (wait === null || Number.isNaN(wait)) return null;
  return { wait: milliseconds(Math.max(0, wait)), by: 'retry-after' };
};
