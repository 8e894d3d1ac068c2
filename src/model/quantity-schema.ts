import { z } from 'zod';
import { longestRun } from './quantity.ts';

/* This schema has its own file, so that a command line that only names quantities need not load the schema library. */

export const millisecondsSchema = z
  .number()
  .nonnegative()
  .max(longestRun)
  .brand<'Milliseconds'>()
  .meta({ unit: 'ms' });
export const instantSchema = z.number().min(-longestRun).max(longestRun).brand<'Instant'>();
export const perSecondSchema = z.number().nonnegative().brand<'PerSecond'>();

/** Returns the unit of a schema's numbers, also after further checks; `undefined` if it has none. */
export const unitOf = (schema: z.core.$ZodType): unknown => z.globalRegistry.get(schema)?.['unit'];
