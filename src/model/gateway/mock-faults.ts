import { z } from 'zod';
import { millisecondsSchema } from '../quantity.ts';

/** The faults that the reference gateway can show, by name; `mock/faults/fault-catalogue.ts` says what each does. */
export const faultNames = [
  'key-revoked',
  'empty-balance',
  'status-500',
  'status-503',
  'html-502',
  'json-error-200',
  'html-200',
  'stream-status-500',
  'reset-before-head',
  'fin-before-head',
  'no-answer',
  'slow-head',
  'dribble',
  'reset-mid-body',
  'fin-mid-body',
  'stall-mid-body',
  'wrong-content-type',
  'length-too-long',
  'length-too-short',
  'gzip-body',
  'role-first',
  'usage-null-choices',
  'usage-no-choices',
  'usage-every-chunk',
  'comments',
  'no-space',
  'crlf',
  'cr',
  'bom',
  'odd-chunks',
  'multi-line',
  'reasoning',
  'null-fields',
  'several-tokens',
  'gzip-stream',
  'broken-event',
  'error-object',
  'error-event',
  'finish-error',
  'no-done',
  'truncated',
  'fin-without-done',
  'data-after-done',
  'open-after-done',
  'reset-mid-stream',
  'fin-mid-stream',
  'reset-mid-event',
  'stall-mid-stream',
  'pause-mid-stream',
  'endless-stream',
  'endless-line',
  'huge-event',
] as const;
export type FaultName = (typeof faultNames)[number];

const nth = z.int().positive();

/** Which requests show a fault: by chance, each n-th, or the n-th of those that the rule is about. */
export const faultRuleSchema = z
  .strictObject({
    fault: z.enum(faultNames).describe('What goes wrong.'),
    routes: z
      .array(z.enum(['chat', 'speech', 'transcription', 'models']))
      .min(1)
      .optional()
      .describe('The endpoints it is about. Default: all.'),
    probability: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('The share of requests, drawn by request id.'),
    every: nth.optional().describe('Each so-manieth request.'),
    nth: nth.optional().describe('This one request, counted from 1.'),
    for: nth
      .nullable()
      .default(1)
      .describe('With every and nth: for so many requests in a row; null for all that follow.'),
    after: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'Tokens of a stream, or bytes of another answer, that come before it. Default: the fault’s own.',
      ),
    delay: millisecondsSchema
      .optional()
      .describe('Milliseconds that the fault waits, where it waits. Default: the fault’s own.'),
  })
  .refine(
    (rule) =>
      [rule.probability, rule.every, rule.nth].filter((choice) => choice !== undefined).length ===
      1,
    { error: 'expected exactly one of probability, every and nth' },
  );
export type FaultRule = z.output<typeof faultRuleSchema>;
