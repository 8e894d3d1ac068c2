import { trafficKinds } from '../workload/traffic.ts';
import { tokenSumsSchema } from './token-sums.ts';
import { gaveUpNames } from '../observation/attempt.ts';
import { measureNames } from './measures.ts';
import { encodedHistogramSchema } from './histogram.ts';
import { z } from 'zod';
import { answerNoteNames, outcomeKinds } from '../observation/outcome.ts';

export const count = z.int().nonnegative();

/** What figures are kept apart by. `stage` is the stage's name, `key` the key's name. */
export const labelsSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  /** The name of the traffic entry, where it has one. */
  entry: z.string().optional(),
  key: z.string(),
  stage: z.string(),
  /** Due within the warm-up: counted, and left out of every figure. */
  warmUp: z.boolean(),
});

export type Labels = z.infer<typeof labelsSchema>;

/** How many arrivals came to each end; together every arrival that was due. */
export const outcomeCountsSchema = z.strictObject(
  Object.fromEntries(outcomeKinds.map((kind) => [kind, count])) as Record<
    (typeof outcomeKinds)[number],
    typeof count
  >,
);

export type OutcomeCounts = z.infer<typeof outcomeCountsSchema>;

/** All arrivals that share their labels. */
export const groupSchema = z.strictObject({
  labels: labelsSchema,
  outcomes: outcomeCountsSchema,
  /** Arrivals of which at least the first byte of one attempt was written. */
  sent: count,
  /** Exchanges that were begun, first attempts and further ones; and arrivals that had more than one. */
  attempts: count,
  retried: count,
  /** Arrivals that failed in a way that the plan tries again, by why they were not. */
  gaveUp: z.partialRecord(z.enum(gaveUpNames), count),
  tokens: z.array(tokenSumsSchema),
  /** Streams that were flagged as buffered (fake streaming). */
  buffered: count,
  /** Token events that shared a socket read with an earlier one, and all token events. */
  coalescedEvents: count,
  tokenEvents: count,
  /** Of all attempts. */
  connections: z.strictObject({ new: count, reused: count }),
  /** How many completed answers had each oddity that was tolerated. */
  notes: z.partialRecord(z.enum(answerNoteNames), count),
  /**
   * Completed requests that kept all per-request objectives of the plan, and how many kept each, in
   * their order; absent where the plan has none.
   */
  good: z.strictObject({ all: count, each: z.array(count) }).optional(),
  /** One histogram per measure that has samples. */
  distributions: z.partialRecord(z.enum(measureNames), encodedHistogramSchema),
});

export type Group = z.infer<typeof groupSchema>;

/**
 * The distributions that are also kept per second, apart by kind of traffic, at two digits, by the
 * second in which the request was due.
 */
export const timelineMeasures = ['ttft', 'firstAudio', 'gap', 'endToEnd', 'lag'] as const;

export type TimelineMeasure = (typeof timelineMeasures)[number];

/**
 * One second of the run. `due` and the latencies belong to the second of the due instant, `begun`
 * and `sent` to their own, outcomes to the second in which they ended. Exchanges in flight at a
 * second's begin are the sum of begun − ended over all earlier seconds: these and `sent` count every
 * attempt, `due` and outcomes each arrival once. Counts are of all traffic;
 * latencies are kept apart by kind, since a model list takes milliseconds where a chat takes seconds.
 */
export const timelineSecondSchema = z.strictObject({
  second: count,
  due: count,
  /** Acted on; dropped arrivals are not in it. */
  begun: count,
  sent: count,
  /** Attempts that ended; dropped arrivals are not in it. */
  ended: count,
  outcomes: outcomeCountsSchema,
  /** The completed ones by kind of traffic, where there are any. */
  completed: z.partialRecord(z.enum(trafficKinds), count),
  tokenEvents: count,
  /**
   * Tokens of completed answers, from all sources together: which there are, the groups tell. Of a
   * stream, one output token in the second of each token event and the rest in the last one's (all
   * of them there if they are fewer than the events); all others in the second of the end.
   */
  inputTokens: count,
  outputTokens: count,
  /** Audio of completed answers in whole milliseconds, and characters spoken, in the second of the end. */
  audioReceived: count,
  audioSent: count,
  characters: count,
  latency: z.partialRecord(
    z.enum(trafficKinds),
    z.partialRecord(z.enum(timelineMeasures), encodedHistogramSchema),
  ),
});

export type TimelineSecond = z.infer<typeof timelineSecondSchema>;

/**
 * The written form of a run, `result/1`: everything reports and judges read, nothing secret, and
 * mergeable with the results of the other slices of the same plan. Its JSON Schema is published
 * as `reports/result.schema.json`.
 */
