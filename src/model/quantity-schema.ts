import { z } from 'zod';
import { longestRun } from './quantity.ts';

/*
 * The schema of a time in ms. The schema is separate from `quantity.ts`, so that commands that only use the names of
 * quantities do not load the schema library.
 */

export const millisecondsSchema = z
  .number()
  .nonnegative()
  .max(longestRun)
  .brand<'Milliseconds'>()
  .meta({ unit: 'ms' });
export const instantSchema = z.number().min(-longestRun).max(longestRun).brand<'Instant'>();
export const perSecondSchema = z.number().nonnegative().brand<'PerSecond'>();

/**
 * Returns the unit of a schema's numbers; `undefined` if the schema has no unit. Checks that were added to the schema
 * do not hide the unit.
 */
export const unitOf = (schema: z.core.$ZodType): unknown => z.globalRegistry.get(schema)?.['unit'];
