import { trafficKinds } from '../workload/traffic.ts';
import { gaveUpNames } from '../observation/attempt.ts';
import { measureNames } from './measures.ts';
import { delaysSchema } from './read-delays.ts';
import { encodedHistogramSchema } from './histogram.ts';
import { z } from 'zod';
import { longestRun } from '../quantity.ts';
import { answerNoteNames, outcomeKinds, tokenSources } from '../observation/outcome.ts';

export const count = z.int().nonnegative();

export const secondSchema = count.max(longestRun / 1000);

/** More groups than any plan has: stages, traffic entries and keys multiply. */
export const maxGroups = 20_000;

/** What figures are grouped by. `stage` and `key` are names. */
export const labelsSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  entry: z.string().optional(),
  key: z.string(),
  stage: z.string(),
  /** Whether they are due within the warm-up, which is counted but part of no figure. */
  warmUp: z.boolean(),
});
export type Labels = z.infer<typeof labelsSchema>;

/** Answers that ended for one reason, in the server's spelling. `others` stands for those beyond a maximum. */
const finishCountSchema = z.strictObject({ reason: z.string(), count });

/** All arrivals that were due, by outcome. */
export const outcomeCountsSchema = z.strictObject(
  Object.fromEntries(outcomeKinds.map((kind) => [kind, count])) as Record<
    (typeof outcomeKinds)[number],
    typeof count
  >,
);
export type OutcomeCounts = z.infer<typeof outcomeCountsSchema>;

/** Tokens of completed answers, for one source of the counts. */
export const tokenSumsSchema = z.strictObject({
  source: z.enum(tokenSources),
  answers: count,
  /** How many of these answers reported their input, which `input` sums. */
  answersWithInput: count,
  input: count,
  output: count,
  /** Answers to prompts of a set length: those that reported their input, and the tokens asked for and reported. */
  made: z.strictObject({ answers: count, asked: count, input: count }).optional(),
});
export type TokenSums = z.infer<typeof tokenSumsSchema>;

export const groupSchema = z.strictObject({
  labels: labelsSchema,
  outcomes: outcomeCountsSchema,
  /** Arrivals with at least one attempt of which a byte was written. */
  sent: count,
  /** Attempts, and arrivals that had more than one. */
  attempts: count,
  retried: count,
  /** Arrivals whose failure the plan would retry but that were not retried, by reason. */
  gaveUp: z.partialRecord(z.enum(gaveUpNames), count),
  tokens: z.array(tokenSumsSchema),
  buffered: count,
  /** Token events that shared a read with an earlier one, and all of them. */
  coalescedEvents: count,
  tokenEvents: count,
  /** Of all attempts; `ahead` is absent if none was opened ahead. */
  connections: z.strictObject({ new: count, ahead: count.optional(), reused: count }),
  /** Attempts that went once more on a new connection, since the server had closed theirs; absent if none did. */
  reconnected: count.optional(),
  /** Completed answers with each tolerated deviation. */
  notes: z.partialRecord(z.enum(answerNoteNames), count),
  /** Completed and failed chats by their finish reason, in the order of its text; absent in old results and other kinds. */
  finishes: z.array(finishCountSchema).optional(),
  /** Completed requests that met all per-request objectives, and each of them, in plan order; absent without any. */
  good: z.strictObject({ all: count, each: z.array(count) }).optional(),
  distributions: z.partialRecord(z.enum(measureNames), encodedHistogramSchema),
  /** How late the instants of completed requests can be; absent in old results. */
  delays: delaysSchema.optional(),
});
export type Group = z.infer<typeof groupSchema>;

/** Distributions that are also kept for each second and traffic kind, at two digits. */
export const timelineMeasures = ['ttft', 'firstAudio', 'gap', 'endToEnd', 'lag'] as const;
export type TimelineMeasure = (typeof timelineMeasures)[number];

/**
 * One second of the run. `due` and latencies belong to the second of the due instant, `begun` and `sent` to their
 * own, outcomes to that of their end. `begun`, `sent` and `ended` count attempts, `due` and outcomes arrivals. So
 * begun − ended, summed over all earlier seconds, is the number of exchanges in flight.
 */
export const timelineSecondSchema = z.strictObject({
  second: secondSchema,
  due: count,
  begun: count,
  sent: count,
  ended: count,
  outcomes: outcomeCountsSchema,
  completed: z.partialRecord(z.enum(trafficKinds), count),
  tokenEvents: count,
  /**
   * Tokens of completed answers, from all sources, in the second of their end. A stream adds one output token in
   * the second of each token event, and the remaining ones in that of the last event (all, if they are fewer than
   * the events).
   */
  inputTokens: count,
  outputTokens: count,
  /** Audio of completed answers in whole ms, and characters spoken, in the second of their end. */
  audioReceived: count,
  audioSent: count,
  characters: count,
  latency: z.partialRecord(
    z.enum(trafficKinds),
    z.partialRecord(z.enum(timelineMeasures), encodedHistogramSchema),
  ),
});
export type TimelineSecond = z.infer<typeof timelineSecondSchema>;
