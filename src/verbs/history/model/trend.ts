import { z } from 'zod';
import { historyFigureSchema, storedRunSchema } from '../../../model/series/history.ts';

/** This file defines the trends of the runs of one plan, and the rules by which a change of level is found. */

/** A change of a figure's level: the first run of the new level. */
const changeSchema = z.strictObject({
  run: z.int().positive(),
  /**
   * The level before the change, and the level from this run to the next change. Levels are geometric means; levels of
   * shares are means.
   */
  before: z.number(),
  after: z.number(),
  /** The probability, if nothing has changed, of a split that is at least this clear. */
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
  /** The least number of runs among which a change is searched, at the beginning and again after each change. */
  minRuns: 12,
  minLevelRuns: 3,
  /** The probability of reporting a change although the level never changed. */
  alpha: 0.01,
  permutations: 999,
  /** The maximum number of runs among which a change is searched. Older runs are only shown. */
  maxRuns: 200,
} as const;
