import { z } from 'zod';
import { connectionOrigins } from './exchange.ts';
import { type Instant } from '../quantity.ts';
import { instantSchema, millisecondsSchema } from '../quantity-schema.ts';
import { responseHeadSchema, retriedOutcomeSchema } from './outcome.ts';

/** Where the wait before a retry comes from, the preferred source first. */
export const waitSources = [
  'retry-after-ms',
  'retry-after',
  'reset-header',
  'reset-in-body',
  'wait-in-body',
  'backoff',
] as const;
export type WaitSource = (typeof waitSources)[number];

/** Why a failure was not retried although the plan retries such failures, with the texts for reports. */
export const gaveUpReasons = {
  attempts: 'all attempts were used',
  patience: 'the wait would have passed the total deadline',
  'run-ended': 'the run ended before the next attempt',
} as const satisfies Record<string, string>;
export type GaveUpReason = keyof typeof gaveUpReasons;
export const gaveUpNames = Object.keys(gaveUpReasons) as readonly GaveUpReason[];

const moment = instantSchema.nullable();

/** What a gateway can know about a chat's tokens before it answers. */
const chatSizeSchema = z.strictObject({
  /**
   * The number of characters that the model reads. An image or a recording counts as four characters per estimated
   * token.
   */
  characters: z.int().nonnegative(),
  /** The maximum number of tokens of the answer; `null` without a maximum. */
  maxTokens: z.int().nonnegative().nullable(),
});
export type ChatSize = z.infer<typeof chatSizeSchema>;

export const attemptFactsSchema = z.strictObject({
  /** The key's name, never its value. */
  key: z.string(),
  /**
   * When the attempt could be sent: the due instant of the arrival, or the end of the wait for a retry or for the pace.
   */
  released: instantSchema,
  /** The number of tokens that the pace reserved for the attempt; `null` without a pace. */
  reserved: z.int().nonnegative().nullable(),
  /** When the load generator began the attempt, or dropped the arrival. */
  begun: instantSchema,
  connected: moment,
  connection: z.enum(connectionOrigins).nullable(),
  /**
   * When the attempt was sent again on a new connection because the server had closed the first connection; absent if
   * the attempt was sent once.
   */
  reconnected: instantSchema.optional(),
  /** The instant before the first byte was written; `null` if no byte was sent. */
  sent: moment,
  head: responseHeadSchema.nullable(),
  /** The size of the chat; absent for other traffic kinds and in old files. */
  size: chatSizeSchema.optional(),
  ended: instantSchema,
});
export type AttemptFacts = z.infer<typeof attemptFactsSchema>;

export const retriedAttemptSchema = attemptFactsSchema.extend({
  outcome: retriedOutcomeSchema,
  /** The time in ms from this attempt's end until the next could be sent, without a wait for the pace. */
  wait: millisecondsSchema,
  waitBy: z.enum(waitSources),
});
export type RetriedAttempt = z.infer<typeof retriedAttemptSchema>;
export type RetriedOutcome = RetriedAttempt['outcome'];

/** Returns when an attempt was ready to be sent. A wait for the pace begins at this instant. */
export const readyAt = (
  { due, earlier }: { readonly due: Instant; readonly earlier: readonly RetriedAttempt[] },
  attempt: number,
): number => {
  const before = earlier[attempt - 1];
  return before === undefined ? due : before.ended + before.wait;
};
