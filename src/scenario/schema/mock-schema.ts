import { z } from 'zod';
import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';
import { type Milliseconds } from '../../model/quantity.ts';
import { unitOf } from '../../model/quantity-schema.ts';
import { durationField, durationOrNoneField } from './fields.ts';
import { formatDuration } from './notation.ts';

/**
 * This file contains the schema of `mock` in a scenario. The schema accepts all settings of the reference gateway in
 * the notation of scenarios: durations have a unit, "none" means no limit, and unknown keys are refused. The schema is
 * derived from the gateway's own schema, so a new setting of the gateway needs no change here.
 */

/**
 * The kinds of schema that stay unchanged. Every setting has one of these kinds or a kind that `writtenField` converts.
 */
const plainKinds = ['enum', 'literal', 'string', 'boolean', 'number'];

const isLength = (schema: z.core.$ZodType): boolean => unitOf(schema) === 'ms';

/**
 * Returns the rules that a schema has for a whole mapping or list. The rules apply in both notations, since they accept
 * values of any type.
 */
const checksOf = <T>({ def }: z.ZodType): z.core.$ZodCheck<T>[] =>
  (def.checks ?? []) as unknown as z.core.$ZodCheck<T>[];

const writtenField = (schema: z.core.$ZodType): z.ZodType => {
  if (isLength(schema)) return durationField();
  if (schema instanceof z.ZodOptional) return scenarioField(schema.unwrap()).optional();
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map(scenarioField));
  if (schema instanceof z.ZodArray) {
    return z.array(scenarioField(schema.element)).check(...checksOf<unknown[]>(schema));
  }
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries<z.core.$ZodType>(schema.shape);
    return z
      .strictObject(Object.fromEntries(shape.map(([name, field]) => [name, scenarioField(field)])))
      .check(...checksOf<Record<string, unknown>>(schema));
  }
  if (schema instanceof z.ZodNullable) {
    const inner = schema.unwrap();
    if (isLength(inner)) return durationOrNoneField();
    return z
      .union([scenarioField(inner), z.literal('none')])
      .transform((value) => (value === 'none' ? null : value));
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    const inner = schema.unwrap();
    const { defaultValue } = schema.def;
    const value = isLength(inner) ? formatDuration(defaultValue as Milliseconds) : defaultValue;
    return (isLength(inner) ? durationField() : scenarioField(inner)).prefault(value ?? 'none');
  }
  const plain = schema as z.ZodType;
  if (plainKinds.includes(plain.def.type)) return plain;
  throw new Error(`no scenario notation for ${plain.def.type}`);
};

/** Converts a field to the notation of scenarios. The field keeps its description. */
const scenarioField = (schema: z.core.$ZodType): z.ZodType => {
  const { description } = schema as z.ZodType;
  const written = writtenField(schema);
  return description === undefined ? written : written.describe(description);
};

/**
 * The schema of `mock` in a scenario. Prices are not a part of `mock`, since a scenario has its own field for prices.
 */
export const mockSchema = scenarioField(mockSettingsSchema.omit({ prices: true }));
