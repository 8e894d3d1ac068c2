import { z } from 'zod';

/** The form of `cache.json`, in which `weir cache` stores its findings about a prompt cache. Times are in ms. */

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

const repetition = z.strictObject({
  age: amount.describe(
    'The least time between both uses of the prompt: from its first answer until its beginning was sent again.',
  ),
  most: amount
    .optional()
    .describe('The most: from its first sending until its second answer; absent in old reports.'),
  hit: z.boolean().nullable().describe('Whether it came from the cache; null if that is unclear.'),
});
export type RepeatedPrompt = z.output<typeof repetition>;

const bounds = z.strictObject({
  kept: amount.nullable().describe('The most at which the prompt was still in the cache.'),
  lost: amount.nullable().describe('The least above that at which it was not.'),
});
export type KeptBounds = z.output<typeof bounds>;

const shareSchema = z.strictObject({ value: z.number(), low: z.number(), high: z.number() });
export type InferredShare = z.output<typeof shareSchema>;

export const cacheReportSchema = z.strictObject({
  format: z.literal('cache/1'),
  weir: z.string(),
  target: z.string(),
  model: z.string(),
  startedAt: z.string(),
  took: amount,
  spent: z.strictObject({
    requests: count,
    tokens: count,
    cost: amount.nullable().describe('In millionths of the currency, at most.'),
  }),
  stopped: z.string().nullable().describe('Why the examination ended early.'),
  seenBy: z
    .enum(['reported', 'timed'])
    .nullable()
    .describe('By cached tokens in usage, or by the time of answers; null if by neither.'),
  promptTokens: count.nullable().describe('The tokens of the prompts that were sent again.'),
  cachedTokens: count.nullable().describe('The most of them that were reported as cached.'),
  inferredShare: shareSchema
    .nullable()
    .describe('The share of such a prompt that is cached, by times, with an interval of 95 %.'),
  shortest: bounds.describe('Tokens of a prompt: `kept` is the shortest that is cached.'),
  age: bounds.describe(
    'How long a prompt stays in the cache: at least `kept`, which one had when it was still there, and at most `lost`.',
  ),
  isSteady: z
    .boolean()
    .describe('Whether no prompt was lost at a lower age than another was kept.'),
  repetitions: z.array(repetition),
  others: bounds.describe('Tokens of other prompts that came meanwhile.'),
});
export type CacheReport = z.output<typeof cacheReportSchema>;

export const cacheJsonSchema = (): object => ({
  title: 'What weir cache saw, cache/1',
  ...z.toJSONSchema(cacheReportSchema),
});
