import { z } from 'zod';
import { type RetryClass, retryClasses } from '../../model/plan/retry.ts';
import {
  byteSizeField,
  durationOrNoneField,
  moneyField,
  positiveDurationField,
  textField,
  wholeNumberField,
} from './fields.ts';

export const deadlines = z.strictObject({
  connect: durationOrNoneField()
    .prefault('10s')
    .describe('The longest wait for a connection, or none. Default: 10s.'),
  firstToken: durationOrNoneField()
    .prefault('60s')
    .describe(
      'The longest wait from sending a request to its first token, or to the first byte of any other answer; or none. Default: 60s.',
    ),
  idle: durationOrNoneField()
    .prefault('60s')
    .describe('The longest pause within an answer, or none. Default: 60s.'),
  total: durationOrNoneField()
    .prefault('10m')
    .describe(
      'The longest time for one request from when it is due, including all attempts and waits; or none. Default: 10m.',
    ),
});

export const caps = z.strictObject({
  bytes: byteSizeField()
    .prefault('64 MiB')
    .describe(
      'The largest answer; a larger one is cut off and counted as broken. Default: 64 MiB.',
    ),
  events: wholeNumberField(1, 100_000_000)
    .prefault(500_000)
    .describe('The maximum number of events in one stream. Default: 500000.'),
});

export const budget = z.strictObject(
  {
    requests: wholeNumberField(1, 1_000_000_000)
      .optional()
      .describe('The maximum number of requests, including retries. Default: no limit.'),
    tokens: wholeNumberField(1, 1_000_000_000_000)
      .optional()
      .describe('The maximum number of tokens, prompts and answers together. Default: no limit.'),
    cost: moneyField()
      .refine((micros) => micros > 0, 'expected an amount above 0')
      .optional()
      .describe('The maximum cost, in units of the currency, such as 2.50. Default: no limit.'),
  },
  'expected a mapping such as {requests: 1000, cost: 2.50}',
);

/** Prices of chat by model, in millionths of the currency’s unit for a million tokens. */
export const pricesSchema = z.record(
  textField(),
  z.strictObject(
    {
      input: moneyField().describe('The price of a million input tokens.'),
      output: moneyField().describe('The price of a million output tokens.'),
    },
    'expected a price such as {input: 0.15, output: 0.60}',
  ),
  'expected a mapping of models to prices such as {NAME: {input: 0.15, output: 0.60}}',
);

/** Failures that reached no model. */
const defaultRetryClasses: RetryClass[] = ['limited', 'server-error', 'connect'];

const listed = retryClasses.join(', ');

/** Retries of failed requests; without it there are none. */
export const scenarioRetrySchema = z.strictObject(
  {
    attempts: wholeNumberField(1, 100)
      .prefault(3)
      .describe('The maximum number of attempts for one request, including the first. Default: 3.'),
    base: positiveDurationField()
      .prefault('500ms')
      .describe(
        'The longest wait before the first retry when the server names none; it doubles with each further retry. Default: 500ms.',
      ),
    cap: positiveDurationField()
      .prefault('30s')
      .describe(
        'The longest wait that Weir chooses; a wait that the server asks for is kept in full. Default: 30s.',
      ),
    on: z
      .array(z.enum(retryClasses), `expected a list of ${listed}`)
      .min(1, `expected at least one of ${listed}`)
      .prefault(defaultRetryClasses)
      .describe(
        'Which failures to retry: "limited" (429), "server-error" (5xx), "connect" (no connection), "unanswered" (the connection broke, or the first-token deadline passed, before any response head: the server may do the work, and charge for it, twice). Default: limited, server-error, connect.',
      ),
  },
  'expected a mapping such as {attempts: 3}',
);
