import { z } from 'zod';
import { millisecondsSchema } from '../quantity-schema.ts';
import { drawFrom } from './draw.ts';

/** This file defines when the client hangs up on a request, as a user does who no longer wants the answer. */

export const hangUpMomentSchema = z.discriminatedUnion('kind', [
  /**
   * The client hangs up after the read that contains token event number `count`. An event can contain several tokens.
   */
  z.strictObject({ kind: z.literal('tokens'), count: z.int().positive() }),
  /**
   * The client hangs up this long after the first byte of the request was written, whatever it has received until then.
   */
  z.strictObject({ kind: z.literal('time'), time: millisecondsSchema }),
  /** The client hangs up as soon as the whole request has left this process. */
  z.strictObject({ kind: z.literal('sent') }),
  /** The client hangs up at the head of a 2xx answer. */
  z.strictObject({ kind: z.literal('headers') }),
]);
export type HangUpMoment = z.infer<typeof hangUpMomentSchema>;

export const cancelSchema = z.strictObject({
  /** The client hangs up on this share of the entry's requests, above 0 and at most 1. */
  share: z.number().positive().max(1),
  after: hangUpMomentSchema,
});
export type Cancel = z.infer<typeof cancelSchema>;

/**
 * A constant for the draws of hang-ups. The draws of contents and retries have other constants, so the draws are
 * independent.
 */
const hangUpWord = 0x68_75_70;

/**
 * Returns when the client hangs up on a request; `null` if the client waits for the answer. This draw is independent of
 * all other draws, so an entry sends the same requests with and without `cancel`.
 */
export const drawHangUp = (
  cancel: Cancel | undefined,
  seed: number,
  { stage, index }: { readonly stage: number; readonly index: number },
): HangUpMoment | null =>
  cancel !== undefined && drawFrom(seed, stage, index, hangUpWord).uniform() < cancel.share
    ? cancel.after
    : null;
