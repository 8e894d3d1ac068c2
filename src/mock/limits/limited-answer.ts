import { createHash } from 'node:crypto';
import { documentedErrors } from '../../contract/error-body.ts';
import type { ResolvedMockLimits } from '../../model/gateway/mock-limits.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import { errorBody } from '../errors/mock-errors.ts';
import type { LimitCause, LimitExceeded } from './key-limiter.ts';

const units = {
  requests: 'requests',
  tokens: 'tokens',
  'in-flight': 'max_parallel_requests',
} as const satisfies Record<LimitCause, string>;

/** Formats a time as in the body of LiteLLM: `2026-03-01 12:00:00`. */
const formatResetTime = (wall: number): string =>
  new Date(wall).toISOString().slice(0, 19).replace('T', ' ');

const timeZoneError = 2 * 3_600_000;

/** Rounds milliseconds up to whole seconds, at least 1. */
const wholeSecondsUp = (left: number): number => Math.max(1, Math.ceil(left / 1000));

const retryAfter = (limits: ResolvedMockLimits, left: number): Record<string, string> => {
  const seconds = {
    true: wholeSecondsUp(left),
    constant: Math.ceil(limits.window / 1000),
    wrong: Math.floor(left / 2000),
    none: null,
  }[limits.retryAfter];
  return seconds === null ? {} : { 'retry-after': String(seconds) };
};

/** Builds the 429 of a request that exceeds a limit. The settings choose the form of the 429. */
export const limitedAnswer = (
  { cause: trueCause, limit: trueLimit, level, fitsAt }: Omit<LimitExceeded, 'headers'>,
  limits: ResolvedMockLimits,
  request: { readonly key: string; readonly route: string },
  clock: Pick<MockClock, 'now' | 'wall'>,
) => {
  const isMisnamed = trueCause === 'tokens' && limits.bugs.includes('wrongLimitName');
  const cause = isMisnamed ? 'requests' : trueCause;
  const limit = isMisnamed ? (limits.requestsPerMinute ?? trueLimit) : trueLimit;
  const now = clock.now();
  const headers = retryAfter(limits, fitsAt - now);
  const isDetail =
    limits.body === 'detail' ||
    (limits.bugs.includes('detailOnSpeech') && request.route === 'speech');
  const seconds = wholeSecondsUp(fitsAt - now);
  const what =
    cause === 'in-flight'
      ? `${limit} requests in flight`
      : `${limit} ${cause} per ${limits.window / 1000} s`;
  const plain = `Rate limit reached: ${what} for this key. Try again in ${seconds} s.`;
  if (isDetail) return { headers, body: { detail: plain } };
  if (limits.body === 'documented') {
    return { headers, body: errorBody(documentedErrors[429], plain) };
  }
  const resetIn = limits.bugs.includes('resetFromNow') ? limits.window : level.resetAt - now;
  const zone = limits.bugs.includes('localTimeAsUtc') ? timeZoneError : 0;
  const hash = createHash('sha256').update(request.key).digest('hex').slice(0, 12);
  const message =
    `Rate limit exceeded for api_key: ${hash}. Limit type: ${units[cause]}. ` +
    `Current limit: ${limit}, Remaining: ${level.remaining}. ` +
    `Limit resets at: ${formatResetTime(clock.wall() + resetIn + zone)} UTC`;
  return { headers, body: { error: { message, type: 'None', param: 'None', code: '429' } } };
};
