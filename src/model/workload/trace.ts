import { z } from 'zod';
import { sha256Schema } from './prompt-source.ts';
import { millisecondsSchema } from '../quantity-schema.ts';

/** Formats of published traces of real services. */
export const traceFormats = ['mooncake', 'bailian', 'guidellm', 'azure', 'burstgpt'] as const;
export type TraceFormat = (typeof traceFormats)[number];

/** Units of the numbers that are a trace's times. */
export const traceUnits = ['ns', 'us', 'ms', 's'] as const;
export type TraceUnit = (typeof traceUnits)[number];
/** The units in words. */
export const unitNames = {
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
} as const satisfies Record<TraceUnit, string>;
/** Decides whether a unit that nobody named can be too short: there is no longer one than the second. */
export const isDoubtful = (unit: TraceUnit | undefined): unit is TraceUnit =>
  unit !== undefined && unit !== 's';
/** Asks for the unit of a trace's times. */
export const askUnit = 'which unit are they? Write it beside "file", for example unit: s';

const unitSchema = z.enum(traceUnits);

const selectionFields = {
  file: z.string().min(1),
  /** The unit of its times by the scenario; absent if the content decides. */
  unit: unitSchema.optional(),
  /** Speed relative to the recording. */
  speed: z.number().positive(),
  /** Recorded time since the first request; `until` is exclusive, `null` is the end. */
  from: millisecondsSchema,
  until: millisecondsSchema.nullable(),
  /** Longer prompts and answers are clipped to this many tokens; `null`: no clipping. */
  maxInputTokens: z.int().positive().nullable(),
  maxOutputTokens: z.int().positive().nullable(),
};
const traceSelectionSchema = z.strictObject(selectionFields);
export type TraceSelection = z.infer<typeof traceSelectionSchema>;

const count = z.int().nonnegative();

const traceFactsSchema = z.strictObject({
  format: z.enum(traceFormats),
  /** The unit of its times, where they are numbers; older results do not have it. */
  unit: unitSchema.optional(),
  sha256: sha256Schema,
  requests: z.int().positive(),
  inputTokens: count,
  outputTokens: count,
  /** From its start to just after the last arrival, at its speed. */
  duration: millisecondsSchema,
  /** Maximum requests within any second of the replay; older results do not have it. */
  busiestSecond: count.optional(),
  /** Maximum requests, and input and output tokens, within any minute of the replay. */
  busiestMinute: z.strictObject({ requests: count, tokens: count }),
  clipped: z.strictObject({
    /** Requests of the file outside `from` and `until`. */
    outside: count,
    inputs: count,
    outputs: count,
    /** Empty prompts or answers (failed requests of the service) that became one token. */
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

/** The arrivals of the selected part of a trace in order of time. */
export interface Trace {
  readonly count: number;
  /** Milliseconds since its start, at its speed. */
  dueAt(index: number): number;
  inputTokens(index: number): number;
  outputTokens(index: number): number;
  /** The number of tokens in a block. The last block of a prompt may be shorter. */
  readonly blockTokens: number;
  /** Ids of the prompt's blocks: prompts that start with the same ids start with the same text. */
  blocksOf(index: number): readonly number[];
}
