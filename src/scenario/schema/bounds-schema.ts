import { z } from 'zod';
import { type RetryClass, retryClasses } from '../../model/plan/retry.ts';
import {
  byteSizeField,
  durationOrNoneField,
  mapping,
  moneyField,
  orNull,
  positiveDurationField,
  wholeNumberField,
  withDefault,
} from './fields.ts';

export const deadlines = mapping('a mapping such as {firstToken: 10s, total: 60s}', {
  connect: withDefault(durationOrNoneField(), '10s').describe(
    'The longest wait for a connection, or none.',
  ),
  firstToken: withDefault(durationOrNoneField(), '60s').describe(
    'The longest wait from sending a request to its first token, or to the first byte of any other answer; or none.',
  ),
  idle: withDefault(durationOrNoneField(), '60s').describe(
    'The longest pause within an answer, or none.',
  ),
  total: withDefault(durationOrNoneField(), '10m').describe(
    'The longest time for one request from when it is due, including all attempts and waits; or none.',
  ),
});

export const caps = mapping('a mapping such as {bytes: 64 MiB}', {
  bytes: withDefault(byteSizeField(), '64 MiB').describe(
    'The largest answer; a larger one is cut off and counted as broken.',
  ),
  events: withDefault(wholeNumberField(1, 100_000_000), 500_000).describe(
    'The maximum number of events in one stream.',
  ),
});

const positiveCost = moneyField().refine((micros) => micros > 0, 'expected an amount above 0');

export const budget = mapping('a mapping such as {requests: 1000, cost: 2.50}', {
  requests: orNull(wholeNumberField(1, 1_000_000_000)).describe(
    'The maximum number of requests, including retries. Default: no limit.',
  ),
  tokens: orNull(wholeNumberField(1, 1_000_000_000_000)).describe(
    'The maximum number of tokens, prompts and answers together. Default: no limit.',
  ),
  cost: orNull(positiveCost).describe(
    'The maximum cost, in units of the currency, such as 2.50. Default: no limit.',
  ),
});

/**
 * The failures that are retried by default. The class `unanswered` is not: the server may do the work, and charge for
 * it, twice.
 */
const defaultRetryClasses: RetryClass[] = ['limited', 'server-error', 'connect'];

const classList = retryClasses.join(', ');
const retriedClasses = z
  .array(z.enum(retryClasses), `expected a list of ${classList}`)
  .min(1, `expected at least one of ${classList}`);

/** The schema of the retries of failed requests. Without this field, failed requests are not retried. */
export const scenarioRetrySchema = mapping('a mapping such as {attempts: 3}', {
  attempts: withDefault(wholeNumberField(1, 100), 3).describe(
    'The maximum number of attempts for one request, including the first.',
  ),
  base: withDefault(positiveDurationField(), '500ms').describe(
    'The longest wait before the first retry when the server names none; it doubles with each further retry.',
  ),
  cap: withDefault(positiveDurationField(), '30s').describe(
    'The longest wait that Weir chooses; a wait that the server asks for is kept in full.',
  ),
  on: withDefault(retriedClasses, defaultRetryClasses).describe(
    'Which failures to retry: "limited" (429), "server-error" (5xx), "connect" (no connection), "unanswered" (the connection broke, or the first-token deadline passed, before any response head: the server may do the work, and charge for it, twice).',
  ),
});
