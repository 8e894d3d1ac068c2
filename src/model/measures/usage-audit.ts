import { z } from 'zod';
import type { TokenCounts } from '../observation/outcome.ts';

/** This file compares the reported usage of an answer with what was received. */

const count = z.int().nonnegative();

/**
 * The maximum number of tokens of an answer that have no text: its beginning and its end, channels, and spaces that
 * servers cut off.
 */
const maxSilentTokens = 16;

/**
 * The maximum number of token events that carry no token of the answer: an echo of the prompt, the signature of its
 * reasoning.
 */
const maxSilentEvents = 2;

/** Returns the most output tokens of a text with this many bytes. Each token of a text has at least one byte. */
export const mostTokensOf = (bytes: number, choices = 1): number =>
  bytes + maxSilentTokens * choices;

/**
 * The checks of the usage of an answer. `text`: no more output tokens than its text can have, beside declared
 * reasoning. `reasoning`: the text includes declared reasoning. `limit`: no more output tokens than were asked for.
 * `events`: at least as many output tokens as token events. `prompt`: as many input tokens as in the first answer to
 * the same prompt.
 */
export const auditNames = ['text', 'reasoning', 'limit', 'events', 'prompt'] as const;
export type AuditName = (typeof auditNames)[number];

/**
 * The number of answers that a check examined, the number of answers that differ from their bound, and the sums of the
 * reported counts and of the bounds.
 */
const usageCountsSchema = z.strictObject({
  answers: count,
  differing: count,
  reported: count,
  bound: count,
});
export type UsageCounts = z.infer<typeof usageCountsSchema>;

export const usageAuditSchema = z.partialRecord(z.enum(auditNames), usageCountsSchema);
export type UsageAudit = z.infer<typeof usageAuditSchema>;

/** The facts of an answer beside its usage. */
export interface ReceivedFacts {
  /** The most tokens that were asked for; `null` without a limit. */
  readonly limit: number | null;
  readonly finish: string | null;
  /** The number of token events; `null` for an answer that is not streamed. */
  readonly events: number | null;
}

/** Receives a check, the count that an answer reports, and its bound. */
type Note = (check: AuditName, reported: number, bound: number, differs: boolean) => void;

/** Checks the usage of a completed answer if its server counted it. */
export const checkUsage = (
  tokens: Omit<TokenCounts, 'source'>,
  { limit, finish, events }: ReceivedFacts,
  note: Note,
): void => {
  const { input, before, most, output, reasoning = 0, audioOutput = 0 } = tokens;
  if (input !== null && before !== undefined) note('prompt', input, before, input !== before);
  // It is unknown which tokens belong to calls and sound.
  if (most === undefined || audioOutput > 0) return;
  const visible = Math.max(0, output - reasoning);
  note('text', visible, most, visible > most);
  if (reasoning > 0) note('reasoning', output, most, output > most && visible <= most);
  if (events !== null) note('events', output, events, output + maxSilentEvents < events);
  // If a server ignores the limit, the answer ends by itself and has more text than the limit allows.
  if (limit === null || (visible > limit && finish !== 'length' && most > limit)) return;
  note('limit', visible, limit, visible > limit);
};
