import type { ReportedLimit } from '../../model/limits/limit-log.ts';
import { milliseconds } from '../../model/quantity.ts';
import { windowOf } from './limit-text.ts';

/** This file finds the windows of limits whose headers do not name the window. */

export type HeaderFields = Readonly<Record<string, string>>;

export type MutableLimit = { -readonly [Cell in keyof ReportedLimit]: ReportedLimit[Cell] };

const day = 86_400_000;

/** If a limit in headers of these families has no window, the window is taken from other headers of the response. */
export const withPolicies = ['ietf-draft-7', 'legacy', 'helicone'];

/**
 * These headers name the window of the limits in the same response. The value is in seconds (docs.omophub.com, Rate
 * limits) or a word (uber-go/ratelimit, issue 103: `X-Rate-Limit-Window: minute`).
 */
const windowHeaders = ['ratelimit-window', 'x-ratelimit-window', 'x-rate-limit-window'] as const;

/** Gives limits without a window the window that a separate header names. */
export const joinWindow = (headers: HeaderFields, all: readonly MutableLimit[]): void => {
  const text = windowHeaders.map((name) => headers[name]).find((each) => each !== undefined);
  if (text === undefined) return;
  const window = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : windowOf(text.trim());
  if (!(window > 0)) return;
  for (const limit of all)
    if (withPolicies.includes(limit.profile)) limit.window ??= milliseconds(window);
};

/**
 * Gives a limit without a window the window of another limit with the same unit and number. Kong writes one limit
 * twice, as `X-RateLimit-Limit-Hour: 6000` and as `RateLimit-Limit: 6000`. If several limits have the same unit and
 * number, the shortest window counts.
 */
export const joinTwins = (all: readonly MutableLimit[]): void => {
  for (const limit of all) {
    if (limit.window !== undefined || limit.limit === null) continue;
    if (!withPolicies.includes(limit.profile)) continue;
    const windows = all.flatMap(({ unit, limit: count, remaining, window }) => {
      const isSame = unit === limit.unit && count === limit.limit && window !== undefined;
      const agrees = (remaining ?? limit.remaining) === (limit.remaining ?? remaining);
      return isSame && agrees ? [window] : [];
    });
    if (windows.length > 0) limit.window = milliseconds(Math.min(...windows));
  }
};

/**
 * Gives the limits of Azure the windows that Azure names in separate headers, such as
 * `x-ratelimit-renewalperiod-requests: 10`, in seconds.
 */
export const joinRenewals = (headers: HeaderFields, all: readonly MutableLimit[]): void => {
  for (const limit of all) {
    if (limit.profile !== 'openai') continue;
    const text = headers[`x-ratelimit-renewalperiod-${limit.unit}`]?.trim() ?? '';
    if (/^[1-9]\d{0,8}$/.test(text)) limit.window = milliseconds(Number(text) * 1000);
  }
};

/**
 * Removes a remaining amount of −1 if its limit is unknown. If Azure reports neither the limit nor the remaining
 * amount, Azure writes −1 for both. A pace would treat a remaining amount of −1 as an exhausted limit.
 */
export const dropUnreported = (all: readonly MutableLimit[]): void => {
  for (const each of all) if (each.limit === null && each.remaining === -1) each.remaining = null;
};

/**
 * A limit counts as a daily limit if its bucket fills in about a day. The time may differ from a day by less than this
 * share of a day.
 */
const dayError = 0.02;

/**
 * Finds windows from the values of headers if the header names do not suffice. OpenAI's reset is the time until the
 * bucket is full, so a limit whose bucket takes a day to fill is a daily limit. The names do not show this: Groq uses
 * the header names of OpenAI's limits per minute for daily limits of requests. Together's limits are per second.
 */
export const inferWindows = (all: readonly MutableLimit[]): void => {
  let isTogether = false;
  for (const limit of all) {
    const { profile, limit: count, remaining, resetIn } = limit;
    if (profile === 'openai' && count !== null && remaining !== null && resetIn !== null) {
      const whole = (resetIn * count) / (count - remaining);
      if (Math.abs(whole / day - 1) < dayError) limit.window = milliseconds(day);
    }
    isTogether ||= profile === 'tokenlimit' && limit.descriptor === null;
  }
  if (!isTogether) return;
  for (const limit of all) {
    if (limit.profile === 'tokenlimit' || limit.profile === 'legacy')
      limit.window ??= milliseconds(1000);
  }
};
