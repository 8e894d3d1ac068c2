import { z } from 'zod';

/**
 * What a run and the process that serves its live page write to each other, a JSON line each. The run also writes the lines of its
 * checkpoint as they are.
 */

/** The first line to the process. */
export const pageSetupSchema = z.strictObject({
  /** Of 127.0.0.1; 0 for any free one. */
  port: z.int().nonnegative(),
  weir: z.string(),
  name: z.string(),
  /** How long the load is planned to be, in ms. */
  planned: z.number(),
  /** The path of the report that the run will write. */
  report: z.string(),
});
export type PageSetup = z.infer<typeof pageSetupSchema>;

export const toPageSchema = z.strictObject({
  live: z.union([
    z.strictObject({
      progress: z.strictObject({ elapsed: z.number(), due: z.number(), inFlight: z.number() }),
    }),
    /** The finished report; `null` if it could not be written. */
    z.strictObject({ finished: z.string().nullable() }),
  ]),
});
export type ToPage = z.infer<typeof toPageSchema>['live'];

/** The first line of the process. */
export const pageReadySchema = z.union([
  z.strictObject({ address: z.string() }),
  /** Why it cannot listen. */
  z.strictObject({ problem: z.string() }),
]);

/** The lines after it. */
export const fromPageSchema = z.union([
  z.strictObject({ readers: z.number() }),
  z.strictObject({ stop: z.literal(true) }),
]);
