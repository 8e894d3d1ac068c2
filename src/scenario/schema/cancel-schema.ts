import { z } from 'zod';
import type { HangUpMoment } from '../../model/workload/hang-up.ts';
import { longestDuration, mapping, percentageField } from './fields.ts';
import { durationNotation } from './notation.ts';

/**
 * This file contains the schema of hang-ups. Each traffic entry can state for which of its requests the client hangs
 * up, and at which moment.
 */

const tokensText = /^([1-9]\d{0,6}) tokens?$/;

const readMoment = (text: string): HangUpMoment | null => {
  if (text === 'sent' || text === 'headers') return { kind: text };
  const count = tokensText.exec(text)?.[1];
  if (count !== undefined) return { kind: 'tokens', count: Number(count) };
  const time = durationNotation.read(text);
  return time === null || time === 0 || time > longestDuration ? null : { kind: 'time', time };
};

const momentField = (hasTokens: boolean) => {
  const expected = `expected ${hasTokens ? '5 tokens, ' : ''}a length of time such as 2s, sent, or headers`;
  const withoutUnit = (input: unknown): string =>
    typeof input === 'number' && input > 0
      ? `; a number needs its unit: ${hasTokens ? `${input} tokens, ` : ''}${input}s or ${input}ms`
      : '';
  return z
    .string({ error: ({ input }) => `${expected}${withoutUnit(input)}` })
    .meta({
      pattern: `${durationNotation.pattern}|^(?:sent|headers)$${hasTokens ? `|${tokensText.source}` : ''}|\\$\\{env:`,
    })
    .transform((text, context): HangUpMoment => {
      const moment = readMoment(text);
      if (moment !== null && (hasTokens || moment.kind !== 'tokens')) return moment;
      const isTime = durationNotation.read(text) !== null;
      if (isTime)
        context.issues.push({
          code: 'custom',
          message: 'expected a length of time above 0s and at most 7d',
          input: text,
        });
      if (isTime) return z.NEVER;
      const why =
        moment === null
          ? ''
          : '; tokens can be counted while they come only in a streamed chat (kind: chat-stream)';
      const params = { choices: ['sent', 'headers'] };
      context.issues.push({ code: 'custom', message: `${expected}${why}`, input: text, params });
      return z.NEVER;
    });
};

/**
 * Returns the field `cancel` of an entry. `hasTokens` says whether the tokens of the entry's answers can be counted
 * while they arrive.
 */
export const cancelField = (hasTokens: boolean) =>
  z
    .optional(
      mapping('a mapping such as {share: 10%, after: 2s}', {
        share: percentageField().describe('The share of the requests, such as 10%.'),
        after: momentField(hasTokens).describe(
          `When the client hangs up: ${hasTokens ? 'after so many token events ("5 tokens"), ' : ''}so long after the request was sent ("2s"), as soon as it is sent ("sent"), or with the head of the answer ("headers").`,
        ),
      }),
    )
    .describe(
      'On which of the requests the client hangs up without waiting for the whole answer. Default: none.',
    );
