import { trafficKinds } from '../workload/traffic.ts';
import { gaveUpNames } from '../observation/attempt.ts';
import { measureNames } from './measures.ts';
import { delaysSchema } from './read-delays.ts';
import { encodedHistogramSchema } from './histogram.ts';
import { z } from 'zod';
import { longestRun } from '../quantity.ts';
import { answerNoteNames, outcomeKinds, tokenSources } from '../observation/outcome.ts';

export const count = z.int().nonnegative();

/** A whole second of a run. */
export const secondSchema = count.max(longestRun / 1000);

/** More groups than any plan has: the stages, traffic entries and keys of a result multiply. */
export const maxGroups = 20_000;

/** What figures are grouped by; `stage` and `key` are names. */
export const labelsSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  entry: z.string().optional(),
  key: z.string(),
  stage: z.string(),
  /** Due within the warm-up: counted, and left out of every figure. */
  warmUp: z.boolean(),
});
export type Labels = z.infer<typeof labelsSchema>;

/** Arrivals by outcome; together every arrival that was due. */
export const outcomeCountsSchema = z.strictObject(
  Object.fromEntries(outcomeKinds.map((kind) => [kind, count])) as Record<
    (typeof outcomeKinds)[number],
    typeof count
  >,
);
export type OutcomeCounts = z.infer<typeof outcomeCountsSchema>;

/** Token sums of completed answers, separately for each source of the counts. */
export const tokenSumsSchema = z.strictObject({
  source: z.enum(tokenSources),
  answers: count,
  /** How many of these answers reported their input tokens; `input` is the sum of those. */
  answersWithInput: count,
  input: count,
  output: count,
  /** Answers to prompts of a set length: how many reported their input, and the tokens requested and reported. */
  made: z.strictObject({ answers: count, asked: count, input: count }).optional(),
});
export type TokenSums = z.infer<typeof tokenSumsSchema>;

export const groupSchema = z.strictObject({
  labels: labelsSchema,
  outcomes: outcomeCountsSchema,
  /** Arrivals of which at least the first byte of one attempt was written. */
  sent: count,
  /** Attempts that were started, and arrivals that had more than one. */
  attempts: count,
  retried: count,
  /** Arrivals whose failure the plan would retry and that were not retried, by reason. */
  gaveUp: z.partialRecord(z.enum(gaveUpNames), count),
  tokens: z.array(tokenSumsSchema),
  /** Streams flagged as buffered (fake streaming). */
  buffered: count,
  /** Token events that shared a socket read with an earlier one, and all token events. */
  coalescedEvents: count,
  tokenEvents: count,
  /** Over all attempts; `ahead` is absent where none was opened ahead. */
  connections: z.strictObject({ new: count, ahead: count.optional(), reused: count }),
  /** Attempts that met a connection which the server had closed, and went once more on a new one; absent where none did. */
  reconnected: count.optional(),
  /** Completed answers with each tolerated deviation. */
  notes: z.partialRecord(z.enum(answerNoteNames), count),
  /**
   * Completed requests that met all per-request objectives of the plan, and how many met each, in
   * plan order; absent if the plan has none.
   */
  good: z.strictObject({ all: count, each: z.array(count) }).optional(),
  /** One histogram per measure that has samples. */
  distributions: z.partialRecord(z.enum(measureNames), encodedHistogramSchema),
  /** How late the instants of completed requests can be; absent in results of earlier versions. */
  delays: delaysSchema.optional(),
});
export type Group = z.infer<typeof groupSchema>;

/** The distributions that are also kept per second and traffic kind, at two digits, by the second of the due instant. */
export const timelineMeasures = ['ttft', 'firstAudio', 'gap', 'endToEnd', 'lag'] as const;
export type TimelineMeasure = (typeof timelineMeasures)[number];

/**
 * One second of the run. `due` and the latencies belong to the second of the due instant, `begun`
 * and `sent` to their own, outcomes to the second in which they ended. The exchanges in flight at the
 * start of a second are the sum of begun − ended over all earlier seconds: these and `sent` count every
 * attempt; `due` and outcomes count each arrival once.
 */
export const timelineSecondSchema = z.strictObject({
  second: secondSchema,
  due: count,
  /** Attempts started, without dropped arrivals. */
  begun: count,
  sent: count,
  /** Attempts that ended, without dropped arrivals. */
  ended: count,
  outcomes: outcomeCountsSchema,
  completed: z.partialRecord(z.enum(trafficKinds), count),
  tokenEvents: count,
  /**
   * Tokens of completed answers, from all sources together. A stream adds one output token in the
   * second of each token event and the remaining ones in the last event's second (all of them there if
   * they are fewer than the events); all other answers add theirs in the second of their end.
   */
  inputTokens: count,
  outputTokens: count,
  /** Audio of completed answers in whole milliseconds, and characters spoken, in the second of their end. */
  audioReceived: count,
  audioSent: count,
  characters: count,
  latency: z.partialRecord(
    z.enum(trafficKinds),
    z.partialRecord(z.enum(timelineMeasures), encodedHistogramSchema),
  ),
});
export type TimelineSecond = z.infer<typeof timelineSecondSchema>;
