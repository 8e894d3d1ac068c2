import { z } from 'zod';

/**
 * This file defines the lines of JSON that a run and the process of its live page send to each other. The run also
 * sends the lines of its checkpoint, unchanged.
 */

/** The first line that the run sends to the process of the live page. */
export const pageSetupSchema = z.strictObject({
  /** The port on 127.0.0.1; 0 means any free port. */
  port: z.int().nonnegative(),
  weir: z.string(),
  name: z.string(),
  /** The planned length of the load, in ms. */
  planned: z.number(),
  report: z.string(),
});
export type PageSetup = z.infer<typeof pageSetupSchema>;

export const toPageSchema = z.strictObject({
  live: z.union([
    z.strictObject({
      progress: z.strictObject({
        elapsed: z.number(),
        due: z.number(),
        inFlight: z.number(),
        /** All requests that were due before this moment have ended; absent if the moment is unknown. */
        endedBefore: z.number().optional(),
      }),
    }),
    /** The finished report; `null` if the report could not be written. */
    z.strictObject({ finished: z.string().nullable() }),
  ]),
});
export type ToPage = z.infer<typeof toPageSchema>['live'];

/** The first line that the process of the live page sends to the run. */
export const pageReadySchema = z.union([
  z.strictObject({ address: z.string() }),
  /** The reason why the process of the live page cannot listen on the port. */
  z.strictObject({ problem: z.string() }),
]);

export const fromPageSchema = z.union([
  z.strictObject({ readers: z.number() }),
  z.strictObject({ stop: z.literal(true) }),
]);
