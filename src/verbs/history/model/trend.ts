import { z } from 'zod';
import { historyFigureSchema, storedRunSchema } from '../../../model/series/history.ts';

/** The trends of the runs of one plan, and the rules by which a change of level is found. */

/** The first run of a new level of a figure. */
const changeSchema = z.strictObject({
  run: z.int().positive(),
  /**
   * The level before the change; then the level from this run to the next change. They are geometric means, for shares
   * means.
   */
  before: z.number(),
  after: z.number(),
  /** The probability of such a split without any change. */
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
  /** The maximum number of runs that are searched; older runs are only drawn. */
  maxRuns: 200,
} as const;
