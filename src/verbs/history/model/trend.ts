import { z } from 'zod';
import { historyFigureSchema, storedRunSchema } from '../../../model/series/history.ts';

/**
 * This file defines trends: how the figures of a plan develop from run to run, and by which rules a lasting change is
 * found.
 */

/** A lasting change of a figure. `run` is the first run after the change. */
const changeSchema = z.strictObject({
  run: z.int().positive(),
  /**
   * The mean over the runs between the previous change and this change (`before`), and over the runs between this
   * change and the next (`after`). The mean is geometric, except for shares.
   */
  before: z.number(),
  after: z.number(),
  /** The probability that a series without any change would split at least this clearly. */
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

/** All runs with the same plan hash, the oldest first, with their main figures. */
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
  /**
   * Changes are searched only in a series of at least this many runs. If a change is found, the runs before and the
   * runs after the change are searched by the same rule.
   */
  minRuns: 12,
  minLevelRuns: 3,
  /** A figure that never changed is reported as changed with this probability. */
  alpha: 0.01,
  permutations: 999,
  /** A change is searched among at most this many latest runs. Older runs are only shown. */
  maxRuns: 200,
} as const;
