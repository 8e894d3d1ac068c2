import { z } from 'zod';
import { milliseconds } from '../../model/quantity.ts';
import { millisecondsSchema } from '../../model/quantity-schema.ts';
import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';

/** Returns a test key by its index: `sk-weir-test`, `sk-weir-test-2`, … */
export const testKey = (index: number): string =>
  index === 0 ? 'sk-weir-test' : `sk-weir-test-${index + 1}`;

const port = z.int().min(0).max(65_535).default(0);

const traceLogSchema = z.strictObject({
  file: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('A file to which one JSON line is written for each request; null for none.'),
  keep: z.int().positive().default(1000).describe('How many of the last lines stay in memory.'),
});

/** All settings of the mock. Every field has a default that scripts can rely on. */
export const settingsSchema = mockSettingsSchema.extend({
  host: z.string().min(1).default('127.0.0.1').describe('The address to listen on.'),
  port: port.describe('The port of the public interface; 0 takes a free one.'),
  controlPort: port.describe('The port of the control interface; 0 takes a free one.'),
  requestTimeout: millisecondsSchema
    .refine((length) => length > 0, { error: 'expected a length above 0' })
    .default(milliseconds(300_000))
    .describe('How long a request may take to arrive; then it is answered with 408.'),
  keys: z
    .array(z.string().regex(/^[\x21-\x7e]+$/, 'expected a key of printable characters, no spaces'))
    .min(1)
    .refine((keys) => new Set(keys).size === keys.length, { error: 'expected each key once' })
    .default([0, 1, 2].map(testKey))
    .describe('The API keys that the mock accepts; each has its own limits.'),
  keyHeader: z
    .string()
    .min(1)
    .toLowerCase()
    .default('authorization')
    .describe(
      'The header in which requests send their key: "authorization" with the word Bearer, any other with the key alone.',
    ),
  seed: z
    .int()
    .nonnegative()
    .default(1)
    .describe('Answers are a pure function of this number and of the request.'),
  truth: traceLogSchema
    .nullable()
    .default(null)
    .describe('The log with one trace for each request; null for none.'),
});

export type SettingsInput = z.input<typeof settingsSchema>;
export type Settings = z.output<typeof settingsSchema>;

type Behaviour = z.output<typeof mockSettingsSchema>;

const behaviourFields = Object.keys(mockSettingsSchema.shape) as readonly (keyof Behaviour)[];

export const behaviourOf = (settings: Behaviour): Behaviour =>
  Object.fromEntries(behaviourFields.map((field) => [field, settings[field]])) as Behaviour;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges a change into settings. Groups are merged field by field, and any other value is replaced. */
const merge = (before: unknown, change: unknown): unknown => {
  if (!isRecord(before) || !isRecord(change)) return change;
  const fields = Object.entries(change).map(([name, value]) => [name, merge(before[name], value)]);
  return { ...before, ...Object.fromEntries(fields) };
};

export const changeBehaviour = (
  before: Behaviour,
  change: unknown,
): { readonly behaviour: Behaviour } | { readonly problem: string } => {
  const parsed = mockSettingsSchema.safeParse(merge(before, change));
  if (parsed.success) return { behaviour: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`,
  );
  return { problem: `The settings are unchanged: ${problems.join('; ')}.` };
};
