import { byteSizeField, durationOrNoneField, moneyField, wholeNumberField } from './fields.ts';
import { z } from 'zod';

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
