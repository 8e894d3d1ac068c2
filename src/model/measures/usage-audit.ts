import { z } from 'zod';
import type { TokenCounts } from '../observation/outcome.ts';

/** This file checks whether the token counts that an answer reports (its usage) fit the content that Weir received. */

const count = z.int().nonnegative();

/**
 * The maximum number of tokens of an answer that have no text: its begin and end tokens, channel markers, and spaces
 * that servers cut off.
 */
const maxSilentTokens = 16;

/**
 * Up to this many token events may contain no token of the answer, for example an echo of the prompt or the signature
 * of the reasoning.
 */
const maxSilentEvents = 2;

/**
 * Returns the maximum number of output tokens of a text with this many bytes. Each token of a text has at least one
 * byte.
 */
export const mostTokensOf = (bytes: number, choices = 1): number =>
  bytes + maxSilentTokens * choices;

/**
 * The checks of the usage of an answer. `text`: without its declared reasoning, the answer has no more output tokens
 * than its text can have. `reasoning`: the text is also long enough for the declared reasoning. `limit`: the answer has
 * no more output tokens than the request allowed. `events`: the answer has at least as many output tokens as token
 * events. `prompt`: the answer reports as many input tokens as the first answer to the same prompt.
 */
export const auditNames = ['text', 'reasoning', 'limit', 'events', 'prompt'] as const;
export type AuditName = (typeof auditNames)[number];

/**
 * How many answers a check examined, and in how many of them the reported count violates its bound. `reported` and
 * `bound` are sums over the violating answers only.
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

/** The facts about an answer that its usage does not report. */
export interface ReceivedFacts {
  /** The maximum number of tokens that the request allowed; `null` without a maximum. */
  readonly limit: number | null;
  readonly finish: string | null;
  /** The number of token events; `null` for an answer that is not streamed. */
  readonly events: number | null;
}

/** Receives a check, the count that an answer reports, and its bound. */
type Note = (check: AuditName, reported: number, bound: number, differs: boolean) => void;

/** Checks the token counts that the server reported for a completed answer. */
export const checkUsage = (
  tokens: Omit<TokenCounts, 'source'>,
  { limit, finish, events }: ReceivedFacts,
  note: Note,
): void => {
  const { input, before, most, output, reasoning = 0, audioOutput = 0 } = tokens;
  if (input !== null && before !== undefined) note('prompt', input, before, input !== before);
  // Weir cannot tell how many tokens belong to tool calls, audio or images.
  if (most === undefined || audioOutput > 0) return;
  const visible = Math.max(0, output - reasoning);
  note('text', visible, most, visible > most);
  if (reasoning > 0) note('reasoning', output, most, output > most && visible <= most);
  if (events !== null) note('events', output, events, output + maxSilentEvents < events);
  // If the answer ended by itself and its text can have more tokens than the limit allows, the server may have ignored
  // the limit. Then the reported count above the limit may be right, so it is not noted.
  if (limit === null || (visible > limit && finish !== 'length' && most > limit)) return;
  note('limit', visible, limit, visible > limit);
};
