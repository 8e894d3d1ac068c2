import { trafficKinds } from '../workload/traffic.ts';
import { gaveUpNames } from '../observation/attempt.ts';
import { billsSchema } from './bill.ts';
import { prefillSumsSchema } from './prefill.ts';
import { usageAuditSchema } from './usage-audit.ts';
import { measureNames, measuresOfFirst } from './measures.ts';
import { delaysSchema } from './read-delays.ts';
import { encodedHistogramSchema } from './histogram.ts';
import { z } from 'zod';
import { longestRun } from '../quantity.ts';
import { answerNoteNames, outcomeKinds, tokenSources } from '../observation/outcome.ts';

export const count = z.int().nonnegative();

export const secondSchema = count.max(longestRun / 1000);

/**
 * The maximum number of groups. The numbers of stages, traffic entries and keys multiply, but no real plan needs this
 * many groups.
 */
export const maxGroups = 20_000;

export const labelsSchema = z.strictObject({
  traffic: z.enum(trafficKinds),
  model: z.string().nullable(),
  entry: z.string().optional(),
  key: z.string(),
  stage: z.string(),
  /** The population of the stage; absent in a plan without populations. */
  population: z.string().exactOptional(),
  /** The named target of the population; absent if the plan's only target has no name. */
  target: z.string().exactOptional(),
  /** Whether the requests were due during the warm-up. No figure contains such requests. */
  warmUp: z.boolean(),
  /**
   * The possible ends of the warm-up divide the warm-up into parts. The requests were due in the part with this index.
   * Part 0 is before the first possible end. Absent once the run has found the end of the warm-up.
   */
  warmUpPart: z.int().nonnegative().optional(),
});
export type Labels = z.infer<typeof labelsSchema>;

/**
 * How many answers had a finish reason. The reason is in the server's spelling; `others` stands for all reasons beyond
 * a maximum number of reasons.
 */
const finishCountSchema = z.strictObject({ reason: z.string(), count });

/** How many of the arrivals that were due had each outcome. In old results, no arrival is cancelled. */
export const outcomeCountsSchema = z.strictObject({
  ...(Object.fromEntries(outcomeKinds.map((kind) => [kind, count])) as Record<
    (typeof outcomeKinds)[number],
    typeof count
  >),
  cancelled: count.default(0),
});
export type OutcomeCounts = z.infer<typeof outcomeCountsSchema>;

/** The sums of tokens over completed answers whose token counts come from the same source. */
export const tokenSumsSchema = z.strictObject({
  source: z.enum(tokenSources),
  answers: count,
  /** How many of these answers reported their input tokens, and the sum of the reported input tokens (`input`). */
  answersWithInput: count,
  input: count,
  output: count,
  /**
   * The answers to prompts of a set length. `answers` counts the answers that reported their input tokens. `asked` is
   * the sum of the requested tokens, and `input` the sum of the reported tokens.
   */
  made: z.strictObject({ answers: count, asked: count, input: count }).optional(),
  /**
   * The answers that report the cached tokens of their prompts: the number of answers, and the sums of their input
   * tokens and cached tokens.
   */
  cached: z.strictObject({ answers: count, input: count, tokens: count }).optional(),
  /**
   * The answers to prompts that may begin like earlier prompts: the number of answers, and the sums of their input
   * tokens and repeated tokens.
   */
  repeated: z.strictObject({ answers: count, input: count, tokens: count }).optional(),
});
export type TokenSums = z.infer<typeof tokenSumsSchema>;

/** The arrivals on which the client planned to hang up. */
const hangUpsSchema = z.strictObject({
  /** The outcomes of these arrivals. An arrival with any other outcome than `cancelled` ended before its hang-up. */
  outcomes: outcomeCountsSchema,
  /** How many cancelled arrivals had received the head of an answer. */
  headers: count,
  /** What the cancelled arrivals had received: token events of streams, and bytes of bodies. */
  tokenEvents: count,
  bytes: count,
  /** The times from sending to the hang-up, each rounded to whole ms, added up. */
  time: count,
});
export type HangUps = z.infer<typeof hangUpsSchema>;

export const groupSchema = z.strictObject({
  labels: labelsSchema,
  outcomes: outcomeCountsSchema,
  /** Absent without planned hang-ups. */
  hangUps: hangUpsSchema.optional(),
  /** How many arrivals had at least one attempt whose first byte was written. */
  sent: count,
  /** The number of attempts. `retried` is the number of arrivals with more than one attempt. */
  attempts: count,
  retried: count,
  /** By reason, how many arrivals were not retried although the plan retries their kind of failure. */
  gaveUp: z.partialRecord(z.enum(gaveUpNames), count),
  tokens: z.array(tokenSumsSchema),
  /** The cost of the attempts; absent in old results. */
  bills: billsSchema.optional(),
  /** What the usage checks of completed answers found; absent if no answer was checked, and in old results. */
  usageAudit: usageAuditSchema.optional(),
  buffered: count,
  /**
   * The number of token events that arrived in the same read as an earlier token event. `tokenEvents` counts all token
   * events.
   */
  coalescedEvents: count,
  tokenEvents: count,
  /**
   * The number of connections of all attempts, by origin. `ahead` is present only if connections were opened in
   * advance.
   */
  connections: z.strictObject({ new: count, ahead: count.optional(), reused: count }),
  /**
   * How many attempts were sent again on a new connection because the server had closed the first connection; absent if
   * none.
   */
  reconnected: count.optional(),
  /** The number of completed answers with each tolerated deviation. */
  notes: z.partialRecord(z.enum(answerNoteNames), count),
  /**
   * How many completed and failed chats had each finish reason, in text order; absent for other traffic and in old
   * results.
   */
  finishes: z.array(finishCountSchema).optional(),
  /**
   * `all` is the number of completed requests that met all per-request objectives. `each` lists, for each of these
   * objectives in plan order, how many completed requests met it. Absent without per-request objectives.
   */
  good: z.strictObject({ all: count, each: z.array(count) }).optional(),
  /** The distributions of the measures over completed requests. */
  distributions: z.partialRecord(z.enum(measureNames), encodedHistogramSchema),
  /**
   * For answers that failed after their first token or audio, the times to this first token or audio; absent without
   * such answers, and in old results.
   */
  partials: z.partialRecord(z.enum(measuresOfFirst), encodedHistogramSchema).optional(),
  /** How late Weir may have read events (`read-delays.ts`); absent in old results. */
  delays: delaysSchema.optional(),
});
export type Group = z.infer<typeof groupSchema>;

/** The measures whose distributions are also recorded for each second and traffic kind, with two significant digits. */
export const timelineMeasures = ['ttft', 'firstAudio', 'gap', 'endToEnd', 'lag'] as const;
export type TimelineMeasure = (typeof timelineMeasures)[number];

/**
 * One second of the run. `due` and latencies count in the second of the due instant. `begun` and `sent` count in the
 * second in which the attempt began or was sent. `ended` and outcomes count in the second of the end. `begun`, `sent`
 * and `ended` count attempts; `due` and outcomes count arrivals. So the number of exchanges in flight at the start of a
 * second is the sum of begun − ended over all earlier seconds.
 */
export const timelineSecondSchema = z.strictObject({
  second: secondSchema,
  due: count,
  begun: count,
  sent: count,
  ended: count,
  outcomes: outcomeCountsSchema,
  completed: z.partialRecord(z.enum(trafficKinds), count),
  /**
   * The arrivals due in this second on which the client planned to hang up: their number (`due`), and how many of them
   * completed before the hang-up (`completed`). Their latencies are not recorded. Absent without such arrivals.
   */
  toCancel: z
    .strictObject({ due: count, completed: z.partialRecord(z.enum(trafficKinds), count) })
    .optional(),
  tokenEvents: count,
  /**
   * The tokens of completed answers, from any source of token counts. They count in the second in which the answer
   * ended. Only the output tokens of a stream are spread over seconds: each token event counts one token in its own
   * second, and the last event counts all remaining tokens. If a stream has fewer tokens than events, all tokens count
   * in the second of the last event.
   */
  inputTokens: count,
  outputTokens: count,
  /** The input tokens and the cached tokens of the answers that report cached tokens; absent without such answers. */
  cached: z.strictObject({ input: count, tokens: count }).optional(),
  /** The sums (`prefill.ts`) over the streams whose repeated tokens are known; absent without such streams. */
  prefill: prefillSumsSchema.optional(),
  /**
   * How much audio completed requests received and sent, in ms, and how many characters were spoken. All count in the
   * second in which the answer ended.
   */
  audioReceived: count,
  audioSent: count,
  characters: count,
  latency: z.partialRecord(
    z.enum(trafficKinds),
    z.partialRecord(z.enum(timelineMeasures), encodedHistogramSchema),
  ),
});
export type TimelineSecond = z.infer<typeof timelineSecondSchema>;
