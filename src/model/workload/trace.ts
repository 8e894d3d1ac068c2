import { z } from 'zod';
import { sha256Schema } from './prompt-source.ts';
import { millisecondsSchema } from '../quantity-schema.ts';

export const traceFormats = ['mooncake', 'bailian', 'guidellm', 'azure', 'burstgpt'] as const;
export type TraceFormat = (typeof traceFormats)[number];

export const traceUnits = ['ns', 'us', 'ms', 's'] as const;
export type TraceUnit = (typeof traceUnits)[number];
export const unitNames = {
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
} as const satisfies Record<TraceUnit, string>;
/**
 * Returns whether the true unit of time may be longer than the assumed unit. Seconds are the longest unit, so the unit
 * `s` is never doubtful.
 */
export const isDoubtful = (unit: TraceUnit | undefined): unit is TraceUnit =>
  unit !== undefined && unit !== 's';
export const askUnit = 'which unit are they? Write it beside "file", for example unit: s';
export const askOtherUnit = 'which unit are they? Write it beside "file", for example unit: ms';

const unitSchema = z.enum(traceUnits);

const selectionFields = {
  file: z.string().min(1),
  /** The unit of the trace's times. If the field is absent, the content of the trace decides the unit. */
  unit: unitSchema.optional(),
  /** The speed of the replay; 1 is the speed of the recording. */
  speed: z.number().positive(),
  /**
   * The selected part of the trace begins this many recorded ms after the first request, and ends just before `until`.
   */
  from: millisecondsSchema,
  until: millisecondsSchema.nullable(),
  /** Longer prompts are cut to this many tokens; `null` for no limit. */
  maxInputTokens: z.int().positive().nullable(),
  maxOutputTokens: z.int().positive().nullable(),
};
const traceSelectionSchema = z.strictObject(selectionFields);
export type TraceSelection = z.infer<typeof traceSelectionSchema>;

const count = z.int().nonnegative();

const traceFactsSchema = z.strictObject({
  format: z.enum(traceFormats),
  /** The unit of the trace's times; absent if the times are dates, and in old results. */
  unit: unitSchema.optional(),
  sha256: sha256Schema,
  requests: z.int().positive(),
  inputTokens: count,
  outputTokens: count,
  /** How long the replay takes at its speed, from its start until just after its last arrival. */
  duration: millisecondsSchema,
  /** The highest number of requests within any second of the replay; absent in old results. */
  busiestSecond: count.optional(),
  /** The highest number of requests, and the highest number of tokens, within any minute of the replay. */
  busiestMinute: z.strictObject({ requests: count, tokens: count }),
  clipped: z.strictObject({
    outside: count,
    inputs: count,
    outputs: count,
    /**
     * How many prompts and answers have no tokens in the trace, for example those of failed requests. Each of them is
     * replayed with one token.
     */
    raised: count,
  }),
  /** For each field that is not replayed, the number of requests with it; absent if every field is replayed. */
  unread: z.record(z.string(), count).optional(),
});
export type TraceFacts = z.infer<typeof traceFactsSchema>;

export const traceLoadSchema = z.strictObject({
  kind: z.literal('trace'),
  ...selectionFields,
  facts: traceFactsSchema,
});
export type TraceLoad = z.infer<typeof traceLoadSchema>;

/** The arrivals of the selected part of a trace, in order of time. */
export interface Trace {
  readonly count: number;
  /** Returns when an arrival is due at the speed of the replay, in ms after the start of the replay. */
  dueAt(index: number): number;
  inputTokens(index: number): number;
  outputTokens(index: number): number;
  /** The number of tokens of a block. Only the last block of a prompt may be shorter. */
  readonly blockTokens: number;
  /** Returns the ids of the prompt's blocks. Two prompts whose first ids are equal start with the same text. */
  blocksOf(index: number): readonly number[];
}
