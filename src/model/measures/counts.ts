import { trafficKinds } from '../workload/traffic.ts';
import { gaveUpNames } from '../observation/attempt.ts';
import { measureNames, measuresOfFirst } from './measures.ts';
import { delaysSchema } from './read-delays.ts';
import { encodedHistogramSchema } from './histogram.ts';
import { z } from 'zod';
import { longestRun } from '../quantity.ts';
import { answerNoteNames, outcomeKinds, tokenSources } from '../observation/outcome.ts';

export const count = z.int().nonnegative();

export const secondSchema = count.max(longestRun / 1000);

/** The maximum number of groups, more than any plan needs: stages, traffic entries and keys multiply. */
export const maxGroups = 20_000;

/** The labels by which figures are grouped. `stage` and `key` are names. */
export const labelsSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  entry: z.string().optional(),
  key: z.string(),
  stage: z.string(),
  /** Whether the requests are due within the warm-up, which is counted but not part of any figure. */
  warmUp: z.boolean(),
  /** Between which possible ends of a warm-up that is not found yet they are due: 0 is before the first one. */
  warmUpPart: z.int().nonnegative().optional(),
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
  /** The number of these answers that reported their input tokens, whose sum is `input`. */
  answersWithInput: count,
  input: count,
  output: count,
  /**
   * Answers to prompts of a set length: how many reported their input, and the tokens that were requested and reported.
   */
  made: z.strictObject({ answers: count, asked: count, input: count }).optional(),
});
export type TokenSums = z.infer<typeof tokenSumsSchema>;

export const groupSchema = z.strictObject({
  labels: labelsSchema,
  outcomes: outcomeCountsSchema,
  /** The number of arrivals with at least one attempt whose first byte was written. */
  sent: count,
  /** The number of attempts, and of arrivals with more than one attempt. */
  attempts: count,
  retried: count,
  /** Arrivals that were not retried although the plan retries such failures, by reason. */
  gaveUp: z.partialRecord(z.enum(gaveUpNames), count),
  tokens: z.array(tokenSumsSchema),
  buffered: count,
  /** The token events that shared a read with an earlier one, and the number of all token events. */
  coalescedEvents: count,
  tokenEvents: count,
  /** The connections of all attempts by origin; `ahead` is absent if none was opened ahead. */
  connections: z.strictObject({ new: count, ahead: count.optional(), reused: count }),
  /**
   * The attempts that were sent once more on a new connection because the server had closed theirs; absent if none
   * were.
   */
  reconnected: count.optional(),
  /** The number of completed answers with each tolerated deviation. */
  notes: z.partialRecord(z.enum(answerNoteNames), count),
  /** Completed and failed chats by their finish reason, in the order of its text; absent in old results and other kinds. */
  finishes: z.array(finishCountSchema).optional(),
  /** Completed requests that met all per-request objectives, and each of them, in plan order; absent without any. */
  good: z.strictObject({ all: count, each: z.array(count) }).optional(),
  /** The figures of completed requests. */
  distributions: z.partialRecord(z.enum(measureNames), encodedHistogramSchema),
  /** The times to the first token or audio of answers that failed later; absent without any, and in old results. */
  partials: z.partialRecord(z.enum(measuresOfFirst), encodedHistogramSchema).optional(),
  /** The possible lateness of the instants of completed requests; absent in old results. */
  delays: delaysSchema.optional(),
});
export type Group = z.infer<typeof groupSchema>;

/** The measures whose distributions are also recorded for each second and traffic kind, with two digits. */
export const timelineMeasures = ['ttft', 'firstAudio', 'gap', 'endToEnd', 'lag'] as const;
export type TimelineMeasure = (typeof timelineMeasures)[number];

/**
 * One second of the run. `due` and latencies count in the second of the due instant, `begun` and `sent` in their own
 * seconds, and outcomes in the second of the end. `begun`, `sent` and `ended` count attempts, `due` and outcomes
 * arrivals. So begun − ended, summed over all earlier seconds, is the number of exchanges in flight.
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
   * Tokens of completed answers, from all sources, in the second of their end. A stream adds one output token in the
   * second of each token event, and the rest in the second of the last event. If there are fewer tokens than events,
   * all count there.
   */
  inputTokens: count,
  outputTokens: count,
  /** The audio of completed answers in whole ms, and the characters spoken, in the second of the end. */
  audioReceived: count,
  audioSent: count,
  characters: count,
  latency: z.partialRecord(
    z.enum(trafficKinds),
    z.partialRecord(z.enum(timelineMeasures), encodedHistogramSchema),
  ),
});
export type TimelineSecond = z.infer<typeof timelineSecondSchema>;
