import { z } from 'zod';
import { sha256Schema } from './prompt-source.ts';
import { millisecondsSchema } from '../quantity.ts';

/** Recorded arrivals of a real service, to be replayed. */

/** The published forms of traces that are read unchanged. */
export const traceFormats = ['mooncake', 'azure', 'burstgpt'] as const;
export type TraceFormat = (typeof traceFormats)[number];

/** The part of a trace that is replayed, and how. */
const selectionFields = {
  file: z.string().min(1),
  /** How many times as fast as it was recorded. */
  speed: z.number().positive(),
  /** Since the trace's first request, at its own pace; `until` is excluded, `null` is the end. */
  from: millisecondsSchema,
  until: millisecondsSchema.nullable(),
  /** Longer prompts and answers are clipped to so many tokens; `null` clips none. */
  maxInputTokens: z.int().positive().nullable(),
  maxOutputTokens: z.int().positive().nullable(),
};
const traceSelectionSchema = z.strictObject(selectionFields);
export type TraceSelection = z.infer<typeof traceSelectionSchema>;

const count = z.int().nonnegative();

/** What a cut of a trace needs, known before it runs. */
const traceFactsSchema = z.strictObject({
  format: z.enum(traceFormats),
  sha256: sha256Schema,
  requests: z.int().positive(),
  inputTokens: count,
  outputTokens: count,
  /** From the cut's begin to a moment after its last arrival, replayed at the cut's speed. */
  duration: millisecondsSchema,
  /** The most within any minute of the replay: by requests, and by tokens in and out. */
  busiestMinute: z.strictObject({ requests: count, tokens: count }),
  clipped: z.strictObject({
    /** Requests of the file outside `from` and `until`. */
    outside: count,
    inputs: count,
    outputs: count,
    /** Empty prompts or answers (failed requests of the recorded service) that became one token. */
    raised: count,
  }),
});
export type TraceFacts = z.infer<typeof traceFactsSchema>;

export const traceLoadSchema = z.strictObject({
  kind: z.literal('trace'),
  ...selectionFields,
  facts: traceFactsSchema,
});
export type TraceLoad = z.infer<typeof traceLoadSchema>;

/** The arrivals of a cut trace, in order of their time, counted from 0. */
export interface Trace {
  readonly count: number;
  /** Milliseconds since the cut's begin, at the cut's speed. */
  dueAt(index: number): number;
  inputTokens(index: number): number;
  outputTokens(index: number): number;
  /** The numbers of the prompt's blocks of 512 tokens: where two prompts begin with the same, they begin alike. */
  blocksOf(index: number): readonly number[];
}
