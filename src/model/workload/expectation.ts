import { z } from 'zod';

/**
 * The conditions that the answers of an entry must meet, otherwise they are malformed. They change nothing that is
 * sent.
 */
export const expectationSchema = z.strictObject({
  json: z.boolean().optional(),
  /** A JSON Schema that the text must satisfy. */
  schema: z.union([z.boolean(), z.record(z.string(), z.json())]).optional(),
  /** Whether the arguments of each tool call must be JSON. */
  toolArguments: z.boolean().optional(),
  /** A regular expression, with the flag u, that the text must match somewhere. */
  matches: z.string().optional(),
  /** The minimum length, in Unicode code points. */
  minLength: z.int().nonnegative().optional(),
});
export type Expectation = z.infer<typeof expectationSchema>;
