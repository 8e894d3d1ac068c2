import { z } from 'zod';

/**
 * What the history stores of every finished run with valid figures, and the trends of the runs of one
 * plan. The history refers to a run's result file by path.
 */

const historyFigureSchema = z.strictObject({
  /** As in a comparison: traffic kind, model and name. */
  id: z.string(),
  label: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher', 'neither']),
  /** `difference` for failure rates. */
  scale: z.enum(['ratio', 'difference']),
  /** In the unit; a share is 0 … 1. */
  value: z.number(),
  /** Smaller changes are irrelevant: a share of the value (a difference of failure rates), and a value in its unit. */
  effect: z.number(),
  floor: z.number(),
});
export type HistoryFigure = z.infer<typeof historyFigureSchema>;

const historyVerdictsSchema = z.array(
  z.strictObject({ text: z.string(), ruling: z.enum(['pass', 'fail', 'inconclusive']) }),
);

export const historyRunSchema = z.strictObject({
  /** Absolute path of the result. */
  file: z.string(),
  planHash: z.string(),
  plan: z.string(),
  target: z.string(),
  weir: z.string(),
  startedAt: z.iso.datetime(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  /** Of the objectives, and of the limits if they are violated. */
  verdicts: historyVerdictsSchema,
  figures: z.array(historyFigureSchema),
});
export type HistoryRun = z.infer<typeof historyRunSchema>;

export const storedRunSchema = historyRunSchema.extend({
  id: z.int().positive(),
  baselines: z.array(z.string()),
});
export type StoredRun = z.infer<typeof storedRunSchema>;

/** The first run of a new level of a figure. */
const changeSchema = z.strictObject({
  run: z.int().positive(),
  /** The level before, and from this run to the next change: geometric means; of shares, means. */
  before: z.number(),
  after: z.number(),
  /** The probability of such a split if nothing changed. */
  p: z.number(),
  direction: z.enum(['worse', 'better', 'other']),
});
export type LevelChange = z.infer<typeof changeSchema>;

const trendFigureSchema = historyFigureSchema
  .omit({ value: true, effect: true, floor: true })
  .extend({
    points: z.array(z.strictObject({ run: z.int().positive(), value: z.number() })),
    changes: z.array(changeSchema),
  });
export type TrendFigure = z.infer<typeof trendFigureSchema>;

/** All runs with one plan hash, oldest first, with their main figures. */
const trendSchema = z.strictObject({
  planHash: z.string(),
  plan: z.string(),
  target: z.string(),
  runs: z.array(storedRunSchema).min(1),
  figures: z.array(trendFigureSchema),
});
export type Trend = z.infer<typeof trendSchema>;

export const historySchema = z.strictObject({
  format: z.literal('history/1'),
  weir: z.string(),
  trends: z.array(trendSchema),
});

export const changeRules = {
  /** Change detection starts at this many runs, also after a change. */
  minRuns: 12,
  minLevelRuns: 3,
  /** The probability of reporting a change if the level never changed. */
  alpha: 0.01,
  permutations: 999,
  /** Older runs are drawn but not searched. */
  maxRuns: 200,
} as const;
