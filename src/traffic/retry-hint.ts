import { milliseconds } from '../model/quantity.ts';
import type { Hint } from './kind.ts';

type Headers = Readonly<Record<string, string>>;

/** A number of units as milliseconds; `null` for anything else, a negative number included. */
const amount = (text: string | undefined, unit: number): number | null =>
  text !== undefined && /^\d{1,9}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) * unit : null;

/** The server's own clock, from its `Date` header: the only one that its other times can be held against. */
const serverNow = (headers: Headers): number | null => {
  const now = Date.parse(headers['date'] ?? '');
  return Number.isNaN(now) ? null : now;
};

/** From the server's now to a date that it names; a date that is past is now. */
const untilDate = (text: string | undefined, now: number | null): number | null => {
  const then = /[a-z]/i.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN;
  return now === null || Number.isNaN(then) ? null : Math.max(0, then - now);
};

const resetTime = /resets? at:?\s+(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/i;
const quarterHour = 15 * 60_000;
/** `Date` and the reset time are both whole seconds, and may be read at either side of one. */
const rounding = 2000;

/**
 * The reset time that a body tells (`Limit resets at: 2026-03-01 12:00:00 UTC`). Known gateways
 * label local time UTC: zones differ by quarters of an hour and limits reset within less, so a
 * difference beyond a quarter is taken for a zone.
 */
const resetInBody = (text: string, now: number | null): number | null => {
  const said = resetTime.exec(text);
  const then = said === null ? Number.NaN : Date.parse(`${said[1]}T${said[2]}Z`);
  if (now === null || Number.isNaN(then)) return null;
  const zoned = (then - now + rounding) % quarterHour;
  return Math.max(0, (zoned < 0 ? zoned + quarterHour : zoned) - rounding);
};

/**
 * When a refused request may come again, as the server said, by the best of its ways: `retry-after-ms`,
 * `Retry-After` in seconds or as a date, the reset time in the body. `null` where it said nothing that
 * can be read; dates need the answer's own `Date` header.
 */
export const readHint = (headers: Headers, body: string): Hint | null => {
  const now = serverNow(headers);
  const said = headers['retry-after'];
  const waits = [
    ['retry-after-ms', amount(headers['retry-after-ms'], 1)],
    ['retry-after', amount(said, 1000) ?? untilDate(said, now)],
    ['reset-in-body', resetInBody(body, now)],
  ] as const;
  for (const [by, wait] of waits) if (wait !== null) return { wait: milliseconds(wait), by };
  return null;
};
