import { z } from 'zod';

/**
 * What the history keeps of every finished run that counts, and what it makes of the runs of one
 * plan. A run's result file stays where it is; the history only knows the place.
 */

const historyFigureSchema = z.strictObject({
  /** As in a comparison: kind of traffic, model and name. */
  id: z.string(),
  label: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher', 'neither']),
  /** Shares of failures change by differences, everything else by ratios. */
  scale: z.enum(['ratio', 'difference']),
  /** In the unit; of a share 0 … 1. */
  value: z.number(),
  /** A smaller change is no change: as a share of the figure (of a share of failures as a difference), and in its unit. */
  effect: z.number(),
  floor: z.number(),
});
export type HistoryFigure = z.infer<typeof historyFigureSchema>;

const historyVerdictsSchema = z.array(
  z.strictObject({ text: z.string(), ruling: z.enum(['pass', 'fail', 'inconclusive']) }),
);

/** A run as it is added. */
export const historyRunSchema = z.strictObject({
  /** The result's file: absolute. */
  file: z.string(),
  planHash: z.string(),
  plan: z.string(),
  target: z.string(),
  /** The version of Weir that ran it. */
  weir: z.string(),
  startedAt: z.iso.datetime(),
  trust: z.enum(['valid', 'degraded', 'invalid']),
  /** Of the objectives, and of the limits where they are violated. */
  verdicts: historyVerdictsSchema,
  figures: z.array(historyFigureSchema),
});
export type HistoryRun = z.infer<typeof historyRunSchema>;

/** A run as the history has it. */
export const storedRunSchema = historyRunSchema.extend({
  /** What people call it by. */
  id: z.int().positive(),
  /** The names of the baselines that it belongs to. */
  baselines: z.array(z.string()),
});
export type StoredRun = z.infer<typeof storedRunSchema>;

/** A run at which a figure's level changed: the first of the new level. */
const changeSchema = z.strictObject({
  run: z.int().positive(),
  /** The level before and from it on, until the next change; geometric means, of shares means. */
  before: z.number(),
  after: z.number(),
  /** How probable a split this clear is where nothing changed. */
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

/** All runs of one plan against one target, which its hash stands for, with the headline figures over them; oldest first. */
const trendSchema = z.strictObject({
  planHash: z.string(),
  plan: z.string(),
  target: z.string(),
  runs: z.array(storedRunSchema).min(1),
  figures: z.array(trendFigureSchema),
});
export type Trend = z.infer<typeof trendSchema>;

/** The written form of a history, `history/1`. */
export const historySchema = z.strictObject({
  format: z.literal('history/1'),
  weir: z.string(),
  trends: z.array(trendSchema),
});

/** When a level counts as changed. */
export const changeRules = {
  /** Fewer runs of a plan are not looked at, and as many must follow a change before the next one is sought. */
  minRuns: 12,
  /** A level has at least as many runs. */
  minLevelRuns: 3,
  /** The chance that a figure whose level never changed is called changed. */
  alpha: 0.01,
  permutations: 999,
  /** Older ones are drawn and not searched. */
  maxRuns: 200,
} as const;
