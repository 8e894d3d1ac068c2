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
      'The longest wait from sending to the first token, or to the first byte of any other answer; or none. Default: 60s.',
    ),
  idle: durationOrNoneField()
    .prefault('60s')
    .describe('The longest silence within an answer, or none. Default: 60s.'),
  total: durationOrNoneField()
    .prefault('10m')
    .describe(
      'The longest that one request may take from when it was due, all attempts and waits included; or none. Default: 10m.',
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
    .describe('The most events in one stream. Default: 500000.'),
});

export const budget = z.strictObject(
  {
    requests: wholeNumberField(1, 1_000_000_000)
      .optional()
      .describe('The most requests, further attempts included. Default: any number.'),
    tokens: wholeNumberField(1, 1_000_000_000_000)
      .optional()
      .describe('The most tokens, of prompts and answers together. Default: any number.'),
    cost: moneyField()
      .refine((micros) => micros > 0, { error: 'expected an amount above 0' })
      .optional()
      .describe('The most money, in units of the currency, such as 2.50. Default: any amount.'),
  },
  { error: 'expected a mapping such as {requests: 1000, cost: 2.50}' },
);

/** What chat costs, by model; millionths of the currency’s unit for a million tokens. */
export const pricesSchema = z.record(
  textField(),
  z.strictObject(
    {
      input: moneyField().describe('What a million input tokens cost.'),
      output: moneyField().describe('What a million output tokens cost.'),
    },
    { error: 'expected a price such as {input: 0.15, output: 0.60}' },
  ),
  { error: 'expected a mapping of models to prices such as {NAME: {input: 0.15, output: 0.60}}' },
);

/** What is tried again unless the scenario says otherwise: failures that reached no model. */
const defaultRetryClasses: RetryClass[] = ['limited', 'server-error', 'connect'];

const listed = retryClasses.join(', ');

/** Further attempts at what failed; off unless it stands in the scenario. */
export const scenarioRetrySchema = z.strictObject(
  {
    attempts: wholeNumberField(1, 100)
      .prefault(3)
      .describe('How often one request is tried at most, the first time included. Default: 3.'),
    base: positiveDurationField()
      .prefault('500ms')
      .describe(
        'The longest wait before the first retry where the server names none; it doubles with each further one. Default: 500ms.',
      ),
    cap: positiveDurationField()
      .prefault('30s')
      .describe(
        'The longest wait of our own choosing; waits that the server asks for are kept in full. Default: 30s.',
      ),
    on: z
      .array(z.enum(retryClasses), { error: `expected a list of ${listed}` })
      .min(1, { error: `expected at least one of ${listed}` })
      .prefault(defaultRetryClasses)
      .describe(
        'What is tried again: "limited" (429), "server-error" (5xx), "connect" (no connection), "unanswered" (the connection broke, or the first-token deadline passed, before any response head: the server may be at work, and paid, twice). Default: limited, server-error, connect.',
      ),
  },
  { error: 'expected a mapping such as {attempts: 3}' },
);
