import { z } from 'zod';
import { millisecondsSchema } from '../quantity-schema.ts';

/** The faults that the reference gateway can show. `mock/faults` contains the code of each fault. */
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

const routes = z.array(z.enum(['chat', 'speech', 'transcription', 'models'])).min(1);
const nth = z.int().positive();

export const faultRuleSchema = z
  .strictObject({
    fault: z.enum(faultNames).describe('The fault.'),
    routes: z.optional(routes).describe('The endpoints that show it. Default: all.'),
    probability: z
      .optional(z.number().min(0).max(1))
      .describe('The share of requests that show it, drawn by request id.'),
    every: nth.optional().describe('Every n-th request.'),
    nth: nth.optional().describe('Only the n-th request, counted from 1.'),
    for: nth
      .nullable()
      .default(1)
      .describe(
        'With every and nth: the number of consecutive requests; null for all that follow.',
      ),
    after: z
      .optional(z.int().nonnegative())
      .describe(
        'Tokens of a stream, or bytes of another answer, sent before the fault. Default: depends on the fault.',
      ),
    delay: millisecondsSchema
      .optional()
      .describe('Milliseconds that the fault waits, if it waits. Default: depends on the fault.'),
  })
  .refine((rule) => [rule.probability, rule.every, rule.nth].filter(Number.isFinite).length === 1, {
    error: 'expected exactly one of probability, every and nth',
  });
export type FaultRule = z.output<typeof faultRuleSchema>;
