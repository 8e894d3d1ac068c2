import { z } from 'zod';

/** A figure of a finished run in the history. */
export const historyFigureSchema = z.strictObject({
  /** The figure's name, as in a comparison: traffic kind, model and name. */
  id: z.string(),
  label: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher', 'neither']),
  scale: z.enum(['ratio', 'difference']),
  /** The value in the unit of the figure. A share is between 0 and 1. */
  value: z.number(),
  /** The smallest relevant change: a ratio minus 1, or a difference of shares. `floor` is in the unit of the figure. */
  effect: z.number(),
  floor: z.number(),
});
export type HistoryFigure = z.infer<typeof historyFigureSchema>;

export const historyRunSchema = z.strictObject({
  /** The absolute path of the result file. */
  file: z.string(),
  planHash: z.string(),
  plan: z.string(),
  target: z.string(),
  weir: z.string(),
  startedAt: z.iso.datetime(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  /** The verdicts on the objectives. If the run judges its limits, the verdict on them is included. */
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
