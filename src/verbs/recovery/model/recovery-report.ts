import { z } from 'zod';
import { retryPolicies } from './seen-request.ts';

/**
 * This file defines `recovery.json`: the findings about an overload and the time after it. Times are in ms, shares from
 * 0 to 1.
 */

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

const phaseSchema = z.strictObject({
  due: count,
  good: count.describe('Completed, and answered in time.'),
  late: count.describe('Completed, but answered later.'),
  failed: count,
  attempts: amount.describe('How often a request was sent, on average.'),
  p50: amount
    .nullable()
    .optional()
    .describe(
      'The time from when they were due in which half were answered (a stream: its first token); null: fewer were. In ms.',
    ),
  p95: amount.nullable().optional().describe('The same for 95 %.'),
});
export type PhaseCounts = z.output<typeof phaseSchema>;

const windowSchema = z.strictObject({
  from: amount,
  due: count,
  good: count.describe('Of those due in it.'),
  sent: count.describe('Attempts that were sent in it.'),
  isBad: z.boolean().describe('Whether surely fewer were good than before the overload.'),
});

export const unknownReasons = [
  'partial',
  'invalid',
  'base-fails',
  'few',
  'base-worse',
  'unharmed',
  'unsure',
  'balanced',
  'draining',
] as const;
export type UnknownReason = (typeof unknownReasons)[number];

const policySchema = z.strictObject({
  policy: z.enum(retryPolicies),
  state: z
    .enum(['back', 'kept', 'stuck', 'unknown'])
    .describe(
      'back: at most 10 in 100 more requests are late (three times the p95 of before, if not set) or fail than before the overload; kept: still bad by the retries, which are more than the target completes, or without which it is back; stuck: still bad for another reason.',
    ),
  reason: z.enum(unknownReasons).nullable().describe('Why the state is unknown.'),
  needs: amount
    .nullable()
    .describe(
      'If it may still work off what waits: how long that takes at most after the overload.',
    ),
  phases: z
    .strictObject({ from: amount, peak: amount, gone: amount, until: amount })
    .describe('When the base, the overload, the time after it began, and when that ended.'),
  within: amount
    .nullable()
    .describe('The time in which a good request is answered: a stream by its first token.'),
  after: amount.nullable().describe('How long after the overload it was back.'),
  resolution: amount
    .nullable()
    .describe('The length of the windows; null: too few requests for any.'),
  base: phaseSchema,
  overload: phaseSchema,
  watched: phaseSchema.describe('After the overload.'),
  named: count.describe('How many waits before a retry the target named.'),
  sentAtEnd: amount.describe('Attempts a second in the last third of the time after the overload.'),
  windows: z.array(windowSchema),
});
export type PolicyRecovery = z.output<typeof policySchema>;

export const recoveryReportSchema = z.strictObject({
  format: z.literal('recovery/1'),
  weir: z.string(),
  name: z.string(),
  target: z.string(),
  startedAt: z.string(),
  took: amount,
  seed: count,
  multiple: z.number().describe('The rate of the overload, in rates of the scenario.'),
  rate: amount.describe('The rate of the scenario a second.'),
  retry: z
    .strictObject({ attempts: count, base: amount, cap: amount, on: z.array(z.string()) })
    .describe('How the policies other than none retry.'),
  mostCompleted: amount.describe(
    'The most requests that the target completed in a second, over two seconds.',
  ),
  partial: z.string().nullable().describe('Why the run ended early.'),
  policies: z.array(policySchema),
  spent: z.strictObject({ requests: count }),
});
export type RecoveryReport = z.output<typeof recoveryReportSchema>;

export const recoveryJsonSchema = (): object => ({
  title: 'What weir recovery found, recovery/1',
  ...z.toJSONSchema(recoveryReportSchema),
});
