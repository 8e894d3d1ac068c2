import { z } from 'zod';
import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';
import { type Milliseconds, unitOf } from '../../model/quantity.ts';
import { durationField, durationOrNoneField } from './fields.ts';
import { formatDuration } from './notation.ts';

/**
 * A scenario may set everything that the reference gateway can be configured with, in the notation
 * of scenarios: durations with their unit, `none` for no limit, no unknown keys. This schema is
 * derived from the gateway's own schema, so that a new setting there needs no line here.
 */

const isLength = (schema: z.core.$ZodType): boolean => unitOf(schema) === 'ms';

type Kind = z.core.$ZodTypeDef['type'];
type Translation = (schema: never) => z.ZodType;

/** Rules about a whole mapping or list, which hold in either notation; a check is a rule about values of any type. */
const schemaChecks = <T>({ def }: z.ZodType): z.core.$ZodCheck<T>[] =>
  (def.checks ?? []) as unknown as z.core.$ZodCheck<T>[];

const objectField = (schema: z.ZodObject): z.ZodType =>
  z
    .strictObject(
      Object.fromEntries(
        Object.entries(schema.shape as Record<string, z.core.$ZodType>).map(([name, field]) => [
          name,
          scenarioField(field),
        ]),
      ),
    )
    .check(...schemaChecks<Record<string, unknown>>(schema));

const nullable = (schema: z.ZodNullable): z.ZodType => {
  const inner = schema.unwrap();
  if (isLength(inner)) return durationOrNoneField();
  return z
    .union([scenarioField(inner), z.literal('none')])
    .transform((value) => (value === 'none' ? null : value));
};

const withDefault = (schema: z.ZodDefault | z.ZodPrefault): z.ZodType => {
  const inner = schema.unwrap();
  const { defaultValue } = schema.def;
  if (isLength(inner))
    return durationField().prefault(formatDuration(defaultValue as Milliseconds));
  const isNone = defaultValue === null;
  return isNone
    ? scenarioField(inner).prefault('none')
    : scenarioField(inner).prefault(defaultValue);
};

const unchanged = (schema: z.ZodType): z.ZodType => schema;

/** How each kind of schema is written; what is missing here cannot be a setting. */
const translations: Partial<Record<Kind, Translation>> = {
  object: objectField,
  nullable,
  default: withDefault,
  prefault: withDefault,
  optional: (schema: z.ZodOptional) => scenarioField(schema.unwrap()).optional(),
  array: (schema: z.ZodArray) =>
    z.array(scenarioField(schema.element)).check(...schemaChecks<unknown[]>(schema)),
  union: (schema: z.ZodUnion) =>
    z.union(schema.options.map(scenarioField) as [z.ZodType, ...z.ZodType[]]),
  enum: unchanged,
  literal: unchanged,
  string: unchanged,
  boolean: unchanged,
  number: unchanged,
};

/** The same field as a scenario writes it, with what is said of it. */
const scenarioField = (schema: z.core.$ZodType): z.ZodType => {
  const field = schema as z.ZodType;
  const translate = translations[field.def.type];
  if (translate === undefined) throw new Error(`no scenario notation for ${field.def.type}`);
  const written = isLength(field) ? durationField() : translate(field as never);
  return field.description === undefined ? written : written.describe(field.description);
};

/** The `mock` of a scenario; prices are the scenario's own. */
export const mockSchema = scenarioField(mockSettingsSchema.omit({ prices: true }));
