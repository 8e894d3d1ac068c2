import { z } from 'zod';

/**
 * The conditions on the answers of a traffic entry. An answer that breaks a condition is malformed. The conditions do
 * not change what is sent.
 */
export const expectationSchema = z.strictObject({
  json: z.boolean().optional(),
  /** A JSON Schema that the answer's text must satisfy. */
  schema: z.union([z.boolean(), z.record(z.string(), z.json())]).optional(),
  /** Whether the arguments of each tool call must be JSON. */
  toolArguments: z.boolean().optional(),
  /** A regular expression (with the flag u) that must match some part of the answer's text. */
  matches: z.string().optional(),
  /** The minimum length of the answer's text, in Unicode code points. */
  minLength: z.int().nonnegative().optional(),
});
export type Expectation = z.infer<typeof expectationSchema>;
