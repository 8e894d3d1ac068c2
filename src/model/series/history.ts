import { z } from 'zod';

/** A figure that the history stores of each finished run with valid figures. */

export const historyFigureSchema = z.strictObject({
  /** The name as in a comparison: traffic kind, model and name. */
  id: z.string(),
  label: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher', 'neither']),
  scale: z.enum(['ratio', 'difference']),
  /** The value in its unit; a share is 0 … 1. */
  value: z.number(),
  /** The smallest relevant changes: a ratio or a difference, and a value in the unit. */
  effect: z.number(),
  floor: z.number(),
});
export type HistoryFigure = z.infer<typeof historyFigureSchema>;

export const historyRunSchema = z.strictObject({
  /** The absolute path of the result. */
  file: z.string(),
  planHash: z.string(),
  plan: z.string(),
  target: z.string(),
  weir: z.string(),
  startedAt: z.iso.datetime(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  /** The verdicts on objectives, and on violated limits. */
  verdicts: z.array(
    z.strictObject({ text: z.string(), ruling: z.enum(['pass', 'fail', 'inconclusive']) }),
  ),
  figures: z.array(historyFigureSchema),
});
export type HistoryRun = z.infer<typeof historyRunSchema>;

export const storedRunSchema = historyRunSchema.extend({
  id: z.int().positive(),
  baselines: z.array(z.string()),
});
export type StoredRun = z.infer<typeof storedRunSchema>;
