import { z } from 'zod';
import { longestRun } from './quantity.ts';

/* Apart from the quantities themselves, so that a command line which only names some need not load the schema library. */

export const millisecondsSchema = z
  .number()
  .nonnegative()
  .max(longestRun)
  .brand<'Milliseconds'>()
  .meta({ unit: 'ms' });
export const instantSchema = z.number().min(-longestRun).max(longestRun).brand<'Instant'>();
export const perSecondSchema = z.number().nonnegative().brand<'PerSecond'>();

/** The unit of a schema's numbers, also after further checks; `undefined` if it has none. */
export const unitOf = (schema: z.core.$ZodType): unknown => z.globalRegistry.get(schema)?.['unit'];
